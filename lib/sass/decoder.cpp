#include "sass/decoder.hpp"

#include <bit>
#include <cstring>

#include "sass/registers.hpp"
#include "sass/rows.hpp"
#include "sass/special_registers.hpp"

namespace picker::sass {
namespace {

constexpr u8 kStaysBit = 109;  // clear: yield after the instruction

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

// The scheduling field: stall cycles in bits 105..108, "do not yield" in 109, the scoreboards that
// the instruction sets in 110..112 and 113..115 (7: none), register reuse in 122..124. Found by
// trying all combinations.
bool scheduling_is_legal(u64 hi, u8 reusable) {
  const u32 stall = static_cast<u32>(hi >> 41) & 0xf;
  const bool stays = ((hi >> 45) & 1) != 0;
  const u32 write_scoreboard = static_cast<u32>(hi >> 46) & 7;
  const u32 read_scoreboard = static_cast<u32>(hi >> 49) & 7;
  const u32 reuse = static_cast<u32>(hi >> 58) & 7;
  if (write_scoreboard == 6 || read_scoreboard == 6) return false;
  // Where the bits name no operand, hand-written kernels set them all the same; so they do while
  // yielding. nvdisasm accepts 1 to 5 there and prints nothing.
  const bool ignored = !stays || (reusable & kReuseIsHint) != 0;
  if (ignored ? reuse > 5 || (reuse != 0 && stall == 0) : (reuse & ~u32{reusable}) != 0)
    return false;
  return !stays || (stall >= 1 && stall <= 11);
}

[[gnu::always_inline]] inline bool decode_operand(const OperandSpec& spec, u64 lo, u64 hi,
                                                  u64 offset, Operand& out) {
  out.role = spec.role;
  out.def = (spec.flags & kFlagDef) != 0;
  out.use = (spec.flags & kFlagUse) != 0;
  if ((spec.negate & spec.absolute & spec.invert & spec.reuse) != kNoBit) {
    out.negate = bit_at(lo, hi, spec.negate);
    out.absolute = bit_at(lo, hi, spec.absolute);
    out.invert = bit_at(lo, hi, spec.invert);
    out.reuse = bit_at(lo, hi, spec.reuse) && bit_at(lo, hi, kStaysBit);
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
    case Slot::kImmediate:
      out.kind = OperandKind::kImmediate;
      out.value = static_cast<i64>(raw);
      return true;
    case Slot::kBits:
    case Slot::kMask:
    case Slot::kSwizzle:
      out.kind = OperandKind::kBits;
      out.value = static_cast<i64>(raw);
      return true;
    case Slot::kSplitTable:
      out.kind = OperandKind::kBits;
      out.value = static_cast<i64>(extract(lo, hi, 64, 3) | extract(lo, hi, 72, 5) << 3);
      return true;
    case Slot::kSplitBits:
      out.kind = OperandKind::kBits;
      out.value =
          static_cast<i64>(raw | extract(lo, hi, spec.extra[0], spec.extra[1]) << spec.bits);
      return true;
    case Slot::kSignedBits:
      out.kind = OperandKind::kBits;
      out.value = sign_extend(raw, spec.bits);
      return true;
    case Slot::kSpecial:
      out.kind = OperandKind::kSpecialRegister;
      out.value = static_cast<i64>(raw);
      return !special_register_name(static_cast<u32>(raw)).empty();
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
      return raw < 0x2000;  // the upper half prints as negative offsets
    case Slot::kLoadConstant:
      out.kind = OperandKind::kConstant;
      out.bank = static_cast<u8>(extract(lo, hi, 54, 5));
      out.value = static_cast<i64>(raw);
      if (spec.extra[0] != kNoBit) {
        out.has_reg = true;
        out.reg = static_cast<u8>(extract(lo, hi, spec.extra[0], 8));
        out.value = sign_extend(raw, spec.bits);
        return true;
      }
      if (spec.extra[1] != kNoBit) {
        out.has_ureg = true;
        out.ureg = uniform_register(lo, hi, spec.extra[1], spec.uniform_bits);
        out.value = sign_extend(raw, spec.bits);
        return spec.default_value == 0 || out.ureg != kURZ || out.value >= 0;
      }
      return raw < 0x8000;
    case Slot::kBindless:
      out.kind = OperandKind::kBindlessConstant;
      out.has_ureg = true;
      out.ureg = uniform_register(lo, hi, 32, spec.extra[0]);
      out.value = static_cast<i64>(raw * 4);
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
                                   static_cast<u64>(sign_extend(raw, spec.bits)) * 4);
      return true;
    case Slot::kAbsoluteTarget:
      out.kind = OperandKind::kCodeAddress;
      out.value = ((spec.flags & kFlagAbsolute) != 0 ? static_cast<i64>(raw)
                                                     : sign_extend(raw, spec.bits)) *
                  4;
      return true;
  }
  return false;
}

bool decode_row(const Row& row, u64 lo, u64 hi, u64 offset, Instruction& out) {
  if (!scheduling_is_legal(hi, row.reuse)) return false;
  for (const Forbidden& f : forbidden_of(row))
    if ((lo & f.mask_lo) == f.match_lo && (hi & f.mask_hi) == f.match_hi) return false;
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
    // A local copy: bytes of the result could otherwise alias the specification, which would then
    // be read again after each assignment.
    const OperandSpec spec = operands[i];
    Operand& operand = out.operands[i];
    if (!decode_operand(spec, lo, hi, offset, operand)) return false;
    operand.width = (spec.width & 0x80) == 0 ? spec.width
                                             : registers_of(out.modifiers[spec.width & 0x7f].value);
    if (spec.count != kNoCount) {
      const ModifierSpec& list = count_spec(spec.count);
      const u16 count = list_entry(list, modifier_key(list, lo, hi));
      if (count == kInvalidValue) return false;
      operand.width = static_cast<u8>(count);
    }
  }
  out.operand_count = row.operand_count;
  out.guard = static_cast<u8>((lo >> 12) & 7);
  out.guard_negated = ((lo >> 15) & 1) != 0;
  out.guard_uniform = row.uniform_guard;
  out.opcode = row.opcode;
  return true;
}

// Takes back what a row that did not match in the end has written.
void clear(Instruction& instruction) { instruction = Instruction{}; }

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
    case 103:
    case 110:
      return Family::kSm100;
    case 120:
    case 121:
      return Family::kSm120;
    default:
      return std::nullopt;
  }
}

Instruction Decoder::decode(u64 lo, u64 hi, u64 offset) const {
  Instruction instruction;  // the only object returned, so that it is built in place
  const u32 op13 = static_cast<u32>(lo & 0xfff) | (static_cast<u32>(hi >> 27) & 1) << 12;
  for (const u16 number : candidates(static_cast<u32>(family_), op13)) {
    const Row& row = rows()[number];
    if ((lo & row.mask_lo) != row.match_lo || (hi & row.mask_hi) != row.match_hi) continue;
    instruction.row = number;
    if (!decode_row(row, lo, hi, offset, instruction)) clear(instruction);
    break;  // rows of one opcode are disjoint
  }
  return instruction;
}

Instruction Decoder::decode(const u8* bytes, u64 offset) const {
  static_assert(std::endian::native == std::endian::little);
  u64 word[2];
  std::memcpy(word, bytes, sizeof word);
  return decode(word[0], word[1], offset);
}

}  // namespace picker::sass
