// Which modifiers the meanings of an instruction know.
//
// A template that gives `ISETP` its meaning was written for the modifiers that ISETP had then. A
// family may add one (a 64-bit type, a saturation), and a template that does not look at a field
// would compute the old meaning, wrongly. So for every opcode with a meaning this table lists the
// values of fields that the meaning takes into account, or that are known to change nothing but
// speed (cache hints). An instruction with any other value has no meaning here: its results are
// opaque to the analysis, and the emulator stops.
#pragma once

#include "sass/instruction.hpp"

namespace picker::semantics {

// Whether all modifiers of `in` are known to the meaning of its opcode. True for opcodes without
// one.
[[nodiscard]] bool is_understood(const sass::Instruction& in);

}  // namespace picker::semantics
