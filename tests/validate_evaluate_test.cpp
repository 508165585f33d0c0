// The abstract evaluator against plain evaluation of the same nodes: whatever wraps, the form must
// be congruent to the value, the window forms equal to it, and every range and inequality true.
#include <gtest/gtest.h>

#include "validate/evaluate.hpp"
#include "validate_random.hpp"

namespace picker::validate {
namespace {

using analysis::ExprId;
using analysis::ExprKind;
using analysis::Summary;

i128 as_signed(u64 value, u32 width) {
  const i128 size = power_of_two(width);
  return static_cast<i128>(value) >= size / 2 ? static_cast<i128>(value) - size
                                              : static_cast<i128>(value);
}

// The integer that a variable of the evaluator stands for at one moment.
std::optional<i128> variable_value(const Evaluator& evaluator, VariableId variable,
                                   const Summary& summary, const Moment& moment,
                                   ConcreteEvaluator& concrete) {
  const VariableKey& key = evaluator.key(variable);
  switch (key.kind) {
    case VariableKind::kThread:
      return moment.thread[key.payload];
    case VariableKind::kBlock:
      return moment.block[key.payload];
    case VariableKind::kIteration:
      return moment.iterations[key.payload];
    case VariableKind::kNode:
      break;
  }
  const std::optional<u64> value = concrete.value(key.payload);
  if (!value) return std::nullopt;
  const u32 width = summary.expressions.width(key.payload);
  switch (key.role) {
    case Role::kUnsigned:
      return *value;
    case Role::kSigned:
      return as_signed(*value, width);
    case Role::kUnsignedQuotient:
    case Role::kSignedQuotient: {
      // kAnd with one operand constant in value: find the mask's lowest bit.
      const auto operands = summary.expressions.operands(key.payload);
      for (const ExprId operand : operands) {
        const Form form = const_cast<Evaluator&>(evaluator).value(operand);
        if (!form.is_constant()) continue;
        const u64 mask =
            static_cast<u64>(form.constant()) & (width >= 64 ? ~u64{0} : (u64{1} << width) - 1);
        const u32 low = static_cast<u32>(std::countr_zero(mask));
        return (key.role == Role::kUnsignedQuotient ? static_cast<i128>(*value)
                                                    : as_signed(*value, width)) >>
               low;
      }
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<i128> form_value(const Form& form, const Evaluator& evaluator, const Summary& summary,
                               const Moment& moment, ConcreteEvaluator& concrete) {
  i128 sum = form.constant();
  for (const Term& term : form.terms()) {
    const std::optional<i128> value =
        variable_value(evaluator, term.variable, summary, moment, concrete);
    if (!value) return std::nullopt;
    sum += *value * term.coefficient;
  }
  return sum;
}

struct Case {
  Summary summary;
  Launch launch;
  std::vector<Interval> iterations;
};

void make_launch(Random& random, Case& c) {
  for (u32 axis = 0; axis < 3; ++axis) {
    c.launch.block[axis] = static_cast<u32>(random.chance(50) ? 1 : random.range(1, 9));
    c.launch.grid[axis] = static_cast<u32>(random.chance(50)   ? 1
                                           : random.chance(80) ? random.range(1, 70)
                                                               : random.range(1, 0x7fffffff));
  }
  for (const u32 width : {8u, 16u, 32u, 64u})
    if (random.chance(70))
      c.launch.constant_bank.set_value(16 * width, random.interesting(width), width / 8);
}

Moment make_moment(Random& random, const Case& c) {
  Moment moment;
  const auto within = [&](u64 lo, u64 hi) {
    const u64 r = random.range(0, 5);
    return r == 0 ? lo : r == 1 ? hi : random.range(lo, hi);
  };
  for (u32 axis = 0; axis < 3; ++axis) {
    moment.block[axis] = static_cast<u32>(within(0, c.launch.grid[axis] - 1));
    moment.thread[axis] = static_cast<u32>(within(0, c.launch.block[axis] - 1));
  }
  for (const Interval& range : c.iterations)
    moment.iterations.push_back(within(static_cast<u64>(range.lo), static_cast<u64>(range.hi)));
  for (u32 i = 0; i < 3; ++i) {
    const analysis::Opaque& opaque = c.summary.expressions.opaque(i);
    moment.opaques.push_back(within(opaque.lo, opaque.hi));
  }
  return moment;
}

// Evaluates random nodes, with `conditions` assumed in some rounds, and checks each claim at random
// moments that meet the conditions. Returns how many claims were checked.
u64 check_case(u64 seed, u32 conditions) {
  Random random(seed);
  Case c;
  RandomExpressions expressions(random, c.summary, 2);
  for (u32 loop = 0; loop < 2; ++loop) {
    const i128 hi = random.chance(80) ? static_cast<i128>(random.range(0, 40))
                                      : static_cast<i128>(random.range(0, u64{1} << 40));
    c.iterations.push_back({0, hi});
  }
  make_launch(random, c);
  expressions.grow(40);
  std::vector<ExprId> assumed;
  for (u32 i = 0; i < conditions; ++i) assumed.push_back(expressions.pick_condition());

  Evaluator evaluator(c.summary);
  for (u32 loop = 0; loop < 2; ++loop) evaluator.set_iteration(loop, c.iterations[loop]);
  evaluator.begin_launch(c.launch);
  evaluator.begin_piece();
  for (u32 round = 0; round < 3 && conditions != 0; ++round) {
    evaluator.next_round();
    for (const ExprId condition : assumed) evaluator.assume(condition, true);
    evaluator.propagate();
  }
  evaluator.next_round();
  std::vector<ExprId> nodes = expressions.nodes();
  struct Claim {
    ExprId id;
    Form congruent, as_unsigned, as_signed;
  };
  std::vector<Claim> claims;
  for (const ExprId id : nodes)
    claims.push_back(
        {id, evaluator.value(id), evaluator.unsigned_value(id), evaluator.signed_value(id)});
  u64 checked = 0;
  ConcreteEvaluator concrete(c.summary.expressions);
  for (u32 trial = 0; trial < 60; ++trial) {
    const Moment moment = make_moment(random, c);
    concrete.set(c.launch, moment);
    bool meets = true;
    for (const ExprId condition : assumed) {
      const std::optional<u64> truth = concrete.value(condition);
      meets = meets && truth && *truth != 0;
    }
    if (!meets) continue;
    EXPECT_FALSE(evaluator.contradiction()) << "seed " << seed;
    for (VariableId v = 0; v < evaluator.ranges().size(); ++v) {
      const std::optional<i128> value = variable_value(evaluator, v, c.summary, moment, concrete);
      if (!value) continue;
      EXPECT_TRUE(*value >= evaluator.ranges()[v].lo && *value <= evaluator.ranges()[v].hi)
          << "seed " << seed << " variable of "
          << c.summary.expressions.to_string(evaluator.key(v).payload);
    }
    for (const Form& form : evaluator.constraints().forms()) {
      const std::optional<i128> value = form_value(form, evaluator, c.summary, moment, concrete);
      EXPECT_TRUE(!value || *value <= 0) << "seed " << seed;
    }
    for (const Claim& claim : claims) {
      const std::optional<u64> value = concrete.value(claim.id);
      if (!value) continue;
      const u32 width = c.summary.expressions.width(claim.id);
      const auto same = [&](const Form& form, i128 expected, bool modulo) {
        const std::optional<i128> got = form_value(form, evaluator, c.summary, moment, concrete);
        if (!got) return true;
        ++checked;
        const i128 gap = *got - expected;
        return modulo ? gap % power_of_two(width) == 0 : gap == 0;
      };
      const std::string text = c.summary.expressions.to_string(claim.id);
      EXPECT_TRUE(same(claim.congruent, *value, true)) << "seed " << seed << " " << text;
      EXPECT_TRUE(same(claim.as_unsigned, *value, false)) << "seed " << seed << " " << text;
      EXPECT_TRUE(same(claim.as_signed, as_signed(*value, width), false))
          << "seed " << seed << " " << text;
      const Interval range = evaluator.bound(claim.as_unsigned);
      EXPECT_TRUE(range.lo <= *value && *value <= range.hi) << "seed " << seed << " " << text;
    }
    if (testing::Test::HasFailure()) return checked;
  }
  return checked;
}

TEST(Evaluate, AgreesWithPlainEvaluation) {
  u64 checked = 0;
  for (u64 seed = 1; seed <= 1500 && !HasFailure(); ++seed) checked += check_case(seed, 0);
  EXPECT_GT(checked, 400'000u);
}

TEST(Evaluate, AgreesWithPlainEvaluationUnderConditions) {
  u64 checked = 0;
  for (u64 seed = 100'001; seed <= 103'000 && !HasFailure(); ++seed)
    checked += check_case(seed, static_cast<u32>(1 + seed % 3));
  EXPECT_GT(checked, 400'000u);
}

}  // namespace
}  // namespace picker::validate
