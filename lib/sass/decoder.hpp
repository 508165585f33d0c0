// From 16 bytes of machine code to an `Instruction`.
//
// A word is looked up by its 13 opcode bits (0..11 and 91); the few rows found there differ in
// further must-equal bits. The row that matches says where every operand and modifier sits. Each
// bit of the word is owned by one field with a closed list of values or must have a fixed value;
// whatever falls outside decodes to Opcode::kUnknown. Cost: tens of nanoseconds, no allocation.
//
// The rows were derived by experiment (what text does nvdisasm print for a word and for its
// neighbours?); see docs/decoder.md.
#pragma once

#include <optional>

#include "sass/family.hpp"
#include "sass/instruction.hpp"
#include "sass/row_program.hpp"
#include "support/types.hpp"

namespace picker::sass {

// The family of architecture `sm` (80 for sm_80); nothing for an unsupported one.
std::optional<Family> family_of(u32 sm);

// Stateless; one object may be used from several threads.
class Decoder {
 public:
  explicit Decoder(Family family) : family_(family), programs_(&row_programs()) {}

  // Decodes the word whose bits 0..63 are `lo` and 64..127 are `hi`. `offset` is the byte offset of
  // the instruction in its section: code addresses in the result are absolute offsets there.
  [[nodiscard]] Instruction decode(u64 lo, u64 hi, u64 offset) const;

  // The same in place; `out` holds an instruction already, empty or decoded. For loops over much
  // code: a result that is returned is cleared first, which takes longer than the decoding.
  void decode(u64 lo, u64 hi, u64 offset, Instruction& out) const;

  // The same, by interpreting the tables step by step: what decode() is tested against.
  [[nodiscard]] Instruction decode_slowly(u64 lo, u64 hi, u64 offset) const;

  // The same from 16 bytes in memory (little-endian).
  [[nodiscard]] Instruction decode(const u8* bytes, u64 offset) const;

  [[nodiscard]] Family family() const { return family_; }

 private:
  Family family_;
  const RowPrograms* programs_;
};

}  // namespace picker::sass
