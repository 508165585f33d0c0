// Barriers in shared memory (mbarrier in PTX): one 64-bit word, from sm_90 on.
//
// The word holds, as can be read off what compilers do to make one (mbarrier.init) and to take one
// apart (mbarrier.pending_count):
//   bits  1 .. 20   2^20 less the arrivals that a phase expects
//   bits 43 .. 62   2^20 less the arrivals still pending (so the last one carries into bit 63)
//   bit  63         parity of the phase
// What is left between holds the count of transferred bytes that the phase still waits for, here in
// bits 21 .. 42 as a signed number; no compiled code was seen to look at it. A phase is over when
// nothing is pending and the count is 0; then the next one begins with all arrivals pending.
// Source of the rules: PTX ISA, "mbarrier".
//
// On sm_80 to sm_89 the word is another: 2^30 less what a phase expects in the lower half, 2^31
// less what is pending below the parity in the upper one. Instructions exist for arrivals only
// (ATOMS.ARRIVE, ARRIVES); the rest compilers do with loads, stores and atomics.
#pragma once

#include <optional>

#include "support/types.hpp"

namespace picker::emulator {

inline constexpr u32 kMostArrivals = (u32{1} << 20) - 1;

struct Mbarrier {
  u32 expected = 0;
  u32 pending = 0;
  i32 transfers = 0;  // bytes, or copies, still to come
  bool parity = false;

  static constexpr u32 kField = (u32{1} << 20) - 1;

  [[nodiscard]] static Mbarrier unpack(u64 word) {
    Mbarrier b;
    const auto negated = [](u64 bits) {
      return static_cast<u32>((u64{1} << 20) - (bits & kField)) & kField;
    };
    b.expected = negated(word >> 1);
    b.pending = negated(word >> 43);
    b.transfers = static_cast<i32>(static_cast<u32>(word >> 21) << 10) >> 10;
    b.parity = (word >> 63) != 0;
    return b;
  }
  [[nodiscard]] u64 pack() const {
    const auto negated = [](u32 n) { return ((u64{1} << 20) - n) & kField; };
    return negated(expected) << 1 | u64{static_cast<u32>(transfers) & ((u32{1} << 22) - 1)} << 21 |
           negated(pending) << 43 | u64{parity ? 1u : 0u} << 63;
  }

  // Arrivals and a change of the count of transfers; `leaves`: those who arrive do not take part in
  // later phases. True if the phase is over; nothing if more arrive than are awaited.
  [[nodiscard]] std::optional<bool> update(u32 arrivals, i32 more_transfers, bool leaves) {
    constexpr i32 kMostTransfers = (1 << 20) - 1;
    if (arrivals > pending || (leaves && arrivals > expected)) return std::nullopt;
    pending -= arrivals;
    if (leaves) expected -= arrivals;
    const i64 sum = i64{transfers} + more_transfers;
    if (sum > kMostTransfers || sum < -kMostTransfers) return std::nullopt;
    transfers = static_cast<i32>(sum);
    if (pending != 0 || transfers != 0) return false;
    parity = !parity;
    pending = expected;
    return true;
  }
};

// One arrival, on sm_80 to sm_89.
[[nodiscard]] inline u64 arrive_at_early_barrier(u64 word) {
  const u32 low = static_cast<u32>(word);
  u32 high = static_cast<u32>(word >> 32) + 1;  // the last one carries into the parity
  if ((high & 0x7fffffffu) == 0) high |= (low + (u32{1} << 30)) & 0x7fffffffu;
  return u64{high} << 32 | low;
}

}  // namespace picker::emulator
