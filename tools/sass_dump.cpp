// sass-dump: prints the text of raw instruction words; the proof scripts drive it.
//
// Usage: sass-dump SM < WORDS. WORDS are 16-byte little-endian instructions, the i-th taken as if
// it stood at offset 16 * i. One line each: the text, or "unknown 0x" and the word.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"

int main(int argc, char** argv) {
  using namespace picker;
  const auto family = argc == 2
                          ? sass::family_of(static_cast<u32>(std::strtoul(argv[1], nullptr, 10)))
                          : std::nullopt;
  if (!family) {
    std::fputs("usage: sass-dump SM < words\n", stderr);
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
      sass::print(decoder.decode(word[0], word[1], offset), word[0], word[1], out);
      out.push_back('\n');
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  return 0;
}
