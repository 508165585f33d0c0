// Abstract evaluation: what a machine value can be, for all threads and iterations of a launch.
//
// Machine arithmetic wraps, addresses do not want to. The evaluator keeps the two apart. Every
// expression node of width w is evaluated into an affine form over bounded integer variables (a
// thread or block index, an iteration number, or a *node variable* for what is not affine) that is
// merely **congruent** to the node's value modulo 2^w. Addition, subtraction, multiplication by a
// constant, shifts to the left and taking low bits preserve congruence, whatever wraps inside, so
// they need no check and lose nothing: x - 1 + 1 is x.
//
// Where an *integer* is demanded (extension to more bits, comparison, shift to the right, division,
// minimum, masks, and the address itself) the form is brought into the window of that demand, the
// unsigned one [0, 2^w) or the signed one [-2^(w-1), 2^(w-1)): if the range of the form lies inside
// a single translate of the window by k * 2^w, then subtracting k * 2^w gives exactly the integer.
// If not, the affine form is given up for a node variable: the integer that this node denotes in
// this window, in the window's range. A node variable is determined by (node, role, variant), the
// role being the window; so equal nodes still cancel, and a comparison that bounds the node bounds
// the variable.
//
// All evaluation happens inside a *piece*: a set of variable ranges together with inequalities that
// hold for every (thread, iteration) of interest. Conditions assumed true become inequalities
// (`assume`), inequalities tighten ranges (form.hpp), and a further round of evaluation profits
// from both. Everything claimed inside a piece is claimed for assignments that meet its conditions
// and for no others.
//
// Variants. A loop's continue condition held in the *previous* iteration. Variant v > 0 evaluates a
// node with the iteration number of one loop lowered by one; nodes that do not mention that loop
// have the same value in every variant.
//
// Cost: every node once per piece and round, a few tens of nanoseconds each.
// From: Presburger-style bound reasoning with windows as in value-range analyses for machine
// integers (e.g. Simon and King, "Taming the wrapping of integer arithmetic", SAS 2007).
#pragma once

#include <array>
#include <vector>

#include "analysis/summary.hpp"
#include "support/types.hpp"
#include "validate/form.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

enum class VariableKind : u8 { kThread, kBlock, kIteration, kNode };

// Which integer of its node a node variable stands for.
enum class Role : u8 {
  kUnsigned,          // the value in [0, 2^w)
  kSigned,            // the value in [-2^(w-1), 2^(w-1))
  kUnsignedQuotient,  // kAnd with a mask of upper bits: the unsigned operand >> trailing zeros
  kSignedQuotient,    // the same of the signed operand
};
inline constexpr u32 kRoles = 4;

struct VariableKey {
  VariableKind kind = VariableKind::kNode;
  Role role = Role::kUnsigned;
  u8 variant = 0;
  u32 payload = 0;  // axis, loop or node
};

using Variant = u8;
inline constexpr u32 kVariants = kMaxSplitLoops + 1;

// Refers to the summary, which must outlive it. Not thread-safe.
class Evaluator {
 public:
  explicit Evaluator(const analysis::Summary& summary);

  // A new launch; the launch must stay alive while it is evaluated. Resets the budget.
  void begin_launch(const Launch& launch);
  // A new piece: no inequalities; iteration numbers range over what set_iteration said last.
  void begin_piece();
  // Iteration numbers of `loop` from the next begin_piece on.
  void set_iteration(analysis::LoopId loop, Interval range) { iterations_[loop] = range; }
  [[nodiscard]] Interval iteration(analysis::LoopId loop) const { return iterations_[loop]; }
  // A variant that evaluates in the previous iteration of `loop`; 0 when there is none left.
  Variant add_variant(analysis::LoopId loop);
  // Evaluates again from now on, under the inequalities collected so far.
  void next_round() { ++round_; }

  // Congruent modulo 2^width.
  [[nodiscard]] Form value(analysis::ExprId id, Variant variant = 0);
  // Equal to the value read as an unsigned or signed integer.
  [[nodiscard]] Form unsigned_value(analysis::ExprId id, Variant variant = 0);
  [[nodiscard]] Form signed_value(analysis::ExprId id, Variant variant = 0);
  // `form`, congruent modulo 2^width, translated into the window; nothing if it spans two windows.
  [[nodiscard]] std::optional<Form> into_window(const Form& form, u32 width, bool is_signed) const;

  // The piece is about assignments for which `condition` is (not) true.
  void assume(analysis::ExprId condition, bool holds, Variant variant = 0);
  void assume(const Form& at_most_zero);
  // Lets inequalities tighten the ranges; afterwards `contradiction()` is up to date.
  void propagate();
  // No assignment meets what was assumed.
  [[nodiscard]] bool contradiction() const { return contradiction_; }
  // Whether anything was learnt since the last call.
  [[nodiscard]] bool take_news() {
    const bool news = news_;
    news_ = false;
    return news;
  }

  [[nodiscard]] Interval bound(const Form& form) const {
    steps_ += constraints_.size();
    if (out_of_budget()) return hull(form, ranges_);
    return validate::bound(form, ranges_, constraints_);
  }
  [[nodiscard]] const Constraints& constraints() const { return constraints_; }
  [[nodiscard]] std::span<const Interval> ranges() const { return ranges_; }
  [[nodiscard]] const VariableKey& key(VariableId variable) const { return keys_[variable]; }
  // The variable of an axis or loop in this piece.
  [[nodiscard]] VariableId thread_variable(u32 axis) const { return axis; }
  [[nodiscard]] VariableId block_variable(u32 axis) const { return 3 + axis; }
  [[nodiscard]] VariableId iteration_variable(analysis::LoopId loop) const { return 6 + loop; }
  // A node variable by key; it is created in its role's full range when this piece lacks it.
  [[nodiscard]] VariableId node_variable(const VariableKey& key);

  // The loops whose iteration number `id` mentions, as a bit set.
  [[nodiscard]] u64 mentioned_loops(analysis::ExprId id) const { return mentioned_loops_[id]; }
  // Whether `id` mentions a symbol that this launch does not place.
  [[nodiscard]] bool mentions_unplaced_symbol(analysis::ExprId id) const {
    return (mentioned_symbols_[id] & unplaced_symbols_) != 0;
  }
  [[nodiscard]] bool out_of_budget() const { return steps_ > kNodeBudget; }

 private:
  struct Memo {
    u32 round = 0;
    u32 form = 0;
  };
  struct Fresh {
    u32 piece = 0;
    VariableId variable = 0;
  };

  [[nodiscard]] Variant effective(analysis::ExprId id, Variant variant) const {
    return variant != 0 && (mentioned_loops_[id] >> variant_loop_[variant] & 1) != 0 ? variant
                                                                                     : Variant{0};
  }
  [[nodiscard]] const Form* known(analysis::ExprId id, Variant variant) const;
  Form compute(analysis::ExprId id, Variant variant);
  Form compute_product(analysis::ExprId id, Variant variant);
  Form compute_and(analysis::ExprId id, Variant variant);
  Form mask_with(analysis::ExprId id, Variant variant, analysis::ExprId operand, u64 mask);
  Form compute_or(analysis::ExprId id, Variant variant, bool exclusive);
  Form compute_condition_connective(analysis::ExprId id, Variant variant);
  Form compute_shift_left(analysis::ExprId id, Variant variant);
  Form compute_shift_right(analysis::ExprId id, Variant variant, bool arithmetic);
  Form compute_divide(analysis::ExprId id, Variant variant);
  Form compute_remainder(analysis::ExprId id, Variant variant);
  Form compute_extremum(analysis::ExprId id, Variant variant, bool is_signed, bool maximum);
  Form compute_extract(analysis::ExprId id, Variant variant);
  Form compute_select(analysis::ExprId id, Variant variant);
  Form compute_equal(analysis::ExprId id, Variant variant);
  Form compute_less(analysis::ExprId id, Variant variant, bool is_signed);
  Form compute_carry(analysis::ExprId id, Variant variant);

  // The node variable of this role, in `range` at most.
  Form fresh(analysis::ExprId id, Role role, Variant variant, Interval range);
  Form fresh_unsigned(analysis::ExprId id, Variant variant);
  // For a node congruent to an integer in `range`: a node variable of the role that keeps most.
  Form fresh_congruent(analysis::ExprId id, Variant variant, Interval range);
  Form fresh_condition(analysis::ExprId id, Variant variant) {
    return fresh(id, Role::kUnsigned, variant, {0, 1});
  }
  VariableId variable_of(analysis::ExprId id, Role role, Variant variant);
  void restrict(VariableId variable, Interval range);
  // Adds inequalities that hold everywhere in this piece, as long as there is room for conditions.
  void add_fact(const std::optional<Form>& at_most_zero);
  // quotient = floor(form / divisor): divisor * quotient <= form < divisor * (quotient + 1).
  void add_quotient_facts(const Form& quotient, const Form& form, i128 divisor);
  // floor(form / divisor) as a form, where that is exact.
  [[nodiscard]] std::optional<Form> divide_exactly(const Form& form, i128 divisor) const;

  // Inequalities that follow from `condition` being (not) true. With `commit` also fixes the
  // condition's own node variables.
  void collect(analysis::ExprId condition, bool holds, Variant variant, bool commit, u32 depth,
               std::vector<Form>& out);
  void collect_less(analysis::ExprId condition, bool holds, Variant variant, bool is_signed,
                    std::vector<Form>& out);
  void collect_equal(analysis::ExprId condition, bool holds, Variant variant,
                     std::vector<Form>& out);

  const analysis::Summary& summary_;
  const analysis::Expressions& expressions_;
  const Launch* launch_ = nullptr;
  std::vector<u64> mentioned_loops_;
  std::vector<u64> mentioned_symbols_;
  u64 unplaced_symbols_ = 0;

  std::vector<Interval> iterations_;  // per loop
  std::array<analysis::LoopId, kVariants> variant_loop_{};
  u32 variants_ = 1;

  std::vector<VariableKey> keys_;
  std::vector<Interval> ranges_;
  Constraints constraints_;
  Constraints scratch_constraints_;
  bool contradiction_ = false;
  bool news_ = false;

  u32 piece_ = 0;
  u32 round_ = 0;
  std::vector<Memo> memo_;    // variant * nodes + node
  std::vector<Fresh> fresh_;  // (variant * nodes + node) * kRoles + role
  std::vector<Form> pool_;
  std::vector<analysis::ExprId> stack_;
  mutable u64 steps_ = 0;
};

}  // namespace picker::validate
