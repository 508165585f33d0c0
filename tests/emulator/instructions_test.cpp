// Kernels of data/instructions.cu, executed from their machine code of each family and computed
// again here: integers by plain C++ on wide types, floats by the host's arithmetic in the rounding
// mode asked for, exchanges between lanes from the definitions in the PTX manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "container/container.hpp"
#include "emulator/machine.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kIn = 0x7f00'0000'0000, kOut = 0x7f00'1000'0000;
constexpr u32 kCount = 96;

// Runs `kernel` on `in`, at kIn, with these parameters; returns `count` results from kOut.
template <class T>
std::vector<T> run_with(const std::string& file, const std::string& kernel,
                        const std::vector<T>& in, size_t count, u32 blocks, u32 threads,
                        const std::vector<u8>& parameters) {
  const std::string path = std::string(PICKER_SOURCE_DIR) + "/tests/emulator/data/" + file;
  std::vector<T> out(count);
  const auto input = container::read_input(path);
  EXPECT_TRUE(input.has_value());
  const auto cubin = container::Cubin::parse(input->bytes, path, input->owner);
  EXPECT_TRUE(cubin.has_value());
  const container::Kernel* k = cubin->find(kernel);
  EXPECT_NE(k, nullptr);
  GlobalMemory memory;
  memory.allocate(kIn, in.size() * sizeof(T));
  memory.allocate(kOut, out.size() * sizeof(T));
  memory.write(kIn, {reinterpret_cast<const u8*>(in.data()), in.size() * sizeof(T)});
  const auto program = Program::load(*cubin, *k, {}, memory);
  EXPECT_TRUE(program.has_value());
  Launch launch;
  launch.block = {threads, 1, 1};
  launch.grid = {blocks, 1, 1};
  launch.parameters = parameters;
  const Outcome outcome = run(*program, launch, memory, {});
  EXPECT_EQ(outcome.end, End::kDone) << outcome.message;
  memory.read(kOut, {reinterpret_cast<u8*>(out.data()), out.size() * sizeof(T)});
  return out;
}

// The bytes of the values, one behind the other.
template <class... T>
std::vector<u8> packed(T... values) {
  std::vector<u8> bytes((sizeof(T) + ...));
  size_t at = 0;
  ((std::memcpy(bytes.data() + at, &values, sizeof values), at += sizeof values), ...);
  return bytes;
}

// Runs `kernel` of instructions.cu on `in`; returns `rows` times in.size() results.
template <class T>
std::vector<T> run_kernel(const std::string& architecture, const std::string& kernel,
                          const std::vector<T>& in, u32 rows, u32 threads) {
  return run_with("instructions." + architecture + ".cubin", kernel, in, rows * in.size(),
                  static_cast<u32>((in.size() + threads - 1) / threads), threads,
                  packed(kIn, kOut, static_cast<u32>(in.size())));
}

std::vector<u32> interesting_words() {
  std::vector<u32> words = {0,          1,          2,    31,         32,        33,
                            0x7fffffff, 0x80000000, ~0u,  0xfffffffe, 0x8000,    0xffff,
                            0x10000,    0x00ff00ff, 5,    7,          1u << 30,  3u << 30,
                            0x12345678, 0xdeadbeef, 0x80, 0x7f,       0x01010101};
  std::mt19937 random(3);
  while (words.size() < kCount) words.push_back(static_cast<u32>(random() >> (random() % 32)));
  std::shuffle(words.begin(), words.end(), random);
  return words;
}

class Instructions : public testing::TestWithParam<const char*> {};

TEST_P(Instructions, Integers) {
  const std::vector<u32> in = interesting_words();
  const std::vector<u32> out = run_kernel(GetParam(), "integers", in, 24, 64);
  const auto shift_right = [](i64 x, u32 n, u32 width) { return x >> std::min(n, width - 1); };
  for (u32 i = 0; i < kCount; ++i) {
    SCOPED_TRACE(i);
    const u32 a = in[i], b = in[(i + 1) % kCount], c = in[(i + 2) % kCount];
    const i64 sa = static_cast<i32>(a), sb = static_cast<i32>(b), sc = static_cast<i32>(c);
    const u64 w = u64{a} << 32 | b, v = u64{b} << 32 | c;
    const auto row = [&](u32 n) { return out[n * kCount + i]; };
    EXPECT_EQ(row(0), static_cast<u32>(u64{a} * b >> 32));
    EXPECT_EQ(row(1), static_cast<u32>(sa * sb >> 32));
    EXPECT_EQ(row(2), static_cast<u32>((w + v) >> 32));
    EXPECT_EQ(row(3), static_cast<u32>((w - v) >> 32));
    EXPECT_EQ(row(4), static_cast<u32>(w * v >> 32));
    EXPECT_EQ(row(5), static_cast<u32>(((u64{b} << 32 | a) << (c & 31)) >> 32));
    EXPECT_EQ(row(6), static_cast<u32>((u64{b} << 32 | a) >> std::min(c, 32u)));
    u32 permuted = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 s = c >> (4 * k) & 0xf;
      const u32 byte = static_cast<u32>((u64{b} << 32 | a) >> (8 * (s & 7))) & 0xff;
      permuted |= ((s & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xff : 0) << (8 * k);
    }
    EXPECT_EQ(row(7), permuted);
    EXPECT_EQ(row(8), static_cast<u32>(std::countl_zero(a) | std::countl_zero(w) << 8));
    const u32 shifted = a >> (c & 31);
    EXPECT_EQ(row(9), static_cast<u32>((shifted == 0 ? 0 : std::countr_zero(shifted) + 1) |
                                       std::popcount(b) << 8 | std::popcount(v) << 16));
    u32 reversed = 0;
    for (u32 k = 0; k < 32; ++k) reversed |= (a >> k & 1) << (31 - k);
    EXPECT_EQ(row(10), reversed);
    EXPECT_EQ(row(11), b == 0 ? 0 : a / b);
    EXPECT_EQ(row(12), b == 0 ? 0 : static_cast<u32>(sa % static_cast<i32>(b | 1)));
    EXPECT_EQ(row(13), static_cast<u32>(w / (v | 1)));
    const i64 divisor = static_cast<i64>(v | 1);
    EXPECT_EQ(row(14), divisor == -1 ? 0 : static_cast<u32>(static_cast<i64>(w) % divisor));
    u32 dot = c, dot2 = c, sum = c;
    for (u32 k = 0; k < 4; ++k)
      dot += static_cast<u32>(static_cast<i8>(a >> (8 * k)) * static_cast<i8>(b >> (8 * k)));
    for (u32 k = 0; k < 2; ++k) dot2 += (a >> (16 * k) & 0xffff) * (b >> (8 * k + 16) & 0xff);
    sum += static_cast<u32>(sa < sb ? sb - sa : sa - sb);
    EXPECT_EQ(row(15), dot);
    EXPECT_EQ(row(16), dot2);
    EXPECT_EQ(row(17), sum);
    // C++ leaves shifts by 32 or more open; the machine shifts everything out.
    const u32 n = c & 63;
    const u32 right = n > 31 ? 0 : a >> n, left = n > 31 ? 0 : b << n;
    EXPECT_EQ(row(18), (right | static_cast<u32>(shift_right(sb, n, 32)) << 1 | left));
    EXPECT_EQ(row(19), static_cast<u32>(static_cast<i64>(w) >> n) ^ static_cast<u32>(v << n));
    EXPECT_EQ(row(20), std::min(a, b) ^ static_cast<u32>(std::max(sb, sc)));
    EXPECT_EQ(row(21), (w < v ? 1u : 0) | (static_cast<i64>(w) < static_cast<i64>(v) ? 2u : 0) |
                           (a <= b ? 4u : 0) | (sa >= sc ? 8u : 0));
    const u32 at = b & 31, bits = c & 31;
    const u32 sign_at = std::min(at + bits - 1, 31u);
    u32 field = 0;
    for (u32 k = 0; k < 32; ++k) {
      const u32 from = k < bits && at + k <= 31 ? at + k : sign_at;
      if (bits != 0) field |= (a >> from & 1) << k;
    }
    EXPECT_EQ(row(22), field);
    u32 inserted = b;
    for (u32 k = 0; k < (a & 31) && (c & 31) + k < 32; ++k) {
      const u32 to = (c & 31) + k;
      inserted = (inserted & ~(1u << to)) | (a >> k & 1) << to;
    }
    EXPECT_EQ(row(23), inserted);
  }
}

template <class T>
std::vector<T> interesting_floats() {
  const T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> x = {T{0},
                      -T{0},
                      T{1},
                      T{-1},
                      T{1.5},
                      infinity,
                      -infinity,
                      std::numeric_limits<T>::denorm_min(),
                      std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max(),
                      static_cast<T>(0.1),
                      T{3},
                      T{-2.5},
                      T{1e9},
                      std::numeric_limits<T>::quiet_NaN(),
                      T{65504},
                      T{2.5},
                      static_cast<T>(-1e-9)};
  std::mt19937 random(5);
  while (x.size() < kCount)
    x.push_back(static_cast<T>(std::ldexp(static_cast<double>(random()) - 2147483648.0,
                                          static_cast<int>(random() % 60) - 60)));
  std::shuffle(x.begin(), x.end(), random);
  return x;
}

template <class T>
T rounded(int mode, const std::function<T()>& f) {
  std::fesetround(mode);
  volatile T result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}

// Equal bit by bit, any NaN for a NaN.
template <class T>
void expect_same(T got, T wanted, const char* what) {
  if (std::isnan(wanted)) {
    EXPECT_TRUE(std::isnan(got)) << what;
    return;
  }
  EXPECT_EQ(got, wanted) << what;
  EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << what;
}

TEST_P(Instructions, Singles) {
  const std::vector<float> in = interesting_floats<float>();
  const std::vector<float> out = run_kernel(GetParam(), "singles", in, 20, 64);
  for (u32 i = 0; i < kCount; ++i) {
    volatile float a = in[i], b = in[(i + 1) % kCount], c = in[(i + 2) % kCount];
    SCOPED_TRACE(testing::Message() << a << ", " << b << ", " << c);
    const auto row = [&](u32 n) { return out[n * kCount + i]; };
    const auto bits = [&](u32 n) { return std::bit_cast<u32>(row(n)); };
    expect_same(row(0), rounded<float>(FE_TONEAREST, [&] { return a + b; }), "add");
    expect_same(row(1), rounded<float>(FE_TOWARDZERO, [&] { return a + b; }), "add rz");
    expect_same(row(2), rounded<float>(FE_UPWARD, [&] { return a * b; }), "mul ru");
    expect_same(row(3), rounded<float>(FE_DOWNWARD, [&] { return a * b; }), "mul rd");
    expect_same(row(4), std::fma(float{a}, float{b}, float{c}), "fma");
    expect_same(row(5),
                rounded<float>(FE_DOWNWARD, [&] { return std::fma(float{a}, float{b}, float{c}); }),
                "fma rd");
    expect_same(row(6), rounded<float>(FE_TONEAREST, [&] { return a / b; }), "div");
    expect_same(row(7), std::sqrt(std::fabs(float{a})), "sqrt");
    if (a != b || std::signbit(float{a}) == std::signbit(float{b}))
      expect_same(row(8), std::fmin(float{a}, float{b}), "min");
    if (b != c || std::signbit(float{b}) == std::signbit(float{c}))
      expect_same(row(9), std::fmax(float{b}, float{c}), "max");
    expect_same(row(10), std::nearbyint(float{a}), "rint");
    expect_same(row(11), std::floor(float{b}), "floor");
    const double da = std::trunc(double{a}), db = std::ceil(double{b});
    EXPECT_EQ(bits(12), std::isnan(da) ? 0u
                                       : static_cast<u32>(static_cast<i32>(
                                             std::clamp(da, -2147483648.0, 2147483647.0))));
    EXPECT_EQ(bits(13), std::isnan(db) ? 0u : static_cast<u32>(std::clamp(db, 0.0, 4294967295.0)));
    volatile i32 ia = std::bit_cast<i32>(float{a});
    volatile u32 ub = std::bit_cast<u32>(float{b});
    expect_same(row(14), rounded<float>(FE_DOWNWARD, [&] { return static_cast<float>(ia); }),
                "int to float");
    expect_same(row(15), rounded<float>(FE_TONEAREST, [&] { return static_cast<float>(ub); }),
                "unsigned to float");
    EXPECT_EQ(bits(16), (a < b ? 1u : 0) | (a <= c ? 2u : 0) | (b == c ? 4u : 0) |
                            (a >= c ? 0u : 8) | (std::isnan(float{a}) ? 16u : 0));
    // To half and back: 11 bits kept, down to steps of 2^-24; overflow from 65520 on.
    const float magnitude = std::fabs(float{a});
    float half = a;
    if (magnitude >= 65520.0f) {
      half = std::copysign(std::numeric_limits<float>::infinity(), float{a});
    } else if (!std::isnan(half)) {
      const int step = std::max(magnitude == 0 ? -24 : std::ilogb(magnitude) - 10, -24);
      half = std::copysign(static_cast<float>(std::ldexp(
                               std::nearbyint(std::ldexp(double{magnitude}, -step)), step)),
                           float{a});
    }
    expect_same(row(17), half, "half");
    expect_same(row(18), rounded<float>(FE_TONEAREST, [&] { return 1.0f / c; }), "rcp");
    expect_same(row(19), std::trunc(float{c}), "trunc");
  }
}

TEST_P(Instructions, Doubles) {
  const std::vector<double> in = interesting_floats<double>();
  const std::vector<double> out = run_kernel(GetParam(), "doubles", in, 11, 64);
  for (u32 i = 0; i < kCount; ++i) {
    volatile double a = in[i], b = in[(i + 1) % kCount], c = in[(i + 2) % kCount];
    SCOPED_TRACE(testing::Message() << a << ", " << b << ", " << c);
    const auto row = [&](u32 n) { return out[n * kCount + i]; };
    expect_same(row(0), a + b, "add");
    expect_same(row(1), rounded<double>(FE_UPWARD, [&] { return a * b; }), "mul ru");
    expect_same(row(2), std::fma(double{a}, double{b}, double{c}), "fma");
    expect_same(row(3), a / b, "div");
    expect_same(row(4), std::sqrt(std::fabs(double{c})), "sqrt");
    expect_same(row(5),
                double{rounded<float>(FE_TOWARDZERO, [&] { return static_cast<float>(a); })},
                "to single");
    const double whole = std::nearbyint(double{b});
    const i64 integer = std::isnan(whole)                 ? std::numeric_limits<i64>::min()
                        : whole >= 9223372036854775808.0  ? std::numeric_limits<i64>::max()
                        : whole <= -9223372036854775808.0 ? std::numeric_limits<i64>::min()
                                                          : static_cast<i64>(whole);
    EXPECT_EQ(std::bit_cast<i64>(row(6)), integer);
    expect_same(row(7), static_cast<double>(std::bit_cast<i64>(double{c})), "from integer");
    expect_same(row(8), (a < b ? 1.0 : 0) + (b <= c ? 2 : 0) + (a != c ? 4 : 0), "compare");
    expect_same(row(9), std::fmin(double{a}, double{b}) + std::fmax(double{b}, double{c}), "min");
    expect_same(row(10), std::floor(double{a}), "floor");
  }
}

TEST_P(Instructions, Exchanges) {
  std::vector<u32> in(32);
  std::mt19937 random(9);
  for (u32& x : in) x = static_cast<u32>(random() >> (random() % 28));
  const std::vector<u32> out = run_kernel(GetParam(), "exchanges", in, 14, 32);
  u32 ballot = 0, sum = 0, all_xor = 0, odd = 0, least = ~0u;
  i32 most = std::numeric_limits<i32>::min();
  std::array<u32, 32> mine{};
  for (u32 i = 0; i < 32; ++i) {
    ballot |= (in[i] & 1) << i;
    sum += in[i];
    all_xor ^= in[i];
    odd += in[i] & 1;
    least = std::min(least, in[i]);
    most = std::max(most, static_cast<i32>(in[i]));
    for (u32 k = 0; k < (in[i] & 7); ++k) mine[i] += k;
    if ((in[i] & 1) == 0) mine[i] = in[i] * 3;
  }
  for (u32 i = 0; i < 32; ++i) {
    SCOPED_TRACE(i);
    const auto row = [&](u32 n) { return out[n * 32 + i]; };
    EXPECT_EQ(row(0), in[i * 7 % 32]);
    EXPECT_EQ(row(1), in[i < 3 ? i : i - 3]);
    EXPECT_EQ(row(2), in[i % 16 + 5 > 15 ? i : i + 5]);
    EXPECT_EQ(row(3), in[i ^ 9]);
    EXPECT_EQ(row(4), ballot);
    const bool any = std::find(in.begin(), in.end(), 12345u) != in.end();
    EXPECT_EQ(row(5), any ? 1u : 2u);
    u32 same = 0;
    for (u32 k = 0; k < 32; ++k) same |= ((in[k] & 3) == (in[i] & 3) ? 1u : 0) << k;
    EXPECT_EQ(row(6), same);
    EXPECT_EQ(row(7), sum);
    EXPECT_EQ(row(8), static_cast<u32>(most));
    EXPECT_EQ(row(9), all_xor);
    EXPECT_EQ(row(10), sum);
    EXPECT_EQ(row(11), least);
    EXPECT_EQ(row(12), odd);
    EXPECT_EQ(row(13), mine[i] + mine[i ^ 1]);
  }
}

// Halves that double precision holds exactly, so that one rounding to half is the right one.
TEST_P(Instructions, Halves) {
  std::mt19937 random(21);
  std::vector<u32> in(kCount);
  // Exponents near 1: all sums and products are exact in double precision.
  for (u32& x : in) {
    x = 0;
    for (u32 k = 0; k < 2; ++k)
      x |= static_cast<u32>((random() & 0x83ff) | (12 + random() % 7) << 10) << (16 * k);
  }
  const std::vector<u32> out = run_kernel(GetParam(), "halves", in, 6, 32);
  const auto value = [](u32 word, u32 half) {
    const u32 h = word >> (16 * half) & 0xffff;
    const double magnitude =
        std::ldexp(static_cast<double>((h & 0x3ff) | 0x400), static_cast<int>(h >> 10 & 31) - 25);
    return (h & 0x8000) != 0 ? -magnitude : magnitude;
  };
  const auto pattern = [](double x) {
    if (x == 0) return 0u;
    const double magnitude = std::fabs(x);
    int exponent = std::max(std::ilogb(magnitude), -14);
    u32 significand = static_cast<u32>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    if (significand == 0x800) {
      significand = 0x400;
      ++exponent;
    }
    const u32 bits = significand < 0x400
                         ? significand
                         : static_cast<u32>(exponent + 15) << 10 | (significand & 0x3ff);
    return bits | (x < 0 ? 0x8000u : 0);
  };
  for (u32 i = 0; i < kCount; ++i)
    for (u32 half = 0; half < 2; ++half) {
      const u32 wa = in[i], wb = in[(i + 1) % kCount];
      const double a = value(wa, half), b = value(wb, half);
      const double c = value(in[(i + 2) % kCount], half);
      SCOPED_TRACE(testing::Message() << a << ", " << b << ", " << c);
      const auto row = [&](u32 n) { return out[n * kCount + i] >> (16 * half) & 0xffff; };
      EXPECT_EQ(row(0), pattern(a + b));
      EXPECT_EQ(row(1), pattern(a * b));
      EXPECT_EQ(row(2), pattern(a * b + c));
      EXPECT_EQ(row(3), pattern(std::min(a, b)));
      EXPECT_EQ(row(4), a < b ? 0x3c00u : 0u);
      EXPECT_EQ(row(5), pattern(value(wa, 0) - value(wb, 1)));
    }
}

// UFADD, UFMUL and UFFMA, before the loop.
TEST(UniformInstructions, Floats) {
  std::vector<float> in(96);
  std::mt19937 random(33);
  for (float& x : in) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 64;
  const float a = 1.7f, b = 0.6f;
  const std::vector<float> out =
      run_with("uniform.sm_120.cubin", "uniform_floats", in, 32, 1, 32, packed(kIn, kOut, a, b, 3));
  const float shift = (a - b) * b, scale = std::fma(a, -b, 7.0f), start = a + b;
  for (u32 t = 0; t < 32; ++t) {
    float sum = 0;
    for (u32 k = 0; k < 3; ++k) sum = std::fma(in[32 * k + t] + start, scale, sum) * shift;
    EXPECT_EQ(out[t], sum) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Instructions,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100",
                                         "sm_120"));

}  // namespace
}  // namespace picker::emulator
