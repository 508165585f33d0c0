// sass-dump: prints the text of raw instruction words; the proof scripts drive it.
//
// Usage: sass-dump SM < WORDS. WORDS are 16-byte little-endian instructions, the i-th taken as if
// it stood at offset 16 * i. One line each: the text, or "unknown 0x" and the word.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"
#include "sass/registers.hpp"
#include "tools/guarded_main.hpp"

namespace {

using namespace picker;

void put_registers(const sass::Instruction& instruction, fmt::memory_buffer& out) {
  const auto put = [&out](sass::RegisterFile file, u8 number) {
    constexpr const char* kNames[] = {"R", "UR", "P", "UP", "B"};
    fmt::format_to(std::back_inserter(out), "{}{} ", kNames[static_cast<u32>(file)], number);
  };
  sass::for_each_def(instruction, put);
  out.push_back('|');
  sass::for_each_use(instruction, put);
  fmt::format_to(std::back_inserter(out), "|{}", static_cast<u32>(sass::flow_class(instruction)));
}

int run(int argc, char** argv) {
  const bool registers = argc == 3 && std::string_view(argv[2]) == "registers";
  const auto family = argc == 2 || registers
                          ? sass::family_of(static_cast<u32>(std::strtoul(argv[1], nullptr, 10)))
                          : std::nullopt;
  if (!family) {
    std::fputs("usage: sass-dump SM [registers] < words\n", stderr);
    return 2;
  }
  const sass::Decoder decoder(*family);
  std::vector<u8> chunk(u64{1} << 20);
  fmt::memory_buffer out;
  u64 offset = 0;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), stdin)) {
    out.clear();
    for (std::size_t at = 0; at + 16 <= got; at += 16, offset += 16) {
      u64 word[2] = {0, 0};
      for (u32 i = 0; i < 16; ++i) word[i / 8] |= u64{chunk[at + i]} << (8 * (i % 8));
      const sass::Instruction instruction = decoder.decode(word[0], word[1], offset);
      if (registers && instruction.known())
        put_registers(instruction, out);
      else
        sass::print(instruction, word[0], word[1], out);
      out.push_back('\n');
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return picker::tools::guarded_main("sass-dump", run, argc, argv);
}
