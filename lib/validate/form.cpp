#include "validate/form.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace picker::validate {
namespace {

constexpr i64 kMinCoefficient = std::numeric_limits<i64>::min();

bool usable(i128 value) { return value > -kUnbounded && value < kUnbounded; }

std::optional<i64> narrow(i128 value) {
  if (value < std::numeric_limits<i64>::min() || value > std::numeric_limits<i64>::max())
    return std::nullopt;
  return static_cast<i64>(value);
}

// One greedy bound: an upper bound of `form`.
i128 upper_bound(const Form& form, std::span<const Interval> ranges,
                 const Constraints& constraints) {
  i128 best = hull(form, ranges).hi;
  Form current = form;
  i128 scale = 1;  // `current` bounds scale * form
  i128 current_bound = best;
  for (u32 step = 0; step < kEliminationSteps; ++step) {
    bool found = false;
    Form next;
    i128 next_scale = 1;
    i128 next_bound = 0;
    for (const Form& constraint : constraints.forms()) {
      for (const Term& term : constraint.terms()) {
        const i64 mine = current.coefficient(term.variable);
        if (mine == 0 || (mine > 0) != (term.coefficient > 0)) continue;
        // scaled * form <= scaled * form - factor * constraint, because constraint <= 0.
        const i128 g = greatest_common_divisor(mine, term.coefficient);
        const i128 factor = (mine < 0 ? -static_cast<i128>(mine) : mine) / g;
        const i128 scaled =
            (term.coefficient < 0 ? -static_cast<i128>(term.coefficient) : term.coefficient) / g;
        const std::optional<i64> narrow_factor = narrow(-factor);
        const std::optional<i64> narrow_scaled = narrow(scaled);
        if (!narrow_factor || !narrow_scaled || scaled > kUnbounded / scale) continue;
        Form candidate = current;
        if (!candidate.scale(*narrow_scaled) || !candidate.add_scaled(constraint, *narrow_factor))
          continue;
        const i128 total = scale * scaled;
        const i128 hi = hull(candidate, ranges).hi;
        if (!usable(hi)) continue;
        const i128 value = floor_divide(hi, total);
        if (!found || value < next_bound) {
          found = true;
          next = candidate;
          next_scale = total;
          next_bound = value;
        }
      }
    }
    if (!found || next_bound > current_bound) break;
    const bool progress = next_bound < current_bound;
    current = next;
    scale = next_scale;
    current_bound = next_bound;
    best = std::min(best, next_bound);
    if (!progress && step > 0) break;
  }
  return best;
}

}  // namespace

i128 greatest_common_divisor(i128 a, i128 b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  if (a == static_cast<i64>(a) && b == static_cast<i64>(b))
    return std::gcd(static_cast<u64>(a), static_cast<u64>(b));
  while (b != 0) {
    const i128 r = a % b;
    a = b;
    b = r;
  }
  return a;
}

i64 Form::coefficient(VariableId variable) const {
  for (const Term& term : terms())
    if (term.variable == variable) return term.coefficient;
  return 0;
}

bool Form::same_terms(const Form& other) const {
  if (count_ != other.count_) return false;
  for (u32 i = 0; i < count_; ++i)
    if (terms_[i].variable != other.terms_[i].variable ||
        terms_[i].coefficient != other.terms_[i].coefficient)
      return false;
  return true;
}

template <typename Combine>
bool Form::merge(const Form& other, Combine combine) {
  std::array<Term, kMaxTerms> merged;
  u32 count = 0;
  u32 i = 0;
  u32 j = 0;
  while (i < count_ || j < other.count_) {
    const bool take_mine =
        i < count_ && (j >= other.count_ || terms_[i].variable <= other.terms_[j].variable);
    const bool take_other =
        j < other.count_ && (i >= count_ || other.terms_[j].variable <= terms_[i].variable);
    const VariableId variable = take_mine ? terms_[i].variable : other.terms_[j].variable;
    const i64 mine = take_mine ? terms_[i++].coefficient : 0;
    const i64 theirs = take_other ? other.terms_[j++].coefficient : 0;
    const std::optional<i64> sum = combine(mine, theirs);
    if (!sum) return false;
    if (*sum == 0) continue;
    if (count == kMaxTerms) return false;
    merged[count++] = {variable, *sum};
  }
  count_ = count;
  std::copy_n(merged.begin(), count, terms_.begin());
  return true;
}

bool Form::add_scaled(const Form& other, i64 factor) {
  const std::optional<i128> product = checked_mul<i128>(other.constant_, factor);
  if (!product) return false;
  const std::optional<i128> sum = checked_add<i128>(constant_, *product);
  if (!sum || !usable(*sum)) return false;
  constant_ = *sum;
  return merge(other, [factor](i64 mine, i64 theirs) -> std::optional<i64> {
    const std::optional<i64> scaled = checked_mul<i64>(theirs, factor);
    if (!scaled) return std::nullopt;
    const std::optional<i64> total = checked_add<i64>(mine, *scaled);
    // Keeping the most negative number out lets every coefficient be negated.
    if (!total || *total == kMinCoefficient) return std::nullopt;
    return total;
  });
}

bool Form::scale(i64 factor) {
  if (factor == 0) {
    *this = Form();
    return true;
  }
  const std::optional<i128> product = checked_mul<i128>(constant_, factor);
  if (!product || !usable(*product)) return false;
  constant_ = *product;
  for (u32 i = 0; i < count_; ++i) {
    const std::optional<i64> scaled = checked_mul<i64>(terms_[i].coefficient, factor);
    if (!scaled || *scaled == kMinCoefficient) return false;
    terms_[i].coefficient = *scaled;
  }
  return true;
}

bool Form::add_scaled_modulo(const Form& other, u64 factor, u32 width) {
  const auto low = [](i128 value) { return static_cast<u64>(static_cast<u128>(value)); };
  constant_ = centre(low(constant_) + low(other.constant_) * factor, width);
  return merge(other, [factor, width](i64 mine, i64 theirs) -> std::optional<i64> {
    return centre(static_cast<u64>(mine) + static_cast<u64>(theirs) * factor, width);
  });
}

void Form::reduce(u32 width) {
  constant_ = centre_wide(constant_, width);
  u32 kept = 0;
  for (u32 i = 0; i < count_; ++i) {
    const i64 reduced = centre(static_cast<u64>(terms_[i].coefficient), width);
    if (reduced != 0) terms_[kept++] = {terms_[i].variable, reduced};
  }
  count_ = kept;
}

void Form::remove_variable(VariableId variable) {
  u32 kept = 0;
  for (u32 i = 0; i < count_; ++i)
    if (terms_[i].variable != variable) terms_[kept++] = terms_[i];
  count_ = kept;
}

bool Form::append(VariableId variable, i64 coefficient) {
  if (coefficient == 0) return true;
  if (count_ == kMaxTerms) return false;
  assert(count_ == 0 || terms_[count_ - 1].variable < variable);
  terms_[count_++] = {variable, coefficient};
  return true;
}

bool Form::divisible_by_power_of_two(u32 exponent) const {
  const i128 divisor = power_of_two(exponent);
  if (constant_ % divisor != 0) return false;
  return std::all_of(terms_.begin(), terms_.begin() + count_,
                     [divisor](const Term& term) { return term.coefficient % divisor == 0; });
}

std::optional<Form> difference(const Form& a, const Form& b) {
  Form result = a;
  if (!result.add_scaled(b, -1)) return std::nullopt;
  return result;
}

Interval hull(const Form& form, std::span<const Interval> ranges) {
  i128 lo = form.constant();
  i128 hi = lo;
  bool overflow = false;
  for (const Term& term : form.terms()) {
    const Interval& range = ranges[term.variable];
    const i128 coefficient = term.coefficient;
    i128 at_lo;
    i128 at_hi;
    overflow |= __builtin_mul_overflow(coefficient, range.lo, &at_lo);
    overflow |= __builtin_mul_overflow(coefficient, range.hi, &at_hi);
    if (coefficient < 0) std::swap(at_lo, at_hi);
    overflow |= __builtin_add_overflow(lo, at_lo, &lo);
    overflow |= __builtin_add_overflow(hi, at_hi, &hi);
  }
  if (overflow || !usable(lo) || !usable(hi)) return kEverything;
  return {lo, hi};
}

bool Constraints::add(const Form& form) {
  if (form.is_constant() && form.constant() <= 0) return false;
  for (Form& present : forms_) {
    if (!present.same_terms(form)) continue;
    if (form.constant() <= present.constant()) return false;
    present.set_constant(form.constant());
    return true;
  }
  if (forms_.size() >= kMaxConstraints) return false;
  forms_.push_back(form);
  return true;
}

Interval bound(const Form& form, std::span<const Interval> ranges, const Constraints& constraints) {
  const Interval plain = hull(form, ranges);
  if (constraints.size() == 0 || form.is_constant()) return plain;
  Interval result = plain;
  result.hi = upper_bound(form, ranges, constraints);
  Form negated = form;
  if (negated.scale(-1))
    result.lo = std::max(result.lo, -upper_bound(negated, ranges, constraints));
  return result;
}

bool propagate(std::span<Interval> ranges, const Constraints& constraints, bool& changed) {
  for (u32 sweep = 0; sweep < kPropagationSweeps; ++sweep) {
    bool moved = false;
    for (const Form& form : constraints.forms()) {
      const Interval all = hull(form, ranges);
      if (form.is_constant()) {
        if (form.constant() > 0) return false;
        continue;
      }
      if (!usable(all.lo)) continue;  // no finite lower bound of the rest
      if (all.lo > 0) return false;
      for (const Term& term : form.terms()) {
        Interval& range = ranges[term.variable];
        const i128 coefficient = term.coefficient;
        // coefficient * v <= -(lower bound of everything else)
        const i128 own = coefficient * (coefficient > 0 ? range.lo : range.hi);
        const i128 room = own - all.lo;
        if (coefficient > 0) {
          const i128 hi = floor_divide(room, coefficient);
          if (hi < range.hi) range.hi = hi, moved = true;
        } else {
          const i128 lo = ceil_divide(-room, -coefficient);
          if (lo > range.lo) range.lo = lo, moved = true;
        }
        if (range.empty()) return false;
      }
    }
    if (!moved) break;
    changed = true;
  }
  return true;
}

}  // namespace picker::validate
