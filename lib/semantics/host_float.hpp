// Round-to-nearest single precision by the host's own arithmetic, for speed. The host rounds to
// nearest even and keeps subnormals (the C++ default environment, which nobody here changes).
#pragma once

#include <bit>

#include "support/types.hpp"

namespace picker::semantics::host {

// An operand: the number with these bits, subnormals as zeros if `flush`.
[[nodiscard, gnu::always_inline]] inline float start(u32 x, bool flush) {
  const u32 flushed = (x & 0x7f800000) == 0 ? x & 0x80000000 : x;
  return std::bit_cast<float>(flush ? flushed : x);
}

// A result: the bits of `x`, with the device's NaN for any NaN.
[[nodiscard, gnu::always_inline]] inline u32 finish(float x, bool flush) {
  const u32 bits = std::bit_cast<u32>(x);
  const u32 flushed = (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
  const u32 number = flush ? flushed : bits;
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : number;
}

}  // namespace picker::semantics::host
