#include "sass/row_program.hpp"

#include <array>
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
  explicit Builder(RowPrograms& programs) : programs_(programs) {}

  void build() {
    programs_.rows.reserve(rows().size());
    for (u32 i = 0; i < rows().size(); ++i) add(rows()[i], static_cast<u16>(i));
    for (u32 i = 0; i < rows().size(); ++i) refer_to_lists(programs_.rows[i], lists_[i]);
    programs_.candidates.reserve(candidates().size());
    for (const u16 number : candidates()) {
      const Row& row = rows()[number];
      programs_.candidates.push_back({.mask_lo = row.mask_lo,
                                      .match_lo = row.match_lo,
                                      .mask_hi = row.mask_hi,
                                      .match_hi = row.match_hi,
                                      .row = number,
                                      .reuse = row.reuse,
                                      .forbidden_count = row.forbidden_count});
    }
  }

 private:
  static u16 offset_of(u32 operand, std::size_t member) {
    return static_cast<u16>(offsetof(Instruction, operands) + operand * sizeof(Operand) + member);
  }

  // Lists a step that fills in the byte at `to` from bits [bit, bit + bits) of the word; false if a
  // step cannot.
  bool byte(u16 to, u32 bit, u32 bits, u8 flip = 0, bool all_ones_is_zero_register = false) {
    if (bits == 0 || bits > 8 || bit / 64 != (bit + bits - 1) / 64) return false;
    const u8 mask = static_cast<u8>((1U << bits) - 1);
    // 255 as `all_ones` changes nothing: a smaller field never has it, a byte's 255 stays.
    pending_.push_back({.to = to,
                        .bit = static_cast<u8>(bit),
                        .mask = mask,
                        .all_ones = all_ones_is_zero_register ? mask : u8{255},
                        .flip = flip,
                        .shift = 0});
    return flip == 0 || mask != 255;
  }

  // Lists the flag of operand number `operand` that `bit` of the word sets, or clears if `inverse`.
  bool flag(u8 bit, const std::optional<FlagPlace>& place, u32 operand, bool inverse = false) {
    if (bit == kNoBit) return true;
    if (!place) return false;
    pending_.push_back({.to = offset_of(operand, place->byte),
                        .bit = bit,
                        .mask = 1,
                        .all_ones = 255,
                        .flip = u8{inverse},
                        .shift = static_cast<u8>(std::countr_zero(place->mask))});
    return true;
  }

  bool number(u32 operand, const OperandSpec& spec, bool is_signed, u32 scale = 0,
              bool relative = false) {
    if (spec.bits == 0 || spec.bit / 64 != (spec.bit + spec.bits - 1) / 64) return false;
    programs_.numbers.push_back({.operand = static_cast<u8>(operand),
                                 .bit = spec.bit,
                                 .bits = spec.bits,
                                 .scale = static_cast<u8>(scale),
                                 .is_signed = is_signed,
                                 .relative = relative});
    return true;
  }

  bool address(const OperandSpec& spec, u32 operand) {
    const auto& [base, scale, wide, uniform, descriptor, shown] = spec.extra;
    const bool excludes = scale != kNoBit || (spec.default_value & kDefaultNextRegister) != 0 ||
                          (spec.default_value & kDefaultShowsRZ) != 0 ||
                          (spec.flags & kFlagAbsolute) != 0;
    if (excludes) return false;
    if (base != kNoBit && !byte(offset_of(operand, offsetof(Operand, reg)), base, 8)) return false;
    if (wide != kNoBit && wide != 254) {
      if (!flag(wide, wide_, operand)) return false;
      if ((spec.flags & kFlagQuiet) == 0 && !flag(wide, base_is_u32_, operand, true)) return false;
    }
    if (uniform != kNoBit) {
      if (!byte(offset_of(operand, offsetof(Operand, ureg)), uniform, spec.uniform_bits, 0, true))
        return false;
      if (descriptor == kNoBit && shown != 254 && !flag(shown, ureg_wide_, operand)) return false;
    }
    if (descriptor != kNoBit) {
      if (!byte(offset_of(operand, offsetof(Operand, descriptor)), descriptor, spec.uniform_bits, 0,
                true))
        return false;
      if (shown != kNoBit && shown != kAlwaysShown &&
          !byte(offset_of(operand, offsetof(Operand, print)), shown, 1))
        return false;
    }
    return spec.bits == 0 || number(operand, spec, true, (spec.default_value >> 1) & 0x1f);
  }

  // Lists what fills in the operand; false if only the interpreter can.
  bool fill(const OperandSpec& spec, u32 operand) {
    const u16 reg = offset_of(operand, offsetof(Operand, reg));
    switch (spec.slot) {
      case Slot::kLiteral:
        return true;
      case Slot::kRegister:
        return spec.bits == 8 && byte(reg, spec.bit, 8);
      case Slot::kUniform:
        return byte(reg, spec.bit, spec.bits, 0, true);
      case Slot::kPredicate:
      case Slot::kUniformPredicate:
      case Slot::kBarrier:
        return byte(reg, spec.bit, spec.bits);
      case Slot::kPredicate7:
      case Slot::kUniformPredicate7:
        return spec.bits == 3 && byte(reg, spec.bit, 3, 7);
      case Slot::kImmediate:
        return number(operand, spec, spec.width == 2 && spec.style == Style::kSignedHex);
      case Slot::kBits:
      case Slot::kMask:
      case Slot::kSwizzle:
        return number(operand, spec, false);
      case Slot::kSignedBits:
        return number(operand, spec, true);
      case Slot::kConstant:
        // The upper half of the bank is printed as negative numbers.
        return spec.bits == 14 && number(operand, spec, false, 2) &&
               byte(offset_of(operand, offsetof(Operand, bank)), 54, 5) &&
               byte(offset_of(operand, offsetof(Operand, print)), spec.bit + 13, 1);
      case Slot::kAddress:
        return address(spec, operand);
      case Slot::kRelativeTarget:
        return spec.extra[0] == kNoBit && number(operand, spec, true, 2, true);
      default:
        return false;
    }
  }

  void add(const Row& row, u16 number) {
    RowProgram program;
    Instruction& start = program.start;
    Lists lists = ends();

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
      const u32 list = spec.list + spec.column;
      if (width != 0 && spec.parts[3] == 0 && width <= 16 && bit / 64 == (bit + width - 1) / 64)
        programs_.modifiers.push_back({.list = list,
                                       .mask = static_cast<u16>((1U << width) - 1),
                                       .bit = bit,
                                       .columns = spec.columns,
                                       .index = static_cast<u8>(i)});
      else
        programs_.scattered.push_back(
            {.list = list, .columns = spec.columns, .index = static_cast<u8>(i)});
    }
    const auto operands = operands_of(row);
    for (u32 i = 0; i < operands.size(); ++i) {
      const OperandSpec& spec = operands[i];
      const size_t numbers = programs_.numbers.size();
      const bool listed = flag(spec.negate, negate_, i) && flag(spec.absolute, absolute_, i) &&
                          flag(spec.invert, invert_, i) && flag(spec.reuse, reuse_, i);
      if (listed && fill(spec, i)) {
        decode_operand(spec, Family{}, 0, 0, 0, start.operands[i]);
        for (const ByteStep& step : pending_) {
          reinterpret_cast<u8*>(&start)[step.to] &= static_cast<u8>(~(step.mask << step.shift));
          programs_.steps.push_back(step);
        }
      } else {
        programs_.numbers.resize(numbers);
        programs_.interpreted.push_back(static_cast<u8>(i));
      }
      pending_.clear();
      if (spec.count != kNoCount || (spec.width & 0x80) != 0)
        programs_.widths.push_back({static_cast<u8>(i)});
      else
        start.operands[i].width = spec.width;
    }

    while ((programs_.steps.size() - lists[0]) % kStepsAtOnce != 0) programs_.steps.push_back({});
    lists_.push_back(lists);
    programs_.rows.push_back(program);
  }

  // Where the six lists of a row begin.
  using Lists = std::array<size_t, 6>;
  [[nodiscard]] Lists ends() const {
    return {programs_.steps.size(),     programs_.numbers.size(),     programs_.modifiers.size(),
            programs_.scattered.size(), programs_.interpreted.size(), programs_.widths.size()};
  }

  // Once the lists are complete and move no more. A row's parts end where the next row's begin.
  void refer_to_lists(RowProgram& program, const Lists& begin) {
    const size_t next = static_cast<size_t>(&program - programs_.rows.data()) + 1;
    const Lists end = next < lists_.size() ? lists_[next] : ends();
    const auto refer = [&](auto& part, const auto& list, u32 which) {
      part.first = list.data() + begin[which];
      part.count = static_cast<u32>(end[which] - begin[which]);
    };
    refer(program.steps, programs_.steps, 0);
    refer(program.numbers, programs_.numbers, 1);
    refer(program.modifiers, programs_.modifiers, 2);
    refer(program.scattered, programs_.scattered, 3);
    refer(program.interpreted, programs_.interpreted, 4);
    refer(program.widths, programs_.widths, 5);
    program.has_rest =
        program.scattered.count + program.interpreted.count + program.widths.count != 0;
  }

  RowPrograms& programs_;
  std::vector<Lists> lists_;       // by row
  std::vector<ByteStep> pending_;  // of the operand at hand
  std::optional<FlagPlace> negate_ = place_of([](Operand& o) { o.negate = true; });
  std::optional<FlagPlace> absolute_ = place_of([](Operand& o) { o.absolute = true; });
  std::optional<FlagPlace> invert_ = place_of([](Operand& o) { o.invert = true; });
  std::optional<FlagPlace> reuse_ = place_of([](Operand& o) { o.reuse = true; });
  std::optional<FlagPlace> wide_ = place_of([](Operand& o) { o.wide = true; });
  std::optional<FlagPlace> base_is_u32_ = place_of([](Operand& o) { o.base_is_u32 = true; });
  std::optional<FlagPlace> ureg_wide_ = place_of([](Operand& o) { o.ureg_wide = true; });
};

}  // namespace

const RowPrograms& row_programs() {
  static const RowPrograms& programs = [] -> const RowPrograms& {
    static RowPrograms made;
    Builder(made).build();
    return made;
  }();
  return programs;
}

}  // namespace picker::sass
