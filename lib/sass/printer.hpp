// The assembly text of a decoded instruction, exactly as nvdisasm 13.5 prints it for raw binaries.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sass/instruction.hpp"
#include "support/types.hpp"

namespace picker::sass {

// Appends the text of `instruction`, without a trailing semicolon, to `out`. An unknown instruction
// prints as "unknown 0x" and the word's 32 hexadecimal digits, high half first; `lo` and `hi` are
// that word. Does not allocate beyond what `out` needs. Thread-safe.
void print(const Instruction& instruction, u64 lo, u64 hi, fmt::memory_buffer& out);

// The same as a string.
std::string to_text(const Instruction& instruction, u64 lo, u64 hi);

// The text of one operand of `instruction` (an index into `operands`).
std::string format_operand(const Instruction& instruction, u32 index);

}  // namespace picker::sass
