// libFuzzer target: any words on every family. What decodes must also print.
#include <cstring>

#include "sass/decoder.hpp"
#include "sass/printer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const picker::u8* data, size_t size) {
  using namespace picker;
  for (const u32 sm : {70u, 75u, 80u, 90u, 100u, 120u}) {
    const sass::Decoder decoder(*sass::family_of(sm));
    for (size_t offset = 0; offset + 16 <= size; offset += 16) {
      u64 lo, hi;
      std::memcpy(&lo, data + offset, 8);
      std::memcpy(&hi, data + offset + 8, 8);
      const sass::Instruction instruction = decoder.decode(lo, hi, offset);
      if (sass::to_text(instruction, lo, hi).empty()) __builtin_trap();
    }
  }
  return 0;
}
