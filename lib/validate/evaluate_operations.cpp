// What each kind of expression node does to affine forms. See evaluate.hpp for the two notions
// used throughout: `value` is congruent modulo 2^width, `unsigned_value` and `signed_value` are
// integers.
#include <algorithm>
#include <bit>

#include "validate/evaluate.hpp"

namespace picker::validate {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::ExprNode;

namespace {

u64 mask_of(u32 width) { return width >= 64 ? ~u64{0} : (u64{1} << width) - 1; }

u64 residue(i128 value, u32 width) {
  return static_cast<u64>(static_cast<u128>(value)) & mask_of(width);
}

// The least 2^n - 1 that is at least `value`, for a value in [0, 2^64).
i128 all_ones_above(i128 value) {
  return power_of_two(static_cast<u32>(std::bit_width(static_cast<u64>(value)))) - 1;
}

std::optional<Interval> multiply(const Interval& a, const Interval& b) {
  if (a.lo <= -kUnbounded || a.hi >= kUnbounded || b.lo <= -kUnbounded || b.hi >= kUnbounded)
    return std::nullopt;
  const i128 factors[4][2] = {{a.lo, b.lo}, {a.lo, b.hi}, {a.hi, b.lo}, {a.hi, b.hi}};
  Interval result = {kUnbounded, -kUnbounded};
  for (const auto& pair : factors) {
    const std::optional<i128> product = checked_mul<i128>(pair[0], pair[1]);
    if (!product) return std::nullopt;
    result.lo = std::min(result.lo, *product);
    result.hi = std::max(result.hi, *product);
  }
  if (result.lo <= -kUnbounded || result.hi >= kUnbounded) return std::nullopt;
  return result;
}

}  // namespace

Form Evaluator::compute(ExprId id, Variant variant) {
  ++steps_;
  const ExprNode& node = expressions_.node(id);
  const auto operand = [&](u32 i) { return expressions_.operands(id)[i]; };
  switch (node.kind) {
    case ExprKind::kConstant:
      return Form(centre(node.payload, node.width));
    case ExprKind::kLaunchConstant: {
      if (node.width % 8 == 0)
        if (const std::optional<u64> known =
                launch_->constant_bank.read(node.payload, node.width / 8))
          return Form(centre(*known, node.width));
      return fresh_unsigned(id, variant);
    }
    case ExprKind::kSymbolAddress:
      if (const std::optional<u64> address = launch_->symbol(node.payload))
        return Form(centre(*address, node.width));
      return fresh_unsigned(id, variant);
    case ExprKind::kThreadIndex:
    case ExprKind::kBlockIndex: {
      if (node.payload > 2) return fresh_unsigned(id, variant);
      const u32 axis = static_cast<u32>(node.payload);
      const VariableId variable =
          node.kind == ExprKind::kThreadIndex ? thread_variable(axis) : block_variable(axis);
      if (ranges_[variable].single()) return Form(ranges_[variable].lo);
      return Form::of_variable(variable);
    }
    case ExprKind::kIteration: {
      if (node.payload >= summary_.loops.size()) return fresh_unsigned(id, variant);
      const VariableId variable = iteration_variable(static_cast<u32>(node.payload));
      Form form =
          ranges_[variable].single() ? Form(ranges_[variable].lo) : Form::of_variable(variable);
      if (variant != 0) form.set_constant(form.constant() - 1);
      return form;
    }
    case ExprKind::kOpaque: {
      const analysis::Opaque& opaque = expressions_.opaque(node.payload);
      const i128 hi = std::min<i128>(opaque.hi, unsigned_window(node.width).hi);
      return fresh(id, Role::kUnsigned, variant, {static_cast<i128>(opaque.lo), hi});
    }
    case ExprKind::kSum: {
      Form sum(centre(node.payload, node.width));
      const auto coefficients = expressions_.coefficients(id);
      for (u32 i = 0; i < node.operand_count; ++i)
        if (!sum.add_scaled_modulo(value(operand(i), variant), coefficients[i], node.width))
          return fresh_unsigned(id, variant);
      return sum;
    }
    case ExprKind::kProduct:
      return compute_product(id, variant);
    case ExprKind::kAnd:
      return node.width == 1 ? compute_condition_connective(id, variant) : compute_and(id, variant);
    case ExprKind::kOr:
    case ExprKind::kXor:
      return node.width == 1 ? compute_condition_connective(id, variant)
                             : compute_or(id, variant, node.kind == ExprKind::kXor);
    case ExprKind::kShiftLeft:
      return compute_shift_left(id, variant);
    case ExprKind::kShiftRight:
      return compute_shift_right(id, variant, false);
    case ExprKind::kShiftRightSigned:
      return compute_shift_right(id, variant, true);
    case ExprKind::kDivide:
      return compute_divide(id, variant);
    case ExprKind::kRemainder:
      return compute_remainder(id, variant);
    case ExprKind::kMinUnsigned:
      return compute_extremum(id, variant, false, false);
    case ExprKind::kMaxUnsigned:
      return compute_extremum(id, variant, false, true);
    case ExprKind::kMinSigned:
      return compute_extremum(id, variant, true, false);
    case ExprKind::kMaxSigned:
      return compute_extremum(id, variant, true, true);
    case ExprKind::kZeroExtend:
      return unsigned_value(operand(0), variant);
    case ExprKind::kSignExtend:
      return signed_value(operand(0), variant);
    case ExprKind::kExtract:
      return compute_extract(id, variant);
    case ExprKind::kSelect:
      return compute_select(id, variant);
    case ExprKind::kEqual:
      return compute_equal(id, variant);
    case ExprKind::kLessUnsigned:
      return compute_less(id, variant, false);
    case ExprKind::kLessSigned:
      return compute_less(id, variant, true);
    case ExprKind::kCarry:
      return compute_carry(id, variant);
  }
  return fresh_unsigned(id, variant);
}

Form Evaluator::compute_product(ExprId id, Variant variant) {
  const u32 width = expressions_.width(id);
  const Form a = value(expressions_.operands(id)[0], variant);
  const Form b = value(expressions_.operands(id)[1], variant);
  if (a.is_constant() || b.is_constant()) {
    Form product;
    const Form& factor = a.is_constant() ? a : b;
    // Congruent factors have congruent products: no wrap needs to be ruled out.
    if (product.add_scaled_modulo(a.is_constant() ? b : a, residue(factor.constant(), 64), width))
      return product;
    return fresh_unsigned(id, variant);
  }
  if (const std::optional<Interval> range = multiply(bound(a), bound(b)))
    return fresh_congruent(id, variant, *range);
  return fresh_unsigned(id, variant);
}

Form Evaluator::compute_and(ExprId id, Variant variant) {
  const u32 width = expressions_.width(id);
  const ExprId a = expressions_.operands(id)[0];
  const ExprId b = expressions_.operands(id)[1];
  const Form value_a = value(a, variant);
  const Form value_b = value(b, variant);
  if (value_a.is_constant() && value_b.is_constant())
    return Form(
        centre(residue(value_a.constant(), width) & residue(value_b.constant(), width), width));
  if (value_b.is_constant()) return mask_with(id, variant, a, residue(value_b.constant(), width));
  if (value_a.is_constant()) return mask_with(id, variant, b, residue(value_a.constant(), width));
  const i128 hi =
      std::min(bound(unsigned_value(a, variant)).hi, bound(unsigned_value(b, variant)).hi);
  return fresh(id, Role::kUnsigned, variant, {0, hi});
}

// operand & mask. Masks whose ones are contiguous keep an affine meaning; for others only the range
// is known.
Form Evaluator::mask_with(ExprId id, Variant variant, ExprId operand, u64 mask) {
  const u32 width = expressions_.width(id);
  if (mask == 0) return Form(0);
  if (mask == mask_of(width)) return value(operand, variant);
  const u32 low = static_cast<u32>(std::countr_zero(mask));
  const u32 ones = static_cast<u32>(std::countr_one(mask >> low));
  const bool contiguous = low + ones >= 64 || (mask >> (low + ones)) == 0;
  if (!contiguous) {
    const i128 hi = std::min<i128>(mask, bound(unsigned_value(operand, variant)).hi);
    return fresh(id, Role::kUnsigned, variant, {0, hi});
  }
  // Bits from low + ones on are cut off: work modulo 2^(low + ones).
  const u32 upper = low + ones;
  Form form = value(operand, variant);
  form.reduce(upper);
  const bool aligned = form.divisible_by_power_of_two(low);
  const std::optional<Form> unsigned_form = into_window(form, upper, false);
  if (aligned) {
    if (unsigned_form) return *unsigned_form;
    if (upper == width) return form;  // congruent modulo 2^width as it stands
  }
  if (low == 0) return fresh(id, Role::kUnsigned, variant, {0, static_cast<i128>(mask)});
  // The value is 2^low * (operand >> low): a node variable for the quotient keeps the stride.
  Form result;
  Form quotient;
  const i128 unit = power_of_two(low);
  if (unsigned_form) {
    const Interval range = bound(*unsigned_form);
    quotient = fresh(id, Role::kUnsignedQuotient, variant,
                     {floor_divide(range.lo, unit), floor_divide(range.hi, unit)});
  } else if (const std::optional<Form> signed_form = into_window(form, upper, true);
             signed_form && upper == width) {
    const Interval range = bound(*signed_form);
    quotient = fresh(id, Role::kSignedQuotient, variant,
                     {floor_divide(range.lo, unit), floor_divide(range.hi, unit)});
  } else {
    quotient = fresh(id, Role::kUnsignedQuotient, variant, {0, power_of_two(ones) - 1});
  }
  if (result.add_scaled_modulo(quotient, u64{1} << low, width)) return result;
  return fresh_unsigned(id, variant);
}

Form Evaluator::compute_or(ExprId id, Variant variant, bool exclusive) {
  const u32 width = expressions_.width(id);
  const ExprId a = expressions_.operands(id)[0];
  const ExprId b = expressions_.operands(id)[1];
  const Form value_a = value(a, variant);
  const Form value_b = value(b, variant);
  if (value_a.is_constant() && value_b.is_constant()) {
    const u64 x = residue(value_a.constant(), width);
    const u64 y = residue(value_b.constant(), width);
    return Form(centre(exclusive ? x ^ y : x | y, width));
  }
  if (exclusive && (value_a.is_constant() || value_b.is_constant())) {
    const u64 constant = residue((value_a.is_constant() ? value_a : value_b).constant(), width);
    const Form& other = value_a.is_constant() ? value_b : value_a;
    Form result;
    if (constant == mask_of(width)) {  // not x = -1 - x
      result.set_constant(-1);
      if (result.add_scaled_modulo(other, ~u64{0}, width)) return result;
    } else if (constant == u64{1} << (width - 1)) {  // flipping the top bit adds it
      result = other;
      result.set_constant(centre_wide(result.constant() + power_of_two(width - 1), width));
      return result;
    }
  }
  const Form unsigned_a = unsigned_value(a, variant);
  const Form unsigned_b = unsigned_value(b, variant);
  const Interval range_a = bound(unsigned_a);
  const Interval range_b = bound(unsigned_b);
  if (range_a.empty() || range_b.empty()) return fresh_unsigned(id, variant);
  // Disjoint bits: one operand is a multiple of 2^n, the other below 2^n.
  for (const bool swapped : {false, true}) {
    const Form& coarse = swapped ? unsigned_b : unsigned_a;
    const Form& fine = swapped ? unsigned_a : unsigned_b;
    const i128 fine_hi = swapped ? range_a.hi : range_b.hi;
    const u32 bits = static_cast<u32>(std::bit_width(residue(fine_hi, 64)));
    if (!coarse.divisible_by_power_of_two(bits)) continue;
    Form sum = coarse;
    if (sum.add_scaled(fine, 1)) return sum;
  }
  Interval range = {0, all_ones_above(std::max(range_a.hi, range_b.hi))};
  if (!exclusive) range.lo = std::max(range_a.lo, range_b.lo);
  return fresh(id, Role::kUnsigned, variant, range);
}

Form Evaluator::compute_condition_connective(ExprId id, Variant variant) {
  const ExprKind kind = expressions_.node(id).kind;
  bool all_known = true;
  bool parity = false;
  for (const ExprId operand : expressions_.operands(id)) {
    const Form form = unsigned_value(operand, variant);
    if (!form.is_constant()) {
      all_known = false;
      continue;
    }
    const bool truth = form.constant() != 0;
    if (kind == ExprKind::kAnd && !truth) return Form(0);
    if (kind == ExprKind::kOr && truth) return Form(1);
    parity ^= truth;
  }
  if (!all_known) return fresh_condition(id, variant);
  if (kind == ExprKind::kAnd) return Form(1);
  if (kind == ExprKind::kOr) return Form(0);
  return Form(parity ? 1 : 0);
}

Form Evaluator::compute_shift_left(ExprId id, Variant variant) {
  const u32 width = expressions_.width(id);
  const ExprId shifted = expressions_.operands(id)[0];
  const Form amount = unsigned_value(expressions_.operands(id)[1], variant);
  if (amount.is_constant()) {
    if (amount.constant() >= width) return Form(0);
    Form result;
    if (result.add_scaled_modulo(value(shifted, variant),
                                 u64{1} << static_cast<u32>(amount.constant()), width))
      return result;
    return fresh_unsigned(id, variant);
  }
  const Interval amounts = bound(amount);
  if (amounts.lo < 0 || amounts.hi >= width) return fresh_unsigned(id, variant);
  const Interval powers = {power_of_two(static_cast<u32>(amounts.lo)),
                           power_of_two(static_cast<u32>(amounts.hi))};
  if (const std::optional<Interval> range =
          multiply(bound(unsigned_value(shifted, variant)), powers))
    return fresh_congruent(id, variant, *range);
  return fresh_unsigned(id, variant);
}

Form Evaluator::compute_shift_right(ExprId id, Variant variant, bool arithmetic) {
  const u32 width = expressions_.width(id);
  const ExprId shifted = expressions_.operands(id)[0];
  const Form form = arithmetic ? signed_value(shifted, variant) : unsigned_value(shifted, variant);
  const Interval amounts = bound(unsigned_value(expressions_.operands(id)[1], variant));
  const Interval range = bound(form);
  if (amounts.empty() || range.empty() || amounts.lo < 0) return fresh_unsigned(id, variant);
  // Amounts from `width` on act like `width` (the window is narrower than 2^width).
  const u32 least = static_cast<u32>(std::min<i128>(amounts.lo, width));
  const u32 most = static_cast<u32>(std::min<i128>(amounts.hi, width));
  if (least == most)
    if (const std::optional<Form> exact = divide_exactly(form, power_of_two(least))) return *exact;
  const auto shifted_by = [](i128 x, u32 n) { return floor_divide(x, power_of_two(n)); };
  const Interval result = {std::min(shifted_by(range.lo, least), shifted_by(range.lo, most)),
                           std::max(shifted_by(range.hi, least), shifted_by(range.hi, most))};
  const Form quotient = fresh(id, arithmetic ? Role::kSigned : Role::kUnsigned, variant, result);
  if (least == most) add_quotient_facts(quotient, form, power_of_two(least));
  return quotient;
}

Form Evaluator::compute_divide(ExprId id, Variant variant) {
  const Form dividend = unsigned_value(expressions_.operands(id)[0], variant);
  const Interval divisors = bound(unsigned_value(expressions_.operands(id)[1], variant));
  const Interval range = bound(dividend);
  if (divisors.empty() || range.empty() || divisors.lo <= 0) return fresh_unsigned(id, variant);
  if (divisors.single())
    if (const std::optional<Form> exact = divide_exactly(dividend, divisors.lo)) return *exact;
  const Form quotient =
      fresh(id, Role::kUnsigned, variant,
            {floor_divide(range.lo, divisors.hi), floor_divide(range.hi, divisors.lo)});
  if (divisors.single()) add_quotient_facts(quotient, dividend, divisors.lo);
  return quotient;
}

Form Evaluator::compute_remainder(ExprId id, Variant variant) {
  const Form dividend = unsigned_value(expressions_.operands(id)[0], variant);
  const Interval divisors = bound(unsigned_value(expressions_.operands(id)[1], variant));
  const Interval range = bound(dividend);
  if (divisors.empty() || range.empty() || divisors.lo <= 0) return fresh_unsigned(id, variant);
  if (range.lo >= 0 && range.hi < divisors.lo) return dividend;
  if (divisors.single()) {
    if (const std::optional<Form> quotient = divide_exactly(dividend, divisors.lo)) {
      Form rest = dividend;
      const i128 divisor = divisors.lo;
      if (divisor <= std::numeric_limits<i64>::max() &&
          rest.add_scaled(*quotient, -static_cast<i64>(divisor)))
        return rest;
    }
  }
  return fresh(id, Role::kUnsigned, variant, {0, std::min(range.hi, divisors.hi - 1)});
}

Form Evaluator::compute_extremum(ExprId id, Variant variant, bool is_signed, bool maximum) {
  const ExprId operand_a = expressions_.operands(id)[0];
  const ExprId operand_b = expressions_.operands(id)[1];
  const Form a = is_signed ? signed_value(operand_a, variant) : unsigned_value(operand_a, variant);
  const Form b = is_signed ? signed_value(operand_b, variant) : unsigned_value(operand_b, variant);
  const std::optional<Form> gap = difference(a, b);
  if (gap) {
    const Interval range = bound(*gap);
    if (range.hi <= 0) return maximum ? b : a;
    if (range.lo >= 0) return maximum ? a : b;
  }
  const Interval range_a = bound(a);
  const Interval range_b = bound(b);
  const Interval range =
      maximum ? Interval{std::max(range_a.lo, range_b.lo), std::max(range_a.hi, range_b.hi)}
              : Interval{std::min(range_a.lo, range_b.lo), std::min(range_a.hi, range_b.hi)};
  const Form result = fresh(id, is_signed ? Role::kSigned : Role::kUnsigned, variant, range);
  if (!result.is_constant()) {
    // The extremum against each operand: facts that hold everywhere in this piece.
    for (const Form* operand : {&a, &b})
      add_fact(maximum ? difference(*operand, result) : difference(result, *operand));
  }
  return result;
}

Form Evaluator::compute_extract(ExprId id, Variant variant) {
  const ExprNode& node = expressions_.node(id);
  const u32 width = node.width;
  const u32 low = static_cast<u32>(node.payload);
  Form form = value(expressions_.operands(id)[0], variant);
  // Bits above low + width do not matter, so any congruent integer serves:
  // floor((x + j * 2^(low+width)) / 2^low) = floor(x / 2^low) + j * 2^width.
  if (low + width > expressions_.width(expressions_.operands(id)[0]))
    return fresh_unsigned(id, variant);
  form.reduce(low + width);
  if (low == 0) return form;
  if (std::optional<Form> exact = divide_exactly(form, power_of_two(low))) {
    exact->reduce(width);
    return *exact;
  }
  const Interval range = bound(form);
  if (range.empty() || range.lo <= -kUnbounded || range.hi >= kUnbounded)
    return fresh_unsigned(id, variant);
  const Interval shifted = {floor_divide(range.lo, power_of_two(low)),
                            floor_divide(range.hi, power_of_two(low))};
  const Form result = fresh_congruent(id, variant, shifted);
  // If no translation was needed the variable is the quotient itself, not only congruent to it
  // (fresh_congruent translates a negative range into the unsigned window).
  if (shifted.within(unsigned_window(width)) ||
      (shifted.within(signed_window(width)) && shifted.lo < 0 && shifted.hi >= 0))
    add_quotient_facts(result, form, power_of_two(low));
  return result;
}

Form Evaluator::compute_select(ExprId id, Variant variant) {
  const ExprId condition = expressions_.operands(id)[0];
  const Form choice = unsigned_value(condition, variant);
  const Form if_true = value(expressions_.operands(id)[1], variant);
  const Form if_false = value(expressions_.operands(id)[2], variant);
  if (choice.is_constant()) return choice.constant() != 0 ? if_true : if_false;
  if (if_true == if_false) return if_true;
  // Each arm matters only where the condition selects it.
  Interval arms[2] = {bound(if_true), bound(if_false)};
  bool impossible[2] = {false, false};
  for (const bool holds : {true, false}) {
    std::vector<Form> implied;
    collect(condition, holds, variant, false, 0, implied);
    if (implied.empty()) continue;
    scratch_constraints_ = constraints_;
    for (const Form& form : implied) {
      if (validate::bound(form, ranges_, constraints_).lo > 0) impossible[holds ? 0 : 1] = true;
      scratch_constraints_.add(form);
    }
    Interval& arm = arms[holds ? 0 : 1];
    arm = validate::bound(holds ? if_true : if_false, ranges_, scratch_constraints_);
    if (arm.empty()) impossible[holds ? 0 : 1] = true;
  }
  if (impossible[0]) return if_false;
  if (impossible[1]) return if_true;
  return fresh_congruent(id, variant,
                         {std::min(arms[0].lo, arms[1].lo), std::max(arms[0].hi, arms[1].hi)});
}

Form Evaluator::compute_equal(ExprId id, Variant variant) {
  const u32 width = expressions_.width(expressions_.operands(id)[0]);
  Form gap = value(expressions_.operands(id)[0], variant);
  if (!gap.add_scaled_modulo(value(expressions_.operands(id)[1], variant), ~u64{0}, width))
    return fresh_condition(id, variant);
  if (gap.is_constant()) return Form(residue(gap.constant(), width) == 0 ? 1 : 0);
  // No multiple of 2^width within reach?
  const i128 size = power_of_two(width);
  i128 stride = size;
  for (const Term& term : gap.terms()) stride = greatest_common_divisor(stride, term.coefficient);
  if (gap.constant() % stride != 0) return Form(0);
  const Interval range = bound(gap);
  if (!range.empty() && range.lo > -kUnbounded && range.hi < kUnbounded &&
      ceil_divide(range.lo, size) > floor_divide(range.hi, size))
    return Form(0);
  return fresh_condition(id, variant);
}

Form Evaluator::compute_less(ExprId id, Variant variant, bool is_signed) {
  const ExprId operand_a = expressions_.operands(id)[0];
  const ExprId operand_b = expressions_.operands(id)[1];
  const Form a = is_signed ? signed_value(operand_a, variant) : unsigned_value(operand_a, variant);
  const Form b = is_signed ? signed_value(operand_b, variant) : unsigned_value(operand_b, variant);
  if (const std::optional<Form> gap = difference(a, b)) {
    const Interval range = bound(*gap);
    if (range.hi < 0) return Form(1);
    if (range.lo >= 0) return Form(0);
  }
  return fresh_condition(id, variant);
}

Form Evaluator::compute_carry(ExprId id, Variant variant) {
  const u32 width = expressions_.width(expressions_.operands(id)[0]);
  Form sum = unsigned_value(expressions_.operands(id)[0], variant);
  if (!sum.add_scaled(unsigned_value(expressions_.operands(id)[1], variant), 1) ||
      !sum.add_scaled(unsigned_value(expressions_.operands(id)[2], variant), 1))
    return fresh_condition(id, variant);
  const Interval range = bound(sum);
  if (range.hi < power_of_two(width)) return Form(0);
  if (range.lo >= power_of_two(width)) return Form(1);
  return fresh_condition(id, variant);
}

}  // namespace picker::validate
