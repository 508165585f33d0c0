// Single and double precision arithmetic and conversions, for concrete domains.
//
// Each function checks the form it is given completely: a modifier value it does not know, or an
// operand it cannot read, leads to `unmodelled`. The arithmetic itself is ieee.hpp's.
//
// MUFU approximates; devices document an error bound per function (CUDA programming guide,
// "Intrinsic functions"), not the bits. Here the result is the exact value rounded to nearest,
// which lies within every bound. Subnormal inputs and results are flushed, as ptxas's own
// expansions take for granted.
#pragma once

#include <bit>
#include <cmath>
#include <optional>

#include "semantics/concrete.hpp"
#include "semantics/fused.hpp"
#include "semantics/host_float.hpp"
#include "semantics/ieee.hpp"
#include "semantics/integer.hpp"

namespace picker::semantics {

// Rounding, flushing and scaling as the instruction says; nothing if one is not known.
[[nodiscard]] inline std::optional<ieee::Mode> arithmetic_mode(const Instruction& in) {
  ieee::Mode mode;
  if (const auto rounding = in.modifier(Field::kRound)) switch (*rounding) {
      case Value::kNone:
      case Value::kRN:
        break;
      case Value::kRM:
      case Value::kFLOOR:
        mode.rounding = ieee::Rounding::kDown;
        break;
      case Value::kRP:
      case Value::kCEIL:
        mode.rounding = ieee::Rounding::kUp;
        break;
      case Value::kRZ:
      case Value::kTRUNC:
        mode.rounding = ieee::Rounding::kZero;
        break;
      default:
        return std::nullopt;
    }
  if (const auto flush = in.modifier(Field::kFtz)) switch (*flush) {
      case Value::kNone:
        break;
      case Value::kFTZ:
        mode.flush = true;
        break;
      case Value::kFMZ:
        mode.flush = mode.zero_product = true;
        break;
      default:
        return std::nullopt;
    }
  if (const auto scale = in.modifier(Field::kScale)) switch (*scale) {
      case Value::kNone:
        break;
      case Value::kD2:
        mode.scale = -1;
        break;
      case Value::kD4:
        mode.scale = -2;
        break;
      case Value::kD8:
        mode.scale = -3;
        break;
      case Value::kM2:
        mode.scale = 1;
        break;
      case Value::kM4:
        mode.scale = 2;
        break;
      case Value::kM8:
        mode.scale = 3;
        break;
      default:
        return std::nullopt;
    }
  return mode;
}

// Whether read_single understands the operand.
[[nodiscard]] inline bool is_plain_float(const Operand* operand) {
  if (operand == nullptr || operand->invert || operand->hi_half) return false;
  Operand bare = *operand;
  bare.absolute = false;
  return is_plain_word(&bare);
}

// A single-precision source with |x| and then -x applied.
template <ConcreteDomain D>
Lanes<u32> read_single(D& d, const Operand& operand) {
  Lanes<u32> x = read_raw_word(d, operand);
  if (operand.absolute)
    for (u32& lane : x.lane) lane &= 0x7fffffff;
  if (operand.negate)
    for (u32& lane : x.lane) lane ^= 0x80000000;
  return x;
}

// The same in double precision; an immediate is the upper half.
template <ConcreteDomain D>
Lanes<u64> read_double(D& d, const Operand& operand) {
  Lanes<u64> x = operand.kind == OperandKind::kImmediate
                     ? map_lanes<u64>([](u32 h) { return u64{h} << 32; },
                                      d.immediate(static_cast<u32>(operand.value)))
                     : read_wide(d, operand);
  if (operand.absolute)
    for (u64& lane : x.lane) lane &= ~u64{0} >> 1;
  if (operand.negate)
    for (u64& lane : x.lane) lane ^= u64{1} << 63;
  return x;
}

template <ConcreteDomain D>
void write_single(D& d, const Instruction& in, Lanes<u32> x) {
  if (const auto saturate = in.modifier(Field::kSaturate); saturate && *saturate != Value::kNone) {
    if (*saturate != Value::kSAT) return d.unmodelled(in);
    for (u32& lane : x.lane) lane = static_cast<u32>(ieee::saturate(ieee::kSingle, lane));
  }
  write_word(d, *in.find(Role::kDst), x);
}

// FADD, FMUL, FFMA and their uniform siblings.
template <ConcreteDomain D>
void single_arithmetic(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  const bool is_fma = in.opcode == Opcode::kFFMA || in.opcode == Opcode::kUFFMA;
  if (!mode || !is_plain_float(a) || !is_plain_float(b) || (is_fma && !is_plain_float(c)))
    return d.unmodelled(in);
  const Lanes<u32> x = read_single(d, *a), y = read_single(d, *b);
  const Lanes<u32> z = is_fma ? read_single(d, *c) : Lanes<u32>{};
  const ieee::Mode m = *mode;
  const bool on_host = m.rounding == ieee::Rounding::kNearest && !m.zero_product && m.scale == 0;
  Lanes<u32> out;
  switch (in.opcode) {
    case Opcode::kFADD:
    case Opcode::kUFADD:
      out = on_host ? map_lanes<u32>(
                          [&](u32 p, u32 q) {
                            return host::finish(host::start(p, m.flush) + host::start(q, m.flush),
                                                m.flush);
                          },
                          x, y)
                    : map_lanes<u32>(
                          [&](u32 p, u32 q) { return ieee::add(ieee::kSingle, p, q, m); }, x, y);
      break;
    case Opcode::kFMUL:
    case Opcode::kUFMUL:
      out = on_host
                ? map_lanes<u32>(
                      [&](u32 p, u32 q) {
                        return host::finish(host::start(p, m.flush) * host::start(q, m.flush),
                                            m.flush);
                      },
                      x, y)
                : map_lanes<u32>(
                      [&](u32 p, u32 q) { return ieee::multiply(ieee::kSingle, p, q, m); }, x, y);
      break;
    default:
      if (on_host)
        fused_multiply_add(x, y, z, m.flush, out);
      else
        out = map_lanes<u32>(
            [&](u32 p, u32 q, u32 r) { return ieee::multiply_add(ieee::kSingle, p, q, r, m); }, x,
            y, z);
      break;
  }
  write_single(d, in, out);
}

// DADD, DMUL, DFMA.
template <ConcreteDomain D>
void double_arithmetic(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  const bool is_fma = in.opcode == Opcode::kDFMA;
  if (!mode || !is_plain_float(a) || !is_plain_float(b) || (is_fma && !is_plain_float(c)))
    return d.unmodelled(in);
  const Lanes<u64> x = read_double(d, *a), y = read_double(d, *b);
  const Lanes<u64> z = is_fma ? read_double(d, *c) : Lanes<u64>{};
  Lanes<u64> out;
  for (u32 i = 0; i < kWarpSize; ++i)
    out[i] = in.opcode == Opcode::kDADD ? ieee::add(ieee::kDouble, x[i], y[i], *mode)
             : in.opcode == Opcode::kDMUL
                 ? ieee::multiply(ieee::kDouble, x[i], y[i], *mode)
                 : ieee::multiply_add(ieee::kDouble, x[i], y[i], z[i], *mode);
  write_wide(d, *in.find(Role::kDst), out);
}

// Whether `relation` holds in this order; nothing for a name that is no relation.
[[nodiscard]] inline std::optional<bool> holds(Value relation, ieee::Order order) {
  using ieee::Order;
  const bool less = order == Order::kLess, equal = order == Order::kEqual;
  const bool greater = order == Order::kGreater, unordered = order == Order::kUnordered;
  switch (relation) {
    case Value::kF:
      return false;
    case Value::kT:
      return true;
    case Value::kLT:
      return less;
    case Value::kEQ:
      return equal;
    case Value::kLE:
      return less || equal;
    case Value::kGT:
      return greater;
    case Value::kNE:
      return less || greater;
    case Value::kGE:
      return greater || equal;
    case Value::kNUM:
      return !unordered;
    case Value::kNAN:
      return unordered;
    case Value::kLTU:
      return less || unordered;
    case Value::kEQU:
      return equal || unordered;
    case Value::kLEU:
      return !greater;
    case Value::kGTU:
      return greater || unordered;
    case Value::kNEU:
      return !equal;
    case Value::kGEU:
      return !less;
    default:
      return std::nullopt;
  }
}

// DSETP. MIN and MAX are no relations: the first predicate says that A is the one to take (a NaN
// loses, -0 is less than +0), the second that both are NaNs. Inferred from ptxas's fmin and fmax of
// doubles, which select by the first and quiet B by the second.
template <ConcreteDomain D>
void double_compare(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<Value> relation = in.modifier(Field::kCompare);
  if (relation && (*relation == Value::kMIN || *relation == Value::kMAX)) {
    const Operand* p = in.find(Role::kPSrc);
    if (!is_plain_float(a) || !is_plain_float(b) || !in.has(Field::kBool, Value::kAND) ||
        (p != nullptr && (p->reg != sass::kPT || p->invert)))
      return d.unmodelled(in);
    const Lanes<u64> x = read_double(d, *a), y = read_double(d, *b);
    const auto nan = [](u64 v) { return ieee::is_nan(ieee::kDouble, v); };
    const LaneMask first = test_lanes(
        [&](u64 u, u64 v) {
          if (nan(u)) return false;
          return nan(v) || ieee::minimum(ieee::kDouble, u, v, *relation == Value::kMAX, false) == u;
        },
        x, y);
    write_flag(d, in.find(Role::kPDst), typename D::Flag{first});
    write_flag(d, in.find(Role::kPDst2),
               test_lanes([&](u64 u, u64 v) { return nan(u) && nan(v); }, x, y));
    return;
  }
  if (!relation || !holds(*relation, ieee::Order::kEqual) || !is_plain_float(a) ||
      !is_plain_float(b))
    return d.unmodelled(in);
  const Lanes<u64> x = read_double(d, *a), y = read_double(d, *b);
  write_compare(
      d, in,
      test_lanes(
          [&](u64 p, u64 q) { return *holds(*relation, ieee::compare(ieee::kDouble, p, q)); }, x,
          y),
      Role::kPSrc);
}

// FSET: the comparison's outcome as 1.0 or as all ones.
template <ConcreteDomain D>
void single_set(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<Value> relation = in.modifier(Field::kCompare);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!mode || !relation || !holds(*relation, ieee::Order::kEqual) || !is_plain_float(a) ||
      !is_plain_float(b))
    return d.unmodelled(in);
  const auto ready = [&](u32 x) { return mode->flush ? ieee::flush(ieee::kSingle, x) : x; };
  const LaneMask result = test_lanes(
      [&](u32 p, u32 q) {
        return *holds(*relation, ieee::compare(ieee::kSingle, ready(p), ready(q)));
      },
      read_single(d, *a), read_single(d, *b));
  const auto all = combine(d, in.modifier(Field::kBool), typename D::Flag{result},
                           read_flag(d, in.find(Role::kPSrc)));
  if (!all) return d.unmodelled(in);
  const u32 truth = in.has(Field::kBoolFloat, Value::kBF) ? 0x3f800000 : ~u32{0};
  write_word(d, *in.find(Role::kDst), d.select(*all, d.word(truth), d.word(0)));
}

// FMNMX, FMNMX3: the minimum if the predicate source is true, else the maximum.
template <ConcreteDomain D>
void single_minimum(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  const bool propagate = in.has(Field::kNan, Value::kNAN);
  if (!mode || !is_plain_float(a) || !is_plain_float(b) || (!propagate && !plain(in, Field::kNan)))
    return d.unmodelled(in);
  const Operand* c = in.find(Role::kC);
  if (c != nullptr && !is_plain_float(c)) return d.unmodelled(in);
  const LaneMask smaller = read_flag(d, in.find(Role::kPSrc));
  Lanes<u32> out = read_single(d, *a);
  for (const Operand* next : {b, c}) {
    if (next == nullptr) continue;
    const Lanes<u32> y = read_single(d, *next);
    for (u32 i = 0; i < kWarpSize; ++i) {
      const u64 p = mode->flush ? ieee::flush(ieee::kSingle, out[i]) : out[i];
      const u64 q = mode->flush ? ieee::flush(ieee::kSingle, y[i]) : y[i];
      out[i] = static_cast<u32>(ieee::minimum(ieee::kSingle, p, q, !smaller[i], propagate));
    }
  }
  write_word(d, *in.find(Role::kDst), out);
}

// FSEL with its float modifiers.
template <ConcreteDomain D>
void single_select(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!mode || !is_plain_float(a) || !is_plain_float(b)) return d.unmodelled(in);
  Lanes<u32> out =
      d.select(read_flag(d, in.find(Role::kPSrc)), read_single(d, *a), read_single(d, *b));
  if (mode->flush)
    for (u32& x : out.lane) x = static_cast<u32>(ieee::flush(ieee::kSingle, x));
  write_word(d, *in.find(Role::kDst), out);
}

// FCHK: whether a division a / b must leave the fast path: a quotient, remainder or reciprocal near
// the ends of the range. Which cases exactly is the device's affair; the slow path is right for
// all, so more of them do no harm.
template <ConcreteDomain D>
void division_check(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  if (!is_plain_float(a) || !is_plain_float(b)) return d.unmodelled(in);
  const LaneMask slow = test_lanes(
      [](u32 p, u32 q) {
        const i32 ea = static_cast<i32>(p >> 23 & 0xff), eb = static_cast<i32>(q >> 23 & 0xff);
        const i32 difference = ea - eb;
        return ea < 32 || ea == 255 || eb == 0 || eb > 250 || difference > 120 || difference < -120;
      },
      read_single(d, *a), read_single(d, *b));
  write_flag(d, in.find(Role::kPDst), typename D::Flag{slow});
}

// One approximated function. `x` is exact, so is the result before the final rounding, up to the
// host library's error in double precision.
[[nodiscard]] inline std::optional<u32> approximate(Value function, u32 bits) {
  const double x = host::start(bits, true);
  double y = 0;
  switch (function) {
    case Value::kRCP:
      y = 1.0 / x;
      break;
    case Value::kRSQ:
      y = 1.0 / std::sqrt(x);
      break;
    case Value::kSQRT:
      y = std::sqrt(x);
      break;
    case Value::kEX2:
      y = std::exp2(x);
      break;
    case Value::kLG2:
      y = std::log2(x);
      break;
    case Value::kSIN:  // of x turns: the range reduction came before
      y = std::sin(2 * 3.14159265358979323846 * (x - std::floor(x)));
      break;
    case Value::kCOS:
      y = std::cos(2 * 3.14159265358979323846 * (x - std::floor(x)));
      break;
    case Value::kTANH:
      y = std::tanh(x);
      break;
    default:
      return std::nullopt;
  }
  return host::finish(static_cast<float>(y), true);
}

// MUFU.
template <ConcreteDomain D>
void approximated(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  const std::optional<Value> function = in.modifier(Field::kFunction);
  if (!function || !is_plain_float(a) || !in.has(Field::kType, Value::kF32))
    return d.unmodelled(in);
  const Lanes<u32> x = read_single(d, *a);
  Lanes<u32> out;
  if (*function == Value::kRCP64H || *function == Value::kRSQ64H) {
    // The upper half of a double in, the upper half of its reciprocal (root) out.
    for (u32 i = 0; i < kWarpSize; ++i) {
      const double v = std::bit_cast<double>(ieee::flush(ieee::kDouble, u64{x[i]} << 32));
      const double y = *function == Value::kRCP64H ? 1.0 / v : 1.0 / std::sqrt(v);
      out[i] = static_cast<u32>(ieee::flush(ieee::kDouble, std::bit_cast<u64>(y)) >> 32);
    }
  } else {
    for (u32 i = 0; i < kWarpSize; ++i) {
      const std::optional<u32> y = approximate(*function, x[i]);
      if (!y) return d.unmodelled(in);
      out[i] = *y;
    }
  }
  write_word(d, *in.find(Role::kDst), out);
}

// ---- Conversions ---------------------------------------------------------------------------

[[nodiscard]] inline std::optional<ieee::Format> float_format(Value type) {
  switch (type) {
    case Value::kF16:
      return ieee::kHalf;
    case Value::kBF16:
      return ieee::kBrainFloat;
    case Value::kF32:
      return ieee::kSingle;
    case Value::kF64:
      return ieee::kDouble;
    default:
      return std::nullopt;
  }
}

struct IntegerType {
  u32 bits = 0;
  bool is_signed = false;
};
[[nodiscard]] inline std::optional<IntegerType> integer_type(Value type) {
  switch (type) {
    case Value::kU8:
      return IntegerType{8, false};
    case Value::kS8:
      return IntegerType{8, true};
    case Value::kU16:
      return IntegerType{16, false};
    case Value::kS16:
      return IntegerType{16, true};
    case Value::kU32:
      return IntegerType{32, false};
    case Value::kS32:
      return IntegerType{32, true};
    case Value::kU64:
      return IntegerType{64, false};
    case Value::kS64:
      return IntegerType{64, true};
    default:
      return std::nullopt;
  }
}

// A source of the given float format as its pattern.
template <ConcreteDomain D>
std::optional<Lanes<u64>> read_float(D& d, const Operand* operand, const ieee::Format& format) {
  if (!is_plain_float(operand)) return std::nullopt;
  if (format == ieee::kDouble) return read_double(d, *operand);
  if (format == ieee::kSingle) {
    return map_lanes<u64>([](u32 x) { return u64{x}; }, read_single(d, *operand));
  }
  Lanes<u64> x = map_lanes<u64>([](u32 w) { return u64{w} & 0xffff; }, read_raw_word(d, *operand));
  for (u64& lane : x.lane) {
    if (operand->absolute) lane &= 0x7fff;
    if (operand->negate) lane ^= 0x8000;
  }
  return x;
}

template <ConcreteDomain D>
void write_bits(D& d, const Instruction& in, const Lanes<u64>& x) {
  const Operand& dst = *in.find(Role::kDst);
  if (dst.width == 2) return write_wide(d, dst, x);
  write_word(d, dst, d.low(x));
}

// F2F, FRND.
template <ConcreteDomain D>
void convert_float(D& d, const Instruction& in) {
  const std::optional<Value> type = in.modifier(Field::kType);
  const std::optional<Value> source = in.modifier(Field::kSourceType);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!type || !source || !mode) return d.unmodelled(in);
  const auto from = float_format(*source), to = float_format(*type);
  if (!from || !to) return d.unmodelled(in);
  const auto x = read_float(d, in.find(Role::kA), *from);
  if (!x) return d.unmodelled(in);
  const bool integral = in.opcode == Opcode::kFRND;
  if (integral && !(*from == *to)) return d.unmodelled(in);
  write_bits(d, in,
             map_lanes<u64>(
                 [&](u64 v) {
                   return integral ? ieee::round_to_integral(*from, v, *mode)
                                   : ieee::convert(*from, *to, v, *mode);
                 },
                 *x));
}

// F2I. PTX: a NaN becomes 0, or without .NTZ the value with only the top bit set.
template <ConcreteDomain D>
void float_to_integer(D& d, const Instruction& in) {
  const std::optional<Value> type = in.modifier(Field::kType);
  const std::optional<Value> source = in.modifier(Field::kSourceType);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!type || !source || !mode) return d.unmodelled(in);
  const auto from = float_format(*source);
  const auto to = integer_type(*type);
  if (!from || !to) return d.unmodelled(in);
  const auto x = read_float(d, in.find(Role::kA), *from);
  if (!x) return d.unmodelled(in);
  const u64 nan = in.has(Field::kNarrow, Value::kNTZ) ? 0 : u64{1} << (to->bits - 1);
  write_bits(d, in,
             map_lanes<u64>(
                 [&](u64 v) {
                   const u64 y = ieee::to_integer(*from, v, to->bits, to->is_signed, nan, *mode);
                   // Narrow results fill the register by their sign.
                   const bool negative = to->is_signed && (y >> (to->bits - 1) & 1) != 0;
                   return negative && to->bits < 64 ? y | ~u64{0} << to->bits : y;
                 },
                 *x));
}

// I2F.
template <ConcreteDomain D>
void integer_to_float(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  const std::optional<Value> type = in.modifier(Field::kType);
  const std::optional<Value> source = in.modifier(Field::kSourceType);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!type || !source || !mode || !is_plain_word(a) || a->negate || a->invert)
    return d.unmodelled(in);
  const auto to = float_format(*type);
  const auto from = integer_type(*source);
  if (!from || !to) return d.unmodelled(in);
  u32 shift = 0;
  if (const auto part = in.modifier(Field::kByte)) switch (*part) {
      case Value::kNone:
        break;
      case Value::kB1:
        shift = 8;
        break;
      case Value::kB2:
      case Value::kH1:
        shift = 16;
        break;
      case Value::kB3:
        shift = 24;
        break;
      default:
        return d.unmodelled(in);
    }
  const Lanes<u64> x = from->bits == 64
                           ? read_wide(d, *a)
                           : map_lanes<u64>([](u32 w) { return u64{w}; }, read_raw_word(d, *a));
  write_bits(d, in,
             map_lanes<u64>(
                 [&](u64 v) {
                   v >>= shift;
                   if (from->bits < 64) {
                     const u32 up = 64 - from->bits;
                     v = from->is_signed ? static_cast<u64>(static_cast<i64>(v << up) >> up)
                                         : v << up >> up;
                   }
                   return ieee::from_integer(*to, v, from->is_signed, *mode);
                 },
                 x));
}

// F2FP: two single-precision numbers as a pair of 16-bit ones, A above B.
template <ConcreteDomain D>
void pack_floats(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB);
  const std::optional<Value> type = in.modifier(Field::kType);
  const std::optional<ieee::Mode> mode = arithmetic_mode(in);
  if (!type || !mode || !in.has(Field::kPack, Value::kPACK_AB) || !plain(in, Field::kSaturate) ||
      !is_plain_float(a) || !is_plain_float(b))
    return d.unmodelled(in);
  const auto to = float_format(*type);
  if (!to || to->bits() != 16) return d.unmodelled(in);
  const bool relu = in.has(Field::kRelu, Value::kRELU);
  const auto narrow = [&](u32 x) {
    const u64 y = ieee::convert(ieee::kSingle, *to, x, *mode);
    return static_cast<u32>(relu && ieee::is_negative(*to, y) ? 0 : y);
  };
  write_word(d, *in.find(Role::kDst),
             map_lanes<u32>([&](u32 p, u32 q) { return narrow(p) << 16 | narrow(q); },
                            read_single(d, *a), read_single(d, *b)));
}

}  // namespace picker::semantics
