// Matrix products of data/matrices.cu against three loops in C++. Factors are small integers, so
// every sum is exact in half and single precision and any order of addition is right.
#include <random>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kA = 0x7f00'0000'0000, kB = kA + 0x1000, kC = kA + 0x2000, kD = kA + 0x3000;
constexpr u32 kSide = 16;

u16 half_of(int x) {  // |x| <= 2048: exact
  if (x == 0) return 0;
  const u32 magnitude = static_cast<u32>(x < 0 ? -x : x);
  u32 exponent = 0;
  while ((magnitude >> exponent) > 1) ++exponent;
  const u32 fraction = (magnitude << 10 >> exponent) & 0x3ff;
  return static_cast<u16>((x < 0 ? 0x8000u : 0) | (exponent + 15) << 10 | fraction);
}

class Matrices : public testing::TestWithParam<const char*> {};

void check(const std::string& architecture, const std::string& kernel, bool a_by_rows,
           bool b_by_rows, bool half_addend, bool half_sum) {
  SCOPED_TRACE(kernel);
  std::mt19937 random(7);
  std::vector<int> a(kSide * kSide), b(a), c(a);
  for (int& x : a) x = static_cast<int>(random() % 9) - 4;
  for (int& x : b) x = static_cast<int>(random() % 9) - 4;
  for (int& x : c) x = static_cast<int>(random() % 401) - 200;
  GlobalMemory memory;
  const auto halves = [](const std::vector<int>& in) {
    std::vector<u16> out;
    for (const int x : in) out.push_back(half_of(x));
    return out;
  };
  const auto singles = [](const std::vector<int>& in) {
    return std::vector<float>(in.begin(), in.end());
  };
  put(memory, kA, halves(a));
  put(memory, kB, halves(b));
  if (half_addend)
    put(memory, kC, halves(c));
  else
    put(memory, kC, singles(c));
  memory.allocate(kD, kSide * kSide * (half_sum ? 2 : 4));
  Launch launch;
  launch.block = {32, 1, 1};
  launch.parameters = Parameters().add(kA).add(kB).add(kC).add(kD).bytes();
  const Outcome outcome = run_on("matrices", architecture, kernel, launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  for (u32 row = 0; row < kSide; ++row)
    for (u32 column = 0; column < kSide; ++column) {
      int sum = c[row * kSide + column];
      for (u32 k = 0; k < kSide; ++k)
        sum += a[a_by_rows ? row * kSide + k : k * kSide + row] *
               b[b_by_rows ? k * kSide + column : column * kSide + k];
      const size_t at = size_t{row} * kSide + column;
      if (half_sum)
        EXPECT_EQ(get<u16>(memory, kD, kSide * kSide)[at], half_of(sum)) << row << " " << column;
      else
        EXPECT_EQ(get<float>(memory, kD, kSide * kSide)[at], static_cast<float>(sum))
            << row << " " << column;
    }
}

TEST_P(Matrices, AreMultipliedInEveryLayout) {
  for (const bool half : {false, true})
    for (const bool a_by_rows : {true, false})
      for (const bool b_by_rows : {true, false})
        check(GetParam(),
              std::string(half ? "half_" : "single_") + (a_by_rows ? "row_" : "col_") +
                  (b_by_rows ? "row" : "col"),
              a_by_rows, b_by_rows, half, half);
  check(GetParam(), "mixed_row_col", true, false, true, false);
}

INSTANTIATE_TEST_SUITE_P(Families, Matrices,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_90", "sm_120"));

}  // namespace
}  // namespace picker::emulator
