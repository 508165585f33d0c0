// A warp: 32 lanes with registers of their own, as a concrete domain of the semantics.
//
// Lanes and convergence. Since sm_70 every thread has its own program counter. A warp executes the
// lanes that stand at the same instruction together; which group goes next is the schedule's
// choice. Threads meet again where the code says so:
//   BSSY Bx, L  the lanes that execute it together will wait for each other at the next BSYNC Bx;
//   BSYNC Bx    waits until every such lane is there, has exited, or has left by BREAK Bx;
//   WARPSYNC m  waits until the lanes of mask m are there or have exited;
// and, by the schedule's grace only, where they happen to stand at the same instruction. The fixed
// schedule always runs the group at the lowest address, which meets at the end of a forward branch
// without help; no code may rely on that, and the random schedule does not offer it.
//
// Every lane keeps the participants of its own barrier registers: a register of the hardware is
// one per warp, but two groups that use the same register at different places never need to know of
// each other.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "container/constant_bank.hpp"
#include "emulator/block.hpp"
#include "emulator/cluster.hpp"
#include "emulator/machine.hpp"
#include "emulator/random.hpp"
#include "sass/registers.hpp"
#include "semantics/domain.hpp"
#include "semantics/integer.hpp"

namespace picker::emulator {

using sass::Instruction;
using sass::Operand;
using semantics::map_lanes;
using semantics::test_lanes;

// Generic addresses of shared and local memory.
inline constexpr u64 kSharedWindow = 0x0000'0a51'0000'0000;
inline constexpr u64 kLocalWindow = 0x0000'0a52'0000'0000;
inline constexpr u64 kWindowBytes = u64{1} << 24;  // per thread, or per block of a cluster
inline constexpr u64 kSharedOffsetSpan = u64{1} << kSharedOffsetBits;
inline constexpr u32 kStackPointer = 0x00ff'fde0;  // initial R1: an offset in local memory
inline constexpr u64 kGlobalDescriptor = 0xd15c'0000'0000'd15cu;
inline constexpr u32 kConvergenceBarriers = 16;

// f(lane) for every bit of `lanes`, lowest first.
template <class F>
void for_each_lane(u32 lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<u32>(__builtin_ctz(lanes)));
}

// What all warps of a run share.
struct Shared {
  const Program& program;
  const Launch& launch;
  GlobalMemory& memory;
  const Options& options;
  std::vector<u8> constant0;
  u64 clock = 0;
  Random random;  // the schedule's
  Random clock_random;
  std::optional<Outcome> outcome;  // set once: the run ends
  u32 local_bytes = 0;             // per thread, at the top of its 16 MiB
  std::string printed;             // by printf, in the order of execution
};

class Warp {
 public:
  static constexpr bool kConcrete = true;
  using Word = Lanes<u32>;
  using Wide = Lanes<u64>;
  using Flag = LaneMask;
  using Reference = semantics::MemoryReference<Warp>;
  using Data = semantics::Words<Warp>;

  Warp(Shared& shared, BlockState& block, u32 first_thread);

  // ---- running ----
  // Executes one instruction. False: nothing can run (all lanes wait or have exited).
  bool step();
  [[nodiscard]] bool exited() const { return exited_ == exist_; }
  [[nodiscard]] u32 lanes_at_block_barrier(u32 id) const;
  // The barrier is complete: its lanes go on, with the result of a reduction.
  void release_block_barrier(u32 id, const BlockBarrier& done);
  [[nodiscard]] WarpId id() const { return {block_.linear, first_thread_}; }
  void release_cluster_barrier();
  // A phase of some barrier in shared memory is over, or (`in_vain`) nothing else can move: lanes
  // that wait for one look again. False: there are none.
  bool look_at_phases_again(bool in_vain);
  [[nodiscard]] std::string where() const;  // of a waiting lane, for diagnostics

  // ---- literals and arithmetic ----
  static Word word(u32 x) {
    Word w;
    w.lane.fill(x);
    return w;
  }
  static Wide wide(u64 x) {
    Wide w;
    w.lane.fill(x);
    return w;
  }
  static Flag flag(bool x) { return {x ? ~u32{0} : 0}; }
  [[nodiscard]] Word immediate(u32 x) const {
    return word(current_ != nullptr && current_->immediate ? *current_->immediate : x);
  }
  template <class T>
  static Lanes<T> add(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x + y; }, a, b);
  }
  template <class T>
  static Lanes<T> sub(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x - y; }, a, b);
  }
  template <class T>
  static Lanes<T> mul(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x * y; }, a, b);
  }
  template <class T>
  static Lanes<T> bit_and(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x & y; }, a, b);
  }
  template <class T>
  static Lanes<T> bit_or(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x | y; }, a, b);
  }
  template <class T>
  static Lanes<T> bit_xor(const Lanes<T>& a, const Lanes<T>& b) {
    return map_lanes<T>([](T x, T y) { return x ^ y; }, a, b);
  }
  template <class T>
  static Lanes<T> bit_not(const Lanes<T>& a) {
    return map_lanes<T>([](T x) { return ~x; }, a);
  }
  template <class T>
  static Lanes<T> shift_left(const Lanes<T>& a, const Word& n) {
    return map_lanes<T>([](T x, u32 k) { return k >= 8 * sizeof(T) ? T{0} : x << k; }, a, n);
  }
  template <class T>
  static Lanes<T> shift_right(const Lanes<T>& a, const Word& n) {
    return map_lanes<T>([](T x, u32 k) { return k >= 8 * sizeof(T) ? T{0} : x >> k; }, a, n);
  }
  template <class T>
  static Lanes<T> shift_right_signed(const Lanes<T>& a, const Word& n) {
    using S = std::make_signed_t<T>;
    return map_lanes<T>(
        [](T x, u32 k) {
          const u32 most = 8 * sizeof(T) - 1;
          return static_cast<T>(static_cast<S>(x) >> (k > most ? most : k));
        },
        a, n);
  }
  template <class T>
  static Flag equal(const Lanes<T>& a, const Lanes<T>& b) {
    return test_lanes([](T x, T y) { return x == y; }, a, b);
  }
  template <class T>
  static Flag less_unsigned(const Lanes<T>& a, const Lanes<T>& b) {
    return test_lanes([](T x, T y) { return x < y; }, a, b);
  }
  template <class T>
  static Flag less_signed(const Lanes<T>& a, const Lanes<T>& b) {
    using S = std::make_signed_t<T>;
    return test_lanes([](T x, T y) { return static_cast<S>(x) < static_cast<S>(y); }, a, b);
  }
  template <class T>
  static Lanes<T> select(Flag c, const Lanes<T>& a, const Lanes<T>& b) {
    Lanes<T> out;
    for (u32 i = 0; i < kWarpSize; ++i) out[i] = c[i] ? a[i] : b[i];
    return out;
  }
  static Word minimum(bool is_signed, const Word& a, const Word& b) {
    return select(is_signed ? less_signed(a, b) : less_unsigned(a, b), a, b);
  }
  static Word maximum(bool is_signed, const Word& a, const Word& b) {
    return select(is_signed ? less_signed(a, b) : less_unsigned(a, b), b, a);
  }
  template <class T>
  static Flag carry(const Lanes<T>& a, const Lanes<T>& b, Flag in) {
    u32 bits = 0;
    for (u32 i = 0; i < kWarpSize; ++i) {
      const T sum = static_cast<T>(a[i] + b[i]);
      const bool out = sum < a[i] || (in[i] && sum == static_cast<T>(~T{0}));
      bits |= static_cast<u32>(out ? 1 : 0) << i;
    }
    return {bits};
  }
  static Flag flag_and(Flag a, Flag b) { return {a.bits & b.bits}; }
  static Flag flag_or(Flag a, Flag b) { return {a.bits | b.bits}; }
  static Flag flag_xor(Flag a, Flag b) { return {a.bits ^ b.bits}; }
  static Flag flag_not(Flag a) { return {~a.bits}; }
  static Wide widen_unsigned(const Word& a) {
    return map_lanes<u64>([](u32 x) { return u64{x}; }, a);
  }
  static Wide widen_signed(const Word& a) {
    return map_lanes<u64>([](u32 x) { return static_cast<u64>(i64{static_cast<i32>(x)}); }, a);
  }
  static Word low(const Wide& a) {
    return map_lanes<u32>([](u64 x) { return static_cast<u32>(x); }, a);
  }
  static Word high(const Wide& a) {
    return map_lanes<u32>([](u64 x) { return static_cast<u32>(x >> 32); }, a);
  }
  static Wide join(const Word& h, const Word& l) {
    return map_lanes<u64>([](u32 x, u32 y) { return (u64{x} << 32) | y; }, h, l);
  }
  static Word field(const Word& a, u32 at, u32 bits) {
    return map_lanes<u32>(
        [=](u32 x) { return bits >= 32 ? x >> at : (x >> at) & ((u32{1} << bits) - 1); }, a);
  }
  static Word field_signed(const Word& a, u32 at, u32 bits) {
    return map_lanes<u32>(
        [=](u32 x) {
          return static_cast<u32>(static_cast<i32>(x << (32 - bits - at)) >> (32 - bits));
        },
        a);
  }
  static Flag bit(const Word& a, u32 n) {
    return test_lanes([=](u32 x) { return ((x >> n) & 1) != 0; }, a);
  }
  static Word from_flag(Flag a) {
    Word w;
    for (u32 i = 0; i < kWarpSize; ++i) w[i] = (a.bits >> i) & 1;
    return w;
  }
  static Word population_count(const Word& a) {
    return map_lanes<u32>([](u32 x) { return static_cast<u32>(__builtin_popcount(x)); }, a);
  }
  static Word reverse_bits(const Word& a) {
    return map_lanes<u32>(
        [](u32 x) {
          u32 out = 0;
          for (u32 i = 0; i < 32; ++i) out |= ((x >> i) & 1) << (31 - i);
          return out;
        },
        a);
  }
  // The value if it is the same for all lanes that execute.
  [[nodiscard]] std::optional<u32> known(const Word& a) const;
  std::optional<Flag> compare_extended(sass::Value relation, bool is_signed, const Word& a,
                                       const Word& b, Flag low_flag) {
    return semantics::compare_high_word(*this, relation, is_signed, a, b, low_flag);
  }

  // ---- state ----
  [[nodiscard]] Word reg(u8 n) const { return n == sass::kRZ ? word(0) : regs_[n]; }
  [[nodiscard]] Word ureg(u8 n) const { return word(n == sass::kURZ ? 0 : uregs_[n]); }
  [[nodiscard]] Flag pred(u8 n) const { return n >= sass::kPT ? flag(true) : preds_[n]; }
  [[nodiscard]] Flag upred(u8 n) const { return flag(n >= sass::kPT || upreds_[n]); }
  void set_reg(u8 n, const Word& x) {
    if (n == sass::kRZ) return;
    Word& r = regs_[n];
    if (guard_.bits == ~u32{0}) {
      r = x;
      return;
    }
    for (u32 i = 0; i < kWarpSize; ++i) r[i] = guard_[i] ? x[i] : r[i];
  }
  void set_ureg(u8 n, const Word& x) {
    if (n != sass::kURZ && guard_.bits != 0) uregs_[n] = x[lowest(guard_.bits)];
  }
  void set_pred(u8 n, Flag x) {
    if (n < sass::kPT) preds_[n].bits = (preds_[n].bits & ~guard_.bits) | (x.bits & guard_.bits);
  }
  void set_upred(u8 n, Flag x) {
    if (n < sass::kPT && guard_.bits != 0) upreds_[n] = x[lowest(guard_.bits)];
  }
  // The lanes that execute the current instruction, and the one a uniform result is taken from.
  [[nodiscard]] LaneMask executing() const { return guard_; }
  // LEPC: the address of the instruction itself, or of the one that it names.
  void write_code_address(const Instruction& in) {
    const Operand* target = in.find(sass::Role::kTarget);
    const u64 address = kCodeBase + (target != nullptr ? static_cast<u64>(target->value) : pc_);
    set_reg(in.find(sass::Role::kDst)->reg, word(static_cast<u32>(address)));
    set_reg(static_cast<u8>(in.find(sass::Role::kDst)->reg + 1),
            word(static_cast<u32>(address >> 32)));
  }

  // ---- constants, special registers, other lanes ----
  Word constant_word(u8 bank, const Word& offset) { return constant_at(bank, offset, 4); }
  Wide constant_wide(u8 bank, const Word& offset) {
    const Word h = constant_at(bank, add(offset, word(4)), 4);
    return join(h, constant_at(bank, offset, 4));
  }
  Word constant_bytes(const Instruction&, u8 bank, const Word& offset, u32 bytes) {
    return constant_at(bank, offset, bytes);
  }
  [[nodiscard]] bool is_global_descriptor(u8 n) const {
    return uregs_[n] == static_cast<u32>(kGlobalDescriptor) &&
           uregs_[static_cast<u8>(n + 1)] == static_cast<u32>(kGlobalDescriptor >> 32);
  }
  Word special_register(const Instruction& in, u32 number, u32 index);
  Word any_lane(const Instruction& in, const Word& x);

  // ---- memory ----
  Data load(const Reference& ref);
  void store(const Reference& ref, const Data& data);
  void atomic(const Instruction& in, const Reference& ref, const Data& data, const Data& comparand);
  void load_matrix(const Instruction& in);
  void prefetch_flag(const Operand& operand);

  // ---- escapes ----
  void warp_value(const Instruction& in);
  void unmodelled(const Instruction& in);
  void unmodelled_flag(const Instruction& in, const Operand& operand);
  void unmodelled_memory(const Instruction& in) { unmodelled(in); }

 private:
  static u32 lowest(u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); }
  [[nodiscard]] u32 runnable() const {
    return exist_ & ~(exited_ | at_sync_ | at_warp_sync_ | at_block_barrier_ | at_cluster_barrier_ |
                      at_phase_);
  }
  void stop(End end, std::string message, u32 lane);
  void stop(End end, std::string message) { stop(end, std::move(message), lowest(active_)); }
  [[nodiscard]] std::string thread_text(u32 lane) const;
  Word constant_at(u8 bank, const Word& offset, u32 bytes);

  // warp_control.cpp
  void choose_group();
  void park();  // writes the group's place back to its lanes
  void move_lanes(u32 lanes, u64 to);
  void split(u32 taken, u64 target, u64 next);
  void control(const ProgramInstruction& p, u64 next);
  void nothing(const ProgramInstruction& p, u64 next);
  void block_barrier(const ProgramInstruction& p, u64 next);
  void effect(const ProgramInstruction& p);
  void exit_lanes(u32 lanes);
  void release_syncs();
  void release_warp_syncs();
  void call_address(u64 address, u32 lanes, u64 next);

  // warp_memory.cpp
  void discard_or_prefetch(const Instruction& in);
  enum class Target : u8 { kGlobal, kShared, kLocal };
  // The lane that acts first where several touch one place: any, in a random schedule.
  [[nodiscard]] u32 first_lane_of(u32 lanes) const {
    if (!shared_.options.random_schedule || lanes == 0) return 0;
    u64 skip = shared_.random.below(static_cast<u32>(__builtin_popcount(lanes)));
    for (; skip != 0; --skip) lanes &= lanes - 1;
    return lowest(lanes);
  }
  template <class F>
  void in_lane_order(u32 lanes, F f) const {
    const u32 first = first_lane_of(lanes);
    for (u32 i = 0; i < kWarpSize; ++i)
      if (const u32 lane = (first + i) % kWarpSize; (lanes >> lane & 1) != 0) f(lane);
  }
  void split_by_space(const Reference& ref, u32 lanes, std::array<u32, 3>& by_target,
                      Wide& address) const;
  // Tells the recorder, if there is one, about the lanes of `by_target` in shared and local memory.
  void record_narrow(const std::array<u32, 3>& by_target, const Wide& address, u32 bytes, bool read,
                     bool write) const;
  u32 without_barrier_words(u32 lanes, const Wide& address) const;
  // cluster.cpp
  bool peer_bytes(u32 lane, u64 offset, u32 bytes, u8*& out);
  void record_shared(u32 lanes, const Wide& address, u32 bytes, bool read, bool write) const;
  void order_by(u64 address) const;
  void cluster_barrier(const Instruction& in);
  void leave_cluster(u32 lanes);

  // warpgroup_matrix.cpp
  void warpgroup_matrix(const Instruction& in);
  void warpgroup(const Instruction& in, u64 next);

  // texture.cpp
  const Image* image_of(const Instruction& in);
  bool read_elements(const Image& image, u32 lanes, const Wide& address,
                     std::array<Word, 4>& words);
  void fetch_texture(const Instruction& in);
  void access_surface(const Instruction& in);

  // syscalls.cpp
  void call_system(const std::string& name, u32 lane);
  bool read_for_system(u32 lane, u64 address, std::span<u8> to);
  std::optional<std::string> read_text(u32 lane, u64 address);
  std::optional<u32> print(u32 lane, const std::string& format, u64 arguments);

  // async_copy.cpp
  bool update_mbarrier(u32 lane, u64 address, u32 arrivals, i32 transfers, bool leaves,
                       u64* old_word);
  void mbarrier(const Instruction& in, u64 next);
  void arrive_after_copies(const Instruction& in);
  void bulk_copy(const Instruction& in);
  bool bulk_global(u32 lane, u64 address, u32 bytes, bool write, u8* data, const Update* update);
  void store_and_tell(const Instruction& in);

  bool narrow_bytes(Target target, u32 lane, u64 offset, u32 bytes, u8*& out);
  void make_local_memory();
  // Loads from and stores to the block's shared memory where all lanes stay inside it, aligned;
  // false, and nothing done, if one does not.
  bool load_shared_whole(u32 lanes, const Wide& address, u32 bytes, Data& words) const;
  bool global_access(const Reference& ref, u32 lanes, const Wide& address, bool read, bool write,
                     AccessData& data, const Update* update);
  void fault(MemoryFault what, u32 lane, u64 address, u32 bytes, std::string_view space);

  Shared& shared_;
  BlockState& block_;
  u32 first_thread_ = 0;
  u32 exist_ = 0;  // lanes that hold a thread
  u32 exited_ = 0;

  // The group that runs: lanes and their common place.
  u32 active_ = 0;
  u64 pc_ = 0;
  bool choose_ = true;
  u32 turns_ = 0;  // instructions since the group was chosen while others could run
  LaneMask guard_;
  const ProgramInstruction* current_ = nullptr;

  std::array<u64, kWarpSize> lane_pc_{};
  u32 at_sync_ = 0;  // lanes that wait at BSYNC, and at which barrier
  std::array<u8, kWarpSize> sync_barrier_{};
  u32 at_warp_sync_ = 0;
  std::array<u32, kWarpSize> warp_sync_mask_{};
  u32 at_block_barrier_ = 0;
  std::array<u8, kWarpSize> block_barrier_{};
  u32 at_phase_ = 0;           // lanes that wait for a barrier in shared memory, or for products
  bool wait_is_over_ = false;  // the next such wait comes back at once
  u32 at_cluster_barrier_ = 0;
  u32 cluster_arrived_ = 0;  // lanes that have arrived and not yet waited, and in which phase
  u64 cluster_phase_ = 0;
  // Participants, and where BSSY said that they go on, by barrier register and lane.
  std::array<Lanes<u32>, kConvergenceBarriers> participants_;
  std::array<Lanes<u32>, kConvergenceBarriers> sync_target_;
  u32 barrier_result_ = 0;  // of BAR.RED
  bool barrier_predicate_ = false;

  std::vector<Lanes<u32>> regs_;
  std::array<u32, 256> uregs_{};
  std::array<LaneMask, 8> preds_{};
  std::array<bool, 8> upreds_{};
  std::vector<u8> local_;  // by lane; empty until something touches it
  bool discarding_ = false;
};

}  // namespace picker::emulator
