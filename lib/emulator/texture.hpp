// What a texture or surface object stands for: an array in memory and how to read it.
//
// A kernel only holds a handle; on a device it points into tables of descriptors whose layout is
// nobody's business but the driver's. The emulator has a table of its own (Launch::images), by the
// handle's lower 32 bits, which is all that compiled code passes on. Elements lie row by row, at
// `pitch` bytes from row to row and pitch times height from slice to slice.
#pragma once

#include <array>

#include "support/types.hpp"

namespace picker::emulator {

enum class ElementType : u8 { kFloat, kHalf, kUnsigned8, kSigned8, kUnsigned16, kSigned16, kWord };
enum class Addressing : u8 { kClamp, kBorder, kWrap };  // wrap: with normalised coordinates only

[[nodiscard]] constexpr u32 element_size(ElementType type) {
  switch (type) {
    case ElementType::kUnsigned8:
    case ElementType::kSigned8:
      return 1;
    case ElementType::kHalf:
    case ElementType::kUnsigned16:
    case ElementType::kSigned16:
      return 2;
    case ElementType::kFloat:
    case ElementType::kWord:
      break;
  }
  return 4;
}

struct Image {
  u32 handle = 0;
  u64 address = 0;
  ElementType type = ElementType::kFloat;
  u32 channels = 1;                  // 1, 2 or 4
  std::array<u32, 3> size{1, 1, 1};  // elements; 1 for axes that it does not have
  u32 axes = 1;
  u64 pitch = 0;                        // bytes
  bool linear = false;                  // interpolates; only where fetches give floats
  bool normalized_coordinates = false;  // 1 is the size
  bool normalized_values = false;       // 8- and 16-bit integers as floats in [0, 1] or [-1, 1]
  Addressing addressing = Addressing::kClamp;

  [[nodiscard]] u32 element_bytes() const { return channels * element_size(type); }
};

}  // namespace picker::emulator
