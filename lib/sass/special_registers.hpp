// Names of the special registers that S2R, S2UR and CS2R read.
#pragma once

#include <string_view>

#include "sass/family.hpp"
#include "support/types.hpp"

namespace picker::sass {

// Numbers of the special registers whose meaning the analysis uses.
enum class SpecialRegister : u8 {
  kLaneId = 0,
  kVirtualId = 3,
  kThreadIdX = 33,
  kThreadIdY = 34,
  kThreadIdZ = 35,
  kBlockIdX = 37,
  kBlockIdY = 38,
  kBlockIdZ = 39,
  kLocalWindowHigh = 46,   // upper halves of the generic addresses of
  kSharedWindowHigh = 47,  // local and shared memory
  kEqualMask = 56,
  kLessThanMask = 57,
  kLessEqualMask = 58,
  kGreaterThanMask = 59,
  kGreaterEqualMask = 60,
  kClockLow = 80,
  kClockHigh = 81,
  kClusterBlock = 136,  // SR_CgaCtaId: the block's place in its cluster
  kZero = 255,
};

// The assembler's name of special register `number` on `family`, or an empty text if it has none.
std::string_view special_register_name(u32 number, Family family);
// The same on the first family that has a name for it: for messages.
std::string_view special_register_name(u32 number);

}  // namespace picker::sass
