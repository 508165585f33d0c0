// Which thread did something, at which instruction.
#pragma once

#include "support/types.hpp"

namespace picker::oracle {

struct Touch {
  u32 code_offset = 0;  // bytes from the start of the section
  u64 block = 0;        // linear
  u32 thread = 0;       // linear in its block
};

}  // namespace picker::oracle
