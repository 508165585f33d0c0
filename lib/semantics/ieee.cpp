#include "semantics/ieee.hpp"

#include <algorithm>

namespace picker::ieee {
namespace {

enum class Kind : u8 { kZero, kFinite, kInfinity, kNan };

// value = significand * 2^exponent, plus, if `sticky`, something below one unit of the significand.
struct Unpacked {
  Kind kind = Kind::kZero;
  bool negative = false;
  i32 exponent = 0;
  u128 significand = 0;
  bool sticky = false;
};

Unpacked unpack(const Format& f, u64 x) {
  Unpacked u;
  u.negative = is_negative(f, x);
  const u64 magnitude = x & (f.sign_bit() - 1);
  const u64 exponent = magnitude >> f.fraction_bits;
  const u64 fraction = magnitude & ((u64{1} << f.fraction_bits) - 1);
  if (exponent == (u64{1} << f.exponent_bits) - 1) {
    u.kind = fraction != 0 ? Kind::kNan : Kind::kInfinity;
  } else if (exponent == 0) {
    u.kind = fraction != 0 ? Kind::kFinite : Kind::kZero;
    u.significand = fraction;
    u.exponent = 1 - f.bias() - static_cast<i32>(f.fraction_bits);
  } else {
    u.kind = Kind::kFinite;
    u.significand = fraction | (u64{1} << f.fraction_bits);
    u.exponent = static_cast<i32>(exponent) - f.bias() - static_cast<i32>(f.fraction_bits);
  }
  return u;
}

u32 width_of(u128 x) {
  const u64 high = static_cast<u64>(x >> 64), low = static_cast<u64>(x);
  if (high != 0) return 128 - static_cast<u32>(__builtin_clzll(high));
  return low == 0 ? 0 : 64 - static_cast<u32>(__builtin_clzll(low));
}

// Drops `count` low bits; what is lost shows in `rest` as 0, or 1 below half, 2 half, 3 above.
u128 drop(u128 x, u32 count, bool sticky, u32& rest) {
  if (count == 0) {
    rest = sticky ? 1 : 0;
    return x;
  }
  if (count > 128) {
    rest = x != 0 || sticky ? 1 : 0;
    return 0;
  }
  const u128 half = u128{1} << (count - 1);
  const u128 lost = count == 128 ? x : x & ((half << 1) - 1);
  if (lost == half)
    rest = sticky ? 3 : 2;
  else if (lost > half)
    rest = 3;
  else
    rest = lost != 0 || sticky ? 1 : 0;
  return count == 128 ? 0 : x >> count;
}

bool rounds_up(Rounding rounding, bool negative, bool odd, u32 rest) {
  if (rest == 0) return false;
  switch (rounding) {
    case Rounding::kNearest:
      return rest == 3 || (rest == 2 && odd);
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
    case Rounding::kZero:
      break;
  }
  return false;
}

u64 pack(const Format& f, const Unpacked& u, const Mode& mode) {
  const u64 sign = u.negative ? f.sign_bit() : 0;
  if (u.kind == Kind::kNan) return f.canonical_nan();
  if (u.kind == Kind::kInfinity) return sign | f.infinity();
  if (u.kind == Kind::kZero || (u.significand == 0 && !u.sticky)) return sign;
  // The exponent of the last place of a result with this leading bit.
  const i32 lowest = 1 - f.bias() - static_cast<i32>(f.fraction_bits);
  const i32 leading = u.exponent + static_cast<i32>(width_of(u.significand)) - 1;
  i32 place = std::max(leading - static_cast<i32>(f.fraction_bits), lowest);
  u64 kept = 0;
  if (place >= u.exponent) {
    u32 rest = 0;
    kept =
        static_cast<u64>(drop(u.significand, static_cast<u32>(place - u.exponent), u.sticky, rest));
    if (rounds_up(mode.rounding, u.negative, (kept & 1) != 0, rest)) ++kept;
  } else {
    // More places than the value has: exact. A sticky bit cannot come with so few bits.
    kept = static_cast<u64>(u.significand << (u.exponent - place));
  }
  if (kept >> (f.fraction_bits + 1) != 0) {
    kept >>= 1;  // rounding carried out: the dropped bit is zero
    ++place;
  }
  const bool normal = (kept >> f.fraction_bits) != 0;
  const i32 exponent = normal ? place + static_cast<i32>(f.fraction_bits) + f.bias() : 0;
  if (exponent >= (1 << f.exponent_bits) - 1) {
    const bool to_largest = mode.rounding == Rounding::kZero ||
                            (mode.rounding == Rounding::kDown && !u.negative) ||
                            (mode.rounding == Rounding::kUp && u.negative);
    return sign | (to_largest ? f.largest() : f.infinity());
  }
  if (!normal && mode.flush) return sign;
  const u64 fraction = kept & ((u64{1} << f.fraction_bits) - 1);
  return sign | static_cast<u64>(exponent) << f.fraction_bits | fraction;
}

u64 nan_of(const Format& f, std::initializer_list<u64> operands) {
  if (f.keeps_nan)
    for (const u64 x : operands)
      if (is_nan(f, x)) return x | (u64{1} << (f.fraction_bits - 1));
  return f.canonical_nan();
}

// The exact product of two numbers.
Unpacked product(const Unpacked& a, const Unpacked& b, i32 scale) {
  Unpacked p;
  p.negative = a.negative != b.negative;
  if (a.kind == Kind::kInfinity || b.kind == Kind::kInfinity) {
    p.kind = a.kind == Kind::kZero || b.kind == Kind::kZero ? Kind::kNan : Kind::kInfinity;
  } else if (a.kind == Kind::kZero || b.kind == Kind::kZero) {
    p.kind = Kind::kZero;
  } else {
    p.kind = Kind::kFinite;
    p.significand = a.significand * b.significand;
    p.exponent = a.exponent + b.exponent + scale;
  }
  return p;
}

// The sum of two numbers, with a sticky bit for what does not fit.
Unpacked sum(Unpacked a, Unpacked b, Rounding rounding) {
  if (a.kind == Kind::kInfinity || b.kind == Kind::kInfinity) {
    if (a.kind == b.kind && a.negative != b.negative) a.kind = Kind::kNan;
    return a.kind == Kind::kInfinity || a.kind == Kind::kNan ? a : b;
  }
  const bool zero_sign = a.negative == b.negative ? a.negative : rounding == Rounding::kDown;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) {
    a.negative = zero_sign;
    return a;
  }
  if (a.kind == Kind::kZero) return b;
  if (b.kind == Kind::kZero) return a;
  // Both with their leading one at bit 125, so that a sum fits and a difference of neighbours is
  // exact: a product has at most 106 bits, so at least 19 zeros follow.
  for (Unpacked* u : {&a, &b}) {
    const i32 up = 126 - static_cast<i32>(width_of(u->significand));
    u->significand <<= up;
    u->exponent -= up;
  }
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand))
    std::swap(a, b);
  const u32 distance = static_cast<u32>(a.exponent - b.exponent);
  u32 rest = 0;
  u128 small = drop(b.significand, std::min(distance, 130u), false, rest);
  if (a.negative == b.negative) {
    a.significand += small;
    a.sticky = rest != 0;
    return a;
  }
  // A difference borrows: what was dropped lies below the last bit.
  if (rest != 0) {
    small += 1;
    a.sticky = true;
  }
  a.significand -= small;
  if (a.significand == 0 && !a.sticky) {
    a.kind = Kind::kZero;
    a.negative = zero_sign;
  }
  return a;
}

}  // namespace

bool is_nan(const Format& f, u64 x) { return (x & (f.sign_bit() - 1)) > f.infinity(); }
bool is_zero(const Format& f, u64 x) { return (x & (f.sign_bit() - 1)) == 0; }

u64 flush(const Format& f, u64 x) { return (x & f.infinity()) == 0 ? x & f.sign_bit() : x; }

u64 add(const Format& f, u64 a, u64 b, const Mode& mode) {
  if (mode.flush) {
    a = flush(f, a);
    b = flush(f, b);
  }
  if (is_nan(f, a) || is_nan(f, b)) return nan_of(f, {a, b});
  return pack(f, sum(unpack(f, a), unpack(f, b), mode.rounding), mode);
}

u64 multiply(const Format& f, u64 a, u64 b, const Mode& mode) {
  if (mode.flush) {
    a = flush(f, a);
    b = flush(f, b);
  }
  if (mode.zero_product && (is_zero(f, a) || is_zero(f, b))) return 0;
  if (is_nan(f, a) || is_nan(f, b)) return nan_of(f, {a, b});
  return pack(f, product(unpack(f, a), unpack(f, b), mode.scale), mode);
}

u64 multiply_add(const Format& f, u64 a, u64 b, u64 c, const Mode& mode) {
  if (mode.flush) {
    a = flush(f, a);
    b = flush(f, b);
    c = flush(f, c);
  }
  const bool nothing = mode.zero_product && (is_zero(f, a) || is_zero(f, b));
  if (nothing && !is_nan(f, c)) return pack(f, sum({}, unpack(f, c), mode.rounding), mode);
  if (is_nan(f, a) || is_nan(f, b) || is_nan(f, c)) return nan_of(f, {a, b, c});
  const Unpacked p = product(unpack(f, a), unpack(f, b), mode.scale);
  if (p.kind == Kind::kNan) return f.canonical_nan();
  return pack(f, sum(p, unpack(f, c), mode.rounding), mode);
}

u64 convert(const Format& from, const Format& to, u64 x, const Mode& requested) {
  // PTX: .ftz of a conversion is about single precision, on either side.
  Mode mode = requested;
  if (mode.flush && from == kSingle) x = flush(from, x);
  mode.flush = mode.flush && to == kSingle;
  if (is_nan(from, x)) {
    if (!to.keeps_nan) return to.canonical_nan();
    // The payload moves along, at the top.
    const u64 fraction = x & ((u64{1} << from.fraction_bits) - 1);
    const u64 moved = to.fraction_bits >= from.fraction_bits
                          ? fraction << (to.fraction_bits - from.fraction_bits)
                          : fraction >> (from.fraction_bits - to.fraction_bits);
    const u64 sign = is_negative(from, x) ? to.sign_bit() : 0;
    return sign | to.infinity() | moved | (u64{1} << (to.fraction_bits - 1));
  }
  return pack(to, unpack(from, x), mode);
}

u64 round_to_integral(const Format& f, u64 x, const Mode& mode) {
  if (mode.flush) x = flush(f, x);
  if (is_nan(f, x)) return nan_of(f, {x});
  Unpacked u = unpack(f, x);
  if (u.kind != Kind::kFinite || u.exponent >= 0) return x;
  u32 rest = 0;
  u.significand = drop(u.significand, static_cast<u32>(-u.exponent), false, rest);
  if (rounds_up(mode.rounding, u.negative, (u.significand & 1) != 0, rest)) u.significand += 1;
  u.exponent = 0;
  return pack(f, u, mode);
}

u64 to_integer(const Format& f, u64 x, u32 bits, bool is_signed, u64 nan, const Mode& mode) {
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  if (mode.flush) x = flush(f, x);
  if (is_nan(f, x)) return nan & mask;
  Unpacked u = unpack(f, x);
  const u64 top = is_signed ? mask >> 1 : mask;             // the largest value
  const u64 bottom = is_signed ? (mask >> 1) + 1 : u64{0};  // the magnitude of the smallest
  if (u.kind == Kind::kZero) return 0;
  u128 magnitude = 0;
  if (u.kind == Kind::kInfinity || u.exponent > 64) {
    magnitude = u128{1} << 100;
  } else if (u.exponent >= 0) {
    magnitude = u.significand << u.exponent;
  } else {
    u32 rest = 0;
    magnitude = drop(u.significand, static_cast<u32>(-u.exponent), false, rest);
    if (rounds_up(mode.rounding, u.negative, (magnitude & 1) != 0, rest)) magnitude += 1;
  }
  if (u.negative) {
    const u64 value = magnitude > bottom ? bottom : static_cast<u64>(magnitude);
    return (0 - value) & mask;
  }
  return magnitude > top ? top : static_cast<u64>(magnitude);
}

u64 from_integer(const Format& f, u64 x, bool is_signed, const Mode& mode) {
  Unpacked u;
  u.negative = is_signed && static_cast<i64>(x) < 0;
  u.significand = u.negative ? 0 - x : x;
  u.kind = x == 0 ? Kind::kZero : Kind::kFinite;
  return pack(f, u, mode);
}

u64 saturate(const Format& f, u64 x) {
  const u64 one = static_cast<u64>(f.bias()) << f.fraction_bits;
  if (is_nan(f, x) || is_negative(f, x)) return 0;
  return std::min(x, one);
}

Order compare(const Format& f, u64 a, u64 b) {
  if (is_nan(f, a) || is_nan(f, b)) return Order::kUnordered;
  const auto key = [&](u64 x) {
    const i64 magnitude = static_cast<i64>(x & (f.sign_bit() - 1));
    return is_negative(f, x) ? -magnitude : magnitude;
  };
  const i64 x = key(a), y = key(b);
  return x < y ? Order::kLess : x > y ? Order::kGreater : Order::kEqual;
}

u64 minimum(const Format& f, u64 a, u64 b, bool want_maximum, bool propagate_nan) {
  if (is_nan(f, a) || is_nan(f, b)) {
    if (propagate_nan || (is_nan(f, a) && is_nan(f, b))) return nan_of(f, {a, b});
    return is_nan(f, a) ? b : a;
  }
  const Order order = compare(f, a, b);
  bool a_is_less = order == Order::kLess;
  if (order == Order::kEqual) a_is_less = is_negative(f, a);  // -0 and +0
  return a_is_less != want_maximum ? a : b;
}

}  // namespace picker::ieee
