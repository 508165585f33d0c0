#include "validate/witness_search.hpp"

#include <algorithm>

namespace picker::validate {

using analysis::AccessSite;
using analysis::ExprId;
using analysis::LoopId;

bool WitnessSearch::touches(const AccessPiece& piece, u64 byte) {
  site_ = piece.site;
  byte_ = byte;
  const std::optional<Form> address = footprints_.revisit(piece.site, piece.part);
  if (!address || evaluator_.contradiction()) return false;
  ranges_.assign(evaluator_.ranges().begin(), evaluator_.ranges().end());
  keys_.clear();
  for (VariableId v = 0; v < ranges_.size(); ++v) keys_.push_back(evaluator_.key(v));
  std::vector<Term> terms(address->terms().begin(), address->terms().end());
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    const auto size = [](i64 c) { return c < 0 ? 0 - static_cast<u64>(c) : static_cast<u64>(c); };
    return size(a.coefficient) > size(b.coefficient);
  });
  steps_ = 0;
  for (const Term& term : terms) {  // sums of these must fit 128 bits below
    const Interval& range = ranges_[term.variable];
    const i128 limit = power_of_two(120);
    if (range.lo < -power_of_two(65) || range.hi > power_of_two(65)) return false;
    const std::optional<i128> lo = checked_mul<i128>(term.coefficient, range.lo);
    const std::optional<i128> hi = checked_mul<i128>(term.coefficient, range.hi);
    if (!lo || !hi || *lo < -limit || *lo > limit || *hi < -limit || *hi > limit) return false;
  }
  for (u32 before = 0; before < piece.size; ++before) {
    // Variables that the address does not mention: their least values, then their greatest.
    for (const bool high : {false, true}) {
      values_.resize(ranges_.size());
      for (VariableId v = 0; v < ranges_.size(); ++v)
        values_[v] = high ? ranges_[v].hi : ranges_[v].lo;
      if (solve(terms, static_cast<i128>(byte) - before - address->constant())) return true;
    }
  }
  return enumerate();
}

bool WitnessSearch::solve(std::span<const Term> terms, i128 remaining) {
  if (++steps_ > kWitnessSolverSteps) return false;
  if (terms.empty()) return remaining == 0 && confirm();
  const Term term = terms.front();
  Interval rest = {0, 0};
  for (const Term& later : terms.subspan(1)) {
    const Interval& range = ranges_[later.variable];
    const i128 coefficient = later.coefficient;
    rest.lo += coefficient * (coefficient > 0 ? range.lo : range.hi);
    rest.hi += coefficient * (coefficient > 0 ? range.hi : range.lo);
  }
  const Interval& range = ranges_[term.variable];
  // remaining - coefficient * v must be within `rest`.
  const i128 coefficient = term.coefficient;
  const i128 size = coefficient > 0 ? coefficient : -coefficient;
  const i128 low = remaining - rest.hi;
  const i128 high = remaining - rest.lo;
  const Interval fitting = coefficient > 0
                               ? Interval{ceil_divide(low, size), floor_divide(high, size)}
                               : Interval{ceil_divide(-high, size), floor_divide(-low, size)};
  const i128 first = std::max(range.lo, fitting.lo);
  const i128 last = std::min(range.hi, fitting.hi);
  for (i128 v = first; v <= last && steps_ <= kWitnessSolverSteps; ++v) {
    values_[term.variable] = v;
    if (solve(terms.subspan(1), remaining - coefficient * v)) return true;
  }
  return false;
}

bool WitnessSearch::confirm() {
  moment_.iterations.assign(summary_.loops.size(), 0);
  for (VariableId v = 0; v < values_.size(); ++v) {
    const VariableKey& key = keys_[v];
    if (values_[v] < 0) continue;
    if (key.kind == VariableKind::kThread)
      moment_.thread[key.payload] = static_cast<u32>(values_[v]);
    if (key.kind == VariableKind::kBlock) moment_.block[key.payload] = static_cast<u32>(values_[v]);
    if (key.kind == VariableKind::kIteration)
      moment_.iterations[key.payload] = static_cast<u64>(values_[v]);
  }
  concrete_.set(launch_, moment_);
  const AccessSite& site = summary_.sites[site_];
  const std::optional<u64> address = concrete_.value(site.address);
  if (!address || *address > byte_ || byte_ - *address >= site.size) return false;
  for (const ExprId condition : site.conditions) {
    const std::optional<u64> truth = concrete_.value(condition);
    if (!truth || *truth == 0) return false;
  }
  return witness_.executes(site_, moment_.block, moment_.thread, *address, byte_);
}

bool WitnessSearch::enumerate() {
  // Digits: thread axes, block axes, iterations; the first turns fastest.
  std::vector<VariableId> digits = {0, 1, 2, 3, 4, 5};
  for (const LoopId loop : summary_.sites[site_].loops)
    if (loop < summary_.loops.size()) digits.push_back(evaluator_.iteration_variable(loop));
  for (const VariableId v : digits) values_[v] = ranges_[v].lo;
  for (;;) {
    if (++enumerated_ > kWitnessEnumeration) return false;
    if (confirm()) return true;
    size_t i = 0;
    for (; i < digits.size(); ++i) {
      i128& value = values_[digits[i]];
      if (value < ranges_[digits[i]].hi) {
        ++value;
        break;
      }
      value = ranges_[digits[i]].lo;
    }
    if (i == digits.size()) return false;
  }
}

}  // namespace picker::validate
