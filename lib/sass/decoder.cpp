#include "sass/decoder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "sass/rows.hpp"
#include "sass/slots.hpp"

namespace picker::sass {
namespace {

// The scheduling field: stall cycles in bits 105..108, "do not yield" in 109, the scoreboards that
// the instruction sets in 110..112 and 113..115 (7: none), register reuse in 122..124. Found by
// trying all combinations.
enum class Scheduling : u8 { kIllegal, kStays, kYields, kYieldsAtOnce };

constexpr std::array<Scheduling, 2048> kScheduling = [] {
  std::array<Scheduling, 2048> table{};
  for (u32 bits = 0; bits < table.size(); ++bits) {
    const u32 stall = bits & 0xf;
    const bool stays = ((bits >> 4) & 1) != 0;
    const u32 write_scoreboard = (bits >> 5) & 7;
    const u32 read_scoreboard = bits >> 8;
    if (write_scoreboard == 6 || read_scoreboard == 6) continue;
    if (!stays)
      table[bits] = stall == 0 ? Scheduling::kYieldsAtOnce : Scheduling::kYields;
    else if (stall >= 1 && stall <= 11)
      table[bits] = Scheduling::kStays;
  }
  return table;
}();

bool scheduling_is_legal(u64 hi, u8 reusable) {
  const Scheduling scheduling = kScheduling[(hi >> 41) & 0x7ff];
  const u32 reuse = static_cast<u32>(hi >> 58) & 7;
  if (scheduling == Scheduling::kIllegal || reuse == 0) return scheduling != Scheduling::kIllegal;
  // Where the bits name no operand, hand-written kernels set them all the same; so they do while
  // yielding. nvdisasm accepts 1 to 5 there and prints nothing.
  if (scheduling != Scheduling::kStays) return reuse <= 5 && scheduling == Scheduling::kYields;
  return (reusable & kReuseIsHint) != 0 ? reuse <= 5 : (reuse & ~u32{reusable}) == 0;
}

// The number of the row of `family` that the word fits, operands and modifiers apart.
std::optional<u16> row_of(const RowPrograms& programs, Family family, u64 lo, u64 hi) {
  const u32 op13 = static_cast<u32>(lo & 0xfff) | (static_cast<u32>(hi >> 27) & 1) << 12;
  const IndexEntry entry = candidates_of(static_cast<u32>(family), op13);
  const Candidate* candidate = programs.candidates.data() + entry.first;
  for (u32 left = entry.count; left != 0; --left, ++candidate) {
    const u64 differs = ((lo & candidate->mask_lo) ^ candidate->match_lo) |
                        ((hi & candidate->mask_hi) ^ candidate->match_hi);
    if (differs != 0) continue;
    // Rows of one opcode are disjoint: no other one fits.
    if (!scheduling_is_legal(hi, candidate->reuse)) return std::nullopt;
    if (candidate->forbidden_count != 0)
      for (const Forbidden& f : forbidden_of(rows()[candidate->row]))
        if ((lo & f.mask_lo) == f.match_lo && (hi & f.mask_hi) == f.match_hi) return std::nullopt;
    return candidate->row;
  }
  return std::nullopt;
}

// Operands that most instructions do not exceed.
constexpr u32 kUsualOperands = 4;

// `to = from`, where `to` holds an Instruction already: beyond its operands all are as in an empty
// one, in both, so the many that neither has stay as they are.
[[gnu::always_inline]] inline void copy(const Instruction& from, Instruction& to) {
  constexpr size_t kUsual = offsetof(Instruction, operands) + kUsualOperands * sizeof(Operand);
  constexpr size_t kModifiers = offsetof(Instruction, modifiers);
  const u8* const source = reinterpret_cast<const u8*>(&from);
  u8* const target = reinterpret_cast<u8*>(&to);
  const bool more = std::max(from.operand_count, to.operand_count) > kUsualOperands;
  std::memcpy(target, source, kUsual);
  std::memcpy(target + kModifiers, source + kModifiers, sizeof(Instruction) - kModifiers);
  if (more) std::memcpy(target + kUsual, source + kUsual, kModifiers - kUsual);
}

// The parts of a program that few rows have.
bool decode_rest(const RowProgram& program, const Row& row, Family family, u64 lo, u64 hi,
                 u64 offset, Instruction& out) {
  const ModifierSpec* const specs = modifiers_of(row).data();
  const ScatteredChoice* scattered = program.scattered.first;
  for (u32 i = program.scattered.count; i != 0; --i, ++scattered) {
    const u32 key = modifier_key(specs[scattered->index], lo, hi);
    const u16 entry = tables::kValueLists[scattered->list + key * scattered->columns];
    if (entry == kInvalidValue) return false;
    out.modifiers[scattered->index].value =
        static_cast<Value>(entry & static_cast<u16>(~kHiddenValue));
  }
  const OperandSpec* const operands = operands_of(row).data();
  const u8* interpreted = program.interpreted.first;
  for (u32 i = program.interpreted.count; i != 0; --i, ++interpreted)
    if (!decode_operand(operands[*interpreted], family, lo, hi, offset, out.operands[*interpreted]))
      return false;
  const WidthChoice* width = program.widths.first;
  for (u32 i = program.widths.count; i != 0; --i, ++width) {
    const std::optional<u8> registers = operand_width(operands[width->operand], lo, hi, out);
    if (!registers) return false;
    out.operands[width->operand].width = *registers;
  }
  return true;
}

// Runs a row's program on a word; false if the word has a value that does not exist.
[[gnu::always_inline]] inline bool decode_row(const RowPrograms& programs, u32 number,
                                              Family family, u64 lo, u64 hi, u64 offset,
                                              Instruction& out) {
  const RowProgram& program = programs.rows[number];
  copy(program.start, out);
  const bool stays = ((hi >> (kStaysBit - 64)) & 1) != 0;
  // Register reuse means nothing in an instruction that yields.
  const u64 word[2] = {lo, stays ? hi : hi & ~kReuseBits};
  u8* const raw = reinterpret_cast<u8*>(&out);

  const ByteStep* step = program.steps.first;
  for (u32 left = program.steps.count; left != 0; left -= kStepsAtOnce)
    for (u32 i = 0; i < kStepsAtOnce; ++i, ++step) {
      const u8 field = static_cast<u8>((word[step->bit >> 6] >> (step->bit & 63)) & step->mask);
      // Without a branch, which the register numbers would mispredict.
      const u8 zero_register = static_cast<u8>(-static_cast<int>(field == step->all_ones));
      static_assert(kURZ == 255);
      raw[step->to] |= static_cast<u8>(((field ^ step->flip) | zero_register) << step->shift);
    }
  const NumberStep* number_step = program.numbers.first;
  for (u32 i = program.numbers.count; i != 0; --i, ++number_step) {
    const u32 bits = number_step->bits;
    const u64 field =
        (word[number_step->bit >> 6] >> (number_step->bit & 63)) & (~u64{0} >> (64 - bits));
    const u64 sign = u64{number_step->is_signed} << (bits - 1);
    const u64 base = number_step->relative ? offset + kInstructionBytes : 0;
    out.operands[number_step->operand].value =
        static_cast<i64>(base + (((field ^ sign) - sign) << number_step->scale));
  }

  bool exists = true;
  const ModifierChoice* choice = program.modifiers.first;
  for (u32 i = program.modifiers.count; i != 0; --i, ++choice) {
    const u32 key = static_cast<u32>((word[choice->bit >> 6] >> (choice->bit & 63)) & choice->mask);
    const u16 entry = tables::kValueLists[choice->list + key * choice->columns];
    exists &= entry != kInvalidValue;
    out.modifiers[choice->index].value =
        static_cast<Value>(entry & static_cast<u16>(~kHiddenValue));
  }
  if (!exists) return false;
  if (program.has_rest && !decode_rest(program, rows()[number], family, lo, hi, offset, out))
    return false;
  out.guard = static_cast<u8>((lo >> 12) & 7);
  out.guard_negated = ((lo >> 15) & 1) != 0;
  return true;
}

}  // namespace

std::optional<Family> family_of(u32 sm) {
  switch (sm) {
    case 70:
    case 72:
      return Family::kSm70;
    case 75:
      return Family::kSm75;
    case 80:
      return Family::kSm80;
    case 86:
    case 87:
    case 88:
      return Family::kSm86;
    case 89:
      return Family::kSm89;
    case 90:
      return Family::kSm90;
    case 100:
    case 101:
      return Family::kSm100;
    case 103:
      return Family::kSm103;
    case 110:
      return Family::kSm110;
    case 120:
    case 121:
      return Family::kSm120;
    default:
      return std::nullopt;
  }
}

void Decoder::decode(u64 lo, u64 hi, u64 offset, Instruction& out) const {
  const std::optional<u16> row = row_of(*programs_, family_, lo, hi);
  if (!row || !decode_row(*programs_, *row, family_, lo, hi, offset, out))
    copy(programs_->unknown, out);
}

Instruction Decoder::decode(u64 lo, u64 hi, u64 offset) const {
  Instruction instruction;
  decode(lo, hi, offset, instruction);
  return instruction;
}

Instruction Decoder::decode_slowly(u64 lo, u64 hi, u64 offset) const {
  const std::optional<u16> row = row_of(*programs_, family_, lo, hi);
  if (!row) return {};
  Instruction instruction;
  instruction.row = *row;
  if (!decode_row_slowly(rows()[*row], family_, lo, hi, offset, instruction)) return {};
  return instruction;
}

Instruction Decoder::decode(const u8* bytes, u64 offset) const {
  static_assert(std::endian::native == std::endian::little);
  u64 word[2];
  std::memcpy(word, bytes, sizeof word);
  return decode(word[0], word[1], offset);
}

}  // namespace picker::sass
