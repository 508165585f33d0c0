// Where the elements of a matrix in shared memory lie, for the matrix products of a warpgroup.
//
// A descriptor of 64 bits names the start, two strides (leading, LBO, and stride, SBO) and a
// swizzle. Source: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout": matrix
// descriptor, canonical layouts, swizzling modes. With T elements in 16 bytes and W = 2, 4, 8 for
// the swizzles of 32, 64 and 128 bytes, element (line, k), line being a row of A or a column of B,
// lies at the start plus
//   along k, no swizzle  line % 8 * 16 + line / 8 * SBO + k / T * LBO + k % T elements
//   along k, swizzled    line % 8 * 16 W + line / 8 * SBO + k elements
//   transposed, none     line / T * SBO + line % T elements + k % 8 * 16 + k / 8 * LBO
//   transposed, swizzled line / T % W * 16 + line / T / W * LBO + line % T elements
//                        + k % 8 * 16 W + k / 8 * SBO
// and then, swizzled, address bits 4 and up (1, 2 or 3 of them) are XORed with bits 7 and up.
#pragma once

#include "support/types.hpp"

namespace picker::semantics {

class MatrixDescriptor {
 public:
  // `element_bytes`: 1, 2 or 4.
  MatrixDescriptor(u64 word, u32 element_bytes, bool transposed)
      : start_(static_cast<u32>(word & 0x3fff) << 4),
        leading_(static_cast<u32>(word >> 16 & 0x3fff) << 4),
        stride_(static_cast<u32>(word >> 32 & 0x3fff) << 4),
        element_bytes_(element_bytes),
        transposed_(transposed) {
    constexpr u32 kBitsOfMode[] = {0, 3, 2, 1};
    swizzle_bits_ = kBitsOfMode[word >> 62];
    // The phase of the pattern at the start, and bits without a meaning.
    constexpr u64 kUsed = 0xc000'3fff'3fff'3fffu;
    known_ = (word & ~kUsed) == 0;
  }

  // False for descriptors that are not understood completely (a base offset).
  [[nodiscard]] bool known() const { return known_; }

  // The offset in shared memory of an element.
  [[nodiscard]] u32 address(u32 line, u32 k) const {
    const u32 each = kUnit / element_bytes_, width = u32{1} << swizzle_bits_;
    u32 at = start_;
    if (!transposed_) {
      at += line / 8 * stride_;
      if (swizzle_bits_ == 0)
        at += line % 8 * kUnit + k / each * leading_ + k % each * element_bytes_;
      else
        at += line % 8 * kUnit * width + k * element_bytes_;
    } else {
      at += line % each * element_bytes_;
      if (swizzle_bits_ == 0)
        at += line / each * stride_ + k % 8 * kUnit + k / 8 * leading_;
      else
        at += line / each % width * kUnit + line / each / width * leading_ + k % 8 * kUnit * width +
              k / 8 * stride_;
    }
    return at ^ ((at >> 7 & (width - 1)) << 4);
  }

 private:
  static constexpr u32 kUnit = 16;

  u32 start_, leading_, stride_;
  u32 element_bytes_;
  u32 swizzle_bits_ = 0;
  bool transposed_;
  bool known_ = false;
};

}  // namespace picker::semantics
