// Half precision and bfloat16, by their definitions: 11 or 8 bits of significand, rounded to the
// nearest, ties to even; beyond the largest number infinity. NaNs do not occur here.
#pragma once

#include <bit>
#include <cmath>

#include "support/types.hpp"

namespace picker::references {

inline float float_from_half(u16 h) {
  const int exponent = h >> 10 & 31, fraction = h & 0x3ff;
  const double magnitude = exponent == 31  ? HUGE_VAL
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(fraction | 0x400, exponent - 25);
  return static_cast<float>((h & 0x8000) != 0 ? -magnitude : magnitude);
}

inline u16 half_from_float(float x) {
  const u16 sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (magnitude >= 65520) return sign | 0x7c00;
  // In units of the last place; subnormal halves have 2^-24.
  const int unit = magnitude < 0x1p-14 ? -24 : std::ilogb(magnitude) - 10;
  const auto units = static_cast<u32>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // A carry into the next binade goes to the exponent by itself.
  const u32 biased = static_cast<u32>(unit + 24);
  return static_cast<u16>(sign | (units + (biased << 10)));
}

inline u16 bfloat16_from_float(float x) {
  const u32 bits = std::bit_cast<u32>(x);
  const u32 below = bits & 0xffff, above = bits >> 16;
  const bool up = below > 0x8000 || (below == 0x8000 && (above & 1) != 0);
  return static_cast<u16>(above + (up ? 1 : 0));
}

}  // namespace picker::references
