// Rows of the instruction tables, prepared for fast decoding.
//
// A row describes each operand by a slot kind, positions and flags. Interpreting that for every
// word costs most of a decode, although most of the answer is the same each time: which kind an
// operand is, its role and width, which modifier fields there are. So each row is turned once into
//   * the `Instruction` that the row's word decodes to if all its variable bits are zero,
//   * lists of places to fill in from the word: whole bytes (register numbers), small fields
//     (predicates, 6-bit uniform registers), flags (negation and the like), plain numbers,
//     modifiers with their value lists.
// Operands that need more than that (addresses, constants, branch targets, special registers) stay
// with the interpreter of slots, which also makes the first part. decode_slowly() interprets
// everything; a test compares the two on every golden word.
//
// Cost: about 4 MB and some milliseconds once per process; after that some 200 machine instructions
// a word.
#pragma once

#include <vector>

#include "sass/instruction.hpp"
#include "sass/rows.hpp"

namespace picker::sass {

// Copies byte `from` (0 to 15) of the word to byte `to` of the Instruction.
struct ByteCopy {
  u16 to;
  u8 from;
};
// (word >> bit) & mask, exclusive-or `flip`, to byte `to`; kURZ instead if the field is `all_ones`.
struct FieldCopy {
  u16 to;
  u8 bit;
  u8 mask;
  u8 flip;
  u8 all_ones;  // 0: no such value
};
// Sets the bits `mask` of byte `to` if bit `bit` of the word is set.
struct FlagCopy {
  u16 to;
  u8 bit;
  u8 mask;
};
// The number in bits [bit, bit + bits) to the operand's value.
struct NumberCopy {
  u8 operand;
  u8 bit;
  u8 bits;
};
// The modifier `index` of the row has more than one value.
struct ModifierChoice {
  u8 index;
  u8 bit;    // where the key is, if it is in one piece and does not cross bit 64
  u16 mask;  // 0: in several pieces
  u32 list;  // of the field's values in kValueLists, one every `columns`
  u8 columns;
};
// The number of registers of an operand depends on a modifier or has a list of its own.
struct WidthChoice {
  u8 operand;
};

struct Range {
  u32 first = 0;
  u32 count = 0;
};

struct RowProgram {
  Instruction start;
  Range bytes;
  Range fields;
  Range flags;
  Range numbers;
  Range modifiers;
  Range interpreted;  // operands
  Range widths;
};

struct RowPrograms {
  Instruction unknown;           // what every other word decodes to
  std::vector<RowProgram> rows;  // by row number
  std::vector<ByteCopy> bytes;
  std::vector<FieldCopy> fields;
  std::vector<FlagCopy> flags;
  std::vector<NumberCopy> numbers;
  std::vector<ModifierChoice> modifiers;
  std::vector<u8> interpreted;
  std::vector<WidthChoice> widths;
};

// Made at the first call; thread-safe; never changed afterwards.
const RowPrograms& row_programs();

}  // namespace picker::sass
