// Affine forms over bounded integer variables, and inequalities between them.
//
// A form is an integer  c + sum a_i * v_i  over mathematical integers: no wrap. How it relates to
// machine values is the evaluator's business (evaluate.hpp): a form of width w is *congruent* to a
// machine value modulo 2^w, and becomes equal to it once its range is known to lie in one window
// of 2^w consecutive integers.
//
// Coefficients fit 64 bits, constants and ranges 128; every operation that could leave these
// limits says so, and the caller then gives up precision, never correctness.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "support/checked.hpp"
#include "support/types.hpp"
#include "validate/budget.hpp"

namespace picker::validate {

using VariableId = u32;

// Inclusive integer interval. Empty when lo > hi.
struct Interval {
  i128 lo = 0;
  i128 hi = 0;

  [[nodiscard]] bool empty() const { return lo > hi; }
  [[nodiscard]] bool single() const { return lo == hi; }
  [[nodiscard]] bool within(const Interval& outer) const {
    return lo >= outer.lo && hi <= outer.hi;
  }
};

inline constexpr i128 kUnbounded = static_cast<i128>(1) << 126;
inline constexpr Interval kEverything = {-kUnbounded, kUnbounded};

[[nodiscard]] inline i128 power_of_two(u32 exponent) { return static_cast<i128>(1) << exponent; }
[[nodiscard]] inline i128 floor_divide(i128 a, i128 b) {       // b > 0
  if (a == static_cast<i64>(a) && b == static_cast<i64>(b)) {  // many times faster
    const i64 q = static_cast<i64>(a) / static_cast<i64>(b);
    return (static_cast<i64>(a) % static_cast<i64>(b) != 0 && a < 0) ? q - 1 : q;
  }
  const i128 q = a / b;
  return (a % b != 0 && a < 0) ? q - 1 : q;
}
[[nodiscard]] inline i128 ceil_divide(i128 a, i128 b) { return -floor_divide(-a, b); }  // b > 0
[[nodiscard]] inline i128 positive_remainder(i128 a, i128 b) { return a - floor_divide(a, b) * b; }
[[nodiscard]] i128 greatest_common_divisor(i128 a, i128 b);  // not negative; gcd(0, 0) = 0

// The representative of `value` modulo 2^width in [-2^(width-1), 2^(width-1)); width 1 to 64.
[[nodiscard]] inline i64 centre(u64 value, u32 width) {
  if (width >= 64) return static_cast<i64>(value);
  const u64 mask = (u64{1} << width) - 1;
  value &= mask;
  if ((value >> (width - 1)) != 0) value |= ~mask;
  return static_cast<i64>(value);
}
[[nodiscard]] inline i128 centre_wide(i128 value, u32 width) {
  return centre(static_cast<u64>(static_cast<u128>(value)), width);
}
[[nodiscard]] inline Interval unsigned_window(u32 width) { return {0, power_of_two(width) - 1}; }
[[nodiscard]] inline Interval signed_window(u32 width) {
  return {-power_of_two(width - 1), power_of_two(width - 1) - 1};
}

struct Term {
  VariableId variable = 0;
  i64 coefficient = 0;  // not zero
};

// A value type without heap memory; terms are sorted by variable.
class Form {
 public:
  Form() = default;
  explicit Form(i128 constant) : constant_(constant) {}
  static Form of_variable(VariableId variable) {
    Form form;
    form.terms_[0] = {variable, 1};
    form.count_ = 1;
    return form;
  }

  [[nodiscard]] i128 constant() const { return constant_; }
  void set_constant(i128 value) { constant_ = value; }
  [[nodiscard]] std::span<const Term> terms() const { return {terms_.data(), count_}; }
  [[nodiscard]] bool is_constant() const { return count_ == 0; }
  [[nodiscard]] i64 coefficient(VariableId variable) const;
  [[nodiscard]] bool same_terms(const Form& other) const;
  [[nodiscard]] bool operator==(const Form& other) const {
    return constant_ == other.constant_ && same_terms(other);
  }

  // this += factor * other over the integers; false (and an unspecified value) when a limit is hit.
  [[nodiscard]] bool add_scaled(const Form& other, i64 factor);
  [[nodiscard]] bool scale(i64 factor);
  // The same modulo 2^width, with all coefficients and the constant centred; false only when there
  // are too many terms.
  [[nodiscard]] bool add_scaled_modulo(const Form& other, u64 factor, u32 width);
  // Centres coefficients and constant: the result is congruent modulo 2^width.
  void reduce(u32 width);
  void remove_variable(VariableId variable);
  [[nodiscard]] bool append(VariableId variable, i64 coefficient);  // `variable` above all others

  // Whether constant and coefficients are all multiples of 2^exponent.
  [[nodiscard]] bool divisible_by_power_of_two(u32 exponent) const;

 private:
  template <typename Combine>
  bool merge(const Form& other, Combine combine);

  i128 constant_ = 0;
  u32 count_ = 0;
  std::array<Term, kMaxTerms> terms_;
};

// a - b, or nothing at a limit.
[[nodiscard]] std::optional<Form> difference(const Form& a, const Form& b);

// The interval of a form whose variable i lies in ranges[i]; kEverything when 128 bits overflow.
[[nodiscard]] Interval hull(const Form& form, std::span<const Interval> ranges);

// A set of inequalities `form <= 0` that hold for every assignment of interest.
class Constraints {
 public:
  void clear() { forms_.clear(); }
  [[nodiscard]] std::span<const Form> forms() const { return forms_; }
  [[nodiscard]] size_t size() const { return forms_.size(); }
  void truncate(size_t size) { forms_.resize(size); }
  // Adds `form <= 0`; says whether that is news. Dropped silently when there are too many.
  bool add(const Form& form);

 private:
  std::vector<Form> forms_;
};

// The tightest interval found for `form` with the ranges and the inequalities. Greedy: an
// inequality that shares a variable is scaled and subtracted so that the variable drops out, up to
// kEliminationSteps times. Each bound is sound on its own; nothing is claimed about optimality.
// Cost: steps * inequalities * terms^2.
[[nodiscard]] Interval bound(const Form& form, std::span<const Interval> ranges,
                             const Constraints& constraints);

// Tightens `ranges` with the inequalities until nothing changes or the budget is spent. False when
// a range became empty: no assignment exists.
[[nodiscard]] bool propagate(std::span<Interval> ranges, const Constraints& constraints,
                             bool& changed);

}  // namespace picker::validate
