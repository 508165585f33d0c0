// What the slots of a row say about one word: the interpreter behind the decoder.
#pragma once

#include <optional>

#include "sass/family.hpp"
#include "sass/instruction.hpp"
#include "sass/rows.hpp"

namespace picker::sass {

inline constexpr u8 kStaysBit = 109;             // clear: yield after the instruction
inline constexpr u64 kReuseBits = u64{7} << 58;  // bits 122 to 124, in the high half

// Fills in `out` from the word; false if the word has a value there that does not exist.
bool decode_operand(const OperandSpec& spec, Family family, u64 lo, u64 hi, u64 offset,
                    Operand& out);

// The number of registers of an operand whose modifiers are decoded, or nothing if it does not
// exist.
std::optional<u8> operand_width(const OperandSpec& spec, u64 lo, u64 hi,
                                const Instruction& instruction);

// The whole row, slot by slot. The row's must-equal bits are not looked at.
bool decode_row_slowly(const Row& row, Family family, u64 lo, u64 hi, u64 offset, Instruction& out);

}  // namespace picker::sass
