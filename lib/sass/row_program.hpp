// Rows of the instruction tables, prepared for fast decoding.
//
// A row describes each operand by a slot kind, positions and flags. Interpreting that for every
// word costs most of a decode, although most of the answer is the same each time: which kind an
// operand is, its role and width, which modifier fields there are. So each row is turned once into
//   * the `Instruction` that the row's word decodes to if all its variable bits are zero,
//   * lists of places to fill in from the word: bytes and bits (registers, predicates, negation and
//     the like), numbers (immediates, offsets, branch targets), modifiers with their value lists.
// Operands that need more than that (special registers, an address whose parts exclude each other)
// stay with the interpreter of slots, which also makes the first part. decode_slowly() interprets
// everything; a test compares the two on every golden word.
//
// Cost: about 5 MB and some milliseconds once per process; after that some 330 machine instructions
// a word (callgrind, over the words of the samples).
#pragma once

#include <vector>

#include "sass/instruction.hpp"
#include "sass/rows.hpp"

namespace picker::sass {

// x = (word >> bit) & mask; 255 (kURZ) if x is `all_ones`, else x ^ flip; that << shift is or-ed
// into byte `to` of the Instruction, which holds zeros there. Serves register numbers, predicates,
// flags alike, so that one loop without branches does them all; mask 0 does nothing.
struct ByteStep {
  u16 to = 0;
  u8 bit = 0;  // does not cross bit 64
  u8 mask = 0;
  u8 all_ones = 255;
  u8 flip = 0;
  u8 shift = 0;
};
// The steps of a row are padded to a multiple of this: the loop's end is then better predicted.
inline constexpr u32 kStepsAtOnce = 2;

// The operand's value: the number in bits [bit, bit + bits), sign-extended or not, times 2^scale,
// and the offset behind the instruction added if it is relative to that.
struct NumberStep {
  u8 operand;
  u8 bit;
  u8 bits;
  u8 scale;
  bool is_signed;
  bool relative;
};
// The modifier `index` of the row has more than one value.
struct ModifierChoice {
  u32 list;  // of the field's values in kValueLists, one every `columns`
  u16 mask;
  u8 bit;  // where the key is: in one piece that does not cross bit 64
  u8 columns;
  u8 index;
};
// The same for a key in several pieces.
struct ScatteredChoice {
  u32 list;
  u8 columns;
  u8 index;
};
// The number of registers of an operand depends on a modifier or has a list of its own.
struct WidthChoice {
  u8 operand;
};

// Part of one of the lists of RowPrograms.
template <class T>
struct Part {
  const T* first = nullptr;
  u32 count = 0;
};

struct RowProgram {
  Instruction start;
  Part<ByteStep> steps;
  Part<NumberStep> numbers;
  Part<ModifierChoice> modifiers;
  // What few rows have; has_rest says whether this one does.
  bool has_rest = false;
  Part<ScatteredChoice> scattered;
  Part<u8> interpreted;  // operands
  Part<WidthChoice> widths;
};

// What decides whether a word fits a row, beside the row's operands and modifiers: everything that
// choosing among the rows of an opcode reads, in one cache line.
struct Candidate {
  u64 mask_lo, match_lo, mask_hi, match_hi;
  u16 row;
  u8 reuse;
  u8 forbidden_count;
};

// Refers to its own lists: never copied.
struct RowPrograms {
  RowPrograms() = default;
  RowPrograms(const RowPrograms&) = delete;
  RowPrograms& operator=(const RowPrograms&) = delete;

  std::vector<Candidate> candidates;  // in the order of candidates() in rows.hpp
  Instruction unknown;                // what every other word decodes to
  std::vector<RowProgram> rows;       // by row number
  std::vector<ByteStep> steps;
  std::vector<NumberStep> numbers;
  std::vector<ModifierChoice> modifiers;
  std::vector<ScatteredChoice> scattered;
  std::vector<u8> interpreted;
  std::vector<WidthChoice> widths;
};

// Made at the first call; thread-safe; never changed afterwards.
const RowPrograms& row_programs();

}  // namespace picker::sass
