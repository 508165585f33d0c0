// Damaged cubins: whatever the bytes, parse returns. Run with the sanitizers this also shows that
// it reads nothing outside them.
#include <gtest/gtest.h>

#include <random>

#include "container/cubin.hpp"
#include "tests/container/elf_builder.hpp"
#include "tests/container/files.hpp"

namespace picker::container {
namespace {

using test::Bytes;

// Parses a copy whose end is the end of an allocation and touches what was found.
u64 exercise(const Bytes& bytes) {
  const Bytes copy(bytes.begin(), bytes.end());
  const Expected<Cubin> cubin = Cubin::parse(Slice(copy), "damaged");
  if (!cubin) return 0;
  u64 sum = cubin->globals().size() + cubin->constant3_variables().size();
  for (const Kernel& kernel : cubin->kernels()) {
    for (const u8 byte : kernel.code.bytes()) sum += byte;
    for (const u8 byte : kernel.constant2.bytes()) sum += byte;
    for (const DeviceFunction& function : kernel.functions) sum += function.name.size();
    for (const ResolvedRelocation& relocation : kernel.relocations)
      sum += relocation.symbol_name.size();
    for (u64 offset = 0; offset < kernel.code.size(); offset += 16)
      if (const std::optional<SourceLine> line = cubin->source_location(kernel, offset))
        sum += cubin->line_table().files()[line->file].size();
  }
  for (u64 offset = 0; offset < cubin->constant4().size(); ++offset)
    if (const auto entry = cubin->constant4_entry(offset)) sum += entry->symbol_name.size();
  return sum;
}

const char* const kFiles[] = {"tests/container/data/features.sm_70.cubin",
                              "tests/container/data/features.sm_90.cubin"};

TEST(Robustness, CutAtEveryLength) {
  const Bytes small = test::one_kernel().build();
  for (size_t length = 0; length < small.size(); ++length) {
    const Bytes cut(small.begin(), small.begin() + length);
    EXPECT_FALSE(Cubin::parse(Slice(cut), "cut")) << length;
  }
  // The section table of a compiler's cubin is its end: any cut loses part of it.
  for (const char* file : kFiles) {
    const Bytes whole = test::read_file(file);
    for (size_t length = 0; length < whole.size(); length += 1 + length / 512) {
      const Bytes cut(whole.begin(), whole.begin() + length);
      EXPECT_FALSE(Cubin::parse(Slice(cut), "cut")) << file << " " << length;
    }
  }
}

TEST(Robustness, FlippedBytes) {
  constexpr u32 kSeed = 20260101;
  std::mt19937 random(kSeed);
  for (const char* file : kFiles) {
    const Bytes whole = test::read_file(file);
    u32 parsed = 0;
    for (u32 round = 0; round < 400; ++round) {
      Bytes damaged = whole;
      for (u32 i = 0; i <= round % 8; ++i)
        damaged[random() % damaged.size()] ^= static_cast<u8>(1u << (random() % 8));
      parsed += exercise(damaged) != 0;
    }
    // Most damage hits code or names, so most files still parse: the test exercises both outcomes.
    EXPECT_GT(parsed, 100u) << file << " seed " << kSeed;
    EXPECT_LT(parsed, 400u) << file << " seed " << kSeed;
  }
}

TEST(Robustness, HeadersOverwrittenWithExtremes) {
  const Bytes small = test::one_kernel().build();
  for (size_t at = 0; at < small.size(); ++at)
    for (const u8 value : Bytes{0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes damaged = small;
      damaged[at] = value;
      exercise(damaged);
      for (size_t i = at; i < std::min(at + 8, damaged.size()); ++i) damaged[i] = value;
      exercise(damaged);
    }
}

}  // namespace
}  // namespace picker::container
