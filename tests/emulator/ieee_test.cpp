// The integer implementation of IEEE 754 against independent ones: the host's own instructions in
// all four rounding modes, and for 16-bit formats a search for the nearest of all values in
// quadruple precision.
#include "semantics/ieee.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

namespace picker::ieee {
namespace {

constexpr u32 kRounds = 200'000;

// Patterns near all the edges: small and large exponents, few set bits, equal operands.
class Patterns {
 public:
  explicit Patterns(const Format& format, u64 seed) : format_(format), random_(seed) {}
  u64 next() {
    const u64 mask = format_.sign_bit() | (format_.sign_bit() - 1);
    u64 x = random_() & mask;
    switch (random_() % 8) {
      case 0:  // near the last one
        x = last_ + random_() % 5 - 2;
        break;
      case 1:  // subnormal or tiny
        x &= format_.sign_bit() | ((u64{4} << format_.fraction_bits) - 1);
        break;
      case 2:  // near infinity, and NaNs
        x |= format_.infinity() & ~(u64{1} << format_.fraction_bits);
        break;
      case 3:  // few bits in the fraction
        x &= ~((u64{1} << (format_.fraction_bits - 3)) - 1);
        break;
      case 4:  // an exponent close to the last one's
        x = (x & ~format_.infinity()) |
            ((last_ + ((random_() % 9) << format_.fraction_bits)) & format_.infinity());
        break;
      default:
        break;
    }
    return last_ = x & mask;
  }

 private:
  Format format_;
  std::mt19937_64 random_;
  u64 last_ = 0;
};

struct HostMode {
  Rounding rounding;
  int host;
};
constexpr HostMode kHostModes[] = {{Rounding::kNearest, FE_TONEAREST},
                                   {Rounding::kDown, FE_DOWNWARD},
                                   {Rounding::kUp, FE_UPWARD},
                                   {Rounding::kZero, FE_TOWARDZERO}};

// Computes on the host in a rounding mode. `volatile` keeps the compiler from folding.
template <class T, class F>
T on_host(int mode, F f) {
  std::fesetround(mode);
  volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class Bits, class T>
void compare_with_host(const Format& format) {
  for (const HostMode& mode : kHostModes) {
    Patterns patterns(format, 7);
    for (u32 i = 0; i < kRounds; ++i) {
      const Bits pa = static_cast<Bits>(patterns.next()), pb = static_cast<Bits>(patterns.next());
      const Bits pc = static_cast<Bits>(patterns.next());
      volatile T a = std::bit_cast<T>(pa), b = std::bit_cast<T>(pb), c = std::bit_cast<T>(pc);
      const T sum = on_host<T>(mode.host, [&] { return a + b; });
      const T product = on_host<T>(mode.host, [&] { return a * b; });
      const T fused = on_host<T>(mode.host, [&] { return std::fma(T{a}, T{b}, T{c}); });
      const auto check = [&](const char* what, T wanted, u64 got) {
        if (std::isnan(wanted)) {
          ASSERT_TRUE(is_nan(format, got)) << what;
          return;
        }
        ASSERT_EQ(std::bit_cast<Bits>(wanted), got)
            << what << std::hex << " of " << u64{pa} << ", " << u64{pb} << ", " << u64{pc}
            << " in mode " << static_cast<int>(mode.rounding);
      };
      const Mode m{mode.rounding};
      check("sum", sum, add(format, pa, pb, m));
      check("product", product, multiply(format, pa, pb, m));
      check("fused", fused, multiply_add(format, pa, pb, pc, m));
      if (!std::isnan(T{a}))
        check("integral", on_host<T>(mode.host, [&] { return std::nearbyint(T{a}); }),
              round_to_integral(format, pa, m));
    }
  }
}

TEST(Ieee, SingleMatchesTheHost) { compare_with_host<u32, float>(kSingle); }
TEST(Ieee, DoubleMatchesTheHost) { compare_with_host<u64, double>(kDouble); }

TEST(Ieee, ConversionsMatchTheHost) {
  for (const HostMode& mode : kHostModes) {
    Patterns doubles(kDouble, 11), singles(kSingle, 12);
    std::mt19937_64 random(13);
    const Mode m{mode.rounding};
    for (u32 i = 0; i < kRounds; ++i) {
      // Doubles around the range of single precision.
      u64 pd = doubles.next();
      if (i % 2 == 0) pd = (pd & ~kDouble.infinity()) | ((850 + random() % 320) << 52);
      volatile double d = std::bit_cast<double>(pd);
      if (!std::isnan(double{d})) {
        const float narrow = on_host<float>(mode.host, [&] { return static_cast<float>(d); });
        ASSERT_EQ(std::bit_cast<u32>(narrow), convert(kDouble, kSingle, pd, m)) << std::hex << pd;
      }
      const u32 ps = static_cast<u32>(singles.next());
      const float s = std::bit_cast<float>(ps);
      if (!std::isnan(s)) {
        ASSERT_EQ(std::bit_cast<u64>(double{s}), convert(kSingle, kDouble, ps, m));
      }
      const u64 x = random() >> (random() % 64);
      volatile i64 as_signed = static_cast<i64>(i % 3 == 0 ? 0 - x : x);
      volatile u64 as_unsigned = x;
      ASSERT_EQ(std::bit_cast<u32>(
                    on_host<float>(mode.host, [&] { return static_cast<float>(as_signed); })),
                from_integer(kSingle, static_cast<u64>(as_signed), true, m));
      ASSERT_EQ(std::bit_cast<u64>(
                    on_host<double>(mode.host, [&] { return static_cast<double>(as_signed); })),
                from_integer(kDouble, static_cast<u64>(as_signed), true, m));
      if (mode.rounding == Rounding::kNearest) {
        ASSERT_EQ(std::bit_cast<u32>(static_cast<float>(u64{as_unsigned})),
                  from_integer(kSingle, as_unsigned, false, m));
      }
      // To integers: round on the host first, then clamp.
      volatile double v = std::ldexp(static_cast<double>(static_cast<i64>(random())), -45);
      const double whole = on_host<double>(mode.host, [&] { return std::nearbyint(double{v}); });
      const u64 pv = std::bit_cast<u64>(double{v});
      ASSERT_EQ(static_cast<u32>(static_cast<i32>(std::clamp(whole, -2147483648.0, 2147483647.0))),
                to_integer(kDouble, pv, 32, true, 0, m));
      ASSERT_EQ(static_cast<u32>(std::clamp(whole, 0.0, 4294967295.0)),
                to_integer(kDouble, pv, 32, false, 0, m));
      ASSERT_EQ(static_cast<u64>(static_cast<i64>(whole)), to_integer(kDouble, pv, 64, true, 0, m));
    }
  }
}

TEST(Ieee, IntegersClampAndNansHaveTheirValue) {
  const u64 huge = std::bit_cast<u32>(1e30f), minus_huge = std::bit_cast<u32>(-1e30f);
  EXPECT_EQ(to_integer(kSingle, huge, 32, true, 0, {}), 0x7fffffffu);
  EXPECT_EQ(to_integer(kSingle, minus_huge, 32, true, 0, {}), 0x80000000u);
  EXPECT_EQ(to_integer(kSingle, minus_huge, 32, false, 0, {}), 0u);
  EXPECT_EQ(to_integer(kSingle, huge, 8, false, 0, {}), 0xffu);
  EXPECT_EQ(to_integer(kSingle, kSingle.infinity(), 64, true, 0, {}), 0x7fffffffffffffffu);
  EXPECT_EQ(to_integer(kSingle, 0x7fc00000, 32, true, 0, {}), 0u);
  EXPECT_EQ(to_integer(kSingle, 0x7fc00000, 32, true, 0x80000000u, {}), 0x80000000u);
}

// All finite values of a 16-bit format, ascending, with their patterns.
__extension__ typedef __float128 Quad;

Quad quad_value(const Format& f, u64 x) {
  const int exponent = static_cast<int>((x & f.infinity()) >> f.fraction_bits);
  const u64 fraction = x & ((u64{1} << f.fraction_bits) - 1);
  const double significand =
      static_cast<double>(exponent == 0 ? fraction : fraction | (u64{1} << f.fraction_bits));
  const double magnitude =
      std::ldexp(significand, std::max(exponent, 1) - f.bias() - static_cast<int>(f.fraction_bits));
  return is_negative(f, x) ? -magnitude : magnitude;
}

// The nearest value to `exact`, ties to an even pattern; overflow from half a unit above the
// largest on.
u64 nearest(const Format& f, Quad exact, bool negative_zero) {
  const u64 sign = exact < 0 || (exact == 0 && negative_zero) ? f.sign_bit() : 0;
  const Quad magnitude = exact < 0 ? -exact : exact;
  u64 lo = 0, hi = f.largest();
  while (lo < hi) {  // the largest value not above it
    const u64 middle = (lo + hi + 1) / 2;
    if (quad_value(f, middle) <= magnitude)
      lo = middle;
    else
      hi = middle - 1;
  }
  const Quad below = quad_value(f, lo);
  if (below == magnitude) return sign | lo;
  // One step above the largest value is where infinity lies, for rounding.
  const Quad above =
      lo == f.largest() ? below + (below - quad_value(f, lo - 1)) : quad_value(f, lo + 1);
  const Quad to_below = magnitude - below, to_above = above - magnitude;
  const bool up = to_above < to_below || (to_above == to_below && (lo & 1) != 0);
  return sign | (up ? lo + 1 : lo);
}

void compare_with_search(const Format& f) {
  Patterns patterns(f, 17);
  for (u32 i = 0; i < kRounds / 2; ++i) {
    const u64 a = patterns.next(), b = patterns.next(), c = patterns.next();
    const auto finite = [&](u64 x) { return (x & f.infinity()) != f.infinity(); };
    if (!finite(a) || !finite(b) || !finite(c)) continue;
    const Quad x = quad_value(f, a), y = quad_value(f, b), z = quad_value(f, c);
    const bool product_negative = is_negative(f, a) != is_negative(f, b);
    ASSERT_EQ(add(f, a, b, {}), nearest(f, x + y, is_negative(f, a) && is_negative(f, b)))
        << std::hex << a << " + " << b;
    ASSERT_EQ(multiply(f, a, b, {}), nearest(f, x * y, product_negative))
        << std::hex << a << " * " << b;
    // A sum that is exactly zero from parts that are not is +0.
    const bool zero_sign = product_negative && is_negative(f, c) && (x * y == 0 && z == 0);
    if (f.exponent_bits == 5) {  // the exact sum fits quadruple precision
      ASSERT_EQ(multiply_add(f, a, b, c, {}), nearest(f, x * y + z, zero_sign))
          << std::hex << a << " * " << b << " + " << c;
    }
  }
}

TEST(Ieee, HalfMatchesASearchOverAllValues) { compare_with_search(kHalf); }
TEST(Ieee, BrainFloatMatchesASearchOverAllValues) { compare_with_search(kBrainFloat); }

TEST(Ieee, FlushingKeepsTheSign) {
  const Mode flushing{Rounding::kNearest, true};
  const u64 tiny = 1, minus_tiny = 0x80000001;
  EXPECT_EQ(add(kSingle, tiny, tiny, flushing), 0u);
  EXPECT_EQ(add(kSingle, minus_tiny, minus_tiny, flushing), 0x80000000u);
  EXPECT_EQ(add(kSingle, tiny, tiny, {}), 2u);
  // A result that is subnormal: 2^-100 * 2^-40.
  const u64 p = std::bit_cast<u32>(std::ldexp(1.0f, -100)),
            q = std::bit_cast<u32>(std::ldexp(-1.0f, -40));
  EXPECT_EQ(multiply(kSingle, p, q, flushing), 0x80000000u);
  EXPECT_EQ(multiply(kSingle, p, q, {}), 0x80000200u);  // -2^-140 = -2^9 * 2^-149
}

TEST(Ieee, MinimumTreatsZerosAndNansAsDocumented) {
  const u64 nan = 0x7fffffff, one = 0x3f800000, minus_zero = 0x80000000;
  EXPECT_EQ(minimum(kSingle, nan, one, false, false), one);
  EXPECT_EQ(minimum(kSingle, one, nan, true, false), one);
  EXPECT_EQ(minimum(kSingle, one, nan, true, true), nan);
  EXPECT_EQ(minimum(kSingle, 0, minus_zero, false, false), minus_zero);
  EXPECT_EQ(minimum(kSingle, minus_zero, 0, true, false), 0u);
}

// IEEE 754-2019, 6.2.3: a conversion keeps the payload where it fits, at the top of the fraction,
// and quiets; the other formats have one NaN (PTX manual, "NaN payload"). The host does the same.
TEST(Ieee, WideningKeepsTheSignAndPayloadOfNans) {
  for (const u32 x : {0x7fc00000u, 0x7f800001u, 0xffc00123u, 0xffbfffffu, 0x7faaaaaau}) {
    volatile float single = std::bit_cast<float>(x);
    EXPECT_EQ(convert(kSingle, kDouble, x, {}), std::bit_cast<u64>(static_cast<double>(single)));
  }
  EXPECT_EQ(convert(kDouble, kSingle, 0xfff8'0000'0000'1234, {}), 0x7fffffffu);
  EXPECT_EQ(convert(kSingle, kHalf, 0xffc00000, {}), 0x7fffu);
  EXPECT_EQ(convert(kSingle, kBrainFloat, 0xffc00000, {}), 0x7fffu);
}

TEST(Ieee, InvalidOperationsMakeTheNanOfTheFormat) {
  const u64 infinity = kDouble.infinity(), minus = infinity | kDouble.sign_bit();
  volatile double host = std::bit_cast<double>(infinity), other = std::bit_cast<double>(minus);
  const u64 expected = std::bit_cast<u64>(host + other);
  EXPECT_TRUE((expected & kDouble.infinity()) == kDouble.infinity());
  EXPECT_EQ(add(kDouble, infinity, minus, {}), expected);
  EXPECT_EQ(multiply(kDouble, infinity, 0, {}), expected);
  EXPECT_EQ(add(kSingle, kSingle.infinity(), kSingle.infinity() | kSingle.sign_bit(), {}),
            0x7fffffffu);
  EXPECT_EQ(multiply(kHalf, kHalf.infinity(), 0, {}), 0x7fffu);
}

TEST(Ieee, SaturationClampsToTheUnitInterval) {
  EXPECT_EQ(saturate(kSingle, std::bit_cast<u32>(1.5f)), std::bit_cast<u32>(1.0f));
  EXPECT_EQ(saturate(kSingle, std::bit_cast<u32>(0.25f)), std::bit_cast<u32>(0.25f));
  EXPECT_EQ(saturate(kSingle, std::bit_cast<u32>(-3.0f)), 0u);
  EXPECT_EQ(saturate(kSingle, 0x7fffffff), 0u);
}

}  // namespace
}  // namespace picker::ieee
