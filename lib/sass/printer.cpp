#include "sass/printer.hpp"

#include <bit>
#include <cmath>
#include <iterator>

#include "sass/rows.hpp"
#include "sass/special_registers.hpp"

namespace picker::sass {
namespace {

using Buffer = fmt::memory_buffer;

void put(Buffer& out, std::string_view text) { out.append(text.data(), text.data() + text.size()); }

template <typename... Args>
void put(Buffer& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void put_register(Buffer& out, u8 number) {
  if (number == kRZ)
    put(out, "RZ");
  else
    put(out, "R{}", number);
}

void put_uniform(Buffer& out, u8 number) {
  if (number == kURZ)
    put(out, "URZ");
  else
    put(out, "UR{}", number);
}

void put_signed_hex(Buffer& out, i64 value) {
  if (value < 0)
    put(out, "-0x{:x}", static_cast<u64>(-value));
  else
    put(out, "0x{:x}", static_cast<u64>(value));
}

// 20 digits; integers below 10^9 in full, larger magnitudes in scientific notation. Special values
// carry a trailing blank.
void put_real(Buffer& out, double value, bool negative, bool quiet) {
  if (std::isnan(value))
    put(out, "{}{}NAN ", negative ? "-" : "+", quiet ? "Q" : "S");
  else if (std::isinf(value))
    put(out, "{}INF ", negative ? "-" : "+");
  else if (value == 0 && negative)
    put(out, "-0.0 ");
  else if (std::fabs(value) >= 1e9)
    put(out, "{:.20e}", value);
  else
    put(out, "{:.20g}", value);
}

void put_float(Buffer& out, u32 bits) {
  put_real(out, std::bit_cast<float>(bits), (bits >> 31) != 0, ((bits >> 22) & 1) != 0);
}

void put_double(Buffer& out, u32 high) {
  put_real(out, std::bit_cast<double>(u64{high} << 32), (high >> 31) != 0, ((high >> 19) & 1) != 0);
}

double half_value(u32 bits) {
  const u32 exponent = (bits >> 10) & 0x1f;
  const double fraction = bits & 0x3ff;
  double magnitude = 0;
  if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else if (exponent == 31)
    magnitude = fraction == 0 ? INFINITY : NAN;
  else
    magnitude = std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

void put_half(Buffer& out, u32 bits) {
  put_real(out, half_value(bits), (bits & 0x8000) != 0, (bits & 0x200) != 0);
}

void put_brain(Buffer& out, u32 bits) { put_float(out, bits << 16); }

void put_immediate(Buffer& out, const Operand& operand, Style style, u32 bits) {
  const u32 value = static_cast<u32>(operand.value);
  switch (style) {
    case Style::kHex:
      put(out, "0x{:x}", bits > 32 ? static_cast<u64>(operand.value) : value);
      break;
    case Style::kSignedHex:
      if (bits == 32)
        put_signed_hex(out, static_cast<i32>(value));
      else
        put_signed_hex(out, operand.value);
      break;
    case Style::kDecimal:
      put(out, "{}", operand.value);
      break;
    case Style::kFloat:
      put_float(out, value);
      break;
    case Style::kQuietFloat:
      put_real(out, std::bit_cast<float>(value), (value >> 31) != 0, true);
      break;
    case Style::kDouble:
      put_double(out, value);
      break;
    case Style::kHalf2:
      put_half(out, value >> 16);
      put(out, ", ");
      put_half(out, value & 0xffff);
      break;
    case Style::kBrainHalf2:
      put_brain(out, value >> 16);
      put(out, ", ");
      put_brain(out, value & 0xffff);
      break;
    case Style::kRelative:
      break;
  }
}

void put_constant(Buffer& out, const Operand& operand, bool spaced, bool hides_zero) {
  if (operand.kind == OperandKind::kBindlessConstant) {
    put(out, "cx[");
    put_uniform(out, operand.ureg);
    put(out, "]");
    if (spaced) put(out, " ");
  } else {
    put(out, "c[0x{:x}]", operand.bank);
    if (spaced) put(out, " ");  // so do the half-precision instructions print it
  }
  put(out, "[");
  if (operand.has_reg && operand.reg != kRZ) {
    put_register(out, operand.reg);
    if (operand.value != 0) {
      put(out, "+");
      put_signed_hex(out, operand.value);
    }
  } else if (hides_zero && operand.has_ureg && operand.ureg == kURZ) {
    if (operand.value != 0)
      put_signed_hex(out, operand.value);
    else
      put(out, "URZ");
  } else if (operand.has_ureg && operand.kind == OperandKind::kConstant) {
    put_uniform(out, operand.ureg);
    if (operand.value != 0) {
      put(out, "+");
      put_signed_hex(out, operand.value);
    }
  } else if (operand.has_reg && operand.value == 0) {
    put(out, "RZ");
  } else {
    put_signed_hex(out, operand.print == kPrintNegative ? operand.value - 0x10000 : operand.value);
  }
  put(out, "]");
}

void put_address(Buffer& out, const OperandSpec& spec, const Operand& operand) {
  if (operand.has_descriptor && operand.print != 0) {
    put(out, "desc[");
    put_uniform(out, operand.descriptor);
    put(out, "]");
    if (!operand.has_reg && !operand.has_ureg) return;  // a descriptor alone
  }
  put(out, "[");
  bool empty = true;
  const bool wide = operand.wide && (spec.flags & kFlagQuiet) == 0;  // ".64" is printed
  const bool shows_rz = (wide && !operand.has_ureg) ||
                        (operand.base_is_u32 && (spec.default_value & kDefaultShowsRZ) != 0);
  if (operand.has_reg && (operand.reg != kRZ || shows_rz)) {
    put_register(out, operand.reg);
    if (operand.scale != 0) put(out, ".X{}", 1u << operand.scale);
    if (wide)
      put(out, ".64");
    else if (operand.base_is_u32)
      put(out, ".U32");
    empty = false;
  }
  // Tensor memory ("tmem[...]") shows URZ only if nothing else stands there.
  const bool hides_zero =
      (spec.default_value & kDefaultHidesZero) != 0 || (spec.literal != 0 && operand.value != 0);
  if (operand.has_ureg && !(operand.ureg == kURZ && hides_zero)) {
    if (!empty) put(out, "+");
    put_uniform(out, operand.ureg);
    empty = false;
  }
  if (operand.value != 0) {
    if (!empty) put(out, "+");
    put_signed_hex(out, operand.value);
    empty = false;
  }
  if (empty) put(out, "RZ");
  put(out, "]");
}

void put_modifier(Buffer& out, const ModifierSpec& spec, u64 lo, u64 hi) {
  const u16 entry = list_entry(spec, modifier_key(spec, lo, hi));
  if (entry == kInvalidValue || (entry & kHiddenValue) != 0) return;
  put(out, ".");
  put(out, to_string(static_cast<Value>(entry)));
}

void put_operand(Buffer& out, const Row& row, const OperandSpec& spec, const Operand& operand,
                 u64 lo, u64 hi) {
  const bool predicate =
      operand.kind == OperandKind::kPredicate || operand.kind == OperandKind::kUniformPredicate;
  if (operand.invert) put(out, predicate ? "!" : "~");
  if (operand.negate) put(out, "-");
  if (operand.absolute) put(out, "|");
  // A register that a word precedes: gdesc[UR4].
  const bool wrapped = operand.kind != OperandKind::kNone && spec.literal != 0;
  const bool address = operand.kind == OperandKind::kAddress;  // has brackets of its own
  if (wrapped) put(out, "{}{}", literal_text(spec.literal), address ? "" : "[");
  switch (operand.kind) {
    case OperandKind::kNone:
      put(out, literal_text(spec.literal));
      if (spec.suffix != 255) {  // a modifier printed as an operand
        const ModifierSpec& modifier = modifiers_of(row)[spec.suffix];
        const u32 entry = list_entry(modifier, modifier_key(modifier, lo, hi));
        put(out, to_string(static_cast<Value>(entry & ~u32{kHiddenValue})));
        return;
      }
      break;
    case OperandKind::kRegister:
      put_register(out, operand.reg);
      break;
    case OperandKind::kUniformRegister:
      put_uniform(out, operand.reg);
      break;
    case OperandKind::kPredicate:
      if (operand.width > 1)
        put(out, "PR");
      else if (operand.reg == kPT)
        put(out, "PT");
      else
        put(out, "P{}", operand.reg);
      break;
    case OperandKind::kUniformPredicate:
      if (operand.width > 1)
        put(out, "UPR");
      else if (operand.reg == kPT)
        put(out, "UPT");
      else
        put(out, "UP{}", operand.reg);
      break;
    case OperandKind::kImmediate:
      put_immediate(out, operand, spec.style, spec.bits);
      break;
    case OperandKind::kBits:
      if (spec.slot == Slot::kMask) {
        put(out, "{");
        bool first = true;
        for (u32 bit = spec.bits; bit-- > 0;) {
          if ((operand.value >> bit & 1) == 0) continue;
          if (!first) put(out, ",");
          put(out, "{}", bit);
          first = false;
        }
        put(out, "}");
      } else if (spec.slot == Slot::kSwizzle) {
        constexpr std::string_view kPairs[] = {"PP", "PN", "NP", "ZP"};
        for (u32 shift = 8; shift != 0; shift -= 2)
          put(out, kPairs[(operand.value >> (shift - 2)) & 3]);
      } else if (spec.slot == Slot::kSignedBits) {
        put_signed_hex(out, operand.value);
      } else {
        put_immediate(out, operand, spec.style, spec.bits);
      }
      break;
    case OperandKind::kConstant:
    case OperandKind::kBindlessConstant:
      put_constant(out, operand, spec.style == Style::kHalf2,
                   spec.slot == Slot::kLoadConstant && spec.default_value != 0);
      break;
    case OperandKind::kAddress:
      put_address(out, spec, operand);
      break;
    case OperandKind::kBarrierRegister:
      put(out, "B{}", operand.reg);
      break;
    case OperandKind::kScoreboard:
      put(out, "SB{}", operand.reg);
      break;
    case OperandKind::kSpecialRegister:
      put(out, special_register_name(static_cast<u32>(operand.value),
                                     static_cast<Family>(operand.print)));
      break;
    case OperandKind::kCodeAddress:
      put_signed_hex(out, operand.value);
      break;
  }
  if (wrapped && !address) put(out, "]");
  const bool inside =
      operand.kind != OperandKind::kRegister ||
      (spec.style == Style::kHalf2 &&
       (row.opcode == Opcode::kMUFU || row.opcode == Opcode::kF2F));  // the suffix inside the bars
  if (inside && spec.suffix != 255) put_modifier(out, modifiers_of(row)[spec.suffix], lo, hi);
  if (operand.absolute) put(out, "|");
  if (operand.reuse) put(out, ".reuse");
  if (!inside && spec.suffix != 255) put_modifier(out, modifiers_of(row)[spec.suffix], lo, hi);
}

// Whether an operand of the text is a modifier whose value prints nothing.
bool is_empty(const Row& row, const OperandSpec& spec, u64 lo, u64 hi) {
  if (spec.slot != Slot::kLiteral || spec.suffix == 255) return false;
  const ModifierSpec& modifier = modifiers_of(row)[spec.suffix];
  return (list_entry(modifier, modifier_key(modifier, lo, hi)) & ~u32{kHiddenValue}) == 0;
}

bool is_default(const OperandSpec& spec, const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::kPredicate:
    case OperandKind::kUniformPredicate:
      return operand.reg == kPT && !operand.invert;
    case OperandKind::kRegister:
    case OperandKind::kUniformRegister:
      return spec.default_value == 0 && operand.is_zero_register() && !operand.negate;
    default:
      return operand.value == spec.default_value;
  }
}

// IMAD with a trivial factor prints as the instruction that it stands for.
std::string_view imad_alias(const Instruction& instruction) {
  const Operand* a = instruction.find(Role::kA);
  const Operand* b = instruction.find(Role::kB);
  const Operand* c = instruction.find(Role::kC);
  if (a == nullptr || b == nullptr || c == nullptr) return {};
  if (instruction.find(Role::kPSrc) != nullptr) return {};
  const bool b_zero = (b->kind == OperandKind::kRegister && b->reg == kRZ) ||
                      (b->kind == OperandKind::kImmediate && b->value == 0);
  const bool a_zero = a->kind == OperandKind::kRegister && a->reg == kRZ;
  const auto uniform = [](const Operand& o) {
    return o.kind == OperandKind::kUniformRegister || o.kind == OperandKind::kBindlessConstant;
  };
  if (uniform(*b) || uniform(*c)) return {};
  if (a_zero || b_zero) return ".MOV";
  if (b->kind != OperandKind::kImmediate) return {};
  const u32 factor = static_cast<u32>(b->value);
  const bool c_zero = c->kind == OperandKind::kRegister && c->reg == kRZ;
  if (factor == 1) return c_zero ? ".MOV" : ".IADD";
  if (c_zero && std::has_single_bit(factor) && factor != 0x10000 && factor != 0x80000000)
    return ".SHL";
  return {};
}

}  // namespace

void print(const Instruction& instruction, u64 lo, u64 hi, fmt::memory_buffer& out) {
  if (!instruction.known()) {
    put(out, "unknown 0x{:016x}{:016x}", hi, lo);
    return;
  }
  const Row& row = rows()[instruction.row];
  if (instruction.guard != kPT || instruction.guard_negated)
    put(out, "@{}{}P{} ", instruction.guard_negated ? "!" : "",
        instruction.guard_uniform ? "U" : "",
        instruction.guard == kPT ? std::string("T") : std::to_string(instruction.guard));
  put(out, to_string(instruction.opcode));
  if (row.style == PrintStyle::kImad) put(out, imad_alias(instruction));
  for (const ModifierSpec& spec : modifiers_of(row))
    if (spec.in_mnemonic) put_modifier(out, spec, lo, hi);
  bool first = true;
  const auto specs = operands_of(row);
  for (u32 i = 0; i < specs.size(); ++i) {
    const OperandSpec& spec = specs[i];
    if ((spec.flags & kFlagHidden) != 0 || is_empty(row, spec, lo, hi)) continue;
    if ((spec.flags & kFlagOptional) != 0 && is_default(spec, instruction.operands[i])) continue;
    put(out, first || (spec.flags & kFlagJoin) != 0 ? " " : ", ");
    first = false;
    put_operand(out, row, spec, instruction.operands[i], lo, hi);
  }
  // nvdisasm drops a trailing blank if the stall count is zero.
  if (((hi >> 41) & 0x1f) == 0 && out.size() != 0 && out[out.size() - 1] == ' ')
    out.resize(out.size() - 1);
}

std::string to_text(const Instruction& instruction, u64 lo, u64 hi) {
  fmt::memory_buffer out;
  print(instruction, lo, hi, out);
  return fmt::to_string(out);
}

std::string format_operand(const Instruction& instruction, u32 index) {
  fmt::memory_buffer out;
  if (instruction.known() && index < instruction.operand_count) {
    const Row& row = rows()[instruction.row];
    put_operand(out, row, operands_of(row)[index], instruction.operands[index], 0, 0);
  }
  return fmt::to_string(out);
}

}  // namespace picker::sass
