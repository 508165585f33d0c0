#include "sass/row_program.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <type_traits>

#include "sass/slots.hpp"

namespace picker::sass {
namespace {

static_assert(std::is_trivially_copyable_v<Instruction>);
static_assert(std::endian::native == std::endian::little);

// The one bit of an Operand that `set` sets, as byte and mask; nothing if it is not one bit.
struct FlagPlace {
  u32 byte;
  u8 mask;
};
template <typename Set>
std::optional<FlagPlace> place_of(Set set) {
  alignas(Operand) u8 before[sizeof(Operand)] = {};
  alignas(Operand) u8 after[sizeof(Operand)] = {};
  new (before) Operand;
  set(*new (after) Operand);
  std::optional<FlagPlace> place;
  for (u32 i = 0; i < sizeof(Operand); ++i) {
    const u8 changed = before[i] ^ after[i];
    if (changed == 0) continue;
    if (place || !std::has_single_bit(changed)) return std::nullopt;
    place = FlagPlace{i, changed};
  }
  return place;
}

class Builder {
 public:
  RowPrograms build() {
    programs_.rows.reserve(rows().size());
    for (u32 i = 0; i < rows().size(); ++i) add(rows()[i], static_cast<u16>(i));
    return std::move(programs_);
  }

 private:
  static u16 offset_of(u32 operand, std::size_t member) {
    return static_cast<u16>(offsetof(Instruction, operands) + operand * sizeof(Operand) + member);
  }

  // Lists the flag at `bit` of the word, if there is one; false if it cannot be listed.
  bool flag(u8 bit, const std::optional<FlagPlace>& place, u32 operand) {
    if (bit == kNoBit) return true;
    if (!place) return false;
    programs_.flags.push_back({offset_of(operand, place->byte), bit, place->mask});
    return true;
  }

  // Lists what fills in the operand; false if only the interpreter can.
  bool fill(const OperandSpec& spec, u32 operand) {
    const auto small = [&](u8 flip, u8 all_ones) {
      if (spec.bits > 8 || spec.bit / 64 != (spec.bit + spec.bits - 1) / 64) return false;
      const u8 mask = static_cast<u8>((1U << spec.bits) - 1);
      programs_.fields.push_back(
          {offset_of(operand, offsetof(Operand, reg)), spec.bit, mask, flip, all_ones});
      return true;
    };
    const auto byte = [&] {
      if (spec.bits != 8 || spec.bit % 8 != 0) return false;
      programs_.bytes.push_back(
          {offset_of(operand, offsetof(Operand, reg)), static_cast<u8>(spec.bit / 8)});
      return true;
    };
    switch (spec.slot) {
      case Slot::kLiteral:
        return true;
      case Slot::kRegister:
        return byte();
      case Slot::kUniform:
        if (spec.bits < 8) return small(0, static_cast<u8>((1U << spec.bits) - 1));
        return byte();  // 255 is kURZ
      case Slot::kPredicate:
      case Slot::kUniformPredicate:
      case Slot::kBarrier:
        return small(0, 0);
      case Slot::kPredicate7:
        return spec.bits == 3 && small(7, 0);
      case Slot::kImmediate:
      case Slot::kBits:
      case Slot::kMask:
      case Slot::kSwizzle:
        if (spec.bits == 0) return false;
        if (spec.slot == Slot::kImmediate && spec.width == 2) return false;  // sign-extended
        programs_.numbers.push_back({static_cast<u8>(operand), spec.bit, spec.bits});
        return true;
      default:
        return false;
    }
  }

  void add(const Row& row, u16 number) {
    RowProgram program;
    Instruction& start = program.start;
    const auto first = [](auto& list) { return static_cast<u32>(list.size()); };
    program.bytes.first = first(programs_.bytes);
    program.fields.first = first(programs_.fields);
    program.flags.first = first(programs_.flags);
    program.numbers.first = first(programs_.numbers);
    program.modifiers.first = first(programs_.modifiers);
    program.interpreted.first = first(programs_.interpreted);
    program.widths.first = first(programs_.widths);

    start.row = number;
    start.opcode = row.opcode;
    start.guard_uniform = row.uniform_guard;
    start.operand_count = row.operand_count;
    start.modifier_count = row.modifier_count;
    const auto modifiers = modifiers_of(row);
    for (u32 i = 0; i < modifiers.size(); ++i) {
      const ModifierSpec& spec = modifiers[i];
      start.modifiers[i].field = spec.field;
      const u8 bit = spec.parts[0];
      const u8 width = spec.parts[1];
      if (width == 0) {  // one value, whatever the word
        const u16 entry = list_entry(spec, 0);
        if (entry != kInvalidValue) {
          start.modifiers[i].value = static_cast<Value>(entry & static_cast<u16>(~kHiddenValue));
          continue;
        }
      }
      const bool simple =
          width != 0 && spec.parts[3] == 0 && width <= 16 && bit / 64 == (bit + width - 1) / 64;
      programs_.modifiers.push_back({static_cast<u8>(i), bit,
                                     simple ? static_cast<u16>((1U << width) - 1) : u16{0},
                                     spec.list + spec.column, spec.columns});
    }
    const auto operands = operands_of(row);
    for (u32 i = 0; i < operands.size(); ++i) {
      const OperandSpec& spec = operands[i];
      const u32 flags = first(programs_.flags);
      const bool listed = flag(spec.negate, negate_, i) && flag(spec.absolute, absolute_, i) &&
                          flag(spec.invert, invert_, i) && flag(spec.reuse, reuse_, i);
      if (listed && fill(spec, i)) {
        decode_operand(spec, Family{}, 0, 0, 0, start.operands[i]);
      } else {
        programs_.flags.resize(flags);
        programs_.interpreted.push_back(static_cast<u8>(i));
      }
      if (spec.count != kNoCount || (spec.width & 0x80) != 0)
        programs_.widths.push_back({static_cast<u8>(i)});
      else
        start.operands[i].width = spec.width;
    }

    program.bytes.count = first(programs_.bytes) - program.bytes.first;
    program.fields.count = first(programs_.fields) - program.fields.first;
    program.flags.count = first(programs_.flags) - program.flags.first;
    program.numbers.count = first(programs_.numbers) - program.numbers.first;
    program.modifiers.count = first(programs_.modifiers) - program.modifiers.first;
    program.interpreted.count = first(programs_.interpreted) - program.interpreted.first;
    program.widths.count = first(programs_.widths) - program.widths.first;
    programs_.rows.push_back(program);
  }

  RowPrograms programs_;
  std::optional<FlagPlace> negate_ = place_of([](Operand& o) { o.negate = true; });
  std::optional<FlagPlace> absolute_ = place_of([](Operand& o) { o.absolute = true; });
  std::optional<FlagPlace> invert_ = place_of([](Operand& o) { o.invert = true; });
  std::optional<FlagPlace> reuse_ = place_of([](Operand& o) { o.reuse = true; });
};

}  // namespace

const RowPrograms& row_programs() {
  static const RowPrograms programs = Builder().build();
  return programs;
}

}  // namespace picker::sass
