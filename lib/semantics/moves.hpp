// Moves, selections, special registers, predicates as data, and constants in disguise.
#pragma once

#include "sass/special_registers.hpp"
#include "semantics/integer.hpp"

namespace picker::semantics {

// MOV, UMOV. The lane mask of MOV must select all four bytes.
template <class D>
void move(D& d, const Instruction& in) {
  const Operand* source = in.find(Role::kB) != nullptr ? in.find(Role::kB) : in.find(Role::kA);
  const Operand* dst = in.find(Role::kDst);
  const Operand* mask = in.find(Role::kAux);
  if (in.has(Field::kSize, Value::k64)) {
    if (!is_plain_pair(source)) return d.unmodelled(in);
    return write_wide(d, *dst, read_pair(d, *source));
  }
  if (!is_plain_word(source) || source->negate || source->invert) return d.unmodelled(in);
  if (mask != nullptr && mask->value != 0xf) return d.unmodelled(in);
  for (u32 i = 0; i < dst->width; ++i) {
    if (dst->width > 1 && source->kind == OperandKind::kImmediate) return d.unmodelled(in);
    write_word(d, *dst, read_raw_word(d, *source, i), i);
  }
}

// SEL.64, USEL.64.
template <class D>
void select_pairs(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  if (!is_plain_pair(a) || !is_plain_pair(b)) return d.unmodelled(in);
  write_wide(d, *in.find(Role::kDst),
             d.select(read_flag(d, in.find(Role::kPSrc)), read_pair(d, *a), read_pair(d, *b)));
}

// SEL, USEL; FSEL where it only moves bits.
template <class D>
void select(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  if (!is_plain_word(a) || !is_plain_word(b)) return d.unmodelled(in);
  if ((in.opcode == Opcode::kFSEL || in.opcode == Opcode::kUFSEL) &&
      (a->negate || b->negate || !plain(in, Field::kFtz)))
    return d.unmodelled(in);
  write_word(d, *in.find(Role::kDst),
             d.select(read_flag(d, in.find(Role::kPSrc)), read_word(d, *a), read_word(d, *b)));
}

// Whether a special register may differ between the threads of a warp: all but the block's place.
[[nodiscard]] inline bool varies_by_lane(u32 number) {
  switch (static_cast<sass::SpecialRegister>(number)) {
    case sass::SpecialRegister::kZero:
    case sass::SpecialRegister::kBlockIdX:
    case sass::SpecialRegister::kBlockIdY:
    case sass::SpecialRegister::kBlockIdZ:
    case sass::SpecialRegister::kClusterBlock:
      return false;
    default:
      return true;
  }
}

// S2R, S2UR, CS2R, CS2UR: special registers; CS2R reads 64 bits unless .32.
template <class D>
void read_special(D& d, const Instruction& in) {
  const Operand *dst = in.find(Role::kDst), *source = in.find(Role::kA);
  if (source == nullptr || source->kind != OperandKind::kSpecialRegister) return d.unmodelled(in);
  const u32 number = static_cast<u32>(source->value);
  // In a uniform register, what differs from lane to lane is some lane's.
  const bool some_lane =
      (in.opcode == Opcode::kS2UR || in.opcode == Opcode::kCS2UR) && varies_by_lane(number);
  for (u32 i = 0; i < dst->width; ++i) {
    const typename D::Word x = d.special_register(in, number, i);
    write_word(d, *dst, some_lane ? d.any_lane(in, x) : x, i);
  }
}

// R2UR: a lane's register in a uniform register.
template <class D>
void to_uniform(D& d, const Instruction& in) {
  const Operand *dst = in.find(Role::kDst), *a = in.find(Role::kA);
  const Operand* p = in.find(Role::kPDst);
  if (p != nullptr && p->reg != sass::kPT) return d.warp_value(in);  // looks at all lanes
  if (!is_plain_word(a) || a->negate || a->invert) return d.unmodelled(in);
  write_word(d, *dst, d.any_lane(in, read_raw_word(d, *a)));
}

// P2R: predicates as bits of a register, where the mask says so; the other bits from A.
template <class D>
void predicates_to_register(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *mask = in.find(Role::kB);
  const std::optional<u32> bits = is_plain_word(mask) ? d.known(read_word(d, *mask)) : std::nullopt;
  if (!is_plain_word(a) || !bits || *bits > 0x7f || !plain(in, Field::kByte))
    return d.unmodelled(in);
  typename D::Word x = d.bit_and(read_word(d, *a), d.word(~*bits));
  for (u8 i = 0; i < 7; ++i)
    if ((*bits >> i) & 1) x = d.bit_or(x, d.shift_left(d.from_flag(d.pred(i)), d.word(i)));
  write_word(d, *in.find(Role::kDst), x);
}

// R2P: the reverse.
template <class D>
void register_to_predicates(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *mask = in.find(Role::kB);
  const std::optional<u32> bits = is_plain_word(mask) ? d.known(read_word(d, *mask)) : std::nullopt;
  if (!is_plain_word(a) || a->negate || a->invert || !bits || *bits > 0x7f ||
      !plain(in, Field::kByte)) {
    // No operand names the predicates, so each is lost by itself.
    for (u8 i = 0; i < 7; ++i) {
      Operand predicate;
      predicate.kind = OperandKind::kPredicate;
      predicate.reg = i;
      d.unmodelled_flag(in, predicate);
    }
    return;
  }
  const typename D::Word x = read_raw_word(d, *a);
  for (u8 i = 0; i < 7; ++i)
    if ((*bits >> i) & 1) d.set_pred(i, d.bit(x, i));
}

// Adapts Flag arithmetic to the word logic of integer.hpp.
template <class D>
struct FlagLogic {
  D& d;
  typename D::Flag bit_and(typename D::Flag a, typename D::Flag b) { return d.flag_and(a, b); }
  typename D::Flag bit_or(typename D::Flag a, typename D::Flag b) { return d.flag_or(a, b); }
  typename D::Flag bit_xor(typename D::Flag a, typename D::Flag b) { return d.flag_xor(a, b); }
  typename D::Flag bit_not(typename D::Flag a) { return d.flag_not(a); }
};

// PLOP3, UPLOP3: two functions of three predicates.
template <class D>
void predicate_logic(D& d, const Instruction& in) {
  const Operand* sources[] = {in.find(Role::kPSrc), in.find(Role::kPSrc2), in.find(Role::kPSrc3)};
  const Operand* luts[2] = {nullptr, nullptr};
  u32 found = 0;
  for (u32 i = 0; i < in.operand_count && found < 2; ++i)
    if (in.operands[i].role == Role::kAux) luts[found++] = &in.operands[i];
  if (found == 0) return d.unmodelled(in);
  std::array<typename D::Flag, 3> x{read_flag(d, sources[0]), read_flag(d, sources[1]),
                                    read_flag(d, sources[2])};
  FlagLogic<D> logic{d};
  const Role destinations[] = {Role::kPDst, Role::kPDst2};
  std::array<typename D::Flag, 2> results{d.flag(false), d.flag(false)};
  for (u32 k = 0; k < found; ++k)
    results[k] = logic3(logic, static_cast<u32>(luts[k]->value) & 0xff, x[0], x[1], x[2],
                        d.flag(false), d.flag(true));
  for (u32 k = 0; k < 2; ++k) {
    const Operand* p = in.find(destinations[k]);
    if (k < found)
      write_flag(d, p, results[k]);
    else if (p != nullptr && p->reg != sass::kPT)
      d.unmodelled_flag(in, *p);
  }
}

// Comparison of single-precision numbers by integer arithmetic on their patterns, exactly as IEEE
// 754 defines it. Ordered patterns: flip all bits of negative ones, the sign bit of others.
template <class D>
void float_compare(D& d, const Instruction& in) {
  using Word = typename D::Word;
  using Flag = typename D::Flag;
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<Value> relation = in.modifier(Field::kCompare);
  const bool flush = in.has(Field::kFtz, Value::kFTZ);
  if (!relation || (!flush && !plain(in, Field::kFtz))) return d.unmodelled(in);
  const auto read = [&](const Operand& operand) {
    Word x = read_raw_word(d, operand);
    if (operand.absolute) x = d.bit_and(x, d.word(0x7fffffff));
    if (operand.negate) x = d.bit_xor(x, d.word(0x80000000));
    if (flush)
      x = d.select(d.equal(d.bit_and(x, d.word(0x7f800000)), d.word(0)),
                   d.bit_and(x, d.word(0x80000000)), x);
    return x;
  };
  for (const Operand* operand : {a, b}) {
    if (operand == nullptr || operand->invert || operand->hi_half) return d.unmodelled(in);
    Operand bare = *operand;
    bare.absolute = false;
    if (!is_plain_word(&bare)) return d.unmodelled(in);
  }
  const Word x = read(*a), y = read(*b);
  const auto is_nan = [&](Word w) {
    return d.less_unsigned(d.word(0x7f800000), d.bit_and(w, d.word(0x7fffffff)));
  };
  const auto order = [&](Word w) {
    return d.select(d.less_signed(w, d.word(0)), d.bit_not(w), d.bit_xor(w, d.word(0x80000000)));
  };
  const Flag unordered = d.flag_or(is_nan(x), is_nan(y));
  const Flag zeros = d.equal(d.bit_and(d.bit_or(x, y), d.word(0x7fffffff)), d.word(0));
  const Flag equal = d.flag_or(zeros, d.equal(x, y));
  const Flag less = d.flag_and(d.flag_not(zeros), d.less_unsigned(order(x), order(y)));
  const Flag greater = d.flag_and(d.flag_not(zeros), d.less_unsigned(order(y), order(x)));
  const Flag ordered = d.flag_not(unordered);
  const auto ordered_and = [&](Flag f) { return d.flag_and(ordered, f); };
  const auto unordered_or = [&](Flag f) { return d.flag_or(unordered, f); };
  Flag result = d.flag(false);
  switch (*relation) {
    case Value::kF:
      break;
    case Value::kT:
      result = d.flag(true);
      break;
    case Value::kLT:
      result = ordered_and(less);
      break;
    case Value::kEQ:
      result = ordered_and(equal);
      break;
    case Value::kLE:
      result = ordered_and(d.flag_not(greater));
      break;
    case Value::kGT:
      result = ordered_and(greater);
      break;
    case Value::kNE:
      result = ordered_and(d.flag_not(equal));
      break;
    case Value::kGE:
      result = ordered_and(d.flag_not(less));
      break;
    case Value::kNUM:
      result = ordered;
      break;
    case Value::kNAN:
      result = unordered;
      break;
    case Value::kLTU:
      result = unordered_or(less);
      break;
    case Value::kEQU:
      result = unordered_or(equal);
      break;
    case Value::kLEU:
      result = unordered_or(d.flag_not(greater));
      break;
    case Value::kGTU:
      result = unordered_or(greater);
      break;
    case Value::kNEU:
      result = unordered_or(d.flag_not(equal));
      break;
    case Value::kGEU:
      result = unordered_or(d.flag_not(less));
      break;
    default:
      return d.unmodelled(in);
  }
  write_compare(d, in, result, Role::kPSrc);
}

// HFMA2 and HADD2 that only make a constant: a zero product plus an immediate pair of halves. ptxas
// loads small integers this way to spread work over pipes.
template <class D>
void half_constant(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const auto is_zero_pair = [](const Operand* operand) {
    return operand != nullptr && operand->is_zero_register() && !operand->hi_half;
  };
  if (!is_zero_pair(a) || !is_zero_pair(b) || c == nullptr || c->kind != OperandKind::kImmediate ||
      c->negate || c->absolute || !plain(in, Field::kSaturate) || !plain(in, Field::kFtz) ||
      !plain(in, Field::kRelu))
    return d.unmodelled(in);
  const bool brain_float = in.has(Field::kAccType, Value::kBF16_V2);
  if (!brain_float && !plain(in, Field::kAccType)) return d.unmodelled(in);
  const u32 infinity = brain_float ? 0x7f80 : 0x7c00;
  const bool product_negative = a->negate != b->negate;
  u32 result = 0;
  for (u32 half = 0; half < 2; ++half) {
    u32 bits = static_cast<u32>(c->value) >> (16 * half) & 0xffff;
    if ((bits & 0x7fff) > infinity) return d.unmodelled(in);  // a NaN's payload may change
    // (+-0) + (-0) keeps the sign only if both are negative (round to nearest).
    if (bits == 0x8000 && !product_negative) bits = 0;
    result |= bits << (16 * half);
  }
  write_word(d, *in.find(Role::kDst), d.word(result));
}

}  // namespace picker::semantics
