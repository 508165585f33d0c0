// Exchanges between the lanes of a warp, for concrete domains. Only lanes that execute the
// instruction take part.
//
// Source: PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync".
#pragma once

#include "semantics/concrete.hpp"
#include "semantics/integer.hpp"

namespace picker::semantics {

// SHFL: lanes form segments by the mask in bits 8-12 of C; a source beyond the clamp in bits 0-4
// leaves the lane its own value and a false predicate. What a lane reads from one that does not
// take part is undefined: here, whatever its register holds.
template <ConcreteDomain D>
bool shuffle(D& d, const Instruction& in) {
  const Operand *a = in.find(Role::kA), *b = in.find(Role::kB), *c = in.find(Role::kC);
  const std::optional<Value> mode = in.modifier(Field::kShuffleMode);
  if (a == nullptr || b == nullptr || c == nullptr || !mode) return false;
  const Lanes<u32> x = read_raw_word(d, *a), which = read_raw_word(d, *b);
  const Lanes<u32> control = read_raw_word(d, *c);
  Lanes<u32> out;
  u32 inside_bits = 0;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 by = which[lane] & 31, clamp = control[lane] & 31, mask = control[lane] >> 8 & 31;
    const u32 lowest = lane & mask, highest = lowest | (clamp & ~mask);
    u32 from = 0;
    bool inside = false;
    switch (*mode) {
      case Value::kUP:
        from = lane - by;
        inside = static_cast<i32>(from) >= static_cast<i32>(highest);
        break;
      case Value::kDOWN:
        from = lane + by;
        inside = from <= highest;
        break;
      case Value::kBFLY:
        from = lane ^ by;
        inside = from <= highest;
        break;
      case Value::kIDX:
        from = lowest | (by & ~mask);
        inside = from <= highest;
        break;
      default:
        return false;
    }
    out[lane] = x[inside ? from & 31 : lane];
    inside_bits |= static_cast<u32>(inside ? 1 : 0) << lane;
  }
  write_word(d, *in.find(Role::kDst), out);
  write_flag(d, in.find(Role::kPDst), typename D::Flag{inside_bits});
  return true;
}

// VOTE, VOTEU: the ballot, and whether all (any) agree.
template <ConcreteDomain D>
bool vote(D& d, const Instruction& in) {
  const std::optional<Value> mode = in.modifier(Field::kVoteMode);
  const LaneMask p = read_flag(d, in.find(Role::kPSrc));
  const u32 here = d.executing().bits;
  const u32 ballot = p.bits & here;
  bool result = false;
  if (!mode) return false;
  switch (*mode) {
    case Value::kALL:
      result = ballot == here;
      break;
    case Value::kANY:
      result = ballot != 0;
      break;
    case Value::kEQ:
      result = ballot == here || ballot == 0;
      break;
    default:
      return false;
  }
  if (const Operand* dst = in.find(Role::kDst)) write_word(d, *dst, d.word(ballot));
  write_flag(d, in.find(Role::kPDst), d.flag(result));
  return true;
}

// MATCH: which lanes hold the same value.
template <ConcreteDomain D>
bool match(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  const std::optional<Value> mode = in.modifier(Field::kVoteMode);
  if (a == nullptr || !mode || (*mode != Value::kALL && *mode != Value::kANY)) return false;
  const Lanes<u64> x = in.has(Field::kType, Value::kU64)
                           ? read_wide(d, *a)
                           : map_lanes<u64>([](u32 w) { return u64{w}; }, read_raw_word(d, *a));
  const u32 here = d.executing().bits;
  Lanes<u32> out;
  bool all = true;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    u32 same = 0;
    for (u32 other = 0; other < kWarpSize; ++other)
      if ((here >> other & 1) != 0 && x[other] == x[lane]) same |= u32{1} << other;
    out[lane] = same;
    if ((here >> lane & 1) != 0) all = all && same == here;
  }
  if (*mode == Value::kALL) {
    out = d.word(all ? here : 0);
    write_flag(d, in.find(Role::kPDst), d.flag(all));
  }
  write_word(d, *in.find(Role::kDst), out);
  return true;
}

// REDUX, CREDUX: one value from all lanes, in a uniform register.
template <ConcreteDomain D>
bool reduce(D& d, const Instruction& in) {
  const Operand* a = in.find(Role::kA);
  const std::optional<Value> operation = in.modifier(Field::kAtomicOp);
  if (a == nullptr || !operation) return false;
  const bool is_signed = in.has(Field::kType, Value::kS32);
  const Lanes<u32> x = read_raw_word(d, *a);
  const u32 here = d.executing().bits;
  std::optional<u32> total;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if ((here >> lane & 1) == 0) continue;
    const u32 v = x[lane];
    if (!total) {
      total = v;
      continue;
    }
    const bool less = is_signed ? static_cast<i32>(v) < static_cast<i32>(*total) : v < *total;
    switch (*operation) {
      case Value::kAND:
        total = *total & v;
        break;
      case Value::kOR:
        total = *total | v;
        break;
      case Value::kXOR:
        total = *total ^ v;
        break;
      case Value::kSUM:
        total = *total + v;
        break;
      case Value::kMIN:
        if (less) total = v;
        break;
      case Value::kMAX:
        if (!less) total = v;
        break;
      default:
        return false;
    }
  }
  if (total) write_word(d, *in.find(Role::kDst), d.word(*total));
  return true;
}

// ELECT: one lane of those that execute it, here the first, is the leader.
template <ConcreteDomain D>
bool elect(D& d, const Instruction& in) {
  const Operand* p = in.find(Role::kPSrc);
  const u32 here = d.executing().bits;
  if (here == 0 || (p != nullptr && (p->reg != sass::kPT || p->invert))) return false;
  const u32 leader = static_cast<u32>(__builtin_ctz(here));
  write_word(d, *in.find(Role::kDst), d.word(leader));
  write_flag(d, in.find(Role::kPDst), LaneMask{u32{1} << leader});
  return true;
}

// Whichever exchange `in` is; false: none that is modelled.
template <ConcreteDomain D>
bool exchange(D& d, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::kSHFL:
      return shuffle(d, in);
    case Opcode::kVOTE:
    case Opcode::kVOTEU:
      return vote(d, in);
    case Opcode::kMATCH:
      return match(d, in);
    case Opcode::kREDUX:
    case Opcode::kCREDUX:
      return reduce(d, in);
    case Opcode::kELECT:
      return elect(d, in);
    default:
      return false;
  }
}

}  // namespace picker::semantics
