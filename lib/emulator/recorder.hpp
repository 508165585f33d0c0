// What a run reports while it goes on: accesses to memory, and what orders them.
//
// Global memory is what a launch leaves behind, so every access to it is reported, by the one
// function that moves its bytes (memory.hpp). Shared and local memory end with the launch; what
// happens there is reported for those who check a program's own contracts: that its threads do not
// race, that they read nothing before they wrote it. Such a checker needs the order too: which
// warps met at which barrier, and where an atomic or a fence may have ordered more than barriers
// do.
#pragma once

#include "semantics/concrete.hpp"
#include "support/types.hpp"

namespace picker::emulator {

using semantics::kWarpSize;
using semantics::LaneMask;
using semantics::Lanes;

inline constexpr u32 kMaxAccessBytes = 32;

// What one instruction of one warp does to global memory. All lanes in `lanes` execute it.
struct Access {
  u32 code_offset = 0;  // bytes from the start of the section: the instruction
  u32 bytes = 0;        // per lane
  u32 lanes = 0;        // bit i: lane i takes part
  bool read = false;
  bool write = false;         // both: an atomic
  bool non_coherent = false;  // may be served from a cache that stores do not update
  bool asynchronous = false;  // completes later than the instructions that follow
  bool discards = false;      // leaves undefined contents
  u64 block = 0;              // linear index of the block
  u32 first_thread = 0;       // linear index in its block of the thread in lane 0
  u32 barrier_epoch = 0;      // full block barriers passed by the block so far
  Lanes<u64> address;         // of the first byte, by lane
};

enum class NarrowSpace : u8 { kShared, kLocal };

// What one instruction of one warp does to its block's shared memory, or to its lanes' local
// memory.
struct NarrowAccess {
  NarrowSpace space = NarrowSpace::kShared;
  u32 code_offset = 0;
  u32 bytes = 0;  // per lane
  u32 lanes = 0;
  bool read = false;
  bool write = false;    // both: an atomic
  u64 block = 0;         // linear
  u32 first_thread = 0;  // linear index in its block of the thread in lane 0
  Lanes<u64> offset;     // of the first byte from the start of the memory, by lane
};

// A warp, named by its block and the thread in its lane 0.
struct WarpId {
  u64 block = 0;
  u32 first_thread = 0;
};

// Is told of every access to global memory, in the order in which they happen, before bytes change;
// and, if it wants, of the rest.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;
  virtual void record(const Access& access) = 0;
  virtual void record(const NarrowAccess&) {}
  // Lanes of the warp come to block barrier `barrier`; lanes of the warp go on from it, which was
  // for all threads of the block that have not exited, or for some; all who waited have gone on.
  virtual void arrive(const WarpId&, u32 /*barrier*/) {}
  virtual void release(const WarpId&, u32 /*barrier*/, bool /*for_all*/) {}
  virtual void barrier_done(u64 /*block*/, u32 /*barrier*/) {}
  // The warp executes something that a program may use to order accesses without a block barrier.
  virtual void may_order(const WarpId&) {}
  // Lanes of the warp have exited.
  virtual void exit(const WarpId&) {}
  // All threads of the block have exited.
  virtual void block_end(u64 /*block*/) {}
};

// Two recorders as one: both are told, in order.
class BothRecorders : public Recorder {
 public:
  // `second` may be null.
  BothRecorders(Recorder& first, Recorder* second) : first_(first), second_(second) {}
  void record(const Access& access) override {
    tell([&](Recorder& r) { r.record(access); });
  }
  void record(const NarrowAccess& access) override {
    tell([&](Recorder& r) { r.record(access); });
  }
  void arrive(const WarpId& warp, u32 barrier) override {
    tell([&](Recorder& r) { r.arrive(warp, barrier); });
  }
  void release(const WarpId& warp, u32 barrier, bool for_all) override {
    tell([&](Recorder& r) { r.release(warp, barrier, for_all); });
  }
  void barrier_done(u64 block, u32 barrier) override {
    tell([&](Recorder& r) { r.barrier_done(block, barrier); });
  }
  void may_order(const WarpId& warp) override {
    tell([&](Recorder& r) { r.may_order(warp); });
  }
  void exit(const WarpId& warp) override {
    tell([&](Recorder& r) { r.exit(warp); });
  }
  void block_end(u64 block) override {
    tell([&](Recorder& r) { r.block_end(block); });
  }

 private:
  template <class Tell>
  void tell(Tell one) {
    one(first_);
    if (second_ != nullptr) one(*second_);
  }

  Recorder& first_;
  Recorder* second_;
};

}  // namespace picker::emulator
