// Integer instructions whose result hangs on data in ways that only a concrete domain follows:
// permutations and extensions by a register, bit searches, dot products.
#pragma once

#include "semantics/concrete.hpp"
#include "semantics/integer.hpp"

namespace picker::semantics {

// IADD3 with both carries out: the carry of three words is 0, 1 or 2. The first predicate is set
// if it is at least 1, the second if it is 2; ptxas only ever adds both up in the .X that follows.
template <ConcreteDomain D>
bool add3_with_two_carries(D& d, const Instruction& in) {
  const Operand *p = in.find(Role::kPDst), *q = in.find(Role::kPDst2);
  if (p == nullptr || q == nullptr || p->reg == sass::kPT || q->reg == sass::kPT) return false;
  const bool with_carry = in.has(Field::kCarry, Value::kX);
  Lanes<u64> total = d.wide(0);
  for (const Role role : {Role::kA, Role::kB, Role::kC}) {
    const Operand* operand = in.find(role);
    if (operand == nullptr) continue;
    if (!is_plain_word(operand) || (operand->negate && (operand->invert || with_carry)))
      return false;
    Lanes<u32> x = read_raw_word(d, *operand);
    if (operand->negate || operand->invert) x = d.bit_not(x);
    total = d.add(total, d.widen_unsigned(x));
    if (operand->negate) total = d.add(total, d.wide(1));
  }
  if (with_carry)
    for (const Role role : {Role::kPSrc, Role::kPSrc2})
      if (const Operand* carry = in.find(role))
        total = d.add(total, d.widen_unsigned(d.from_flag(read_flag(d, carry))));
  const Lanes<u32> carries = d.high(total);
  write_flag(d, p, test_lanes([](u32 c) { return c >= 1; }, carries));
  write_flag(d, q, test_lanes([](u32 c) { return c >= 2; }, carries));
  write_word(d, *in.find(Role::kDst), d.low(total));
  return true;
}

// PRMT, UPRMT, all modes. Source: PTX ISA, "prmt".
[[nodiscard]] inline std::optional<u32> permute_word(Value mode, u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  const auto byte = [&](u32 i) { return static_cast<u32>(bytes >> (8 * (i & 7))) & 0xff; };
  const u32 s = selector & 3;
  u32 out = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 picked = 0;
    switch (mode) {
      case Value::kNone: {
        const u32 nibble = selector >> (4 * i) & 0xf;
        picked = byte(nibble & 7);
        if ((nibble & 8) != 0) picked = (picked & 0x80) != 0 ? 0xff : 0;
        break;
      }
      case Value::kF4E:
        picked = byte(s + i);
        break;
      case Value::kB4E:
        picked = byte(s - i);
        break;
      case Value::kRC8:
        picked = byte(s);
        break;
      case Value::kECL:
        picked = byte(i > s ? i : s);
        break;
      case Value::kECR:
        picked = byte(i < s ? i : s);
        break;
      case Value::kRC16:
        picked = byte((selector & 1) * 2 + (i & 1));
        break;
      default:
        return std::nullopt;
    }
    out |= picked << (8 * i);
  }
  return out;
}

template <ConcreteDomain D>
bool permute_lanes(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  for (const Operand* operand : {a, b, c})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return false;
  const Lanes<u32> selector = read_raw_word(d, *b);
  const Value mode = in.modifier(Field::kPermuteMode).value_or(Value::kNone);
  if (mode == Value::kNone && d.known(selector)) return false;  // every domain's definition does
  if (!permute_word(mode, 0, 0, 0)) return false;
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>([&](u32 x, u32 y, u32 s) { return *permute_word(mode, x, y, s); },
                            read_raw_word(d, *a), read_raw_word(d, *c), selector));
  return true;
}

// SGXT, USGXT with a width that is data: zero bits give 0, more than 32 leave the word alone; .W
// takes the width modulo 32.
template <ConcreteDomain D>
bool extend_sign_lanes(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  if (!is_plain_word(a) || !is_plain_word(b) || a->negate || a->invert || b->negate || b->invert)
    return false;
  const bool wraps = in.has(Field::kWrap, Value::kW);
  if (!wraps && !plain(in, Field::kWrap)) return false;
  const bool is_unsigned = in.has(Field::kType, Value::kU32);
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>(
                 [&](u32 x, u32 n) {
                   if (wraps) n &= 31;
                   if (n == 0) return u32{0};
                   if (n >= 32) return x;
                   x <<= 32 - n;
                   return is_unsigned ? x >> (32 - n)
                                      : static_cast<u32>(static_cast<i32>(x) >> (32 - n));
                 },
                 read_raw_word(d, *a), read_raw_word(d, *b)));
  return true;
}

// FLO, UFLO: the position of the highest one (signed: of the highest bit unlike the sign), or ~0;
// .SH counts from the top. The predicate says that there is one.
template <ConcreteDomain D>
bool find_leading_one(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  if (!is_plain_word(a) || a->negate) return false;
  const bool is_signed = !in.has(Field::kType, Value::kU32);
  const bool from_top = in.has(Field::kShift, Value::kSH);
  Lanes<u32> x = read_word(d, *a);
  if (is_signed)
    for (u32& lane : x.lane)
      if (static_cast<i32>(lane) < 0) lane = ~lane;
  write_flag(d, in.find(Role::kPDst), test_lanes([](u32 w) { return w != 0; }, x));
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>(
                 [&](u32 w) {
                   if (w == 0) return ~u32{0};
                   const u32 zeros = static_cast<u32>(__builtin_clz(w));
                   return from_top ? zeros : 31 - zeros;
                 },
                 x));
  return true;
}

// BMSK, UBMSK: b ones from bit a on. Source: PTX ISA, "bmsk": .clamp or .wrap.
template <ConcreteDomain D>
bool make_mask(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  for (const Operand* operand : {a, b})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return false;
  const bool wraps = in.has(Field::kWrap, Value::kW);
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>(
                 [&](u32 at, u32 n) {
                   if (wraps) {
                     at &= 31;
                     n &= 31;
                   }
                   if (at >= 32) return u32{0};
                   const u32 ones = n >= 32 ? ~u32{0} : (u32{1} << n) - 1;
                   return ones << at;
                 },
                 read_raw_word(d, *a), read_raw_word(d, *b)));
  return true;
}

// IDP: dot product of small integers packed in words, plus C. Source: PTX ISA, "dp4a", "dp2a".
template <ConcreteDomain D>
bool dot_product(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  for (const Operand* operand : {a, b})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return false;
  if (!is_plain_word(c) || c->invert) return false;
  const bool four = in.has(Field::kSpecial, Value::k4A);
  if (!four && !in.has(Field::kSpecial, Value::k2A)) return false;
  const bool a_signed =
      in.has(Field::kSourceType, Value::kS8) || in.has(Field::kSourceType, Value::kS16);
  const bool b_signed = in.has(Field::kSourceTypeB, Value::kS8);
  const bool upper = in.has(Field::kSpecial2, Value::kHI);
  const auto part = [](u32 x, u32 at, u32 bits, bool is_signed) {
    const u32 v = x << (32 - at - bits);
    return is_signed ? static_cast<i64>(static_cast<i32>(v) >> (32 - bits))
                     : static_cast<i64>(v >> (32 - bits));
  };
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>(
                 [&](u32 x, u32 y, u32 z) {
                   i64 sum = 0;
                   if (four)
                     for (u32 i = 0; i < 4; ++i)
                       sum += part(x, 8 * i, 8, a_signed) * part(y, 8 * i, 8, b_signed);
                   else
                     for (u32 i = 0; i < 2; ++i)
                       sum += part(x, 16 * i, 16, a_signed) *
                              part(y, 8 * i + (upper ? 16 : 0), 8, b_signed);
                   return static_cast<u32>(sum) + z;
                 },
                 read_raw_word(d, *a), read_raw_word(d, *b), read_word(d, *c)));
  return true;
}

// VABSDIFF: |a - b| + c; VABSDIFF4.ACC: the sum of four bytes' differences, plus c.
template <ConcreteDomain D>
bool absolute_difference(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const Operand* p = in.find(Role::kPDst);
  for (const Operand* operand : {a, b, c})
    if (!is_plain_word(operand) || operand->negate || operand->invert) return false;
  if (p != nullptr && p->reg != sass::kPT) return false;
  const bool by_bytes = in.opcode == Opcode::kVABSDIFF4;
  if (by_bytes && !in.has(Field::kAccumulate, Value::kACC)) return false;
  const bool is_signed = !in.has(Field::kType, Value::kU32) && !in.has(Field::kType, Value::kU8);
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>(
                 [&](u32 x, u32 y, u32 z) {
                   const auto difference = [](i64 u, i64 v) {
                     return static_cast<u32>(u < v ? v - u : u - v);
                   };
                   if (!by_bytes)
                     return z + (is_signed ? difference(static_cast<i32>(x), static_cast<i32>(y))
                                           : difference(x, y));
                   for (u32 i = 0; i < 4; ++i) {
                     const u32 s = x >> (8 * i) & 0xff, t = y >> (8 * i) & 0xff;
                     z += is_signed ? difference(static_cast<i8>(s), static_cast<i8>(t))
                                    : difference(s, t);
                   }
                   return z;
                 },
                 read_raw_word(d, *a), read_raw_word(d, *b), read_raw_word(d, *c)));
  return true;
}

}  // namespace picker::semantics
