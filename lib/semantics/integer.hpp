// Integer arithmetic: adds with carry, multiply-add, shifts, logic, permutes, compares.
//
// Facts worth knowing (PTX ISA, and ptxas's own lowering of 64-bit operations):
//   * IADD3 negates by complement and increment: the carry of a + ~b + 1, which is what a
//     multi-word subtraction needs. The .X form adds the carry predicates and complements with ~.
//   * IMAD.HI adds a register *pair* before it takes the high word.
//   * SHF shifts a 64-bit funnel {c, a}. Without .W the amount is clamped to the width of the type.
//   * ISETP.EX compares high words and lets the predicate of the low words decide ties.
#pragma once

#include "semantics/concrete.hpp"
#include "semantics/operands.hpp"

namespace picker::semantics {

// IADD3, UIADD3, IADD (sm_120), VIADD: a + b + c with up to two carries in and out. OnPairs:
// IADD.64, UIADD3.64.
template <class D, template <class> class Form = OnWords>
void add3(D& d, const Instruction& in) {
  using On = Form<D>;
  using T = typename On::T;
  const bool with_carry = in.has(Field::kCarry, Value::kX);
  T total = On::zero(d);
  // Operands that are not the zero register, as complemented values plus increments.
  std::array<T, 3> parts{On::zero(d), On::zero(d), On::zero(d)};
  u32 count = 0, increments = 0;
  for (const Role role : {Role::kA, Role::kB, Role::kC}) {
    const Operand* operand = in.find(role);
    if (operand == nullptr) continue;
    if (!On::is_plain(operand) || (operand->negate && (operand->invert || with_carry)))
      return d.unmodelled(in);
    total = d.add(total, On::read(d, *operand));
    if (operand->is_zero_register() && !operand->negate && !operand->invert) continue;
    T part = On::raw(d, *operand);
    if (operand->negate || operand->invert) part = d.bit_not(part);
    if (operand->negate) ++increments;
    parts[count++] = part;
  }
  std::optional<typename D::Flag> carry_in;
  if (with_carry) {
    const Operand* p = in.find(Role::kPSrc);
    const Operand* q = in.find(Role::kPSrc2);
    const bool p_off = p == nullptr || (p->reg == sass::kPT && p->invert);
    const bool q_off = q == nullptr || (q->reg == sass::kPT && q->invert);
    if (!p_off) total = d.add(total, On::of_flag(d, read_flag(d, p)));
    if (!q_off) total = d.add(total, On::of_flag(d, read_flag(d, q)));
    if (p_off && q_off) carry_in = d.flag(false);
    if (p_off != q_off) carry_in = read_flag(d, p_off ? q : p);
  } else if (increments <= 1) {
    carry_in = d.flag(increments == 1);
  }
  const Operand* carry0 = in.find(Role::kPDst);
  const Operand* carry1 = in.find(Role::kPDst2);
  const bool wanted0 = carry0 != nullptr && carry0->reg != sass::kPT;
  const bool wanted1 = carry1 != nullptr && carry1->reg != sass::kPT;
  if (wanted0) {
    if (count <= 2 && carry_in)
      write_flag(d, carry0, d.carry(parts[0], parts[1], *carry_in));
    else
      d.unmodelled_flag(in, *carry0);
  }
  // The second carry is the first addition's overflow into a third operand.
  if (wanted1) d.unmodelled_flag(in, *carry1);
  On::write(d, *in.find(Role::kDst), total);
}

// IMAD, UIMAD, IMUL and their WIDE and HI forms.
template <class D>
void multiply_add(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand* dst = in.find(Role::kDst);
  if (!is_plain_word(a) || !is_plain_word(b) || a->invert || b->invert) return d.unmodelled(in);
  const std::optional<Value> mode = in.modifier(Field::kMulMode);
  const bool plain_mode = !mode || *mode == Value::kNone;
  const bool is_wide = mode == std::optional<Value>(Value::kWIDE);
  const bool is_high = mode == std::optional<Value>(Value::kHI);
  if (!plain_mode && !is_wide && !is_high) return d.unmodelled(in);
  const bool with_carry = in.has(Field::kCarry, Value::kX);
  const Operand* carry_out = in.find(Role::kPDst);
  const bool carry_wanted = carry_out != nullptr && carry_out->reg != sass::kPT;

  if (plain_mode) {
    if (c != nullptr && !is_plain_word(c)) return d.unmodelled(in);
    if (carry_wanted) return d.unmodelled(in);
    typename D::Word x = d.mul(read_word(d, *a), read_word(d, *b));
    if (c != nullptr) x = d.add(x, read_word(d, *c));
    if (with_carry) x = d.add(x, d.from_flag(read_flag(d, in.find(Role::kPSrc))));
    return write_word(d, *dst, x);
  }
  if (a->negate || b->negate) return d.unmodelled(in);
  const bool is_signed = !in.has(Field::kType, Value::kU32);
  const auto widen = [&](typename D::Word x) {
    return is_signed ? d.widen_signed(x) : d.widen_unsigned(x);
  };
  std::optional<typename D::Flag> carry;
  typename D::Wide x = d.mul(widen(read_raw_word(d, *a)), widen(read_raw_word(d, *b)));
  if (c != nullptr && !c->is_zero_register()) {
    if (c->kind == OperandKind::kImmediate || c->negate || c->invert || c->absolute || c->has_reg ||
        c->has_ureg)
      return d.unmodelled(in);
    const typename D::Wide addend = read_wide(d, *c);
    if (carry_wanted) {
      if constexpr (ConcreteDomain<D>) {
        // Of the whole 64-bit sum, the carry that comes in included.
        carry = d.carry(x, addend, with_carry ? read_flag(d, in.find(Role::kPSrc)) : d.flag(false));
      } else {
        if (with_carry || is_high) return d.unmodelled(in);
        write_flag(d, carry_out, d.carry(x, addend, d.flag(false)));
      }
    }
    x = d.add(x, addend);
  } else if (carry_wanted) {
    return d.unmodelled(in);
  }
  if (with_carry) x = d.add(x, d.widen_unsigned(d.from_flag(read_flag(d, in.find(Role::kPSrc)))));
  if (carry) write_flag(d, carry_out, *carry);
  if (is_wide) return write_wide(d, *dst, x);
  write_word(d, *dst, d.high(x));
}

// LEA, ULEA: (a << s) + b, and its high-word forms for 64-bit addresses.
template <class D>
void shift_add(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand *dst = in.find(Role::kDst), *amount = in.find(Role::kAux);
  const Operand* carry_out = in.find(Role::kPDst);
  if (!is_plain_word(a) || !is_plain_word(b) || amount == nullptr || a->invert || b->absolute)
    return d.unmodelled(in);
  const bool high = in.has(Field::kHigh, Value::kHI);
  const bool sign_extended = in.has(Field::kSX32, Value::kSX32);
  const bool with_carry = in.has(Field::kCarry, Value::kX);
  const u32 shift = static_cast<u32>(amount->value) & 31;
  const bool carry_wanted = carry_out != nullptr && carry_out->reg != sass::kPT;
  if ((b->invert && !with_carry) || (b->negate && with_carry)) return d.unmodelled(in);
  typename D::Word shifted = d.word(0);
  if (!high) {
    if (sign_extended) return d.unmodelled(in);
    shifted = d.shift_left(read_word(d, *a), d.word(shift));
  } else {
    if (a->negate) return d.unmodelled(in);
    if (!sign_extended && !is_plain_word(c)) return d.unmodelled(in);
    if (c != nullptr && (c->negate || c->invert)) return d.unmodelled(in);
    const typename D::Word low = read_raw_word(d, *a);
    const typename D::Wide whole =
        sign_extended ? d.widen_signed(low) : d.join(read_raw_word(d, *c), low);
    shifted = d.high(d.shift_left(whole, d.word(shift)));
  }
  typename D::Word x = d.add(shifted, read_word(d, *b));
  typename D::Flag in_flag = d.flag(b->negate);
  if (with_carry) {
    in_flag = read_flag(d, in.find(Role::kPSrc));
    x = d.add(x, d.from_flag(in_flag));
  }
  if (carry_wanted && a->negate) {
    d.unmodelled_flag(in, *carry_out);  // complement and increment, before or after the shift?
  } else if (carry_wanted) {
    typename D::Word addend = read_raw_word(d, *b);
    if (b->negate || b->invert) addend = d.bit_not(addend);
    write_flag(d, carry_out, d.carry(shifted, addend, in_flag));
  }
  write_word(d, *dst, x);
}

// SHF, USHF: funnel shift of {c, a}.
template <class D>
void funnel_shift(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand* dst = in.find(Role::kDst);
  for (const Operand* operand : {a, b, c})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return d.unmodelled(in);
  const std::optional<Value> direction = in.modifier(Field::kDirection);
  const std::optional<Value> type = in.modifier(Field::kType);
  if (!type || !direction) return d.unmodelled(in);
  const bool is_signed = *type == Value::kS32 || *type == Value::kS64;
  const bool is_64 = *type == Value::kU64 || *type == Value::kS64;
  if (!is_signed && *type != Value::kU32 && *type != Value::kU64) return d.unmodelled(in);
  const bool high = in.has(Field::kHigh, Value::kHI);
  const u32 width = is_64 ? 64 : 32;
  typename D::Word amount = read_raw_word(d, *b);
  if (in.has(Field::kWrap, Value::kW)) {
    amount = d.bit_and(amount, d.word(width - 1));
  } else if (!plain(in, Field::kWrap)) {
    return d.unmodelled(in);
  } else {
    amount = d.select(d.less_unsigned(amount, d.word(width)), amount, d.word(width));
  }
  const typename D::Wide funnel = d.join(read_raw_word(d, *c), read_raw_word(d, *a));
  typename D::Wide x;
  if (*direction == Value::kL) {
    x = d.shift_left(funnel, amount);
  } else if (*direction == Value::kR) {
    x = is_signed ? d.shift_right_signed(funnel, amount) : d.shift_right(funnel, amount);
  } else {
    return d.unmodelled(in);
  }
  write_word(d, *dst, high ? d.high(x) : d.low(x));
}

// A bitwise function of two words, by truth table: bit 2*b + c of `table` is f(b, c).
template <class D, class T>
T logic2(D& d, u32 table, T b, T c, T zero, T ones) {
  switch (table & 0xf) {
    case 0x0:
      return zero;
    case 0x1:
      return d.bit_not(d.bit_or(b, c));
    case 0x2:
      return d.bit_and(d.bit_not(b), c);
    case 0x3:
      return d.bit_not(b);
    case 0x4:
      return d.bit_and(b, d.bit_not(c));
    case 0x5:
      return d.bit_not(c);
    case 0x6:
      return d.bit_xor(b, c);
    case 0x7:
      return d.bit_not(d.bit_and(b, c));
    case 0x8:
      return d.bit_and(b, c);
    case 0x9:
      return d.bit_not(d.bit_xor(b, c));
    case 0xa:
      return c;
    case 0xb:
      return d.bit_or(d.bit_not(b), c);
    case 0xc:
      return b;
    case 0xd:
      return d.bit_or(b, d.bit_not(c));
    case 0xe:
      return d.bit_or(b, c);
    default:
      return ones;
  }
}

// The function of three words with LUT `table`: bit 4*a + 2*b + c is f(a, b, c) (PTX, lop3).
template <class D, class T>
T logic3(D& d, u32 table, T a, T b, T c, T zero, T ones) {
  const u32 if_clear = table & 0xf, if_set = (table >> 4) & 0xf;
  if (if_clear == if_set) return logic2(d, if_clear, b, c, zero, ones);
  if (if_clear == (~if_set & 0xf)) return d.bit_xor(a, logic2(d, if_clear, b, c, zero, ones));
  if (if_clear == 0) return d.bit_and(a, logic2(d, if_set, b, c, zero, ones));
  if (if_set == 0) return d.bit_and(d.bit_not(a), logic2(d, if_clear, b, c, zero, ones));
  if (if_set == 0xf) return d.bit_or(a, logic2(d, if_clear, b, c, zero, ones));
  if (if_clear == 0xf) return d.bit_or(d.bit_not(a), logic2(d, if_set, b, c, zero, ones));
  return d.bit_or(d.bit_and(a, logic2(d, if_set, b, c, zero, ones)),
                  d.bit_and(d.bit_not(a), logic2(d, if_clear, b, c, zero, ones)));
}

// The table left when operand `which` (0 = a) is known to be all zeros or all ones.
[[nodiscard]] constexpr u32 specialise(u32 table, u32 which, bool ones) {
  u32 out = 0;
  for (u32 i = 0; i < 8; ++i) {
    const u32 bit = 4u >> which;
    const u32 from = ones ? (i | bit) : (i & ~bit);
    out |= ((table >> from) & 1) << i;
  }
  return out;
}

// LOP3, ULOP3.
template <class D>
void logic(D& d, const Instruction& in) {
  const Operand* operands[] = {in.find(Role::kA), in.find(Role::kB), in.find(Role::kC)};
  const Operand *dst = in.find(Role::kDst), *lut = in.find(Role::kAux);
  if (lut == nullptr) return d.unmodelled(in);
  u32 table = static_cast<u32>(lut->value) & 0xff;
  std::array<typename D::Word, 3> x{d.word(0), d.word(0), d.word(0)};
  for (u32 i = 0; i < 3; ++i) {
    if (!is_plain_word(operands[i]) || operands[i]->negate) return d.unmodelled(in);
    x[i] = read_word(d, *operands[i]);
    const std::optional<u32> value = d.known(x[i]);
    if (value == std::optional<u32>(0)) table = specialise(table, i, false);
    if (value == std::optional<u32>(~u32{0})) table = specialise(table, i, true);
  }
  const typename D::Word result = logic3(d, table, x[0], x[1], x[2], d.word(0), d.word(~u32{0}));
  if (const Operand* p = in.find(Role::kPDst); p != nullptr && p->reg != sass::kPT) {
    const typename D::Flag nonzero = d.flag_not(d.equal(result, d.word(0)));
    const typename D::Flag other = read_flag(d, in.find(Role::kPSrc));
    if (in.has(Field::kSpecial, Value::kPAND))
      write_flag(d, p, d.flag_and(nonzero, other));
    else if (plain(in, Field::kSpecial))
      write_flag(d, p, d.flag_or(nonzero, other));
    else
      d.unmodelled_flag(in, *p);
  }
  write_word(d, *dst, result);
}

// A relation between words by its name, or nothing if the name is not a plain integer relation.
template <class D, class T>
std::optional<typename D::Flag> compare(D& d, Value relation, bool is_signed, T a, T b) {
  const auto less = [&](T x, T y) {
    return is_signed ? d.less_signed(x, y) : d.less_unsigned(x, y);
  };
  switch (relation) {
    case Value::kF:
      return d.flag(false);
    case Value::kT:
      return d.flag(true);
    case Value::kLT:
      return less(a, b);
    case Value::kGT:
      return less(b, a);
    case Value::kLE:
      return d.flag_not(less(b, a));
    case Value::kGE:
      return d.flag_not(less(a, b));
    case Value::kEQ:
      return d.equal(a, b);
    case Value::kNE:
      return d.flag_not(d.equal(a, b));
    default:
      return std::nullopt;
  }
}

template <class D>
std::optional<typename D::Flag> combine(D& d, std::optional<Value> how, typename D::Flag a,
                                        typename D::Flag b) {
  if (!how || *how == Value::kAND) return d.flag_and(a, b);
  if (*how == Value::kOR) return d.flag_or(a, b);
  if (*how == Value::kXOR) return d.flag_xor(a, b);
  return std::nullopt;
}

// Writes `result` combined with the predicate source to the first destination and its complement,
// combined likewise, to the second.
template <class D>
void write_compare(D& d, const Instruction& in, typename D::Flag result, Role source) {
  const Operand* other = in.find(source);
  const std::optional<Value> how = in.modifier(Field::kBool);
  const auto p = combine(d, how, result, read_flag(d, other));
  const auto q = combine(d, how, d.flag_not(result), read_flag(d, other));
  if (!p || !q) return d.unmodelled(in);
  write_flag(d, in.find(Role::kPDst), *p);
  write_flag(d, in.find(Role::kPDst2), *q);
}

// ISETP, UISETP.
template <class D>
void integer_compare(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<Value> relation = in.modifier(Field::kCompare);
  const std::optional<Value> type = in.modifier(Field::kType);
  if (type == std::optional<Value>(Value::kU64) || type == std::optional<Value>(Value::kS64)) {
    if (!is_plain_pair(a) || !is_plain_pair(b) || !relation || !plain(in, Field::kExtended))
      return d.unmodelled(in);
    const auto result =
        compare(d, *relation, *type == Value::kS64, read_pair(d, *a), read_pair(d, *b));
    if (!result) return d.unmodelled(in);
    return write_compare(d, in, *result, Role::kPSrc);
  }
  if (!is_plain_word(a) || !is_plain_word(b) || !relation) return d.unmodelled(in);
  if (type && *type != Value::kU32 && *type != Value::kS32 && *type != Value::kNone)
    return d.unmodelled(in);
  const bool is_signed = !in.has(Field::kType, Value::kU32);
  const typename D::Word x = read_word(d, *a), y = read_word(d, *b);
  if (in.has(Field::kExtended, Value::kEX)) {
    const typename D::Flag low = read_flag(d, in.find(Role::kPSrc2));
    const auto result = d.compare_extended(*relation, is_signed, x, y, low);
    if (!result) return d.unmodelled(in);
    return write_compare(d, in, *result, Role::kPSrc);
  }
  const auto result = compare(d, *relation, is_signed, x, y);
  if (!result) return d.unmodelled(in);
  write_compare(d, in, *result, Role::kPSrc);
}

// The high word's compare of a chain, `low` being the unsigned compare of the words below by the
// same relation. The plain definition; domains may recognise the 64-bit compare it stands for.
template <class D>
std::optional<typename D::Flag> compare_high_word(D& d, Value relation, bool is_signed,
                                                  typename D::Word a, typename D::Word b,
                                                  typename D::Flag low) {
  const auto less = [&](typename D::Word x, typename D::Word y) {
    return is_signed ? d.less_signed(x, y) : d.less_unsigned(x, y);
  };
  const typename D::Flag tie = d.flag_and(d.equal(a, b), low);
  switch (relation) {
    case Value::kLT:
    case Value::kLE:
      return d.flag_or(less(a, b), tie);
    case Value::kGT:
    case Value::kGE:
      return d.flag_or(less(b, a), tie);
    case Value::kEQ:
      return tie;
    case Value::kNE:
      return d.flag_or(d.flag_not(d.equal(a, b)), low);
    default:
      return std::nullopt;
  }
}

// IMNMX, UIMNMX, VIMNMX, UVIMNMX: minimum if the predicate source is true, else maximum. VIMNMX3:
// of three. VIADDMNMX: of a + b and c.
template <class D>
void minimum_maximum(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<Value> type = in.modifier(Field::kType);
  // Which operand won, as predicates; a second predicate source combines with wider comparisons.
  for (const Role role : {Role::kPDst, Role::kPDst2})
    if (const Operand* p = in.find(role); p != nullptr && p->reg != sass::kPT)
      return d.unmodelled(in);
  const Operand* second = in.find(Role::kPSrc2);
  if (second != nullptr && !(second->reg == sass::kPT && second->invert)) return d.unmodelled(in);
  const typename D::Flag minimum = read_flag(d, in.find(Role::kPSrc));
  if (type == std::optional<Value>(Value::kU64) || type == std::optional<Value>(Value::kS64)) {
    if (!is_plain_pair(a) || !is_plain_pair(b) || c != nullptr) return d.unmodelled(in);
    const typename D::Wide x = read_pair(d, *a), y = read_pair(d, *b);
    const typename D::Flag less =
        *type == Value::kS64 ? d.less_signed(x, y) : d.less_unsigned(x, y);
    return write_wide(d, *in.find(Role::kDst),
                      d.select(minimum, d.select(less, x, y), d.select(less, y, x)));
  }
  if (!is_plain_word(a) || !is_plain_word(b)) return d.unmodelled(in);
  if (type && *type != Value::kU32 && *type != Value::kS32 && *type != Value::kNone)
    return d.unmodelled(in);
  const bool is_signed = !in.has(Field::kType, Value::kU32);
  const auto pick = [&](typename D::Word x, typename D::Word y) {
    return d.select(minimum, d.minimum(is_signed, x, y), d.maximum(is_signed, x, y));
  };
  typename D::Word x = read_word(d, *a);
  const typename D::Word y = read_word(d, *b);
  if (in.opcode == Opcode::kVIADDMNMX) {
    if (!is_plain_word(c)) return d.unmodelled(in);
    return write_word(d, *in.find(Role::kDst), pick(d.add(x, y), read_word(d, *c)));
  }
  x = pick(x, y);
  if (c != nullptr) {
    if (in.opcode != Opcode::kVIMNMX3 || !is_plain_word(c)) return d.unmodelled(in);
    x = pick(x, read_word(d, *c));
  }
  write_word(d, *in.find(Role::kDst), x);
}

// IABS.
template <class D>
void absolute(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kB) != nullptr ? in.find(Role::kB) : in.find(Role::kA);
  if (!is_plain_word(a)) return d.unmodelled(in);
  const typename D::Word x = read_word(d, *a);
  write_word(d, *in.find(Role::kDst), d.select(d.less_signed(x, d.word(0)), negate(d, x), x));
}

// PRMT, UPRMT: picks four bytes of {c, a}; selector bit 3 replicates the byte's sign.
template <class D>
void permute(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  for (const Operand* operand : {a, b, c})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return d.unmodelled(in);
  const typename D::Word selector_word = read_raw_word(d, *b);
  const std::optional<u32> selector = d.known(selector_word);
  if (!selector || !plain(in, Field::kPermuteMode)) return d.unmodelled(in);
  const typename D::Word sources[2] = {read_raw_word(d, *a), read_raw_word(d, *c)};
  typename D::Word result = d.word(0);
  for (u32 byte = 0; byte < 4;) {
    const u32 pick = (*selector >> (4 * byte)) & 0xf;
    const typename D::Word source = sources[(pick >> 2) & 1];
    const u32 from = 8 * (pick & 3);
    u32 run = 1;  // neighbouring bytes of one source stay one field
    if ((pick & 8) != 0) {
      const typename D::Word sign = d.field_signed(source, from + 7, 1);
      result = d.bit_or(result, d.shift_left(d.field(sign, 0, 8), d.word(8 * byte)));
    } else {
      while (byte + run < 4 && ((*selector >> (4 * (byte + run))) & 0xf) == pick + run &&
             (pick & 3) + run < 4)
        ++run;
      result = d.bit_or(result, d.shift_left(d.field(source, from, 8 * run), d.word(8 * byte)));
    }
    byte += run;
  }
  write_word(d, *in.find(Role::kDst), result);
}

// SGXT, USGXT: sign (or with .U32 zero) extension from a bit position.
template <class D>
void extend_sign(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  if (!is_plain_word(a) || !is_plain_word(b) || a->negate || a->invert) return d.unmodelled(in);
  const std::optional<u32> bits = d.known(read_word(d, *b));
  if (!bits || *bits == 0 || *bits > 32 || (*bits == 32 && !plain(in, Field::kWrap)))
    return d.unmodelled(in);
  const typename D::Word x = read_raw_word(d, *a);
  const bool is_unsigned = in.has(Field::kType, Value::kU32);
  if (*bits == 32) return write_word(d, *in.find(Role::kDst), x);
  write_word(d, *in.find(Role::kDst),
             is_unsigned ? d.field(x, 0, *bits) : d.field_signed(x, 0, *bits));
}

// POPC, FLO, BREV and their uniform forms, unsigned without further modes.
template <class D>
void count_bits(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kB) != nullptr ? in.find(Role::kB) : in.find(Role::kA);
  const Operand* p = in.find(Role::kPDst);
  if (!is_plain_word(a) || (p != nullptr && p->reg != sass::kPT)) return d.unmodelled(in);
  const typename D::Word x = read_word(d, *a);
  const Operand& dst = *in.find(Role::kDst);
  switch (in.opcode) {
    case Opcode::kPOPC:
    case Opcode::kUPOPC:
      return write_word(d, dst, d.population_count(x));
    case Opcode::kBREV:
    case Opcode::kUBREV:
      return write_word(d, dst, d.reverse_bits(x));
    default:
      return d.unmodelled(in);
  }
}

}  // namespace picker::semantics
