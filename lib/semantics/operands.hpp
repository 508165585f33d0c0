// Reading and writing an instruction's operands in any domain.
#pragma once

#include "semantics/domain.hpp"

namespace picker::semantics {

using sass::Field;
using sass::Instruction;
using sass::Opcode;
using sass::Operand;
using sass::OperandKind;
using sass::Role;
using sass::Value;

// Whether `operand` is an integer word that read_word understands completely.
[[nodiscard]] inline bool is_plain_word(const Operand* operand) {
  if (operand == nullptr || operand->absolute || operand->hi_half) return false;
  switch (operand->kind) {
    case OperandKind::kRegister:
    case OperandKind::kUniformRegister:
    case OperandKind::kImmediate:
      return true;
    case OperandKind::kConstant:
      return !operand->has_reg && !operand->has_ureg;
    default:
      return false;
  }
}

// The 32-bit pattern of an operand, word `index` of a multi-register one, without - and ~.
template <class D>
typename D::Word read_raw_word(D& d, const Operand& operand, u32 index = 0) {
  switch (operand.kind) {
    case OperandKind::kRegister:
      return operand.reg == sass::kRZ ? d.word(0) : d.reg(static_cast<u8>(operand.reg + index));
    case OperandKind::kUniformRegister:
      return operand.reg == sass::kURZ ? d.word(0) : d.ureg(static_cast<u8>(operand.reg + index));
    case OperandKind::kConstant:
      return d.constant_word(operand.bank, d.word(static_cast<u32>(operand.value) + 4 * index));
    default:
      return d.immediate(static_cast<u32>(operand.value));
  }
}

template <class D>
typename D::Word negate(D& d, typename D::Word x) {
  return d.sub(d.word(0), x);
}

// An integer source with its - or ~ applied.
template <class D>
typename D::Word read_word(D& d, const Operand& operand) {
  typename D::Word x = read_raw_word(d, operand);
  if (operand.negate) x = negate(d, x);
  if (operand.invert) x = d.bit_not(x);
  return x;
}

// A 64-bit source: a register pair, two constant words. Modifiers are not applied.
template <class D>
typename D::Wide read_wide(D& d, const Operand& operand) {
  if (operand.kind == OperandKind::kConstant)
    return d.constant_wide(operand.bank, d.word(static_cast<u32>(operand.value)));
  if (operand.is_zero_register()) return d.wide(0);
  return d.join(read_raw_word(d, operand, 1), read_raw_word(d, operand, 0));
}

// Whether an operand is a pair that read_pair understands.
[[nodiscard]] inline bool is_plain_pair(const Operand* operand) {
  if (operand == nullptr || operand->absolute) return false;
  switch (operand->kind) {
    case OperandKind::kRegister:
    case OperandKind::kUniformRegister:
    case OperandKind::kImmediate:
      return operand->width == 2;
    default:
      return false;
  }
}

// The source of a 64-bit instruction, without - and ~.
template <class D>
typename D::Wide read_raw_pair(D& d, const Operand& operand) {
  if (operand.kind != OperandKind::kImmediate) return read_wide(d, operand);
  return d.join(d.immediate(static_cast<u32>(static_cast<u64>(operand.value) >> 32)),
                d.immediate(static_cast<u32>(operand.value)));
}

// The same with its - or ~ applied.
template <class D>
typename D::Wide read_pair(D& d, const Operand& operand) {
  typename D::Wide x = read_raw_pair(d, operand);
  if (operand.negate) x = d.sub(d.wide(0), x);
  if (operand.invert) x = d.bit_not(x);
  return x;
}

// A predicate source with its ! applied. An absent operand reads true.
template <class D>
typename D::Flag read_flag(D& d, const Operand* operand) {
  if (operand == nullptr) return d.flag(true);
  typename D::Flag f = operand->kind == OperandKind::kUniformPredicate ? d.upred(operand->reg)
                                                                       : d.pred(operand->reg);
  return operand->invert ? d.flag_not(f) : f;
}

template <class D>
void write_word(D& d, const Operand& operand, typename D::Word x, u32 index = 0) {
  if (operand.is_zero_register()) return;
  if (operand.kind == OperandKind::kUniformRegister)
    d.set_ureg(static_cast<u8>(operand.reg + index), x);
  else
    d.set_reg(static_cast<u8>(operand.reg + index), x);
}

template <class D>
void write_wide(D& d, const Operand& operand, typename D::Wide x) {
  write_word(d, operand, d.low(x), 0);
  write_word(d, operand, d.high(x), 1);
}

template <class D>
void write_flag(D& d, const Operand* operand, typename D::Flag f) {
  if (operand == nullptr || operand->reg == sass::kPT) return;
  if (operand->kind == OperandKind::kUniformPredicate)
    d.set_upred(operand->reg, f);
  else
    d.set_pred(operand->reg, f);
}

// How an instruction handles its operands, and how its 64-bit form does: for meanings that are the
// same at both widths.
template <class D>
struct OnWords {
  using T = typename D::Word;
  static bool is_plain(const Operand* operand) { return is_plain_word(operand); }
  static T zero(D& d) { return d.word(0); }
  static T raw(D& d, const Operand& operand) { return read_raw_word(d, operand); }
  static T read(D& d, const Operand& operand) { return read_word(d, operand); }
  static T of_flag(D& d, typename D::Flag flag) { return d.from_flag(flag); }
  static void write(D& d, const Operand& operand, T x) { write_word(d, operand, x); }
};
template <class D>
struct OnPairs {
  using T = typename D::Wide;
  static bool is_plain(const Operand* operand) { return is_plain_pair(operand); }
  static T zero(D& d) { return d.wide(0); }
  static T raw(D& d, const Operand& operand) { return read_raw_pair(d, operand); }
  static T read(D& d, const Operand& operand) { return read_pair(d, operand); }
  static T of_flag(D& d, typename D::Flag flag) { return d.widen_unsigned(d.from_flag(flag)); }
  static void write(D& d, const Operand& operand, T x) { write_wide(d, operand, x); }
};

// Whether `field` is absent from the form or has the plain default.
[[nodiscard]] inline bool plain(const Instruction& in, Field field) {
  const std::optional<Value> value = in.modifier(field);
  return !value || *value == Value::kNone;
}

}  // namespace picker::semantics
