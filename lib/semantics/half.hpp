// Packed 16-bit arithmetic (two halves or two bfloat16 in a register), for concrete domains.
//
// An operand's suffix picks which half of it goes to which lane of the pair: .H0_H0 and .H1_H1 send
// one half to both, .F32 takes the register as one single-precision number, rounded to 16 bits
// nowhere (that form is not modelled, but for HADD2.F32, which is how a half is widened).
// Every operation rounds once, to nearest even.
#pragma once

#include "semantics/float.hpp"

namespace picker::semantics {

struct HalfPair {
  Lanes<u32> low, high;  // 16-bit patterns
};

// The operand's halves with their selection and signs; nothing for a selection not modelled.
template <ConcreteDomain D>
std::optional<HalfPair> read_halves(D& d, const Instruction& in, const Operand* operand,
                                    Field swizzle) {
  if (!is_plain_float(operand)) return std::nullopt;
  const Value which = in.modifier(swizzle).value_or(Value::kNone);
  const Lanes<u32> x = read_raw_word(d, *operand);
  HalfPair out;
  const auto half = [&](u32 shift) {
    return map_lanes<u32>(
        [&](u32 w) {
          u32 h = w >> shift & 0xffff;
          if (operand->absolute) h &= 0x7fff;
          if (operand->negate) h ^= 0x8000;
          return h;
        },
        x);
  };
  switch (which) {
    case Value::kNone:
    case Value::kH1_H0:
      out.low = half(0);
      out.high = half(16);
      return out;
    case Value::kH0_H0:
      out.low = out.high = half(0);
      return out;
    case Value::kH1_H1:
      out.low = out.high = half(16);
      return out;
    default:
      return std::nullopt;
  }
}

struct HalfMode {
  ieee::Format format = ieee::kHalf;
  ieee::Mode mode;
  bool saturate = false;
  bool relu = false;
};

[[nodiscard]] inline std::optional<HalfMode> half_mode(const Instruction& in) {
  HalfMode m;
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!mode) return std::nullopt;
  m.mode = *mode;
  if (in.has(Field::kAccType, Value::kBF16_V2))
    m.format = ieee::kBrainFloat;
  else if (!plain(in, Field::kAccType))
    return std::nullopt;
  if (in.has(Field::kSaturate, Value::kSAT))
    m.saturate = true;
  else if (!plain(in, Field::kSaturate))
    return std::nullopt;
  if (in.has(Field::kRelu, Value::kRELU))
    m.relu = true;
  else if (!plain(in, Field::kRelu))
    return std::nullopt;
  return m;
}

template <ConcreteDomain D>
void write_halves(D& d, const Instruction& in, const HalfMode& m, HalfPair x) {
  for (Lanes<u32>* part : {&x.low, &x.high})
    for (u32& lane : part->lane) {
      if (m.saturate) lane = static_cast<u32>(ieee::saturate(m.format, lane));
      if (m.relu && ieee::is_negative(m.format, lane) && !ieee::is_nan(m.format, lane)) lane = 0;
    }
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>([](u32 l, u32 h) { return h << 16 | (l & 0xffff); }, x.low, x.high));
}

// HADD2, HMUL2, HFMA2.
template <ConcreteDomain D>
void half_arithmetic(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const bool is_fma = in.opcode == Opcode::kHFMA2;
  const auto x = read_halves(d, in, a, Field::kSwizzleA);
  const auto y = read_halves(d, in, b, Field::kSwizzleB);
  const auto z = is_fma ? read_halves(d, in, c, Field::kSwizzleC) : HalfPair{};
  if (!x || !y || !z) return d.unmodelled(in);
  if (in.opcode == Opcode::kHADD2 && in.has(Field::kAccType, Value::kF32)) {
    // The sum of the low halves in single precision: exact.
    const std::optional<ieee::Mode> mode = arithmetic_mode(in);
    if (!mode || mode->flush || !plain(in, Field::kSaturate)) return d.unmodelled(in);
    const auto widen = [&](u32 h) { return ieee::convert(ieee::kHalf, ieee::kSingle, h, {}); };
    return write_word(
        d, *in.find(Role::kDst),
        map_lanes<u32>(
            [&](u32 p, u32 q) { return ieee::add(ieee::kSingle, widen(p), widen(q), {}); }, x->low,
            y->low));
  }
  const std::optional<HalfMode> m = half_mode(in);
  if (!m) return d.unmodelled(in);
  const auto one = [&](u32 u, u32 v, u32 w) {
    switch (in.opcode) {
      case Opcode::kHADD2:
        return ieee::add(m->format, u, v, m->mode);
      case Opcode::kHMUL2:
        return ieee::multiply(m->format, u, v, m->mode);
      default:
        return ieee::multiply_add(m->format, u, v, w, m->mode);
    }
  };
  const auto operate = [&](const Lanes<u32>& p, const Lanes<u32>& q, const Lanes<u32>& r) {
    Lanes<u32> result;
    for (u32 i = 0; i < kWarpSize; ++i) {
      // Most of these instructions load a constant: all lanes compute the same.
      const bool same = i != 0 && p[i] == p[i - 1] && q[i] == q[i - 1] && r[i] == r[i - 1];
      result[i] = same ? result[i - 1] : static_cast<u32>(one(p[i], q[i], r[i]));
    }
    return result;
  };
  HalfPair out;
  out.low = operate(x->low, y->low, is_fma ? z->low : x->low);
  out.high = operate(x->high, y->high, is_fma ? z->high : x->high);
  write_halves(d, in, *m, out);
}

// HMNMX2.
template <ConcreteDomain D>
void half_minimum(D& d, const Instruction& in) {
  const auto x = read_halves(d, in, in.find(Role::kA), Field::kSwizzleA);
  const auto y = read_halves(d, in, in.find(Role::kB), Field::kSwizzleB);
  const std::optional<HalfMode> m = half_mode(in);
  const bool propagate = in.has(Field::kNan, Value::kNAN);
  if (!x || !y || !m || (!propagate && !plain(in, Field::kNan))) return d.unmodelled(in);
  const LaneMask smaller = read_flag(d, in.find(Role::kPSrc));
  HalfPair out;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const auto pick = [&](u64 p, u64 q) {
      if (m->mode.flush) {
        p = ieee::flush(m->format, p);
        q = ieee::flush(m->format, q);
      }
      return static_cast<u32>(ieee::minimum(m->format, p, q, !smaller[i], propagate));
    };
    out.low[i] = pick(x->low[i], y->low[i]);
    out.high[i] = pick(x->high[i], y->high[i]);
  }
  write_halves(d, in, *m, out);
}

// The relation between the halves of A and B, for the low and the high pair.
template <ConcreteDomain D>
std::optional<std::array<LaneMask, 2>> compare_halves(D& d, const Instruction& in) {
  const auto x = read_halves(d, in, in.find(Role::kA), Field::kSwizzleA);
  const auto y = read_halves(d, in, in.find(Role::kB), Field::kSwizzleB);
  const std::optional<Value> relation = in.modifier(Field::kCompare);
  const std::optional<HalfMode> m = half_mode(in);
  if (!x || !y || !m || !relation || !holds(*relation, ieee::Order::kEqual)) return std::nullopt;
  const auto test = [&](const Lanes<u32>& p, const Lanes<u32>& q) {
    return test_lanes(
        [&](u64 u, u64 v) {
          if (m->mode.flush) {
            u = ieee::flush(m->format, u);
            v = ieee::flush(m->format, v);
          }
          return *holds(*relation, ieee::compare(m->format, u, v));
        },
        p, q);
  };
  return std::array<LaneMask, 2>{test(x->low, y->low), test(x->high, y->high)};
}

// HSETP2: one predicate per half, or with .H_AND the conjunction and its complement.
template <ConcreteDomain D>
void half_compare(D& d, const Instruction& in) {
  const auto results = compare_halves(d, in);
  if (!results) return d.unmodelled(in);
  const LaneMask low = (*results)[0], high = (*results)[1];
  if (in.has(Field::kHalfAnd, Value::kH_AND))
    return write_compare(d, in, d.flag_and(low, high), Role::kPSrc);
  const auto other = read_flag(d, in.find(Role::kPSrc));
  const auto p = combine(d, in.modifier(Field::kBool), typename D::Flag{low}, other);
  const auto q = combine(d, in.modifier(Field::kBool), typename D::Flag{high}, other);
  if (!p || !q) return d.unmodelled(in);
  write_flag(d, in.find(Role::kPDst), *p);
  write_flag(d, in.find(Role::kPDst2), *q);
}

// HSET2: all ones or (.BF) 1.0 in each half.
template <ConcreteDomain D>
void half_set(D& d, const Instruction& in) {
  const auto results = compare_halves(d, in);
  if (!results) return d.unmodelled(in);
  const auto other = read_flag(d, in.find(Role::kPSrc));
  const auto p = combine(d, in.modifier(Field::kBool), typename D::Flag{(*results)[0]}, other);
  const auto q = combine(d, in.modifier(Field::kBool), typename D::Flag{(*results)[1]}, other);
  if (!p || !q) return d.unmodelled(in);
  const u32 one = in.has(Field::kAccType, Value::kBF16_V2) ? 0x3f80 : 0x3c00;
  const u32 truth = in.has(Field::kBoolFloat, Value::kBF) ? one : 0xffff;
  Lanes<u32> out;
  for (u32 i = 0; i < kWarpSize; ++i) out[i] = ((*p)[i] ? truth : 0) | ((*q)[i] ? truth << 16 : 0);
  write_word(d, *in.find(Role::kDst), out);
}

}  // namespace picker::semantics
