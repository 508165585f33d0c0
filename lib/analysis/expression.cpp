// Construction and normalisation of expressions. See expression.hpp for what they mean.
//
// The one normalisation that is more than bookkeeping is `join_halves`. The machine computes 64-bit
// addresses in 32-bit halves: the low half by an add with carry out, the high half by an add with
// carry in. A pair of registers is read back as  zext(low) + 2^32 * zext(high)  and the rules there
// turn it into one 64-bit sum again:
//
//   zext(a+b+c) + 2^32 * zext(carry(a,b,c))        =  zext(a) + zext(b) + zext(c)
//   zext(low32(X)) + 2^32 * zext(high32(X))        =  X, also for X = Y * 2^s, whose upper word is
//                                                     bits 32 - s and up of Y
//   zext(x) + 2^32 * zext(sign of x, 32 times)     =  sext(x)
//   zext(~x)                                       =  2^32 - 1 - zext(x)
//
// each multiplied by any k. They are identities modulo 2^64; nothing is assumed about the values.
//
// Operands are shared, so whatever goes into several operands of a node remembers its results:
// without that the cost is the number of paths, not of nodes, and mixing functions (random number
// generators, hashes) have 2^rounds of them.
#include "analysis/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "support/hash.hpp"

namespace picker::analysis {
namespace {

constexpr size_t kFirstIndexSize = 512;  // a power of two

u64 mask_of(u32 width) { return width >= 64 ? ~u64{0} : (u64{1} << width) - 1; }

i64 signed_of(u64 value, u32 width) {
  if (width >= 64) return static_cast<i64>(value);
  const u64 sign = u64{1} << (width - 1);
  return static_cast<i64>((value ^ sign) - sign);
}

}  // namespace

Expressions::Expressions() : index_(kFirstIndexSize, kNoExpr) { nodes_.reserve(256); }

void Expressions::grow_index() {
  std::vector<ExprId> larger(2 * index_.size(), kNoExpr);
  for (ExprId id = 0; id < nodes_.size(); ++id) {
    size_t slot = hashes_[id] & (larger.size() - 1);
    while (larger[slot] != kNoExpr) slot = (slot + 1) & (larger.size() - 1);
    larger[slot] = id;
  }
  index_ = std::move(larger);
}

ExprId Expressions::intern(ExprNode node, std::span<const ExprId> operands,
                           std::span<const u64> coefficients) {
  u64 hash = hash_combine(hash_combine(static_cast<u64>(node.kind), node.width), node.payload);
  for (size_t i = 0; i < operands.size(); ++i) {
    hash = hash_combine(hash, operands[i]);
    hash = hash_combine(hash, coefficients.empty() ? 0 : coefficients[i]);
    const ExprNode& operand = nodes_[operands[i]];
    node.nondeterministic |= operand.nondeterministic;
    node.from_memory |= operand.from_memory;
    node.loops |= operand.loops;
  }
  const u32 short_hash = static_cast<u32>(hash >> 32);
  size_t slot = short_hash & (index_.size() - 1);
  for (; index_[slot] != kNoExpr; slot = (slot + 1) & (index_.size() - 1)) {
    const ExprId candidate = index_[slot];
    if (hashes_[candidate] != short_hash) continue;
    const ExprNode& other = nodes_[candidate];
    if (other.kind != node.kind || other.width != node.width || other.payload != node.payload ||
        other.operand_count != operands.size() || other.nondeterministic != node.nondeterministic ||
        other.from_memory != node.from_memory || other.loops != node.loops)
      continue;
    bool same = true;
    for (size_t i = 0; i < operands.size() && same; ++i)
      same = operands_[other.first_operand + i] == operands[i] &&
             coefficients_[other.first_operand + i] == (coefficients.empty() ? 0 : coefficients[i]);
    if (same) return candidate;
  }
  node.first_operand = static_cast<u32>(operands_.size());
  node.operand_count = static_cast<u32>(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    operands_.push_back(operands[i]);
    coefficients_.push_back(coefficients.empty() ? 0 : coefficients[i]);
  }
  const ExprId id = static_cast<ExprId>(nodes_.size());
  node.low_zero_bits = static_cast<u8>(find_low_zero_bits(node));
  node.significant_bits = static_cast<u8>(find_significant_bits(node));
  nodes_.push_back(node);
  hashes_.push_back(short_hash);
  index_[slot] = id;
  if (2 * nodes_.size() > index_.size()) grow_index();
  return id;
}

ExprId Expressions::constant(u8 width, u64 value) {
  return intern({.kind = ExprKind::kConstant, .width = width, .payload = value & mask_of(width)},
                {}, {});
}

ExprId Expressions::launch_constant(u8 width, u32 offset) {
  return intern({.kind = ExprKind::kLaunchConstant, .width = width, .payload = offset}, {}, {});
}

ExprId Expressions::symbol_address(u32 symbol) {
  return intern({.kind = ExprKind::kSymbolAddress, .width = 64, .payload = symbol}, {}, {});
}

ExprId Expressions::thread_index(u32 axis) {
  return intern({.kind = ExprKind::kThreadIndex, .width = 32, .payload = axis}, {}, {});
}

ExprId Expressions::block_index(u32 axis) {
  return intern({.kind = ExprKind::kBlockIndex, .width = 32, .payload = axis}, {}, {});
}

ExprId Expressions::iteration(LoopId loop, u64 outer_loops, bool nondeterministic) {
  return intern({.kind = ExprKind::kIteration,
                 .width = 64,
                 .nondeterministic = nondeterministic,
                 .payload = loop,
                 .loops = outer_loops},
                {}, {});
}

ExprId Expressions::make_opaque(u8 width, u64 lo, u64 hi, OpaqueCause cause, u32 code_offset,
                                u64 loops, bool nondeterministic, bool from_memory) {
  opaques_.push_back({lo, hi, cause, code_offset});
  return intern({.kind = ExprKind::kOpaque,
                 .width = width,
                 .nondeterministic = nondeterministic,
                 .from_memory = from_memory,
                 .payload = opaques_.size() - 1,
                 .loops = loops},
                {}, {});
}

ExprId Expressions::binary(ExprKind kind, ExprId a, ExprId b, u8 width) {
  const ExprId operands[] = {a, b};
  return intern({.kind = kind, .width = width}, operands, {});
}

ExprId Expressions::commutative(ExprKind kind, ExprId a, ExprId b) {
  return binary(kind, std::min(a, b), std::max(a, b), width(a));
}

// ---- Linear combinations -------------------------------------------------------------------

void Expressions::add_term(u8 w, u64& constant, Terms& terms, ExprId id, u64 coefficient) {
  coefficient &= mask_of(w);
  if (coefficient == 0) return;
  const ExprNode node = nodes_[id];
  if (node.kind == ExprKind::kConstant) {
    constant += coefficient * node.payload;
    return;
  }
  if (node.kind == ExprKind::kSum) {
    constant += coefficient * node.payload;
    for (u32 i = 0; i < node.operand_count; ++i) {
      const u32 at = node.first_operand + i;
      add_term(w, constant, terms, operands_[at], coefficients_[at] * coefficient);
    }
    return;
  }
  const bool extension = node.kind == ExprKind::kZeroExtend || node.kind == ExprKind::kSignExtend;
  if (w == 64 && extension) {
    const ExprId inner = operands_[node.first_operand];
    const ExprNode inner_node = nodes_[inner];
    const u32 shift = static_cast<u32>(std::countr_zero(coefficient));
    if (inner_node.width == 32 && inner_node.kind == ExprKind::kSum && shift >= 32) {
      // Only the low 32 bits of the operand survive the shift, so the extension distributes.
      constant += coefficient * inner_node.payload;
      for (u32 i = 0; i < inner_node.operand_count; ++i) {
        const u32 at = inner_node.first_operand + i;
        const u64 inner_coefficient = coefficients_[at];
        add_term(w, constant, terms, zero_extend(operands_[at], 64),
                 inner_coefficient * coefficient);
      }
      return;
    }
    if (node.kind == ExprKind::kZeroExtend && inner_node.width == 32 &&
        inner_node.kind == ExprKind::kSum && inner_node.operand_count == 1 &&
        coefficients_[inner_node.first_operand] == mask_of(32) &&
        inner_node.payload == mask_of(32)) {
      // zext(~x) = 2^32 - 1 - zext(x)
      constant += coefficient * mask_of(32);
      add_term(w, constant, terms, zero_extend(operands_[inner_node.first_operand], 64),
               0 - coefficient);
      return;
    }
  }
  terms.emplace_back(id, coefficient);
}

namespace {

void merge_terms(u8 width, std::vector<std::pair<ExprId, u64>>& terms) {
  std::sort(terms.begin(), terms.end());
  size_t out = 0;
  for (size_t i = 0; i < terms.size();) {
    u64 coefficient = 0;
    const ExprId id = terms[i].first;
    for (; i < terms.size() && terms[i].first == id; ++i) coefficient += terms[i].second;
    coefficient &= mask_of(width);
    if (coefficient != 0) terms[out++] = {id, coefficient};
  }
  terms.resize(out);
}

}  // namespace

// The 64-bit value X * 2^s whose upper word `high` is, if `high` has the form that the upper word
// of a shifted value takes: bits of X from 32 - s on, with s from 0 to 31 (LEA.HI and the like).
ExprId Expressions::shifted_whole(ExprId high) {
  constexpr u32 kHalf = 32;
  const ExprNode n = nodes_[high];
  const auto scaled = [&](ExprId whole, u32 shift) {
    return mul(whole, constant(64, u64{1} << shift));
  };
  if (n.kind == ExprKind::kExtract) {
    const ExprId inner = operands_[n.first_operand];
    const u32 from = static_cast<u32>(n.payload);
    if (from == 0 || from > kHalf) return kNoExpr;
    if (width(inner) == 64 && n.width == kHalf) return scaled(inner, kHalf - from);
    // The upper word of a zero-extended value: what is left of it, zero-extended in turn.
    if (width(inner) == kHalf && from + n.width == kHalf)
      return scaled(zero_extend(inner, 64), kHalf - from);
  }
  if (n.kind == ExprKind::kSignExtend && n.width == kHalf) {
    const ExprId field = operands_[n.first_operand];
    const ExprNode f = nodes_[field];
    if (f.kind != ExprKind::kExtract) return kNoExpr;
    const ExprId inner = operands_[f.first_operand];
    const u32 from = static_cast<u32>(f.payload);
    if (width(inner) == kHalf && from + f.width == kHalf && from > 0)
      return scaled(sign_extend(inner, 64), kHalf - from);
  }
  return kNoExpr;
}

// One application of one of the rules in the essay to a 64-bit sum; false if none applies.
bool Expressions::join_halves(u64& constant_term, Terms& terms) {
  constexpr u32 kHalf = 32;
  for (size_t h = 0; h < terms.size(); ++h) {
    const auto [high_id, high_coefficient] = terms[h];
    if (high_coefficient == 0 || std::countr_zero(high_coefficient) < static_cast<int>(kHalf))
      continue;
    const ExprNode high_node = nodes_[high_id];
    if (high_node.kind != ExprKind::kZeroExtend) continue;
    const ExprId high = operands_[high_node.first_operand];
    const ExprNode node = nodes_[high];
    const ExprId shifted = shifted_whole(high);
    if (node.width != 32 && node.kind != ExprKind::kCarry && shifted == kNoExpr) continue;
    // k is known modulo 2^32 only from the high coefficient; the low term gives all of it.
    for (size_t l = 0; l < terms.size(); ++l) {
      const auto [low_id, k] = terms[l];
      if (l == h || ((k << kHalf) ^ high_coefficient) != 0) continue;
      const ExprNode low_node = nodes_[low_id];
      if (low_node.kind != ExprKind::kZeroExtend) continue;
      const ExprId low = operands_[low_node.first_operand];
      if (nodes_[low].width != 32) continue;
      const u64 scale = k;
      Terms replacement;
      if (node.kind == ExprKind::kCarry) {
        const ExprId a = operands_[node.first_operand];
        const ExprId b = operands_[node.first_operand + 1];
        const ExprId c = operands_[node.first_operand + 2];
        if (nodes_[a].width != 32 || add(add(a, b), zero_extend(c, 32)) != low) continue;
        add_term(64, constant_term, replacement, zero_extend(a, 64), scale);
        add_term(64, constant_term, replacement, zero_extend(b, 64), scale);
        add_term(64, constant_term, replacement, zero_extend(c, 64), scale);
      } else if (shifted != kNoExpr && extract(shifted, 0, 32) == low) {
        add_term(64, constant_term, replacement, shifted, scale);
      } else if (node.kind == ExprKind::kLaunchConstant &&
                 nodes_[low].kind == ExprKind::kLaunchConstant &&
                 nodes_[low].payload + 4 == node.payload) {
        add_term(64, constant_term, replacement,
                 launch_constant(64, static_cast<u32>(nodes_[low].payload)), scale);
      } else if (shift_right_signed(low, constant(32, 31)) == high) {
        add_term(64, constant_term, replacement, sign_extend(low, 64), scale);
      } else {
        continue;
      }
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(h, l)));
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(h, l)));
      terms.insert(terms.end(), replacement.begin(), replacement.end());
      return true;
    }
    // A carry whose low half is a constant sum with one constant operand: handled above, since
    // zext of the low sum is then a term of its own.
  }
  return false;
}

ExprId Expressions::linear(u8 w, u64 constant_term, Terms& terms) {
  merge_terms(w, terms);
  if (w == 64)
    while (join_halves(constant_term, terms)) merge_terms(w, terms);
  constant_term &= mask_of(w);
  if (terms.empty()) return constant(w, constant_term);
  if (constant_term == 0 && terms.size() == 1 && terms[0].second == 1) return terms[0].first;
  std::vector<ExprId> ids;
  std::vector<u64> coefficients;
  ids.reserve(terms.size());
  coefficients.reserve(terms.size());
  for (const auto& [id, coefficient] : terms) {
    ids.push_back(id);
    coefficients.push_back(coefficient);
  }
  return intern({.kind = ExprKind::kSum, .width = w, .payload = constant_term}, ids, coefficients);
}

ExprId Expressions::add(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (w == 1) return bit_xor(a, b);
  u64 constant_term = 0;
  Terms terms;
  add_term(w, constant_term, terms, a, 1);
  add_term(w, constant_term, terms, b, 1);
  return linear(w, constant_term, terms);
}

ExprId Expressions::sub(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (w == 1) return bit_xor(a, b);
  u64 constant_term = 0;
  Terms terms;
  add_term(w, constant_term, terms, a, 1);
  add_term(w, constant_term, terms, b, ~u64{0});
  return linear(w, constant_term, terms);
}

ExprId Expressions::negate(ExprId a) { return sub(constant(width(a), 0), a); }

ExprId Expressions::mul(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (w == 1) return bit_and(a, b);
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    u64 constant_term = 0;
    Terms terms;
    add_term(w, constant_term, terms, a, nodes_[b].payload);
    return linear(w, constant_term, terms);
  }
  return commutative(ExprKind::kProduct, a, b);
}

// ---- Bits ----------------------------------------------------------------------------------

u32 Expressions::find_low_zero_bits(const ExprNode& n) const {
  const auto operand = [&](u32 i) { return operands_[n.first_operand + i]; };
  switch (n.kind) {
    case ExprKind::kConstant:
      return n.payload == 0 ? n.width : static_cast<u32>(std::countr_zero(n.payload));
    case ExprKind::kSum: {
      u32 least = n.payload == 0 ? n.width : static_cast<u32>(std::countr_zero(n.payload));
      for (u32 i = 0; i < n.operand_count; ++i)
        least = std::min(
            least, low_zero_bits(operand(i)) +
                       static_cast<u32>(std::countr_zero(coefficients_[n.first_operand + i])));
      return std::min<u32>(least, n.width);
    }
    case ExprKind::kProduct:
      return std::min<u32>(low_zero_bits(operand(0)) + low_zero_bits(operand(1)), n.width);
    case ExprKind::kAnd:
      return std::max(low_zero_bits(operand(0)), low_zero_bits(operand(1)));
    case ExprKind::kOr:
    case ExprKind::kXor:
      return std::min(low_zero_bits(operand(0)), low_zero_bits(operand(1)));
    case ExprKind::kZeroExtend:
    case ExprKind::kSignExtend: {
      const u32 inner = low_zero_bits(operand(0));
      return inner == width(operand(0)) ? n.width : inner;
    }
    case ExprKind::kSelect:
      return std::min(low_zero_bits(operand(1)), low_zero_bits(operand(2)));
    default:
      return 0;
  }
}

u32 Expressions::find_significant_bits(const ExprNode& n) const {
  const auto operand = [&](u32 i) { return operands_[n.first_operand + i]; };
  switch (n.kind) {
    case ExprKind::kConstant:
      return static_cast<u32>(std::bit_width(n.payload));
    case ExprKind::kOpaque:
      return static_cast<u32>(std::bit_width(opaques_[n.payload].hi));
    case ExprKind::kThreadIndex:
      return 10;  // at most 1024 threads on any axis
    case ExprKind::kSum: {
      // Without subtraction the integer value is at most the sum of the maxima, if that fits.
      u64 total = n.payload;
      for (u32 i = 0; i < n.operand_count; ++i) {
        const u32 bits = significant_bits(operand(i));
        u64 part;
        if (bits >= 64 ||
            __builtin_mul_overflow(mask_of(bits), coefficients_[n.first_operand + i], &part) ||
            __builtin_add_overflow(total, part, &total) || total > mask_of(n.width))
          return n.width;
      }
      return static_cast<u32>(std::bit_width(total));
    }
    case ExprKind::kAnd:
      return std::min(significant_bits(operand(0)), significant_bits(operand(1)));
    case ExprKind::kOr:
    case ExprKind::kXor:
      return std::max(significant_bits(operand(0)), significant_bits(operand(1)));
    case ExprKind::kZeroExtend:
      return significant_bits(operand(0));
    case ExprKind::kSelect:
      return std::max(significant_bits(operand(1)), significant_bits(operand(2)));
    default:
      return n.width;
  }
}

ExprId Expressions::bit_and(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (a == b) return a;
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    const u64 m = nodes_[b].payload;
    if (is_constant(a)) return constant(w, nodes_[a].payload & m);
    if (m == 0) return b;
    if (m == mask_of(w)) return a;
    if (std::has_single_bit(m + 1)) {  // a low-bit mask: the value of a bit field
      const u8 bits = static_cast<u8>(std::countr_one(m));
      return zero_extend(extract(a, 0, bits), w);
    }
    // A mask that clears only bits known to be zero.
    const u32 low = low_zero_bits(a), high = significant_bits(a);
    const u64 possible = mask_of(high) & ~mask_of(std::min<u32>(low, 64));
    if ((possible & ~m) == 0) return a;
  }
  if (w == 1) {
    if (bit_not(a) == b) return constant(1, 0);
  }
  return commutative(ExprKind::kAnd, a, b);
}

ExprId Expressions::bit_or(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (a == b) return a;
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    const u64 m = nodes_[b].payload;
    if (is_constant(a)) return constant(w, nodes_[a].payload | m);
    if (m == 0) return a;
    if (m == mask_of(w)) return b;
  }
  if (w == 1) {
    if (bit_not(a) == b) return constant(1, 1);
    return commutative(ExprKind::kOr, a, b);
  }
  if (significant_bits(a) <= low_zero_bits(b) || significant_bits(b) <= low_zero_bits(a))
    return add(a, b);
  return commutative(ExprKind::kOr, a, b);
}

ExprId Expressions::bit_xor(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (a == b) return constant(w, 0);
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b)) {
    const u64 m = nodes_[b].payload;
    if (is_constant(a)) return constant(w, nodes_[a].payload ^ m);
    if (m == 0) return a;
    if (m == mask_of(w)) return bit_not(a);
  }
  if (w == 1) {
    // Keep one negation outermost: (x ^ 1) ^ y = (x ^ y) ^ 1.
    const auto negated = [&](ExprId id) {
      return nodes_[id].kind == ExprKind::kXor && is_constant(operands(id)[0], 1) ? operands(id)[1]
             : nodes_[id].kind == ExprKind::kXor && is_constant(operands(id)[1], 1)
                 ? operands(id)[0]
                 : kNoExpr;
    };
    if (const ExprId inner = negated(a); inner != kNoExpr) return bit_not(bit_xor(inner, b));
    if (const ExprId inner = negated(b); inner != kNoExpr) return bit_not(bit_xor(a, inner));
    return commutative(ExprKind::kXor, a, b);
  }
  if (significant_bits(a) <= low_zero_bits(b) || significant_bits(b) <= low_zero_bits(a))
    return add(a, b);
  return commutative(ExprKind::kXor, a, b);
}

ExprId Expressions::bit_not(ExprId a) {
  const u8 w = width(a);
  if (is_constant(a)) return constant(w, ~nodes_[a].payload);
  if (w > 1) return sub(constant(w, mask_of(w)), a);
  const ExprNode& n = nodes_[a];
  if (n.kind == ExprKind::kXor) {
    if (is_constant(operands(a)[0], 1)) return operands(a)[1];
    if (is_constant(operands(a)[1], 1)) return operands(a)[0];
  }
  return commutative(ExprKind::kXor, a, constant(1, 1));
}

ExprId Expressions::shift_left(ExprId a, ExprId amount) {
  const u8 w = width(a);
  if (is_constant(amount)) {
    const u64 n = nodes_[amount].payload;
    return n >= w ? constant(w, 0) : mul(a, constant(w, u64{1} << n));
  }
  return binary(ExprKind::kShiftLeft, a, amount, w);
}

ExprId Expressions::shift_right(ExprId a, ExprId amount) {
  const u8 w = width(a);
  if (is_constant(amount)) {
    const u64 n = nodes_[amount].payload;
    if (n >= w) return constant(w, 0);
    if (n == 0) return a;
    return zero_extend(extract(a, static_cast<u32>(n), static_cast<u8>(w - n)), w);
  }
  return binary(ExprKind::kShiftRight, a, amount, w);
}

ExprId Expressions::shift_right_signed(ExprId a, ExprId amount) {
  const u8 w = width(a);
  if (is_constant(amount)) {
    const u64 n = std::min<u64>(nodes_[amount].payload, w - 1u);
    if (n == 0) return a;
    return sign_extend(extract(a, static_cast<u32>(n), static_cast<u8>(w - n)), w);
  }
  return binary(ExprKind::kShiftRightSigned, a, amount, w);
}

// ---- Division, minimum, maximum ------------------------------------------------------------

ExprId Expressions::divide(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (is_constant(b)) {
    const u64 d = nodes_[b].payload;
    if (is_constant(a) && d != 0) return constant(w, nodes_[a].payload / d);
    if (std::has_single_bit(d))
      return shift_right(a, constant(w, static_cast<u64>(std::countr_zero(d))));
  }
  return binary(ExprKind::kDivide, a, b, w);
}

ExprId Expressions::remainder(ExprId a, ExprId b) {
  const u8 w = width(a);
  if (is_constant(b)) {
    const u64 d = nodes_[b].payload;
    if (is_constant(a) && d != 0) return constant(w, nodes_[a].payload % d);
    if (std::has_single_bit(d)) return bit_and(a, constant(w, d - 1));
  }
  return binary(ExprKind::kRemainder, a, b, w);
}

ExprId Expressions::min_unsigned(ExprId a, ExprId b) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b)) return nodes_[a].payload < nodes_[b].payload ? a : b;
  return commutative(ExprKind::kMinUnsigned, a, b);
}

ExprId Expressions::max_unsigned(ExprId a, ExprId b) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b)) return nodes_[a].payload > nodes_[b].payload ? a : b;
  return commutative(ExprKind::kMaxUnsigned, a, b);
}

ExprId Expressions::min_signed(ExprId a, ExprId b) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b))
    return signed_of(nodes_[a].payload, width(a)) < signed_of(nodes_[b].payload, width(b)) ? a : b;
  return commutative(ExprKind::kMinSigned, a, b);
}

ExprId Expressions::max_signed(ExprId a, ExprId b) {
  if (a == b) return a;
  if (is_constant(a) && is_constant(b))
    return signed_of(nodes_[a].payload, width(a)) > signed_of(nodes_[b].payload, width(b)) ? a : b;
  return commutative(ExprKind::kMaxSigned, a, b);
}

// ---- Width changes -------------------------------------------------------------------------

ExprId Expressions::zero_extend(ExprId a, u8 w) {
  if (width(a) == w) return a;
  const ExprNode n = nodes_[a];
  if (n.kind == ExprKind::kConstant) return constant(w, n.payload);
  if (n.kind == ExprKind::kZeroExtend) return zero_extend(operands_[n.first_operand], w);
  const ExprId operands[] = {a};
  return intern({.kind = ExprKind::kZeroExtend, .width = w}, operands, {});
}

ExprId Expressions::sign_extend(ExprId a, u8 w) {
  if (width(a) == w) return a;
  const ExprNode n = nodes_[a];
  if (n.kind == ExprKind::kConstant)
    return constant(w, static_cast<u64>(signed_of(n.payload, n.width)));
  if (n.kind == ExprKind::kZeroExtend) return zero_extend(operands_[n.first_operand], w);
  if (n.kind == ExprKind::kSignExtend) return sign_extend(operands_[n.first_operand], w);
  if (significant_bits(a) < n.width) return zero_extend(a, w);
  const ExprId operands[] = {a};
  return intern({.kind = ExprKind::kSignExtend, .width = w}, operands, {});
}

ExprId Expressions::extract(ExprId a, u32 low, u8 w) {
  const ExprNode& n = nodes_[a];
  if (low == 0 && w == n.width) return a;
  switch (n.kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kXor:
    case ExprKind::kSelect:
    case ExprKind::kProduct:
    case ExprKind::kSum:
      break;  // goes into several operands
    default:
      return find_extract(a, low, w);
  }
  const u64 key = (u64{a} << 32) | (u64{low} << 8) | w;
  if (const auto it = extracts_.find(key); it != extracts_.end()) return it->second;
  const ExprId result = find_extract(a, low, w);
  extracts_.emplace(key, result);
  return result;
}

ExprId Expressions::find_extract(ExprId a, u32 low, u8 w) {
  const ExprNode n = nodes_[a];
  const auto operand = [&](u32 i) { return operands_[n.first_operand + i]; };
  if (significant_bits(a) <= low) return constant(w, 0);
  switch (n.kind) {
    case ExprKind::kConstant:
      return constant(w, low >= 64 ? 0 : n.payload >> low);
    case ExprKind::kLaunchConstant:
      if (low % 8 == 0 && (w == 8 || w == 16 || w == 32))
        return launch_constant(w, static_cast<u32>(n.payload) + low / 8);
      break;
    case ExprKind::kZeroExtend: {
      const u32 inner = width(operand(0));
      if (low >= inner) return constant(w, 0);
      if (low + w <= inner) return extract(operand(0), low, w);
      return zero_extend(extract(operand(0), low, static_cast<u8>(inner - low)), w);
    }
    case ExprKind::kSignExtend: {
      const u32 inner = width(operand(0));
      if (low + w <= inner) return extract(operand(0), low, w);
      const u32 from = std::min(low, inner - 1);
      return sign_extend(extract(operand(0), from, static_cast<u8>(inner - from)), w);
    }
    case ExprKind::kExtract:
      return extract(operand(0), static_cast<u32>(n.payload) + low, w);
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kXor: {
      const ExprId x = extract(operand(0), low, w), y = extract(operand(1), low, w);
      return n.kind == ExprKind::kAnd  ? bit_and(x, y)
             : n.kind == ExprKind::kOr ? bit_or(x, y)
                                       : bit_xor(x, y);
    }
    case ExprKind::kSelect:
      return select(operand(0), extract(operand(1), low, w), extract(operand(2), low, w));
    case ExprKind::kProduct:
      if (low == 0 && w > 1) return mul(extract(operand(0), 0, w), extract(operand(1), 0, w));
      break;
    case ExprKind::kSum: {
      if (low == 0 && w > 1) {  // low bits of a sum depend on low bits only
        u64 constant_term = n.payload;
        Terms terms;
        for (u32 i = 0; i < n.operand_count; ++i) {
          const u64 coefficient = coefficients_[n.first_operand + i];
          if ((coefficient & mask_of(w)) == 0) continue;
          const ExprId part = extract(operand(i), 0, w);
          add_term(w, constant_term, terms, part, coefficient);
        }
        return linear(w, constant_term, terms);
      }
      if (n.payload == 0 && n.operand_count == 1) {  // a shift to the left, taken back
        const u64 coefficient = coefficients_[n.first_operand];
        const u32 shift = static_cast<u32>(std::countr_zero(coefficient));
        if (std::has_single_bit(coefficient) && low >= shift)
          return extract(operand(0), low - shift, w);
      }
      if (n.width == 64 && low >= 32) {
        // zext(low32) + 2^32 * (...): the low half carries nothing into the high half.
        u64 constant_term = n.payload >> 32;
        u32 low_terms = (n.payload & mask_of(32)) != 0 ? 1 : 0;
        for (u32 i = 0; i < n.operand_count; ++i) {
          const u64 coefficient = coefficients_[n.first_operand + i];
          if ((coefficient & mask_of(32)) == 0) continue;
          low_terms += coefficient == 1 && significant_bits(operand(i)) <= 32 ? 1 : 2;
        }
        if (low_terms <= 1) {
          Terms terms;
          for (u32 i = 0; i < n.operand_count; ++i) {
            const u64 coefficient = coefficients_[n.first_operand + i];
            if ((coefficient & mask_of(32)) != 0) continue;
            const ExprId part = extract(operand(i), 0, 32);
            add_term(32, constant_term, terms, part, coefficient >> 32);
          }
          const ExprId high = linear(32, constant_term, terms);
          return extract(high, low - 32, w);
        }
      }
      break;
    }
    default:
      break;
  }
  const ExprId operands[] = {a};
  return intern({.kind = ExprKind::kExtract, .width = w, .payload = low}, operands, {});
}

ExprId Expressions::concat(ExprId high, ExprId low) {
  if (nodes_[low].kind != ExprKind::kSelect) return find_concat(high, low);
  const u64 key = (u64{high} << 32) | low;
  if (const auto it = concats_.find(key); it != concats_.end()) return it->second;
  const ExprId result = find_concat(high, low);
  concats_.emplace(key, result);
  return result;
}

ExprId Expressions::find_concat(ExprId high, ExprId low) {
  const ExprNode& h = nodes_[high];
  const ExprNode& l = nodes_[low];
  const bool high_select = h.kind == ExprKind::kSelect, low_select = l.kind == ExprKind::kSelect;
  if (high_select && low_select && operands(high)[0] == operands(low)[0]) {
    const ExprId c = operands(high)[0];
    const ExprId h1 = operands(high)[1], h2 = operands(high)[2];
    const ExprId l1 = operands(low)[1], l2 = operands(low)[2];
    const ExprId if_true = concat(h1, l1), if_false = concat(h2, l2);
    return select(c, if_true, if_false);
  }
  if (low_select && !high_select) {
    const ExprId c = operands(low)[0], l1 = operands(low)[1], l2 = operands(low)[2];
    const ExprId if_true = concat(high, l1), if_false = concat(high, l2);
    return select(c, if_true, if_false);
  }
  const u8 w = static_cast<u8>(h.width + l.width);
  const u32 shift = l.width;
  u64 constant_term = 0;
  Terms terms;
  add_term(w, constant_term, terms, zero_extend(low, w), 1);
  add_term(w, constant_term, terms, zero_extend(high, w), u64{1} << shift);
  return linear(w, constant_term, terms);
}

// ---- Choice and conditions -----------------------------------------------------------------

ExprId Expressions::select(ExprId condition, ExprId if_true, ExprId if_false) {
  if (is_constant(condition)) return nodes_[condition].payload != 0 ? if_true : if_false;
  if (if_true == if_false) return if_true;
  const ExprNode& c = nodes_[condition];
  if (c.kind == ExprKind::kXor &&
      (is_constant(operands(condition)[0], 1) || is_constant(operands(condition)[1], 1)))
    return select(bit_not(condition), if_false, if_true);
  if (width(if_true) == 1) {
    if (is_constant(if_true))
      return nodes_[if_true].payload != 0 ? bit_or(condition, if_false)
                                          : bit_and(bit_not(condition), if_false);
    if (is_constant(if_false))
      return nodes_[if_false].payload != 0 ? bit_or(bit_not(condition), if_true)
                                           : bit_and(condition, if_true);
  }
  // A choice inside a choice on the same condition is already made.
  const auto arm = [&](ExprId id, u32 index) {
    return nodes_[id].kind == ExprKind::kSelect && operands(id)[0] == condition
               ? operands(id)[index]
               : id;
  };
  const ExprId t = arm(if_true, 1), f = arm(if_false, 2);
  if (t != if_true || f != if_false) return select(condition, t, f);
  const ExprId operands[] = {condition, if_true, if_false};
  return intern({.kind = ExprKind::kSelect, .width = width(if_true)}, operands, {});
}

ExprId Expressions::equal(ExprId a, ExprId b) {
  if (a == b) return constant(1, 1);
  if (is_constant(a) && is_constant(b)) return constant(1, 0);
  if (width(a) == 1) return bit_not(bit_xor(a, b));
  return binary(ExprKind::kEqual, std::min(a, b), std::max(a, b), 1);
}

ExprId Expressions::less_unsigned(ExprId a, ExprId b) {
  if (a == b || is_constant(b, 0)) return constant(1, 0);
  if (is_constant(a) && is_constant(b))
    return constant(1, nodes_[a].payload < nodes_[b].payload ? 1 : 0);
  return binary(ExprKind::kLessUnsigned, a, b, 1);
}

ExprId Expressions::less_signed(ExprId a, ExprId b) {
  if (a == b) return constant(1, 0);
  if (is_constant(a) && is_constant(b))
    return constant(
        1, signed_of(nodes_[a].payload, width(a)) < signed_of(nodes_[b].payload, width(b)) ? 1 : 0);
  return binary(ExprKind::kLessSigned, a, b, 1);
}

ExprId Expressions::carry(ExprId a, ExprId b, ExprId carry_in) {
  const u8 w = width(a);
  if (is_constant(a)) std::swap(a, b);
  if (is_false(carry_in) && is_constant(b, 0)) return constant(1, 0);
  if (is_true(carry_in) && is_constant(b, mask_of(w))) return constant(1, 1);
  if (is_constant(a) && is_constant(b) && is_constant(carry_in)) {
    const u128 sum =
        static_cast<u128>(nodes_[a].payload) + nodes_[b].payload + nodes_[carry_in].payload;
    return constant(1, static_cast<u64>(sum >> w));
  }
  const ExprId operands[] = {std::min(a, b), std::max(a, b), carry_in};
  return intern({.kind = ExprKind::kCarry, .width = 1}, operands, {});
}

// ---- Rewriting and printing ----------------------------------------------------------------

bool Expressions::mentions(ExprId id, ExprId what) const {
  if (id < what) return false;  // operands always have smaller ids than their node
  std::vector<ExprId> work = {id};
  std::vector<bool> seen(id + 1, false);
  while (!work.empty()) {
    const ExprId at = work.back();
    work.pop_back();
    if (at == what) return true;
    if (at < what || seen[at]) continue;
    seen[at] = true;
    for (const ExprId operand : operands(at)) work.push_back(operand);
  }
  return false;
}

ExprId Expressions::substitute(ExprId id, ExprId from, ExprId to) {
  std::unordered_map<ExprId, ExprId> done = {{from, to}};
  const auto visit = [&](auto&& self, ExprId at) -> ExprId {
    if (at < from) return at;
    if (const auto it = done.find(at); it != done.end()) return it->second;
    const ExprNode n = nodes_[at];
    std::vector<ExprId> ops(operands(at).begin(), operands(at).end());
    bool changed = false;
    for (ExprId& op : ops) {
      const ExprId replaced = self(self, op);
      changed |= replaced != op;
      op = replaced;
    }
    ExprId result = at;
    if (changed) {
      switch (n.kind) {
        case ExprKind::kSum: {
          u64 constant_term = n.payload;
          Terms terms;
          for (u32 i = 0; i < n.operand_count; ++i)
            add_term(n.width, constant_term, terms, ops[i], coefficients_[n.first_operand + i]);
          result = linear(n.width, constant_term, terms);
          break;
        }
        case ExprKind::kProduct:
          result = mul(ops[0], ops[1]);
          break;
        case ExprKind::kAnd:
          result = bit_and(ops[0], ops[1]);
          break;
        case ExprKind::kOr:
          result = bit_or(ops[0], ops[1]);
          break;
        case ExprKind::kXor:
          result = bit_xor(ops[0], ops[1]);
          break;
        case ExprKind::kShiftLeft:
          result = shift_left(ops[0], ops[1]);
          break;
        case ExprKind::kShiftRight:
          result = shift_right(ops[0], ops[1]);
          break;
        case ExprKind::kShiftRightSigned:
          result = shift_right_signed(ops[0], ops[1]);
          break;
        case ExprKind::kDivide:
          result = divide(ops[0], ops[1]);
          break;
        case ExprKind::kRemainder:
          result = remainder(ops[0], ops[1]);
          break;
        case ExprKind::kMinUnsigned:
          result = min_unsigned(ops[0], ops[1]);
          break;
        case ExprKind::kMaxUnsigned:
          result = max_unsigned(ops[0], ops[1]);
          break;
        case ExprKind::kMinSigned:
          result = min_signed(ops[0], ops[1]);
          break;
        case ExprKind::kMaxSigned:
          result = max_signed(ops[0], ops[1]);
          break;
        case ExprKind::kZeroExtend:
          result = zero_extend(ops[0], n.width);
          break;
        case ExprKind::kSignExtend:
          result = sign_extend(ops[0], n.width);
          break;
        case ExprKind::kExtract:
          result = extract(ops[0], static_cast<u32>(n.payload), n.width);
          break;
        case ExprKind::kSelect:
          result = select(ops[0], ops[1], ops[2]);
          break;
        case ExprKind::kEqual:
          result = equal(ops[0], ops[1]);
          break;
        case ExprKind::kLessUnsigned:
          result = less_unsigned(ops[0], ops[1]);
          break;
        case ExprKind::kLessSigned:
          result = less_signed(ops[0], ops[1]);
          break;
        case ExprKind::kCarry:
          result = carry(ops[0], ops[1], ops[2]);
          break;
        default:
          break;  // leaves have no operands
      }
    }
    done.emplace(at, result);
    return result;
  };
  return visit(visit, id);
}

std::string Expressions::to_string(ExprId id) const {
  if (id == kNoExpr) return "?";
  const ExprNode& n = nodes_[id];
  const auto text = [&](u32 i) { return to_string(operands_[n.first_operand + i]); };
  const auto infix = [&](const char* op) {
    return fmt::format("({} {} {})", text(0), op, text(1));
  };
  constexpr const char* kAxes = "xyz";
  switch (n.kind) {
    case ExprKind::kConstant:
      return n.payload < 4096 ? fmt::format("{}", n.payload) : fmt::format("{:#x}", n.payload);
    case ExprKind::kLaunchConstant:
      return fmt::format("c[{:#x}]:{}", n.payload, n.width);
    case ExprKind::kSymbolAddress:
      return fmt::format("&symbol{}", n.payload);
    case ExprKind::kThreadIndex:
      return fmt::format("threadIdx.{}", kAxes[n.payload]);
    case ExprKind::kBlockIndex:
      return fmt::format("blockIdx.{}", kAxes[n.payload]);
    case ExprKind::kIteration:
      return fmt::format("iteration{}", n.payload);
    case ExprKind::kOpaque:
      return fmt::format("unknown{}{}", n.payload, n.nondeterministic ? "!" : "");
    case ExprKind::kSum: {
      std::string out = "(";
      for (u32 i = 0; i < n.operand_count; ++i) {
        const i64 c = signed_of(coefficients_[n.first_operand + i], n.width);
        if (i != 0)
          out += c < 0 ? " - " : " + ";
        else if (c < 0)
          out += "-";
        const u64 size = c < 0 ? 0 - static_cast<u64>(c) : static_cast<u64>(c);
        if (size != 1) out += fmt::format("{}*", size);
        out += text(i);
      }
      const i64 c = signed_of(n.payload, n.width);
      if (c != 0)
        out += fmt::format(" {} {}", c < 0 ? '-' : '+',
                           c < 0 ? 0 - static_cast<u64>(c) : static_cast<u64>(c));
      return out + ")";
    }
    case ExprKind::kProduct:
      return infix("*");
    case ExprKind::kAnd:
      return infix("&");
    case ExprKind::kOr:
      return infix("|");
    case ExprKind::kXor:
      if (n.width == 1 && is_constant(operands_[n.first_operand], 1))
        return fmt::format("!{}", text(1));
      if (n.width == 1 && is_constant(operands_[n.first_operand + 1], 1))
        return fmt::format("!{}", text(0));
      return infix("^");
    case ExprKind::kShiftLeft:
      return infix("<<");
    case ExprKind::kShiftRight:
      return infix(">>");
    case ExprKind::kShiftRightSigned:
      return infix(">>s");
    case ExprKind::kDivide:
      return infix("/");
    case ExprKind::kRemainder:
      return infix("%");
    case ExprKind::kMinUnsigned:
      return fmt::format("umin({}, {})", text(0), text(1));
    case ExprKind::kMaxUnsigned:
      return fmt::format("umax({}, {})", text(0), text(1));
    case ExprKind::kMinSigned:
      return fmt::format("min({}, {})", text(0), text(1));
    case ExprKind::kMaxSigned:
      return fmt::format("max({}, {})", text(0), text(1));
    case ExprKind::kZeroExtend:
      return fmt::format("u{}({})", n.width, text(0));
    case ExprKind::kSignExtend:
      return fmt::format("s{}({})", n.width, text(0));
    case ExprKind::kExtract:
      return fmt::format("{}[{}:{}]", text(0), n.payload, n.payload + n.width);
    case ExprKind::kSelect:
      return fmt::format("({} ? {} : {})", text(0), text(1), text(2));
    case ExprKind::kEqual:
      return infix("==");
    case ExprKind::kLessUnsigned:
      return infix("<u");
    case ExprKind::kLessSigned:
      return infix("<");
    case ExprKind::kCarry:
      return fmt::format("carry({}, {}, {})", text(0), text(1), text(2));
  }
  return "?";
}

}  // namespace picker::analysis
