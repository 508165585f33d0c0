// The shape of the instruction tables that lib/sass/tables/generate.py emits.
//
// One `Row` is one form of an instruction: which bits identify it, where its operands and modifiers
// sit, and what it does to control flow and memory. Decoder, printer, def/use sets and memory
// effects all read these rows; nothing about a single instruction is written down twice. Bits that
// no operand and no modifier owns are in `mask`: they must equal `match`, or the word is Unknown.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sass/instruction.hpp"
#include "support/types.hpp"

namespace picker::sass {

inline constexpr u8 kNoBit = 255;
inline constexpr u16 kNoCount = 0xffff;

enum class Slot : u8 {
  kLiteral,  // text without encoding ("PR")
  kRegister,
  kUniform,
  kPredicate,
  kPredicate7,  // stored as 7 - number, so that all-zero bits mean PT
  kUniformPredicate,
  kUniformPredicate7,
  kImmediate,
  kBits,
  kMask,
  kSwizzle,  // FSWZADD: which lanes are added, subtracted or skipped
  kSignedBits,
  kSpecial,
  kUniformNext,   // the uniform register after the one that the bits name
  kSplitUniform,  // a uniform register: bits 60..62 and 73..77
  kSplitTable,    // PLOP3's lookup table: bits 64..66 and 72..76
  kSplitBits,     // the upper part is extra[1] bits at extra[0]
  kScoreboard,
  kBarrier,
  kConstant,
  kLoadConstant,  // LDC: byte offset and an index register
  kBindless,
  kAddress,
  kRelativeTarget,  // signed, in bytes, from the end of the instruction
  kAbsoluteTarget,
};

// How a number is printed.
enum class Style : u8 {
  kHex,
  kSignedHex,
  kDecimal,
  kFloat,
  kQuietFloat,  // every NaN is called quiet
  kDouble,
  kHalf2,
  kBrainHalf2,
  kRelative
};

// Rows whose text is not simply mnemonic, modifiers, operands.
enum class PrintStyle : u8 { kPlain, kImad, kUimad, kHalfDestination };

enum class Flow : u8 { kNone, kBranch, kIndirectBranch, kCall, kReturn, kExit, kTrap, kSync };
enum class Space : u8 {
  kNone,
  kGlobal,
  kShared,
  kLocal,
  kGeneric,
  kConstantBank,
  kTexture,
  kSurface,
  kGlobalToShared,
  kTensor,  // global memory through a tensor map
};
enum class Access : u8 { kNone, kRead, kWrite, kReadWrite };

struct OperandSpec {
  Slot slot;
  Role role;
  u8 bit;
  u8 bits;
  u8 negate;
  u8 absolute;
  u8 invert;
  u8 reuse;
  u8 width;   // registers, or 0x80 + index of the modifier that decides
  u8 suffix;  // index of the modifier printed after the operand, or 255
  u8 flags;   // kFlag...
  Style style;
  // Addresses: register, scale, wide, uniform register, descriptor, shown. Code addresses: bit and
  // width of the lowest part if that stands apart.
  std::array<u8, 6> extra;
  u8 uniform_bits;
  u8 literal;
  u8 default_value;  // of an optional number: not printed; of an address: kDefault...
  u16 count;         // index of the list that gives the number of registers, or kNoCount
};

// In OperandSpec::default_value of an address: bit 0, URZ is not printed; bits 1 to 5, logarithm of
// the unit of the offset; bit 6, RZ.U32 is printed; bit 7, the descriptor is the register after the
// one named.
inline constexpr u8 kDefaultHidesZero = 1;
inline constexpr u8 kDefaultShowsRZ = 0x40;
inline constexpr u8 kDefaultNextRegister = 0x80;
inline constexpr u8 kAlwaysShown = 253;  // OperandSpec::extra[5]: the descriptor is always printed

inline constexpr u8 kFlagDef = 1;
inline constexpr u8 kFlagUse = 2;
inline constexpr u8 kFlagOptional = 4;  // not printed when it has its default value
inline constexpr u8 kFlagHidden = 8;    // never printed
inline constexpr u8 kFlagJoin = 16;     // separated by a blank, not by a comma

inline constexpr u8 kFlagQuiet = 64;     // address: the width of the base is not printed
inline constexpr u8 kFlagAbsolute = 32;  // address: without a register the offset is unsigned

// In Operand::print of a constant: the assembler shows the upper half of a bank, offsets of 0x8000
// and more, as negative numbers. That they mean the upper half shows in kernels whose parameters
// reach that far: the loads of the last ones carry them.
inline constexpr u8 kPrintNegative = 1;

// In Row::reuse: the bits name no operand; hand-written kernels set them all the same.
inline constexpr u8 kReuseIsHint = 8;

struct ModifierSpec {
  Field field;
  u8 columns;               // values per encoding in the list
  u8 column;                // which of them is this field's
  std::array<u8, 6> parts;  // up to three (bit, width) ranges, least significant first
  u32 list;
  bool in_mnemonic;
};

struct Forbidden {
  u64 mask_lo, mask_hi, match_lo, match_hi;
};

struct Row {
  u64 mask_lo, mask_hi, match_lo, match_hi;
  Opcode opcode;
  u16 operand_first;
  u8 operand_count;
  u16 modifier_first;
  u8 modifier_count;
  u16 forbidden_first;
  u8 forbidden_count;
  u8 reuse;      // which of bits 122..124 name an operand
  u16 families;  // bit i: the i-th family of `Family`
  PrintStyle style;
  Flow flow;
  Space space;
  Access access;
  u8 size;  // bytes per access, or 0x80 + index of the modifier that decides
  bool uniform_guard;
};

inline constexpr u16 kInvalidValue = 0xffff;
inline constexpr u16 kHiddenValue = 0x8000;

struct IndexEntry {
  u16 first;
  u16 count;
};

// The generated arrays (rows.cpp).
namespace tables {
extern const Row kRows[];
extern const u32 kRowCount;
extern const OperandSpec kOperandSpecs[];
extern const ModifierSpec kModifierSpecs[];
extern const ModifierSpec kCountSpecs[];
extern const u16 kValueLists[];
extern const u16 kValueBits[];  // by Value: the size its name states, or 32
extern const Forbidden kForbidden[];
extern const std::string_view kLiterals[];
extern const u16 kCandidates[];
extern const u32 kCandidateCount;
extern const IndexEntry kIndex[][8192];
}  // namespace tables

inline std::span<const Row> rows() { return {tables::kRows, tables::kRowCount}; }

inline std::span<const OperandSpec> operands_of(const Row& row) {
  return {tables::kOperandSpecs + row.operand_first, row.operand_count};
}

inline std::span<const ModifierSpec> modifiers_of(const Row& row) {
  return {tables::kModifierSpecs + row.modifier_first, row.modifier_count};
}

inline std::span<const Forbidden> forbidden_of(const Row& row) {
  return {tables::kForbidden + row.forbidden_first, row.forbidden_count};
}

inline std::string_view literal_text(u8 index) { return tables::kLiterals[index]; }

// The list entry `key` of `spec`: value number with kHiddenValue, or kInvalidValue.
inline u16 list_entry(const ModifierSpec& spec, u32 key) {
  return tables::kValueLists[spec.list + key * spec.columns + spec.column];
}

// The list of register counts `index` (OperandSpec::count).
inline const ModifierSpec& count_spec(u16 index) { return tables::kCountSpecs[index]; }

// All lists of rows of one family that share the 13 opcode bits, one behind the other.
inline std::span<const u16> candidates() { return {tables::kCandidates, tables::kCandidateCount}; }

// The part of candidates() for family `family` (index into Family) and the opcode bits `op13`.
inline IndexEntry candidates_of(u32 family, u32 op13) { return tables::kIndex[family][op13]; }

// The number in bits [bit, bit + bits) of the 128-bit word; 1 <= bits <= 64.
inline u64 extract(u64 lo, u64 hi, u32 bit, u32 bits) {
  const u64 value = bit >= 64 ? hi >> (bit & 63) : static_cast<u64>(((u128{hi} << 64) | lo) >> bit);
  return value & (~u64{0} >> (64 - bits));
}

// The key of a modifier field: its parts joined, least significant first.
inline u32 modifier_key(const ModifierSpec& spec, u64 lo, u64 hi) {
  if (spec.parts[1] == 0) return 0;  // a constant
  u32 key = static_cast<u32>(extract(lo, hi, spec.parts[0], spec.parts[1]));
  if (spec.parts[3] != 0) {
    key |= static_cast<u32>(extract(lo, hi, spec.parts[2], spec.parts[3])) << spec.parts[1];
    if (spec.parts[5] != 0)
      key |= static_cast<u32>(extract(lo, hi, spec.parts[4], spec.parts[5]))
             << (spec.parts[1] + spec.parts[3]);
  }
  return key;
}

}  // namespace picker::sass
