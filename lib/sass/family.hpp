// Architecture families: those whose instructions are encoded and named alike.
#pragma once

#include "support/types.hpp"

namespace picker::sass {

enum class Family : u8 {
  kSm70,   // 70, 72
  kSm75,   // 75
  kSm80,   // 80
  kSm86,   // 86, 87, 88: sm_80 and I2FP
  kSm89,   // 89: sm_86 and 8-bit floating point
  kSm90,   // 90
  kSm100,  // 100, 101
  kSm103,  // 103: sm_100 with other tensor memory and conversions
  kSm110,  // 110: sm_100 without the packed float and vector integer instructions
  kSm120,  // 120, 121
};

}  // namespace picker::sass
