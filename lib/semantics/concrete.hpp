// Domains whose values are bits: the semantics that only they can run.
//
// Most instructions are written once for every domain. Some have a meaning that no symbolic domain
// wants (rounded arithmetic, permutations chosen by data, exchanges between lanes). Their
// definitions are functions of plain words, applied lane by lane, and they are compiled only for a
// domain that says it is concrete: it has `static constexpr bool kConcrete = true`, and its Word,
// Wide and Flag are Lanes<u32>, Lanes<u64> and LaneMask below. For all others the same instruction
// is `unmodelled`.
#pragma once

#include <array>

#include "support/types.hpp"

namespace picker::semantics {

inline constexpr u32 kWarpSize = 32;

// One value per lane of a warp. A plain loop over it compiles to vector code.
template <class T>
struct Lanes {
  alignas(64) std::array<T, kWarpSize> lane;

  [[nodiscard]] T& operator[](u32 i) { return lane[i]; }
  [[nodiscard]] const T& operator[](u32 i) const { return lane[i]; }
};

// One bit per lane: bit i is lane i's.
struct LaneMask {
  u32 bits = 0;

  [[nodiscard]] bool operator[](u32 i) const { return ((bits >> i) & 1) != 0; }
};

template <class D>
concept ConcreteDomain = requires { requires D::kConcrete; };

// f(lane of each argument) for every lane.
template <class R, class F, class... T>
[[nodiscard]] Lanes<R> map_lanes(F f, const Lanes<T>&... x) {
  Lanes<R> out;
  for (u32 i = 0; i < kWarpSize; ++i) out.lane[i] = static_cast<R>(f(x.lane[i]...));
  return out;
}

// The same for a condition.
template <class F, class... T>
[[nodiscard]] LaneMask test_lanes(F f, const Lanes<T>&... x) {
  u32 bits = 0;
  for (u32 i = 0; i < kWarpSize; ++i) bits |= static_cast<u32>(f(x.lane[i]...) ? 1 : 0) << i;
  return {bits};
}

}  // namespace picker::semantics
