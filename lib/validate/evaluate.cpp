// The evaluator's frame: variables, windows, memory of results. The operations themselves are in
// evaluate_operations.cpp, conditions in evaluate_conditions.cpp.
#include "validate/evaluate.hpp"

#include <algorithm>
#include <limits>

namespace picker::validate {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::ExprNode;
using analysis::LoopId;

Evaluator::Evaluator(const analysis::Summary& summary)
    : summary_(summary), expressions_(summary.expressions) {
  const u32 nodes = expressions_.size();
  mentioned_loops_.resize(nodes);
  mentioned_symbols_.resize(nodes);
  // Operands are made before the nodes that use them, so one pass in order suffices.
  for (ExprId id = 0; id < nodes; ++id) {
    const ExprNode& node = expressions_.node(id);
    u64 loops = 0;
    u64 symbols = 0;
    if (node.kind == ExprKind::kIteration) loops = u64{1} << (node.payload & 63);
    if (node.kind == ExprKind::kSymbolAddress) symbols = u64{1} << std::min<u64>(node.payload, 63);
    for (const ExprId operand : expressions_.operands(id)) {
      loops |= mentioned_loops_[operand];
      symbols |= mentioned_symbols_[operand];
    }
    mentioned_loops_[id] = loops;
    mentioned_symbols_[id] = symbols;
  }
  iterations_.resize(std::max<size_t>(summary.loops.size(), analysis::kMaxLoops));
  memo_.resize(static_cast<size_t>(nodes) * kVariants);
  fresh_.resize(static_cast<size_t>(nodes) * kVariants * kRoles);
}

void Evaluator::begin_launch(const Launch& launch) {
  launch_ = &launch;
  steps_ = 0;
  if (round_ > 0x7fffffff) {  // before the stamps can come round again
    std::fill(memo_.begin(), memo_.end(), Memo{});
    std::fill(fresh_.begin(), fresh_.end(), Fresh{});
    round_ = 0;
    piece_ = 0;
  }
  unplaced_symbols_ = 0;
  const u64 symbols = std::max<u64>(summary_.symbols.size(), 64);
  for (u64 number = 0; number < symbols; ++number)
    if (!launch.symbol(number)) unplaced_symbols_ |= u64{1} << std::min<u64>(number, 63);
}

void Evaluator::begin_piece() {
  ++piece_;
  ++round_;
  variants_ = 1;
  keys_.clear();
  ranges_.clear();
  constraints_.clear();
  pool_.clear();
  contradiction_ = false;
  news_ = false;
  for (u32 axis = 0; axis < 3; ++axis) {
    keys_.push_back({VariableKind::kThread, Role::kUnsigned, 0, axis});
    ranges_.push_back({0, static_cast<i128>(launch_->block[axis]) - 1});
  }
  for (u32 axis = 0; axis < 3; ++axis) {
    keys_.push_back({VariableKind::kBlock, Role::kUnsigned, 0, axis});
    ranges_.push_back({0, static_cast<i128>(launch_->grid[axis]) - 1});
  }
  for (LoopId loop = 0; loop < summary_.loops.size(); ++loop) {
    keys_.push_back({VariableKind::kIteration, Role::kUnsigned, 0, loop});
    ranges_.push_back(iterations_[loop]);
  }
  for (const Interval& range : ranges_) contradiction_ |= range.empty();
}

Variant Evaluator::add_variant(LoopId loop) {
  if (variants_ >= kVariants) return 0;
  variant_loop_[variants_] = loop;
  return static_cast<Variant>(variants_++);
}

const Form* Evaluator::known(ExprId id, Variant variant) const {
  const Memo& memo = memo_[static_cast<size_t>(effective(id, variant)) * expressions_.size() + id];
  return memo.round == round_ ? &pool_[memo.form] : nullptr;
}

Form Evaluator::value(ExprId id, Variant variant) {
  if (const Form* form = known(id, variant)) return *form;
  // An explicit stack: chains of sums and selects may be thousands of nodes deep. The stack may be
  // in use further out, so this call works above what it found there.
  const size_t base = stack_.size();
  stack_.push_back(id);
  while (stack_.size() > base) {
    const ExprId top = stack_.back();
    if (known(top, variant) != nullptr) {
      stack_.pop_back();
      continue;
    }
    bool ready = true;
    for (const ExprId operand : expressions_.operands(top)) {
      if (known(operand, variant) != nullptr) continue;
      stack_.push_back(operand);
      ready = false;
    }
    if (!ready) continue;
    stack_.pop_back();
    const Variant own = effective(top, variant);
    const Form form = compute(top, own);
    memo_[static_cast<size_t>(own) * expressions_.size() + top] = {round_,
                                                                   static_cast<u32>(pool_.size())};
    pool_.push_back(form);
  }
  return *known(id, variant);
}

std::optional<Form> Evaluator::into_window(const Form& form, u32 width, bool is_signed) const {
  const i128 size = power_of_two(width);
  const i128 start = is_signed ? -power_of_two(width - 1) : 0;
  const auto translated = [&](const Interval& range) -> std::optional<Form> {
    if (range.lo <= -kUnbounded || range.hi >= kUnbounded) return std::nullopt;
    const i128 k = floor_divide(range.lo - start, size);
    if (range.hi >= start + (k + 1) * size) return std::nullopt;
    Form result = form;
    result.set_constant(form.constant() - k * size);
    return result;
  };
  if (std::optional<Form> result = translated(hull(form, ranges_))) return result;
  if (constraints_.size() == 0 || form.is_constant()) return std::nullopt;
  const Interval tight = bound(form);
  if (tight.empty()) return std::nullopt;
  return translated(tight);
}

Form Evaluator::unsigned_value(ExprId id, Variant variant) {
  if (const std::optional<Form> form =
          into_window(value(id, variant), expressions_.width(id), false))
    return *form;
  return fresh_unsigned(id, variant);
}

Form Evaluator::signed_value(ExprId id, Variant variant) {
  const u32 width = expressions_.width(id);
  if (const std::optional<Form> form = into_window(value(id, variant), width, true)) return *form;
  return fresh(id, Role::kSigned, variant, signed_window(width));
}

VariableId Evaluator::variable_of(ExprId id, Role role, Variant variant) {
  const Variant own = effective(id, variant);
  Fresh& entry = fresh_[(static_cast<size_t>(own) * expressions_.size() + id) * kRoles +
                        static_cast<u32>(role)];
  if (entry.piece == piece_) return entry.variable;
  entry = {piece_, static_cast<VariableId>(ranges_.size())};
  keys_.push_back({VariableKind::kNode, role, own, id});
  const u32 width = expressions_.width(id);
  const bool is_signed = role == Role::kSigned || role == Role::kSignedQuotient;
  ranges_.push_back(is_signed ? signed_window(width) : unsigned_window(width));
  return entry.variable;
}

VariableId Evaluator::node_variable(const VariableKey& key) {
  return variable_of(key.payload, key.role, key.variant);
}

void Evaluator::restrict(VariableId variable, Interval range) {
  Interval& present = ranges_[variable];
  if (range.lo > present.lo) present.lo = range.lo, news_ = true;
  if (range.hi < present.hi) present.hi = range.hi, news_ = true;
  if (present.empty()) contradiction_ = true;
}

Form Evaluator::fresh(ExprId id, Role role, Variant variant, Interval range) {
  const VariableId variable = variable_of(id, role, variant);
  restrict(variable, range);
  if (role == Role::kUnsigned || role == Role::kSigned) {
    // The two windows agree on what they share; elsewhere they differ by 2^width.
    const Role other = role == Role::kUnsigned ? Role::kSigned : Role::kUnsigned;
    const Fresh& entry =
        fresh_[(static_cast<size_t>(effective(id, variant)) * expressions_.size() + id) * kRoles +
               static_cast<u32>(other)];
    if (entry.piece == piece_) {
      const Interval seen = ranges_[entry.variable];
      const u32 width = expressions_.width(id);
      const i128 size = power_of_two(width);
      const i128 half = power_of_two(width - 1);
      if (role == Role::kUnsigned) {
        if (seen.lo >= 0)
          restrict(variable, seen);
        else if (seen.hi < 0)
          restrict(variable, {seen.lo + size, seen.hi + size});
      } else {
        if (seen.hi < half)
          restrict(variable, seen);
        else if (seen.lo >= half)
          restrict(variable, {seen.lo - size, seen.hi - size});
      }
    }
  }
  const Interval& final_range = ranges_[variable];
  if (final_range.empty() || final_range.single()) return Form(final_range.lo);
  return Form::of_variable(variable);
}

Form Evaluator::fresh_unsigned(ExprId id, Variant variant) {
  return fresh(id, Role::kUnsigned, variant, unsigned_window(expressions_.width(id)));
}

Form Evaluator::fresh_congruent(ExprId id, Variant variant, Interval range) {
  const u32 width = expressions_.width(id);
  const i128 size = power_of_two(width);
  if (range.empty() || range.lo <= -kUnbounded || range.hi >= kUnbounded)
    return fresh_unsigned(id, variant);
  const i128 k = floor_divide(range.lo, size);
  if (range.hi < (k + 1) * size)
    return fresh(id, Role::kUnsigned, variant, {range.lo - k * size, range.hi - k * size});
  const i128 half = power_of_two(width - 1);
  const i128 j = floor_divide(range.lo + half, size);
  if (range.hi < (j + 1) * size - half)
    return fresh(id, Role::kSigned, variant, {range.lo - j * size, range.hi - j * size});
  return fresh_unsigned(id, variant);
}

void Evaluator::add_fact(const std::optional<Form>& at_most_zero) {
  if (at_most_zero && constraints_.size() < kMaxFacts) news_ |= constraints_.add(*at_most_zero);
}

// With these, x - d * q is known to be a remainder even where q is computed by a multiplication
// with a magic number and a shift.
void Evaluator::add_quotient_facts(const Form& quotient, const Form& form, i128 divisor) {
  if (quotient.is_constant() || divisor > std::numeric_limits<i64>::max()) return;
  Form product = quotient;
  if (!product.scale(static_cast<i64>(divisor))) return;
  add_fact(difference(product, form));
  std::optional<Form> above = difference(form, product);
  if (above) above->set_constant(above->constant() - (divisor - 1));
  add_fact(above);
}

std::optional<Form> Evaluator::divide_exactly(const Form& form, i128 divisor) const {
  Form quotient(floor_divide(form.constant(), divisor));
  Form rest(positive_remainder(form.constant(), divisor));
  for (const Term& term : form.terms()) {
    const bool divisible = term.coefficient % divisor == 0;
    Form& target = divisible ? quotient : rest;
    const i64 coefficient =
        divisible ? static_cast<i64>(term.coefficient / divisor) : term.coefficient;
    if (!target.append(term.variable, coefficient)) return std::nullopt;
  }
  const Interval range = bound(rest);
  if (range.empty() || range.lo <= -kUnbounded || range.hi >= kUnbounded) return std::nullopt;
  const i128 extra = floor_divide(range.lo, divisor);
  if (extra != floor_divide(range.hi, divisor)) return std::nullopt;
  quotient.set_constant(quotient.constant() + extra);
  return quotient;
}

}  // namespace picker::validate
