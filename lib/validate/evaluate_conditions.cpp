// From conditions to inequalities between affine forms.
//
// A comparison that is known to hold (or not) is a linear inequality between the integers that it
// compares. Connectives are followed as far as they determine their operands: all operands of a
// conjunction that holds, all of a disjunction that does not, and the last open operand of the
// others. What is left over says nothing, which is always allowed.
#include <algorithm>

#include "validate/evaluate.hpp"

namespace picker::validate {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::ExprNode;

void Evaluator::assume(ExprId condition, bool holds, Variant variant) {
  std::vector<Form> implied;
  collect(condition, holds, variant, true, 0, implied);
  for (const Form& form : implied) assume(form);
}

void Evaluator::assume(const Form& at_most_zero) {
  if (at_most_zero.is_constant()) {
    if (at_most_zero.constant() > 0) contradiction_ = true;
    return;
  }
  news_ |= constraints_.add(at_most_zero);
}

void Evaluator::propagate() {
  bool changed = false;
  if (!validate::propagate(ranges_, constraints_, changed)) contradiction_ = true;
  news_ |= changed;
}

void Evaluator::collect(ExprId condition, bool holds, Variant variant, bool commit, u32 depth,
                        std::vector<Form>& out) {
  if (depth > kConditionDepth || expressions_.width(condition) != 1) return;
  const ExprNode& node = expressions_.node(condition);
  const auto operands = expressions_.operands(condition);
  const Form known = unsigned_value(condition, variant);
  if (known.is_constant()) {
    if ((known.constant() != 0) != holds) {
      if (commit) contradiction_ = true;
      out.push_back(Form(1));  // 1 <= 0: this cannot be
      return;
    }
  } else if (commit) {
    (void)fresh(condition, Role::kUnsigned, variant, {holds ? 1 : 0, holds ? 1 : 0});
  }
  const auto truth = [&](ExprId operand) -> std::optional<bool> {
    const Form form = unsigned_value(operand, variant);
    if (!form.is_constant()) return std::nullopt;
    return form.constant() != 0;
  };
  switch (node.kind) {
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const bool is_and = node.kind == ExprKind::kAnd;
      if (holds == is_and) {
        for (const ExprId operand : operands)
          collect(operand, holds, variant, commit, depth + 1, out);
        return;
      }
      // The connective has the value that a single operand can force. If all operands but one are
      // known not to force it, that one does.
      ExprId open = analysis::kNoExpr;
      for (const ExprId operand : operands) {
        const std::optional<bool> operand_truth = truth(operand);
        if (operand_truth && *operand_truth != holds) continue;
        if (open != analysis::kNoExpr) return;
        open = operand;
      }
      if (open != analysis::kNoExpr) collect(open, holds, variant, commit, depth + 1, out);
      return;
    }
    case ExprKind::kXor: {
      // Constants turn the condition around; of two open operands one must be known.
      bool parity = holds;
      std::array<ExprId, 2> open{};
      u32 count = 0;
      for (const ExprId operand : operands) {
        if (expressions_.is_constant(operand)) {
          parity ^= expressions_.node(operand).payload != 0;
        } else {
          if (count == open.size()) return;
          open[count++] = operand;
        }
      }
      if (count == 1) {
        collect(open[0], parity, variant, commit, depth + 1, out);
      } else if (count == 2) {
        if (const std::optional<bool> other = truth(open[1]))
          collect(open[0], parity ^ *other, variant, commit, depth + 1, out);
        if (const std::optional<bool> other = truth(open[0]))
          collect(open[1], parity ^ *other, variant, commit, depth + 1, out);
      }
      return;
    }
    case ExprKind::kSelect: {
      const std::optional<bool> if_true = truth(operands[1]);
      const std::optional<bool> if_false = truth(operands[2]);
      if (if_true && *if_true != holds) {
        collect(operands[0], false, variant, commit, depth + 1, out);
        collect(operands[2], holds, variant, commit, depth + 1, out);
      } else if (if_false && *if_false != holds) {
        collect(operands[0], true, variant, commit, depth + 1, out);
        collect(operands[1], holds, variant, commit, depth + 1, out);
      }
      return;
    }
    case ExprKind::kEqual:
      collect_equal(condition, holds, variant, out);
      return;
    case ExprKind::kLessUnsigned:
      collect_less(condition, holds, variant, false, out);
      return;
    case ExprKind::kLessSigned:
      collect_less(condition, holds, variant, true, out);
      return;
    case ExprKind::kExtract: {
      // The top bit: the sign.
      if (node.payload + 1 != expressions_.width(operands[0])) return;
      Form form = signed_value(operands[0], variant);
      if (holds) {
        form.set_constant(form.constant() + 1);  // x <= -1
        out.push_back(form);
      } else if (form.scale(-1)) {  // x >= 0
        out.push_back(form);
      }
      return;
    }
    default:
      return;
  }
}

void Evaluator::collect_less(ExprId condition, bool holds, Variant variant, bool is_signed,
                             std::vector<Form>& out) {
  // Holds: a < b. Does not hold: b <= a. Both as  low + strict <= high.
  const ExprId low_id = expressions_.operands(condition)[holds ? 0 : 1];
  const ExprId high_id = expressions_.operands(condition)[holds ? 1 : 0];
  const i128 strict = holds ? 1 : 0;
  const auto at_most = [&](const Form& low, const Form& high) {
    if (std::optional<Form> form = difference(low, high)) {
      form->set_constant(form->constant() + strict);
      out.push_back(*form);
    }
  };
  const Form high = is_signed ? signed_value(high_id, variant) : unsigned_value(high_id, variant);
  if (!is_signed) {
    const u32 width = expressions_.width(low_id);
    const Form low = value(low_id, variant);
    if (!into_window(low, width, false)) {
      // (x - a) <u b: if a negative x - a wraps to something too large to pass, then x - a is not
      // negative, and is its own unsigned value.
      const Interval range = bound(low);
      const i128 size = power_of_two(width);
      if (range.lo > -size && range.hi < size && range.lo + size + strict > bound(high).hi) {
        Form negated = low;
        if (negated.scale(-1)) out.push_back(negated);
        at_most(low, high);
        return;
      }
    }
  }
  const Form low = is_signed ? signed_value(low_id, variant) : unsigned_value(low_id, variant);
  at_most(low, high);
}

void Evaluator::collect_equal(ExprId condition, bool holds, Variant variant,
                              std::vector<Form>& out) {
  const ExprId a = expressions_.operands(condition)[0];
  const ExprId b = expressions_.operands(condition)[1];
  const u32 width = expressions_.width(a);
  if (width == 1) return;
  Form gap = value(a, variant);
  if (!gap.add_scaled_modulo(value(b, variant), ~u64{0}, width)) return;
  const Interval range = bound(gap);
  if (range.empty() || range.lo <= -kUnbounded || range.hi >= kUnbounded) return;
  const i128 size = power_of_two(width);
  const i128 first = ceil_divide(range.lo, size) * size;
  const i128 last = floor_divide(range.hi, size) * size;
  // gap <= value and gap >= value
  const auto at_most = [&](i128 value) {
    Form form = gap;
    form.set_constant(form.constant() - value);
    out.push_back(form);
  };
  const auto at_least = [&](i128 value) {
    Form form = gap;
    if (!form.scale(-1)) return;
    form.set_constant(form.constant() + value);
    out.push_back(form);
  };
  if (holds) {
    if (first > last) {
      out.push_back(Form(1));
    } else if (first == last) {
      at_most(first);
      at_least(first);
    }
    return;
  }
  // Not equal moves a bound only where equality would be at the bound.
  if (first <= last && first == range.lo) at_least(range.lo + 1);
  if (first <= last && last == range.hi) at_most(range.hi - 1);
}

}  // namespace picker::validate
