// Matrix products of a warpgroup against plain loops. The factors are laid out here as the tables
// of swizzling patterns have it: in a row of W chunks of 16 bytes, row r keeps chunk c at place
// c ^ (r % 8) for W = 8, c ^ (r / 2 % 4) for W = 4, c ^ (r / 4 % 2) for W = 2.
#include <gmock/gmock.h>

#include <random>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kA = 0x7f00'0000'0000, kB = kA + 0x10000, kOut = kA + 0x20000;
constexpr u32 kImageBytes = 16384, kRows = 64, kColumns = 16, kDepth = 32;

u64 encode(u32 leading, u32 stride, u32 mode) {
  return u64{leading / 16} << 16 | u64{stride / 16} << 32 | u64{mode} << 62;
}

u32 swizzled(u32 row, u32 chunk, u32 width) {
  switch (width) {
    case 8:
      return chunk ^ (row % 8);
    case 4:
      return chunk ^ (row / 2 % 4);
    case 2:
      return chunk ^ (row / 4 % 2);
    default:
      return chunk;
  }
}

// A matrix of `lines` by kDepth 16-bit elements in one of eight layouts.
struct Layout {
  bool across = false;  // elements of one k lie together
  u32 width = 1;        // chunks in a swizzled row; 1: no swizzle
  u32 lines = 0;

  // Bytes from the start.
  [[nodiscard]] u32 place(u32 line, u32 k) const {
    if (!across && width == 1)  // cores of 8 rows of 16 bytes: along k, then down
      return line / 8 * 512 + k / 8 * 128 + line % 8 * 16 + k % 8 * 2;
    if (!across) {  // strips of `width` chunks; those that do not fit in one follow
      const u32 chunk = k / 8, strip = chunk / width;
      return strip * lines * width * 16 + line * width * 16 +
             swizzled(line, chunk % width, width) * 16 + k % 8 * 2;
    }
    if (width == 1)  // cores of 8 k of 16 bytes: down the lines, then along k
      return k / 8 * (lines / 8 * 128) + line / 8 * 128 + k % 8 * 16 + line % 8 * 2;
    const u32 chunk = line / 8, strip = chunk / width;
    return strip * kDepth * width * 16 + k * width * 16 + swizzled(k, chunk % width, width) * 16 +
           line % 8 * 2;
  }
  [[nodiscard]] u64 descriptor() const {
    const u32 mode = width == 8 ? 1 : width == 4 ? 2 : width == 2 ? 3 : 0;
    if (!across) return width == 1 ? encode(128, 512, 0) : encode(16, 8 * width * 16, mode);
    return width == 1 ? encode(lines / 8 * 128, 128, 0)
                      : encode(kDepth * width * 16, 8 * width * 16, mode);
  }
  // Of 16 elements of k, in units of 16 bytes.
  [[nodiscard]] i32 step() const {
    if (!across) return static_cast<i32>(width == 1 ? 16 : width == 2 ? lines * 2 : 2);
    return static_cast<i32>(width == 1 ? 2 * lines / 8 * 8 : 16 * width);
  }
};

u16 half_of(int x) {
  if (x == 0) return 0;
  const u32 magnitude = static_cast<u32>(x < 0 ? -x : x);
  u32 exponent = 0;
  while ((magnitude >> exponent) > 1) ++exponent;
  return static_cast<u16>((x < 0 ? 0x8000u : 0) | (exponent + 15) << 10 |
                          ((magnitude << 10 >> exponent) & 0x3ff));
}
u16 brain_of(int x) { return static_cast<u16>(std::bit_cast<u32>(static_cast<float>(x)) >> 16); }

struct Factor {
  std::vector<int> values;  // by line, then k
  std::vector<u8> image;

  Factor(const Layout& layout, bool brain, u32 seed)
      : values(size_t{layout.lines} * kDepth), image(kImageBytes) {
    std::mt19937 random(seed);
    for (u32 line = 0; line < layout.lines; ++line)
      for (u32 k = 0; k < kDepth; ++k) {
        const int x = static_cast<int>(random() % 15) - 7;
        values[line * kDepth + k] = x;
        const u16 bits = brain ? brain_of(x) : half_of(x);
        std::memcpy(image.data() + layout.place(line, k), &bits, 2);
      }
  }
};

void check(const std::string& kernel, const Layout& of_a, const Layout& of_b, bool brain, int sign,
           bool random_schedule) {
  SCOPED_TRACE(testing::Message() << kernel << " " << of_a.width << " " << of_b.width);
  const Factor a(of_a, brain, 1), b(of_b, brain, 2);
  std::vector<float> start(kRows * kColumns);
  for (u32 i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 37);
  GlobalMemory memory;
  put(memory, kA, a.image);
  put(memory, kB, b.image);
  put(memory, kOut, start);
  Launch launch;
  launch.block = {128, 1, 1};
  launch.parameters = Parameters()
                          .add(kA)
                          .add(kB)
                          .add(kOut)
                          .add(of_a.descriptor())
                          .add(of_b.descriptor())
                          .add(of_a.step())
                          .add(of_b.step())
                          .bytes();
  Options options;
  options.random_schedule = random_schedule;
  const Outcome outcome = run_on("warpgroups", "sm_90a", kernel, launch, memory, options);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<float>(memory, kOut, kRows * kColumns);
  for (u32 row = 0; row < kRows; ++row)
    for (u32 column = 0; column < kColumns; ++column) {
      int sum = 0;
      for (u32 k = 0; k < kDepth; ++k)
        sum += a.values[row * kDepth + k] * b.values[column * kDepth + k];
      ASSERT_EQ(out[row * kColumns + column],
                start[row * kColumns + column] + static_cast<float>(sign * sum))
          << row << " " << column;
    }
}

TEST(Warpgroups, MultiplyWhateverTheSwizzle) {
  for (const u32 width : {1u, 2u, 4u, 8u}) {
    const Layout a{false, width, kRows}, b{false, width, kColumns};
    check("along_along", a, b, false, 1, width == 2);
  }
  check("along_along", {false, 1, kRows}, {false, 8, kColumns}, false, 1, true);
}

TEST(Warpgroups, MultiplyTransposedFactors) {
  for (const u32 width : {1u, 2u, 4u, 8u}) {
    // B has two chunks of columns: wider rows would be half empty.
    const u32 narrow = std::min(width, 2u);
    check("across_along", {true, width, kRows}, {false, width, kColumns}, false, 1, false);
    check("along_across", {false, width, kRows}, {true, narrow, kColumns}, false, 1, false);
    check("across_across", {true, width, kRows}, {true, narrow, kColumns}, true, -1, true);
  }
}

TEST(Warpgroups, TakeTheFirstFactorFromRegisters) {
  const Layout of_b{false, 4, 8};
  const Factor b(of_b, false, 3);
  std::vector<u16> a(kRows * 16);
  std::vector<int> values(a.size());
  std::mt19937 random(4);
  for (u32 i = 0; i < a.size(); ++i) {
    values[i] = static_cast<int>(random() % 15) - 7;
    a[i] = half_of(values[i]);
  }
  GlobalMemory memory;
  put(memory, kA, a);
  put(memory, kB, b.image);
  memory.allocate(kOut, kRows * 8 * 2);
  Launch launch;
  launch.block = {128, 1, 1};
  launch.parameters = Parameters().add(kA).add(kB).add(kOut).add(of_b.descriptor()).bytes();
  const Outcome outcome = run_on("warpgroups", "sm_90a", "registers", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<u16>(memory, kOut, kRows * 8);
  for (u32 row = 0; row < kRows; ++row)
    for (u32 column = 0; column < 8; ++column) {
      int sum = 0;
      for (u32 k = 0; k < 16; ++k) sum += values[row * 16 + k] * b.values[column * kDepth + k];
      ASSERT_EQ(out[row * 8 + column], half_of(sum)) << row << " " << column;
    }
}

TEST(Warpgroups, MultiplyBytes) {
  // Cores of 8 rows of 16 bytes, as the 16-bit layout without swizzle, but 32 bytes of k.
  std::vector<u8> a(kImageBytes), b(kImageBytes);
  std::vector<int> va(kRows * 32), vb(8 * 32), start(kRows * 8);
  std::mt19937 random(6);
  const auto place = [](u32 line, u32 k) {
    return line / 8 * 256 + k / 16 * 128 + line % 8 * 16 + k % 16;
  };
  for (u32 line = 0; line < kRows; ++line)
    for (u32 k = 0; k < 32; ++k) {
      a[place(line, k)] = static_cast<u8>(random());
      va[line * 32 + k] = static_cast<i8>(a[place(line, k)]);
      if (line >= 8) continue;
      b[place(line, k)] = static_cast<u8>(random());
      vb[line * 32 + k] = b[place(line, k)];
    }
  for (u32 i = 0; i < start.size(); ++i) start[i] = static_cast<int>(i) * 1000;
  GlobalMemory memory;
  put(memory, kA, a);
  put(memory, kB, b);
  put(memory, kOut, start);
  Launch launch;
  launch.block = {128, 1, 1};
  launch.parameters = Parameters()
                          .add(kA)
                          .add(kB)
                          .add(kOut)
                          .add(encode(128, 256, 0))
                          .add(encode(128, 256, 0))
                          .bytes();
  const Outcome outcome = run_on("warpgroups", "sm_90a", "bytes", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<int>(memory, kOut, kRows * 8);
  for (u32 row = 0; row < kRows; ++row)
    for (u32 column = 0; column < 8; ++column) {
      int sum = start[row * 8 + column];
      for (u32 k = 0; k < 32; ++k) sum += va[row * 32 + k] * vb[column * 32 + k];
      ASSERT_EQ(out[row * 8 + column], sum) << row << " " << column;
    }
}

TEST(Warpgroups, AreWhole) {
  GlobalMemory memory;
  put(memory, kA, std::vector<u8>(kImageBytes));
  put(memory, kB, std::vector<u8>(kImageBytes));
  memory.allocate(kOut, 4096);
  Launch launch;
  launch.block = {96, 1, 1};
  launch.parameters = Parameters()
                          .add(kA)
                          .add(kB)
                          .add(kOut)
                          .add(encode(128, 256, 0))
                          .add(encode(128, 256, 0))
                          .bytes();
  const Outcome outcome = run_on("warpgroups", "sm_90a", "bytes", launch, memory);
  EXPECT_EQ(outcome.end, End::kUnmodelled);
  EXPECT_THAT(outcome.message, testing::HasSubstr("IGMMA in this form is not modelled"));
  launch.block = {128, 1, 1};  // a base offset
  launch.parameters = Parameters()
                          .add(kA)
                          .add(kB)
                          .add(kOut)
                          .add(encode(128, 256, 0) | u64{1} << 49)
                          .add(encode(128, 256, 0))
                          .bytes();
  const Outcome offset = run_on("warpgroups", "sm_90a", "bytes", launch, memory);
  EXPECT_EQ(offset.end, End::kUnmodelled);
  EXPECT_THAT(offset.message, testing::HasSubstr("matrix descriptor"));
}

}  // namespace
}  // namespace picker::emulator
