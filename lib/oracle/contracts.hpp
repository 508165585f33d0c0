// Broken contracts of the program itself: races in shared memory, and reads of what nobody wrote.
//
// A verdict supposes that a launch computes the same when it is run again (design, premise of
// determinate launches). A race between the warps of a block, or a value that was there before the
// block, breaks that without touching the verdict's own subject, global memory. So these are
// reported apart.
//
//   race           two accesses to a byte of shared memory by different warps, one of them a write
//                  and not both atomic, and no barrier between them. Order is kept by vector
//                  clocks (M. J. Fidge, C. Mattern, 1988; the cells as in FastTrack, Flanagan and
//                  Freund, PLDI 2009): a warp's clock joins a barrier's when it arrives and takes
//                  the barrier's when it goes on. An atomic or a fence may order what barriers do
//                  not; each counts as if it ordered everything before it, so a program that
//                  builds its own locks is never accused, and may get away with a race. Threads of
//                  one warp are not looked at.
//   uninitialised  a byte of shared or local memory that is read before anything of its block, or
//                  of its thread, wrote it in this launch.
//
// A run shows the races of its own order of events, not of all orders. Cost: 48 bytes per byte of
// shared memory of resident blocks.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/recorder.hpp"
#include "oracle/touch.hpp"

namespace picker::oracle {

enum class BreachKind : u8 { kRace, kUninitialisedShared, kUninitialisedLocal };

struct Breach {
  BreachKind kind = BreachKind::kRace;
  u64 offset = 0;  // of the byte in shared memory, or in the thread's local memory
  Touch touch;     // the read of what nobody wrote, or the later side of the race
  bool touch_writes = false;
  Touch earlier;  // the other side of a race
  bool earlier_writes = false;
};

class ContractCheck : public emulator::Recorder {
 public:
  void record(const emulator::Access& access) override;
  void record(const emulator::NarrowAccess& access) override;
  void arrive(const emulator::WarpId& warp, u32 barrier) override;
  void release(const emulator::WarpId& warp, u32 barrier, bool for_all) override;
  void barrier_done(u64 block, u32 barrier) override;
  void may_order(const emulator::WarpId& warp) override;
  void exit(const emulator::WarpId& warp) override;
  void block_end(u64 block) override;

  // One for each kind and pair of instructions, in the order in which they were seen.
  [[nodiscard]] const std::vector<Breach>& breaches() const { return breaches_; }

 private:
  static constexpr u32 kWarps = 32;  // of a block, at most
  static constexpr u32 kBarriers = 16;
  static constexpr u32 kNobody = 0xff;
  using Clock = std::array<u32, kWarps>;

  // Who touched a byte, and when by the warp's own clock.
  struct Event {
    u32 time = 0;
    u32 code_offset = 0;
    u16 thread = 0;
    u8 warp = kNobody;
    bool atomic = false;
  };
  struct Byte {
    Event write;
    Event read;
    bool many_readers = false;  // more than one warp since the write: in `readers`
  };
  struct Block {
    std::array<Clock, kWarps> clocks;
    std::array<Clock, kBarriers> barriers{};
    Clock exited{};
    Clock ordered{};
    std::vector<Byte> shared;
    std::unordered_map<u64, std::vector<Event>> readers;  // by byte
    std::unordered_map<u64, std::vector<bool>> written;   // local bytes, by thread, from the top
  };

  Block& block_of(u64 linear);
  void touch_shared(Block& block, const emulator::NarrowAccess& access, u32 lane, u64 offset);
  void touch_local(Block& block, const emulator::NarrowAccess& access, u32 lane, u64 offset);
  void report(Breach breach);

  std::unordered_map<u64, std::unique_ptr<Block>> blocks_;
  std::vector<Breach> breaches_;
  std::set<std::tuple<BreachKind, u32, u32>> seen_;
};

}  // namespace picker::oracle
