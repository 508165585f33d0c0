#include "validate/loops.hpp"

#include <algorithm>
#include <limits>

namespace picker::validate {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::ExprNode;
using analysis::LoopId;

namespace {

// "Never wraps" is what a 64-bit iteration number promises; no kernel lives to see the end.
constexpr Interval kAnyIteration = {0, std::numeric_limits<i64>::max()};

bool holds_bit(u64 bits, LoopId loop) { return loop < 64 && (bits >> loop & 1) != 0; }

}  // namespace

TripCounts::TripCounts(const analysis::Summary& summary) : summary_(summary) {
  const size_t count = summary.loops.size();
  usable_.resize(count);
  counts_.resize(count);
  std::vector<u64> enclosing(count, 0);
  std::vector<bool> placed(count, false);
  // Repeated passes place a loop once its parent is placed; a parent that never comes (a broken
  // summary) leaves the loop out, and so unbounded.
  for (bool moved = true; moved;) {
    moved = false;
    for (LoopId loop = 0; loop < count; ++loop) {
      if (placed[loop]) continue;
      const LoopId parent = summary.loops[loop].parent;
      if (parent != std::numeric_limits<u32>::max()) {
        if (parent >= count || !placed[parent]) continue;
        enclosing[loop] = enclosing[parent];
      }
      if (loop < 64) enclosing[loop] |= u64{1} << loop;
      placed[loop] = true;
      order_.push_back(loop);
      moved = true;
    }
  }
  // A condition about an iteration of this loop can be used in the next iteration if it depends on
  // the loop through its iteration number only, and on no loop that is not around this one.
  std::vector<u64> mentioned(summary.expressions.size(), 0);
  for (ExprId id = 0; id < mentioned.size(); ++id) {
    const ExprNode& node = summary.expressions.node(id);
    if (node.kind == ExprKind::kIteration) mentioned[id] = u64{1} << (node.payload & 63);
    for (const ExprId operand : summary.expressions.operands(id))
      mentioned[id] |= mentioned[operand];
  }
  for (const LoopId loop : order_) {
    std::vector<ExprId> work(summary.loops[loop].continues);
    for (u32 steps = 0; !work.empty() && steps < 1000; ++steps) {
      const ExprId id = work.back();
      work.pop_back();
      const ExprNode& node = summary.expressions.node(id);
      if (node.kind == ExprKind::kAnd && node.width == 1) {
        for (const ExprId operand : summary.expressions.operands(id)) work.push_back(operand);
      } else if (!holds_bit(node.loops, loop) && (mentioned[id] & ~enclosing[loop]) == 0) {
        usable_[loop].push_back(id);
      }
    }
  }
}

void TripCounts::compute(Evaluator& evaluator) {
  for (LoopId loop = 0; loop < counts_.size(); ++loop) {
    counts_[loop].iterations = kAnyIteration;
    counts_[loop].known = false;
    counts_[loop].from_second.clear();
    evaluator.set_iteration(loop, kAnyIteration);
  }
  for (const LoopId loop : order_) {
    compute_loop(evaluator, loop);
    evaluator.set_iteration(loop, counts_[loop].iterations);
  }
}

void TripCounts::compute_loop(Evaluator& evaluator, LoopId loop) {
  evaluator.begin_piece();
  for (const ExprId condition : usable_[loop]) consider(evaluator, loop, condition, true, 0);
}

void TripCounts::consider(Evaluator& evaluator, LoopId loop, ExprId condition, bool holds,
                          u32 depth) {
  if (depth > kConditionDepth) return;
  const Form known = evaluator.unsigned_value(condition);
  if (known.is_constant() && (known.constant() != 0) != holds) {
    // It holds in no iteration at all.
    limit(evaluator, loop, 0, nullptr);
    return;
  }
  const ExprNode& node = summary_.expressions.node(condition);
  const auto operands = summary_.expressions.operands(condition);
  switch (node.kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr:
      if (holds == (node.kind == ExprKind::kAnd))
        for (const ExprId operand : operands) consider(evaluator, loop, operand, holds, depth + 1);
      return;
    case ExprKind::kXor:
      for (u32 i = 0; i < 2 && operands.size() == 2; ++i)
        if (summary_.expressions.is_constant(operands[i]))
          consider(evaluator, loop, operands[1 - i],
                   holds ^ (summary_.expressions.node(operands[i]).payload != 0), depth + 1);
      return;
    case ExprKind::kLessUnsigned:
    case ExprKind::kLessSigned: {
      const bool is_signed = node.kind == ExprKind::kLessSigned;
      if (holds)
        consider_less(evaluator, loop, operands[0], operands[1], true, is_signed);
      else
        consider_less(evaluator, loop, operands[1], operands[0], false, is_signed);
      return;
    }
    case ExprKind::kEqual:
      consider_equal(evaluator, loop, operands[0], operands[1], holds);
      return;
    default:
      return;
  }
}

bool TripCounts::independent(const Evaluator& evaluator, LoopId loop, const Form& form) const {
  for (const Term& term : form.terms()) {
    const VariableKey& key = evaluator.key(term.variable);
    if (key.kind == VariableKind::kIteration && key.payload == loop) return false;
    if (key.kind != VariableKind::kNode) continue;
    if (key.variant != 0 || holds_bit(evaluator.mentioned_loops(key.payload), loop) ||
        holds_bit(summary_.expressions.node(key.payload).loops, loop))
      return false;
  }
  return true;
}

// low + strict <= high, in the window of `is_signed`.
void TripCounts::consider_less(Evaluator& evaluator, LoopId loop, ExprId low, ExprId high,
                               bool strict, bool is_signed) {
  const analysis::Expressions& expressions = summary_.expressions;
  const VariableId iteration = evaluator.iteration_variable(loop);
  const auto integer = [&](ExprId id, bool as_signed) {
    return as_signed ? evaluator.signed_value(id) : evaluator.unsigned_value(id);
  };
  // Which side moves? The mask knows before any window is lost.
  const bool low_moves = holds_bit(evaluator.mentioned_loops(low), loop);
  const bool high_moves = holds_bit(evaluator.mentioned_loops(high), loop);
  if (low_moves == high_moves) return;
  ExprId moving = low_moves ? low : high;
  const ExprId fixed = low_moves ? high : low;
  const Form limit_form = integer(fixed, is_signed);
  if (!independent(evaluator, loop, limit_form)) return;
  const Interval limits = evaluator.bound(limit_form);
  if (limits.empty()) return;
  for (;;) {
    const ExprNode& node = expressions.node(moving);
    const bool zero = node.kind == ExprKind::kZeroExtend;
    if (!zero && (node.kind != ExprKind::kSignExtend || !is_signed)) break;
    const ExprId inner = expressions.operands(moving)[0];
    const u32 width = expressions.width(inner);
    if (!limits.within(zero ? unsigned_window(width) : signed_window(width))) break;
    moving = inner;
    is_signed = !zero;
  }
  const u32 width = expressions.width(moving);
  const Interval window = is_signed ? signed_window(width) : unsigned_window(width);
  Form start = evaluator.value(moving);
  const i64 step = start.coefficient(iteration);
  start.remove_variable(iteration);
  if (step == 0 || (step > 0) != low_moves || !independent(evaluator, loop, start)) return;
  const std::optional<Form> start_integer = evaluator.into_window(start, width, is_signed);
  if (!start_integer) return;
  const i128 margin = strict ? 1 : 0;
  // The last value that can still pass, and one step further, must not wrap.
  if (low_moves ? limits.hi - margin + step > window.hi : limits.lo + margin + step < window.lo)
    return;
  // slack = high - low - margin at iteration 0; it shrinks by |step| each time.
  std::optional<Form> slack =
      low_moves ? difference(limit_form, *start_integer) : difference(*start_integer, limit_form);
  if (!slack) return;
  slack->set_constant(slack->constant() - margin);
  const i128 most = evaluator.bound(*slack).hi;
  if (most >= kUnbounded) return;
  const i128 distance = step < 0 ? -static_cast<i128>(step) : step;
  const i128 last = most < 0 ? 0 : floor_divide(most, distance) + 1;
  // Per thread: slack - |step| * (iteration - 1) >= 0.
  Form inequality = *slack;
  if (distance <= std::numeric_limits<i64>::max() && inequality.scale(-1)) {
    Form part = Form::of_variable(iteration);
    part.set_constant(-1);
    if (inequality.add_scaled(part, static_cast<i64>(distance))) {
      limit(evaluator, loop, last, &inequality);
      return;
    }
  }
  limit(evaluator, loop, last, nullptr);
}

void TripCounts::consider_equal(Evaluator& evaluator, LoopId loop, ExprId a, ExprId b, bool holds) {
  const u32 width = summary_.expressions.width(a);
  const VariableId iteration = evaluator.iteration_variable(loop);
  Form gap = evaluator.value(a);
  if (!gap.add_scaled_modulo(evaluator.value(b), ~u64{0}, width)) return;
  const i64 step = gap.coefficient(iteration);
  gap.remove_variable(iteration);
  if (step == 0 || !independent(evaluator, loop, gap)) return;
  if (holds) {
    limit(evaluator, loop, 1, nullptr);
    return;
  }
  // gap + step * k = 0 modulo 2^width at k = distance / |step|, distance = -gap or gap.
  Form distance = gap;
  if (step > 0 && !distance.scale(-1)) return;
  const i128 stride = step < 0 ? -static_cast<i128>(step) : step;
  const Interval range = evaluator.bound(distance);
  if (range.empty() || range.lo <= -kUnbounded || range.hi >= kUnbounded) return;
  const i128 size = power_of_two(width);
  const i128 shift = -floor_divide(range.lo, size) * size;
  distance.set_constant(distance.constant() + shift);
  if (distance.constant() % stride != 0) return;
  for (const Term& term : distance.terms())
    if (term.coefficient % stride != 0) return;
  const i128 last = floor_divide(range.hi + shift, stride);
  Form inequality = distance;
  if (stride <= std::numeric_limits<i64>::max() && inequality.scale(-1) &&
      inequality.add_scaled(Form::of_variable(iteration), static_cast<i64>(stride)))
    limit(evaluator, loop, last, &inequality);
  else
    limit(evaluator, loop, last, nullptr);
}

void TripCounts::limit(Evaluator& evaluator, LoopId loop, i128 last, const Form* inequality) {
  TripCount& count = counts_[loop];
  count.known = true;
  count.iterations.hi = std::min(count.iterations.hi, std::max<i128>(last, 0));
  if (inequality == nullptr) return;
  PortableInequality portable;
  portable.constant = inequality->constant();
  for (const Term& term : inequality->terms())
    portable.parts.push_back({evaluator.key(term.variable), term.coefficient});
  count.from_second.push_back(std::move(portable));
}

std::optional<Form> in_piece(const PortableInequality& inequality, Evaluator& evaluator) {
  Form form(inequality.constant);
  for (const PortableInequality::Part& part : inequality.parts) {
    VariableId variable = 0;
    switch (part.key.kind) {
      case VariableKind::kThread:
        variable = evaluator.thread_variable(part.key.payload);
        break;
      case VariableKind::kBlock:
        variable = evaluator.block_variable(part.key.payload);
        break;
      case VariableKind::kIteration:
        variable = evaluator.iteration_variable(part.key.payload);
        break;
      case VariableKind::kNode:
        variable = evaluator.node_variable(part.key);
        break;
    }
    if (!form.add_scaled(Form::of_variable(variable), part.coefficient)) return std::nullopt;
  }
  return form;
}

}  // namespace picker::validate
