// Which modifiers the meanings of an instruction know.
//
// A template that gives `ISETP` its meaning was written for the modifiers that ISETP had then. A
// family may add one (a 64-bit type, a saturation), and a template that does not look at a field
// would compute the old meaning, wrongly. So this table lists for every opcode the values of fields
// that its meaning takes into account, or that are known to change nothing but speed (cache hints).
// An instruction with any other value has no meaning here, nor has one with modifiers whose opcode
// is not listed: its results are opaque to the analysis, and the emulator stops.
#pragma once

#include "sass/instruction.hpp"

namespace picker::semantics {

// Whether all modifiers of `in` are known to the meaning of its opcode. True if it has none.
[[nodiscard]] bool is_understood(const sass::Instruction& in);

}  // namespace picker::semantics
