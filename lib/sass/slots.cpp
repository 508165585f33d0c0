#include "sass/slots.hpp"

#include "sass/registers.hpp"
#include "sass/special_registers.hpp"

namespace picker::sass {
namespace {

bool bit_at(u64 lo, u64 hi, u8 bit) {
  return bit != kNoBit && ((bit < 64 ? lo >> bit : hi >> (bit - 64)) & 1) != 0;
}

i64 sign_extend(u64 value, u32 bits) {
  const u32 shift = 64 - bits;
  return static_cast<i64>(value << shift) >> shift;
}

u8 uniform_register(u64 lo, u64 hi, u32 bit, u32 bits) {
  const u64 number = extract(lo, hi, bit, bits);
  return number == (u64{1} << bits) - 1 ? kURZ : static_cast<u8>(number);
}

// Makes `number` the next uniform register; false if there is none to be sure of.
bool advance(u8& number, u32 bits) {
  if (number == kURZ) return false;
  ++number;
  if (number == (1u << bits) - 1) number = kURZ;
  return true;
}

// A code address or distance in words of four bytes. On newer families its lowest bits stand apart.
i64 code_words(const OperandSpec& spec, u64 lo, u64 hi, bool is_signed) {
  u64 words = extract(lo, hi, spec.bit, spec.bits);
  u32 bits = spec.bits;
  if (spec.extra[0] != kNoBit) {
    words = words << spec.extra[1] | extract(lo, hi, spec.extra[0], spec.extra[1]);
    bits += spec.extra[1];
  }
  return is_signed ? sign_extend(words, bits) : static_cast<i64>(words);
}

}  // namespace

bool decode_operand(const OperandSpec& spec, Family family, u64 lo, u64 hi, u64 offset,
                    Operand& out) {
  out.role = spec.role;
  out.def = (spec.flags & kFlagDef) != 0;
  out.use = (spec.flags & kFlagUse) != 0;
  if ((spec.negate & spec.absolute & spec.invert & spec.reuse) != kNoBit) {
    out.negate = bit_at(lo, hi, spec.negate);
    out.absolute = bit_at(lo, hi, spec.absolute);
    out.invert = bit_at(lo, hi, spec.invert);
    // The bit of a sparse product's metadata counts always, those of the scheduling field if the
    // instruction does not yield.
    out.reuse = bit_at(lo, hi, spec.reuse) && (spec.reuse < 122 || bit_at(lo, hi, kStaysBit));
  }
  const u64 raw = spec.bits != 0 ? extract(lo, hi, spec.bit, spec.bits) : 0;
  switch (spec.slot) {
    case Slot::kLiteral:
      return true;
    case Slot::kRegister:
      out.kind = OperandKind::kRegister;
      out.reg = static_cast<u8>(raw);
      return true;
    case Slot::kUniform:
      out.kind = OperandKind::kUniformRegister;
      out.reg = uniform_register(lo, hi, spec.bit, spec.bits);
      return true;
    case Slot::kPredicate:
      out.kind = OperandKind::kPredicate;
      out.reg = static_cast<u8>(raw);
      return true;
    case Slot::kPredicate7:
      out.kind = OperandKind::kPredicate;
      out.reg = static_cast<u8>(7 - raw);
      return true;
    case Slot::kUniformPredicate:
      out.kind = OperandKind::kUniformPredicate;
      out.reg = static_cast<u8>(raw);
      return true;
    case Slot::kUniformNext:
      out.kind = OperandKind::kUniformRegister;
      out.reg = static_cast<u8>(raw + 1);
      return raw < kURZ - 1;
    case Slot::kSplitUniform:
      out.kind = OperandKind::kUniformRegister;
      out.reg = static_cast<u8>(extract(lo, hi, 60, 3) | extract(lo, hi, 73, 5) << 3);
      return true;
    case Slot::kUniformPredicate7:
      out.kind = OperandKind::kUniformPredicate;
      out.reg = static_cast<u8>(7 - raw);
      return true;
    case Slot::kImmediate:
      out.kind = OperandKind::kImmediate;
      // Of a pair: the sign fills the upper half. (Of a double the upper half is what is there.)
      out.value = spec.width == 2 && spec.style == Style::kSignedHex ? sign_extend(raw, spec.bits)
                                                                     : static_cast<i64>(raw);
      return true;
    case Slot::kBits:
    case Slot::kMask:
    case Slot::kSwizzle:
      out.kind = OperandKind::kBits;
      out.value = static_cast<i64>(raw);
      return true;
    case Slot::kSplitBits:
      out.kind = OperandKind::kBits;
      out.value =
          static_cast<i64>(raw | extract(lo, hi, spec.extra[0], spec.extra[1]) << spec.bits);
      return true;
    case Slot::kSplitTable:
      out.kind = OperandKind::kBits;
      out.value = static_cast<i64>(extract(lo, hi, 64, 3) | extract(lo, hi, 72, 5) << 3);
      return true;
    case Slot::kSignedBits:
      out.kind = OperandKind::kBits;
      out.value = sign_extend(raw, spec.bits);
      return true;
    case Slot::kSpecial:
      out.kind = OperandKind::kSpecialRegister;
      out.value = static_cast<i64>(raw);
      out.print = static_cast<u8>(family);
      return !special_register_name(static_cast<u32>(raw), family).empty();
    case Slot::kScoreboard:
      out.kind = OperandKind::kScoreboard;
      out.reg = static_cast<u8>(raw);
      return raw < 6;
    case Slot::kBarrier:
      out.kind = OperandKind::kBarrierRegister;
      out.reg = static_cast<u8>(raw);
      return true;
    case Slot::kConstant:
      out.kind = OperandKind::kConstant;
      out.bank = static_cast<u8>(extract(lo, hi, 54, 5));
      out.value = static_cast<i64>(raw * 4);
      out.print = raw >= 0x2000 ? kPrintNegative : u8{0};
      return true;
    case Slot::kLoadConstant:
      out.kind = OperandKind::kConstant;
      out.bank = static_cast<u8>(extract(lo, hi, 54, 5));
      out.value = static_cast<i64>(raw);
      if (spec.extra[0] != kNoBit) {
        out.has_reg = true;
        out.reg = static_cast<u8>(extract(lo, hi, spec.extra[0], 8));
        if (out.reg != kRZ) out.value = sign_extend(raw, spec.bits);
        out.print = out.reg == kRZ && raw >= 0x8000 ? kPrintNegative : u8{0};
        return true;
      }
      if (spec.extra[1] != kNoBit) {
        out.has_ureg = true;
        out.ureg = uniform_register(lo, hi, spec.extra[1], spec.uniform_bits);
        out.value = sign_extend(raw, spec.bits);
        return spec.default_value == 0 || out.ureg != kURZ || out.value >= 0;
      }
      out.print = raw >= 0x8000 ? kPrintNegative : u8{0};
      return true;
    case Slot::kBindless:
      out.kind = OperandKind::kBindlessConstant;
      out.has_ureg = true;
      out.ureg = uniform_register(lo, hi, 32, spec.extra[0]);
      out.value = static_cast<i64>(raw * 4);
      out.print = raw >= 0x2000 ? kPrintNegative : u8{0};
      return true;
    case Slot::kAddress: {
      out.kind = OperandKind::kAddress;
      const bool next = (spec.default_value & kDefaultNextRegister) != 0;
      if (spec.extra[0] != kNoBit) {
        out.has_reg = true;
        out.reg = static_cast<u8>(extract(lo, hi, spec.extra[0], 8));
      }
      if (spec.extra[1] != kNoBit) {
        const u64 scale = extract(lo, hi, spec.extra[1], 2);
        out.scale = scale == 0 ? 0 : static_cast<u8>(scale + 1);
        if (scale != 0 && out.reg == kRZ) return false;  // prints like no scale: never compiled
      }
      if (spec.extra[2] == 254) {
        out.wide = true;
      } else if (spec.extra[2] != kNoBit) {
        out.wide = bit_at(lo, hi, spec.extra[2]);
        out.base_is_u32 = !out.wide && (spec.flags & kFlagQuiet) == 0;
        if (out.wide && out.reg == kRZ && (spec.default_value & kDefaultShowsRZ) != 0) return false;
      }
      if (spec.extra[3] != kNoBit) {
        out.has_ureg = true;
        out.ureg = uniform_register(lo, hi, spec.extra[3], spec.uniform_bits);
        if (next && spec.extra[4] == kNoBit && !advance(out.ureg, spec.uniform_bits)) return false;
        out.ureg_wide =
            spec.extra[4] == kNoBit && (spec.extra[5] == 254 || bit_at(lo, hi, spec.extra[5]));
      }
      if (spec.extra[4] != kNoBit) {
        out.has_descriptor = true;
        out.descriptor = uniform_register(lo, hi, spec.extra[4], spec.uniform_bits);
        if (next && !advance(out.descriptor, spec.uniform_bits)) return false;
        out.descriptor_is_half = next;
        out.print = spec.extra[5] == kAlwaysShown || bit_at(lo, hi, spec.extra[5]) ? 1 : 0;
      }
      if (spec.bits != 0) {
        const bool absolute = (spec.flags & kFlagAbsolute) != 0 && out.reg == kRZ && !out.has_ureg;
        out.value = absolute ? static_cast<i64>(raw) : sign_extend(raw, spec.bits);
        out.value *= i64{1} << ((spec.default_value >> 1) & 0x1f);
      }
      return true;
    }
    case Slot::kRelativeTarget:
      out.kind = OperandKind::kCodeAddress;
      out.value = static_cast<i64>(offset + kInstructionBytes +
                                   static_cast<u64>(code_words(spec, lo, hi, true)) * 4);
      return true;
    case Slot::kAbsoluteTarget:
      out.kind = OperandKind::kCodeAddress;
      out.value = code_words(spec, lo, hi, (spec.flags & kFlagAbsolute) == 0) * 4;
      return true;
  }
  return false;
}

std::optional<u8> operand_width(const OperandSpec& spec, u64 lo, u64 hi,
                                const Instruction& instruction) {
  if (spec.count != kNoCount) {
    const ModifierSpec& list = count_spec(spec.count);
    const u16 count = list_entry(list, modifier_key(list, lo, hi));
    if (count == kInvalidValue) return std::nullopt;
    return static_cast<u8>(count);
  }
  return (spec.width & 0x80) == 0 ? spec.width
                                  : registers_of(instruction.modifiers[spec.width & 0x7f].value);
}

bool decode_row_slowly(const Row& row, Family family, u64 lo, u64 hi, u64 offset,
                       Instruction& out) {
  const auto modifiers = modifiers_of(row);
  for (u32 i = 0; i < modifiers.size(); ++i) {
    const u16 entry = list_entry(modifiers[i], modifier_key(modifiers[i], lo, hi));
    if (entry == kInvalidValue) return false;
    out.modifiers[i] = {modifiers[i].field,
                        static_cast<Value>(entry & static_cast<u16>(~kHiddenValue))};
  }
  out.modifier_count = row.modifier_count;
  const auto operands = operands_of(row);
  for (u32 i = 0; i < operands.size(); ++i) {
    if (!decode_operand(operands[i], family, lo, hi, offset, out.operands[i])) return false;
    const std::optional<u8> width = operand_width(operands[i], lo, hi, out);
    if (!width) return false;
    out.operands[i].width = *width;
  }
  out.operand_count = row.operand_count;
  out.guard = static_cast<u8>((lo >> 12) & 7);
  out.guard_negated = ((lo >> 15) & 1) != 0;
  out.guard_uniform = row.uniform_guard;
  out.opcode = row.opcode;
  return true;
}

}  // namespace picker::sass
