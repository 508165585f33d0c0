// IEEE 754 arithmetic on bit patterns, exact, for every binary format up to 64 bits.
//
// The emulator must compute what the device computes, bit for bit, in formats and rounding modes
// that the host may not have. So arithmetic is done here on integers: unpack a pattern into
// sign, exponent and integer significand; combine exactly (a product has at most 106 bits; a sum
// keeps everything below its 127 bits as one sticky bit); round once. No host floating-point
// state is involved, so results depend on nothing else.
//
// Where devices differ from a plain reading of IEEE 754, as NVIDIA documents (PTX ISA, "Floating
// point instructions"; CUDA programming guide, "Floating-point standard"):
//   * NaN results of 16- and 32-bit formats are the canonical 0x7fff.. pattern; in double
//     precision the first NaN operand is returned, quieted;
//   * .FTZ replaces subnormal inputs by zeros of their sign, and results that are subnormal after
//     rounding likewise;
//   * there are no exceptions.
//
// Patterns travel in the low bits of a u64. Cost: 10 to 30 ns per operation; single and double
// round-to-nearest operations without flushing take the host's instructions instead, which are
// IEEE 754 operations too (the tests hold one against the other).
#pragma once

#include <optional>

#include "support/types.hpp"

namespace picker::ieee {

struct Format {
  u32 exponent_bits = 0;
  u32 fraction_bits = 0;   // stored ones
  bool keeps_nan = false;  // NaN operands come out (double), else the canonical NaN

  [[nodiscard]] constexpr u32 bits() const { return 1 + exponent_bits + fraction_bits; }
  [[nodiscard]] constexpr u64 sign_bit() const { return u64{1} << (bits() - 1); }
  [[nodiscard]] constexpr u64 infinity() const {
    return ((u64{1} << exponent_bits) - 1) << fraction_bits;
  }
  [[nodiscard]] constexpr i32 bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr u64 largest() const { return infinity() - 1; }
  [[nodiscard]] constexpr u64 canonical_nan() const {
    return keeps_nan ? sign_bit() | infinity() | (u64{1} << (fraction_bits - 1)) : sign_bit() - 1;
  }
  constexpr bool operator==(const Format&) const = default;
};

inline constexpr Format kHalf{5, 10};
inline constexpr Format kBrainFloat{8, 7};
inline constexpr Format kSingle{8, 23};
inline constexpr Format kDouble{11, 52, true};

enum class Rounding : u8 { kNearest, kDown, kUp, kZero };  // to even; to -inf; to +inf; truncation

struct Mode {
  Rounding rounding = Rounding::kNearest;
  bool flush = false;         // .FTZ: inputs and results
  bool zero_product = false;  // .FMZ: a zero (or flushed) factor makes the product +0
  i32 scale = 0;              // the product times 2^scale (FMUL.D2, .M4 ...)
};

[[nodiscard]] bool is_nan(const Format& f, u64 x);
[[nodiscard]] bool is_zero(const Format& f, u64 x);
[[nodiscard]] inline bool is_negative(const Format& f, u64 x) { return (x & f.sign_bit()) != 0; }
// Subnormals as zeros of the same sign.
[[nodiscard]] u64 flush(const Format& f, u64 x);

[[nodiscard]] u64 add(const Format& f, u64 a, u64 b, const Mode& mode);
[[nodiscard]] u64 multiply(const Format& f, u64 a, u64 b, const Mode& mode);
// a * b + c, rounded once.
[[nodiscard]] u64 multiply_add(const Format& f, u64 a, u64 b, u64 c, const Mode& mode);
// To another format. flush applies to single-precision inputs and results only.
[[nodiscard]] u64 convert(const Format& from, const Format& to, u64 x, const Mode& mode);
// To an integral value in the same format.
[[nodiscard]] u64 round_to_integral(const Format& f, u64 x, const Mode& mode);
// To an integer of `bits` bits, in the low bits of the result; values out of range go to the
// nearest bound. `nan`: the result for a NaN.
[[nodiscard]] u64 to_integer(const Format& f, u64 x, u32 bits, bool is_signed, u64 nan,
                             const Mode& mode);
// From a 64-bit integer.
[[nodiscard]] u64 from_integer(const Format& f, u64 x, bool is_signed, const Mode& mode);
// Clamped to [0, 1]; a NaN becomes +0.
[[nodiscard]] u64 saturate(const Format& f, u64 x);

enum class Order : u8 { kLess, kEqual, kGreater, kUnordered };
[[nodiscard]] Order compare(const Format& f, u64 a, u64 b);
// The smaller (or larger) operand; -0 is less than +0. A NaN loses against a number unless
// `propagate_nan`.
[[nodiscard]] u64 minimum(const Format& f, u64 a, u64 b, bool want_maximum, bool propagate_nan);

}  // namespace picker::ieee
