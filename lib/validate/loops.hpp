// Trip counts: how often a loop can run with the arguments of one launch.
//
// Iteration k+1 of a loop begins only if each of its continue conditions held in iteration k. A
// condition is useful when one of the compared values is affine in the iteration number,
// x(k) = x0 + s * k modulo 2^w with s a number, and the other side n does not change with k.
//
//   x < n, s > 0.  Let x0 lie in the comparison's window. As long as the condition holds,
//     x(k) <= n - 1, so x(k+1) <= n - 1 + s. If that is still inside the window for the largest n,
//     the sequence cannot wrap before the condition fails, by induction on k; then x(k) is an
//     integer sequence and k <= (n - 1 - x0) / s whenever iteration k+1 begins. The last iteration
//     number is at most floor((n - 1 - x0) / s) + 1, or 0 if n - 1 - x0 is negative.
//   n < x, s < 0 and "less or equal" (a negated "less"): the same, turned around or shifted by one.
//   x != n.  If (n - x0) / s is an integer k* >= 0 for every thread, for some representative of
//     n - x0 modulo 2^w, then x(k*) = n whatever wraps, and no iteration after k* exists.
//   x == n.  The next x differs (s is not 0 modulo 2^w): at most one more iteration.
//
// Where x only enters through an extension, the comparison is taken at the narrow width if the
// other side fits there. The maximum over all threads is the loop's trip count; the inequality
// per thread is kept as well, since it bounds an address better than the maximum does.
// No bound found: the count is unknown, never guessed.
#pragma once

#include <vector>

#include "analysis/summary.hpp"
#include "validate/evaluate.hpp"

namespace picker::validate {

// An inequality `constant + sum coefficient * variable <= 0` that outlives its piece.
struct PortableInequality {
  struct Part {
    VariableKey key;
    i64 coefficient = 0;
  };
  i128 constant = 0;
  std::vector<Part> parts;
};

struct TripCount {
  // Iteration numbers; when `known` is false the upper end is only what a 64-bit count allows.
  Interval iterations;
  bool known = false;
  // Hold in iterations from 1 on, with the loop's iteration number as it is there.
  std::vector<PortableInequality> from_second;
};

// Refers to the summary. Not thread-safe.
class TripCounts {
 public:
  explicit TripCounts(const analysis::Summary& summary);

  // For the evaluator's launch; leaves the evaluator with these iteration ranges set.
  void compute(Evaluator& evaluator);

  [[nodiscard]] const TripCount& of(analysis::LoopId loop) const { return counts_[loop]; }
  // The loop's continue conditions, conjunctions split, that speak of an iteration in a way that
  // the next one can use.
  [[nodiscard]] const std::vector<analysis::ExprId>& usable(analysis::LoopId loop) const {
    return usable_[loop];
  }

 private:
  void compute_loop(Evaluator& evaluator, analysis::LoopId loop);
  void consider(Evaluator& evaluator, analysis::LoopId loop, analysis::ExprId condition, bool holds,
                u32 depth);
  void consider_less(Evaluator& evaluator, analysis::LoopId loop, analysis::ExprId low,
                     analysis::ExprId high, bool strict, bool is_signed);
  void consider_equal(Evaluator& evaluator, analysis::LoopId loop, analysis::ExprId a,
                      analysis::ExprId b, bool holds);
  void limit(Evaluator& evaluator, analysis::LoopId loop, i128 last, const Form* inequality);
  [[nodiscard]] bool independent(const Evaluator& evaluator, analysis::LoopId loop,
                                 const Form& form) const;

  const analysis::Summary& summary_;
  std::vector<std::vector<analysis::ExprId>> usable_;
  std::vector<analysis::LoopId> order_;  // parents first
  std::vector<TripCount> counts_;
};

// The form of `inequality` in the evaluator's present piece; nothing when it has too many terms.
[[nodiscard]] std::optional<Form> in_piece(const PortableInequality& inequality,
                                           Evaluator& evaluator);

}  // namespace picker::validate
