// The decoder against recorded output of nvdisasm (tools/make_decoder_golden.py): the words of the
// sample kernels and all their one-bit neighbours.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"

namespace picker::sass {
namespace {

constexpr u32 kTextsPerWord = 129;
constexpr u32 kWordsPerBatch = 400;

std::string data_path(u32 sm, const char* suffix) {
  return std::string(PICKER_SOURCE_DIR) + "/tests/data/sass/sm_" + std::to_string(sm) + suffix;
}

u8 hash_byte(const std::string& text) {
  u64 value = 0xcbf29ce484222325u;
  for (const char c : text) value = (value ^ static_cast<u8>(c)) * 0x100000001b3u;
  return static_cast<u8>(value % 255 + 1);
}

class SassGolden : public testing::TestWithParam<u32> {};

TEST_P(SassGolden, PrintsOneWordOfEachShape) {
  const Decoder decoder(*family_of(GetParam()));
  std::ifstream file(data_path(GetParam(), ".words.txt"));
  ASSERT_TRUE(file);
  u64 offset = 0;
  for (std::string line; std::getline(file, line); offset += kInstructionBytes) {
    ASSERT_GT(line.size(), 33u);
    const u64 hi = std::strtoull(line.substr(0, 16).c_str(), nullptr, 16);
    const u64 lo = std::strtoull(line.substr(16, 16).c_str(), nullptr, 16);
    EXPECT_EQ(to_text(decoder.decode(lo, hi, offset), lo, hi), line.substr(33)) << line;
  }
  EXPECT_GT(offset, 100 * kInstructionBytes);
}

TEST_P(SassGolden, AgreesOnAllOneBitNeighbours) {
  const Decoder decoder(*family_of(GetParam()));
  std::ifstream file(data_path(GetParam(), ".neighbours"), std::ios::binary);
  const std::string data((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(data.size(), 8u);
  ASSERT_EQ(data.substr(0, 4), "PSGN");
  const auto byte = [&](std::size_t at) { return static_cast<u8>(data[at]); };
  const u32 count = byte(4) | byte(5) << 8 | byte(6) << 16 | static_cast<u32>(byte(7)) << 24;
  ASSERT_EQ(data.size(), 8 + std::size_t{count} * (16 + kTextsPerWord));
  u64 decoded = 0;
  u64 legal = 0;
  u32 failures = 0;
  Instruction in_place;
  for (u32 i = 0; i < count && failures < 20; ++i) {
    const std::size_t at = 8 + std::size_t{i} * (16 + kTextsPerWord);
    u64 word[2] = {0, 0};
    for (u32 k = 0; k < 16; ++k) word[k / 8] |= u64{byte(at + k)} << (8 * (k % 8));
    for (u32 t = 0; t < kTextsPerWord; ++t) {
      u64 lo = word[0];
      u64 hi = word[1];
      if (t != 0) (t <= 64 ? lo : hi) ^= u64{1} << ((t - 1) % 64);
      const u8 expected = byte(at + 16 + t);
      const u64 offset = (u64{i % kWordsPerBatch} * kTextsPerWord + t) * kInstructionBytes;
      const Instruction instruction = decoder.decode(lo, hi, offset);
      legal += expected != 0;
      decoder.decode(lo, hi, offset, in_place);  // over the word before
      if (!(in_place == instruction)) {
        ADD_FAILURE() << "word " << i << " bit " << static_cast<i32>(t) - 1
                      << ": decodes differently in place";
        ++failures;
      }
      if (!(instruction == decoder.decode_slowly(lo, hi, offset))) {
        ADD_FAILURE() << "word " << i << " bit " << static_cast<i32>(t) - 1
                      << ": the row's program and its slots disagree";
        ++failures;
      }
      if (!instruction.known()) {
        // Bits that print nothing must be as compilers set them, so a neighbour may be unknown;
        // a compiled word may not.
        if (t != 0) continue;
        ADD_FAILURE() << "word " << i << " is unknown";
        ++failures;
        continue;
      }
      ++decoded;
      const std::string text = to_text(instruction, lo, hi);
      if (expected == 0 || hash_byte(text) != expected) {
        ADD_FAILURE() << "word " << i << " bit " << static_cast<i32>(t) - 1 << ": " << text
                      << (expected == 0 ? " is illegal" : " prints differently");
        ++failures;
      }
    }
  }
  // The comparison is not empty: most legal neighbours differ in an operand or a modifier.
  EXPECT_GT(decoded * 2, legal);
}

INSTANTIATE_TEST_SUITE_P(Architectures, SassGolden,
                         testing::Values(70u, 75u, 80u, 86u, 89u, 90u, 100u, 103u, 110u, 120u,
                                         121u));

}  // namespace
}  // namespace picker::sass
