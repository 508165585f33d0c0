// Trip counts against brute force with 8-bit and 16-bit counters, which wrap within reach.
#include <gtest/gtest.h>

#include "validate/concrete.hpp"
#include "validate/form.hpp"
#include "validate/launch.hpp"
#include "validate/loops.hpp"
#include "validate_kernels.hpp"
#include "validate_random.hpp"

namespace picker::validate {
namespace {

using analysis::ExprId;

struct Tally {
  u64 known = 0, exact = 0, finite = 0;
};

void check_case(u64 seed, Tally& tally) {
  Random random(seed);
  Kernel k;
  const u8 width = random.chance(70) ? 8 : 16;
  const u32 cap = width == 8 ? 300 : 1500;
  const auto narrow = [&](ExprId id) { return k.e().extract(id, 0, width); };
  const auto value = [&]() -> ExprId {
    switch (random.range(0, 4)) {
      case 0:
        return narrow(k.thread());
      case 1:
        return k.e().add(narrow(k.thread()), k.number(random.interesting(width), width));
      case 2:
        return narrow(k.scalar(2));
      case 3:
        return k.e().mul(narrow(k.thread()), k.number(random.range(2, 60), width));
      default:
        return k.number(random.interesting(width), width);
    }
  };
  const ExprId step =
      random.chance(70)
          ? k.number(random.chance(50) ? random.range(1, 9) : 0 - random.range(1, 9), width)
          : k.number(random.interesting(width), width);
  ExprId x = k.e().add(value(), k.e().mul(narrow(k.e().iteration(0, 0, false)), step));
  ExprId n = value();
  const bool wide = random.chance(25);
  if (wide) {
    const bool is_signed = random.chance(50);
    x = is_signed ? k.e().sign_extend(x, 32) : k.e().zero_extend(x, 32);
    n = random.chance(50) ? (is_signed ? k.e().sign_extend(n, 32) : k.e().zero_extend(n, 32))
                          : k.number(random.interesting(random.chance(50) ? 8 : 32));
  }
  if (random.chance(40)) std::swap(x, n);
  const u64 relation = random.range(0, 4);
  ExprId test = relation < 2   ? k.e().less_signed(x, n)
                : relation < 4 ? k.e().less_unsigned(x, n)
                               : k.e().equal(x, n);
  if (random.chance(50)) test = k.e().bit_not(test);
  k.loop({test});
  const u32 threads = static_cast<u32>(random.range(1, 12));
  const Launch launch = make_launch({1, 1, 1}, {threads, 1, 1}, {0, 0, random.interesting(width)});

  u32 last = 0;  // the highest iteration number that begins
  ConcreteEvaluator concrete(k.summary.expressions);
  Moment moment;
  moment.iterations = {0};
  for (u32 t = 0; t < threads; ++t) {
    moment.thread[0] = t;
    for (u32 i = 0; i < cap; ++i) {
      moment.iterations[0] = i;
      concrete.set(launch, moment);
      if (concrete.value(test) != u64{1}) break;
      last = std::max(last, i + 1);
    }
  }
  Evaluator evaluator(k.summary);
  TripCounts trips(k.summary);
  evaluator.begin_launch(launch);
  trips.compute(evaluator);
  const TripCount& count = trips.of(0);
  ASSERT_TRUE(!count.known || count.iterations.hi >= last)
      << "seed " << seed << " " << k.e().to_string(test);
  tally.finite += last < cap ? 1 : 0;
  tally.known += count.known ? 1 : 0;
  tally.exact += count.known && count.iterations.hi == last ? 1 : 0;
  // The inequality of each later iteration holds for the thread that reaches it.
  for (const PortableInequality& inequality : count.from_second) {
    for (u32 t = 0; t < threads; ++t) {
      moment.thread[0] = t;
      for (u32 i = 0; i < cap; ++i) {
        moment.iterations[0] = i;
        concrete.set(launch, moment);
        if (concrete.value(test) != u64{1}) break;
        i128 sum = inequality.constant;
        bool usable = true;
        for (const PortableInequality::Part& part : inequality.parts) {
          if (part.key.kind == VariableKind::kThread)
            sum += static_cast<i128>(part.coefficient) * (part.key.payload == 0 ? t : 0);
          else if (part.key.kind == VariableKind::kIteration)
            sum += static_cast<i128>(part.coefficient) * (i + 1);
          else
            usable = false;  // a node variable: checked through footprints
        }
        ASSERT_TRUE(!usable || sum <= 0) << "seed " << seed << " " << k.e().to_string(test);
      }
    }
  }
}

TEST(TripCounts, AgreeWithBruteForceWhereCountersWrap) {
  Tally tally;
  for (u64 seed = 1; seed <= 8'000 && !HasFailure(); ++seed) check_case(seed, tally);
  std::printf("finite %llu known %llu exact %llu\n", static_cast<unsigned long long>(tally.finite),
              static_cast<unsigned long long>(tally.known),
              static_cast<unsigned long long>(tally.exact));
  EXPECT_GT(tally.known, 3'000u);
  EXPECT_GT(tally.exact * 10, tally.known * 7);
}

// By its definition: it divides both, and what remains of the two has no common factor.
TEST(GreatestCommonDivisor, DividesBothAndIsNotNegative) {
  EXPECT_EQ(greatest_common_divisor(0, 0), 0);
  const i128 big = i128{1} << 90;
  for (const i128 unit : {i128{1}, i128{-1}, i128{6}, i128{-6}, big, -big})
    for (i64 a = -12; a <= 12; ++a)
      for (i64 b = -12; b <= 12; ++b) {
        i64 greatest = 0;
        for (i64 d = 1; d <= 12; ++d)
          if (a % d == 0 && b % d == 0) greatest = d;
        const i128 size = unit < 0 ? -unit : unit;
        const i128 expected = a == 0 && b == 0 ? i128{0} : size * greatest;
        EXPECT_TRUE(greatest_common_divisor(unit * a, unit * b) == expected) << a << " " << b;
      }
}

TEST(ConstantBank, KnowsExactlyTheBytesThatWereSet) {
  ConstantBank bank;
  EXPECT_FALSE(bank.read(0, 1).has_value());
  bank.set_value(16, 0x1122334455667788, 8);
  EXPECT_EQ(bank.read(16, 8), 0x1122334455667788u);
  EXPECT_EQ(bank.read(20, 4), 0x11223344u);
  EXPECT_EQ(bank.read(17, 1), 0x77u);
  EXPECT_FALSE(bank.read(17, 8).has_value());  // one byte beyond the end
  EXPECT_FALSE(bank.read(15, 8).has_value());  // one before the start
  EXPECT_FALSE(bank.read(24, 1).has_value());
  EXPECT_FALSE(bank.read(25, 1).has_value());
  EXPECT_FALSE(bank.read(~u64{0}, 8).has_value());
  EXPECT_FALSE(bank.read(16, 0).has_value());
  // Bytes set before and after a gap say nothing about it.
  bank.set_value(32, 5, 4);
  EXPECT_FALSE(bank.read(24, 8).has_value());
  EXPECT_EQ(bank.read(32, 4), 5u);
  // Beyond 64 KiB nothing is kept.
  bank.set_value(ConstantBank::kMaxBytes - 4, 7, 8);
  EXPECT_FALSE(bank.read(ConstantBank::kMaxBytes - 4, 4).has_value());
}

}  // namespace
}  // namespace picker::validate
