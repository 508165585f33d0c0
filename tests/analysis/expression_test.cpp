// Expressions against plain arithmetic.
//
// The property test makes random values two ways at once: through the builders of `Expressions`,
// which normalise, and as plain numbers, by the definitions in expression.hpp. The node that the
// builders returned is then evaluated (ConcreteEvaluator, which knows definitions only) at the
// leaves' values; both must agree. The other tests say that the normal forms the analysis relies on
// really come out: 64-bit values from 32-bit halves.
#include "analysis/expression.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "validate/concrete.hpp"

namespace picker::analysis {
namespace {

using validate::ConcreteEvaluator;
using validate::Launch;
using validate::Moment;

u64 ones(u32 width) { return width >= 64 ? ~u64{0} : (u64{1} << width) - 1; }
i64 as_signed(u64 value, u32 width) {
  return static_cast<i64>(value << (64 - width)) >> (64 - width);
}

// A value both ways.
struct Value {
  ExprId id = kNoExpr;
  u64 number = 0;
};

class Random {
 public:
  explicit Random(u64 seed) : engine_(seed) {}
  u64 below(u64 n) { return engine_() % n; }
  // Numbers where carries, signs and masks change.
  u64 number(u32 width) {
    switch (below(8)) {
      case 0:
        return 0;
      case 1:
        return ones(width);
      case 2:
        return below(5) & ones(width);
      case 3:
        return (u64{1} << below(width)) & ones(width);
      case 4:
        return (ones(width) >> below(width)) & ones(width);
      case 5:
        return (0 - below(5)) & ones(width);
      case 6:
        return engine_() & ones(std::min<u32>(width, 32));
      default:
        return engine_() & ones(width);
    }
  }

 private:
  std::mt19937_64 engine_;
};

// One pool of random values and what the leaves among them stand for.
class Pool {
 public:
  explicit Pool(u64 seed) : random_(seed) {
    launch_.block = {1024, 1024, 64};
    std::vector<u8> bank(64);
    for (u8& byte : bank) byte = static_cast<u8>(random_.number(8));
    launch_.constant_bank.set(0x160, bank);
    launch_.symbols = {random_.number(64)};
    for (u32 axis = 0; axis < 3; ++axis) {
      moment_.thread[axis] = static_cast<u32>(random_.number(10));
      moment_.block[axis] = static_cast<u32>(random_.number(31));
      push({e.thread_index(axis), moment_.thread[axis]});
      push({e.block_index(axis), moment_.block[axis]});
    }
    for (LoopId loop = 0; loop < 2; ++loop) {
      moment_.iterations.push_back(random_.number(64));
      push({e.iteration(loop, 0, false), moment_.iterations.back()});
    }
    push({e.symbol_address(0), *launch_.symbols[0]});
    for (u32 i = 0; i < 6; ++i) {
      const u8 width = kWidths[random_.below(std::size(kWidths))];
      opaque(width == 1 ? 8 : width);
      opaque(1);
      opaque(32);
    }
    for (const u32 offset : {0x160u, 0x164u, 0x168u, 0x16cu, 0x170u}) {
      push({e.launch_constant(32, offset), *launch_.constant_bank.read(offset, 4)});
      if (offset % 8 == 0)
        push({e.launch_constant(64, offset), *launch_.constant_bank.read(offset, 8)});
    }
  }

  static constexpr u8 kWidths[] = {1, 8, 16, 32, 32, 32, 64, 64};

  void push(Value v) { values_.push_back(v); }

  void opaque(u8 width) {
    const u64 hi = random_.below(2) == 0 ? ones(width) : random_.number(width);
    const u64 value = hi == ~u64{0} ? random_.number(64) : random_.below(hi + 1);
    push({e.make_opaque(width, 0, hi, OpaqueCause::kArithmetic, 0, 0, false, false), value});
    moment_.opaques.push_back(value);
  }

  Value pick(u32 width) {
    if (random_.below(6) == 0) {
      const u64 number = random_.number(width);
      return {e.constant(static_cast<u8>(width), number), number};
    }
    // Late values are deep ones.
    for (u32 tries = 0; tries < 40; ++tries) {
      const size_t n = values_.size();
      const size_t at =
          random_.below(2) == 0 ? n - 1 - random_.below(std::min<size_t>(n, 12)) : random_.below(n);
      if (e.width(values_[at].id) == width) return values_[at];
    }
    const u64 number = random_.number(width);
    return {e.constant(static_cast<u8>(width), number), number};
  }

  // One random operation; the arithmetic here is the independent statement.
  Value make() {
    const u8 w = kWidths[random_.below(std::size(kWidths))];
    const u64 m = ones(w);
    const Value a = pick(w), b = pick(w);
    const u64 x = a.number, y = b.number;
    const i64 sx = as_signed(x, w), sy = as_signed(y, w);
    last_ = static_cast<u32>(random_.below(34));
    last_text_ = "operation " + std::to_string(last_) + " width " + std::to_string(w) + " of " +
                 e.to_string(a.id) + ", " + e.to_string(b.id);
    switch (last_) {
      case 0:
      case 1:
        return {e.add(a.id, b.id), (x + y) & m};
      case 2:
      case 3:
        return {e.sub(a.id, b.id), (x - y) & m};
      case 4:
        return {e.negate(a.id), (0 - x) & m};
      case 5:
      case 6:
        return {e.mul(a.id, b.id), (x * y) & m};
      case 7:
        return {e.bit_and(a.id, b.id), x & y};
      case 8:
        return {e.bit_or(a.id, b.id), x | y};
      case 9:
        return {e.bit_xor(a.id, b.id), x ^ y};
      case 10:
        return {e.bit_not(a.id), ~x & m};
      case 11:
      case 12:
      case 13: {
        if (w == 1) return a;
        Value n = pick(random_.below(3) == 0 ? 64 : 32);
        if (random_.below(3) != 0) {
          n.number = random_.below(w + 4u);
          n.id = e.constant(32, n.number);
        }
        const u64 k = n.number;
        switch (random_.below(3)) {
          case 0:
            return {e.shift_left(a.id, n.id), k >= w ? 0 : (x << k) & m};
          case 1:
            return {e.shift_right(a.id, n.id), k >= w ? 0 : x >> k};
          default:
            return {e.shift_right_signed(a.id, n.id),
                    static_cast<u64>(sx >> std::min<u64>(k, w - 1u)) & m};
        }
      }
      case 14:
        if (y == 0 || w == 1) return a;
        return {e.divide(a.id, b.id), x / y};
      case 15:
        if (y == 0 || w == 1) return a;
        return {e.remainder(a.id, b.id), x % y};
      case 16:
        return {e.min_unsigned(a.id, b.id), std::min(x, y)};
      case 17:
        return {e.max_unsigned(a.id, b.id), std::max(x, y)};
      case 18:
        return {e.min_signed(a.id, b.id), sx < sy ? x : y};
      case 19:
        return {e.max_signed(a.id, b.id), sx > sy ? x : y};
      case 20:
      case 21: {
        const u8 wider = w < 8 ? 32 : w < 32 ? 32 : 64;
        return {e.zero_extend(a.id, wider), x};
      }
      case 22: {
        const u8 wider = w < 8 ? 32 : w < 32 ? 32 : 64;
        return {e.sign_extend(a.id, wider), static_cast<u64>(sx) & ones(wider)};
      }
      case 23:
      case 24: {
        if (w == 1) return a;
        u8 part = kWidths[random_.below(std::size(kWidths))];
        if (part > w) part = w;
        u32 low = static_cast<u32>(random_.below(w - part + 1u));
        if (w == 64 && part == 32 && random_.below(2) == 0) low = 32;
        return {e.extract(a.id, low, part), (x >> low) & ones(part)};
      }
      case 25:
      case 26: {
        const Value h = pick(32), l = pick(32);
        return {e.concat(h.id, l.id), (h.number << 32) | l.number};
      }
      case 27: {
        const Value c = pick(1);
        return {e.select(c.id, a.id, b.id), c.number != 0 ? x : y};
      }
      case 28:
        return {e.equal(a.id, b.id), x == y ? 1u : 0u};
      case 29:
        return {e.less_unsigned(a.id, b.id), x < y ? 1u : 0u};
      case 30:
        if (w == 1) return a;
        return {e.less_signed(a.id, b.id), sx < sy ? 1u : 0u};
      case 31: {
        if (w < 32) return a;
        const Value c = pick(1);
        return {e.carry(a.id, b.id, c.id),
                static_cast<u64>((static_cast<u128>(x) + y + c.number) >> w)};
      }
      case 32:
        return wide_sum();
      default:
        return wide_difference();
    }
  }

  // {high, low} of a 64-bit sum by halves: the machine's IADD3, IADD3.X.
  Value wide_sum() {
    const Value a = pick(64), b = pick(64);
    const ExprId al = e.extract(a.id, 0, 32), ah = e.extract(a.id, 32, 32);
    const ExprId bl = e.extract(b.id, 0, 32), bh = e.extract(b.id, 32, 32);
    const ExprId carry = e.carry(al, bl, e.constant(1, 0));
    const ExprId high = e.add(e.add(ah, bh), e.zero_extend(carry, 32));
    return {e.concat(high, e.add(al, bl)), a.number + b.number};
  }
  // a - b as a + ~b + 1.
  Value wide_difference() {
    const Value a = pick(64), b = pick(64);
    const ExprId al = e.extract(a.id, 0, 32), ah = e.extract(a.id, 32, 32);
    const ExprId bl = e.bit_not(e.extract(b.id, 0, 32)), bh = e.bit_not(e.extract(b.id, 32, 32));
    const ExprId carry = e.carry(al, bl, e.constant(1, 1));
    const ExprId high = e.add(e.add(ah, bh), e.zero_extend(carry, 32));
    return {e.concat(high, e.sub(al, e.extract(b.id, 0, 32))), a.number - b.number};
  }

  std::optional<u64> evaluate(ExprId id) {
    ConcreteEvaluator evaluator(e);
    evaluator.set(launch_, moment_);
    return evaluator.value(id);
  }

  void check(const Value& v) {
    ASSERT_LE(v.number, ones(e.width(v.id)));
    const std::optional<u64> value = evaluate(v.id);
    ASSERT_TRUE(value.has_value()) << e.to_string(v.id);
    ASSERT_EQ(*value, v.number) << last_text_ << ": " << e.to_string(v.id);
    ASSERT_LE(std::bit_width(v.number), e.significant_bits(v.id)) << e.to_string(v.id);
    const u32 zeros = e.low_zero_bits(v.id);
    ASSERT_LE(zeros, e.width(v.id));
    ASSERT_EQ(v.number & (zeros == 0 ? 0 : ones(zeros)), 0u) << e.to_string(v.id);
  }

  // Replacing a leaf means evaluating with another value for it.
  void check_substitution(const Value& v) {
    const size_t number = random_.below(moment_.opaques.size());
    ExprId leaf = kNoExpr;
    for (const Value& value : values_)
      if (e.node(value.id).kind == ExprKind::kOpaque && e.node(value.id).payload == number)
        leaf = value.id;
    const Value to = pick(e.width(leaf));
    if (to.number > e.opaque(number).hi) return;  // outside what the leaf may stand for
    const ExprId replaced = e.substitute(v.id, leaf, to.id);
    Moment moved = moment_;
    moved.opaques[number] = to.number;
    ConcreteEvaluator evaluator(e);
    evaluator.set(launch_, moved);
    const std::optional<u64> expected = evaluator.value(v.id);
    if (!expected) return;  // divides by the new value, which is zero
    const std::optional<u64> value = evaluate(replaced);
    if (!value) return;
    ASSERT_EQ(*value, *expected) << e.to_string(v.id) << "\nwith " << e.to_string(leaf) << " -> "
                                 << e.to_string(to.id) << "\n"
                                 << e.to_string(replaced);
    // Nothing of the leaf is left, unless the replacement brought it.
    ASSERT_TRUE(e.mentions(to.id, leaf) || !e.mentions(replaced, leaf));
  }

  Expressions e;

 private:
  u32 last_ = 0;
  std::string last_text_;
  Random random_;
  std::vector<Value> values_;
  Launch launch_;
  Moment moment_;
};

TEST(Expressions, BuildersComputeWhatTheirNodesMean) {
  const u64 seed = 20260101;
  for (u64 round = 0; round < 1500; ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed + round));
    Pool pool(seed + round);
    for (u32 i = 0; i < 60; ++i) {
      const Value v = pool.make();
      pool.check(v);
      if (testing::Test::HasFatalFailure()) return;
      if (i % 4 == 3) pool.check_substitution(v);
      if (testing::Test::HasFatalFailure()) return;
      pool.push(v);
    }
  }
}

TEST(Expressions, MarksAreTheUnionOverLeaves) {
  Expressions e;
  const ExprId clock = e.make_opaque(32, 0, ones(32), OpaqueCause::kClock, 0, 0, true, false);
  const ExprId load =
      e.make_opaque(32, 0, ones(32), OpaqueCause::kGlobalLoad, 0, 0b10, false, true);
  const ExprId t = e.thread_index(0);
  const ExprId sum = e.add(e.mul(e.constant(32, 4), clock), e.add(load, t));
  EXPECT_TRUE(e.node(sum).nondeterministic);
  EXPECT_TRUE(e.node(sum).from_memory);
  EXPECT_EQ(e.node(sum).loops, 0b10u);
  const ExprId choice = e.select(e.less_unsigned(t, clock), t, e.constant(32, 0));
  EXPECT_TRUE(e.node(choice).nondeterministic);
  EXPECT_FALSE(e.node(choice).from_memory);
  EXPECT_FALSE(e.node(e.add(t, t)).nondeterministic);
  // A difference of equal values does not depend on them.
  EXPECT_TRUE(e.is_constant(e.sub(clock, clock), 0));
  // Same shape, other marks: not the same node.
  EXPECT_NE(e.iteration(3, 0, false), e.iteration(3, 0, true));
}

// ---- 64-bit values from halves -------------------------------------------------------------

class Halves : public testing::Test {
 protected:
  Expressions e;
  ExprId pointer = e.launch_constant(64, 0x160);
  ExprId low = e.launch_constant(32, 0x160), high = e.launch_constant(32, 0x164);
  ExprId index = e.add(e.thread_index(0), e.mul(e.block_index(0), e.launch_constant(32, 0)));
  ExprId clear = e.constant(1, 0), set = e.constant(1, 1);
  ExprId word(u64 x) { return e.constant(32, x); }
  ExprId wide(u64 x) { return e.constant(64, x); }
  ExprId from_flag(ExprId f) { return e.zero_extend(f, 32); }
};

TEST_F(Halves, OfAParameterAreThePointer) {
  EXPECT_EQ(e.concat(high, low), pointer);
  EXPECT_EQ(e.extract(pointer, 0, 32), low);
  EXPECT_EQ(e.extract(pointer, 32, 32), high);
  EXPECT_NE(e.concat(low, high), pointer);
  EXPECT_NE(e.concat(e.launch_constant(32, 0x168), low), pointer);
}

TEST_F(Halves, OfASumWithCarry) {  // IADD3, IADD3.X
  for (const u64 constant : {u64{4}, u64{0xfffffff0}, u64{1} << 31}) {
    const ExprId sum_low = e.add(low, word(constant));
    const ExprId sum_high = e.add(high, from_flag(e.carry(low, word(constant), clear)));
    EXPECT_EQ(e.concat(sum_high, sum_low), e.add(pointer, wide(constant)));
  }
  const ExprId other = e.add(e.mul(index, word(8)), word(16));
  const ExprId sum_high = e.add(high, from_flag(e.carry(low, other, clear)));
  EXPECT_EQ(e.concat(sum_high, e.add(low, other)), e.add(pointer, e.zero_extend(other, 64)));
  // The carry of another sum joins nothing.
  const ExprId wrong = e.add(high, from_flag(e.carry(low, e.add(other, word(1)), clear)));
  EXPECT_NE(e.concat(wrong, e.add(low, other)), e.add(pointer, e.zero_extend(other, 64)));
  // Nor does one without the carry.
  EXPECT_NE(e.concat(high, e.add(low, other)), e.add(pointer, e.zero_extend(other, 64)));
}

TEST_F(Halves, OfADifferenceWithBorrow) {  // a - b = a + ~b + 1
  const ExprId other = e.launch_constant(64, 0x168);
  const ExprId bl = e.extract(other, 0, 32), bh = e.extract(other, 32, 32);
  const ExprId borrow = e.carry(low, e.bit_not(bl), set);
  const ExprId d_high = e.add(e.add(high, e.bit_not(bh)), from_flag(borrow));
  EXPECT_EQ(e.concat(d_high, e.sub(low, bl)), e.sub(pointer, other));
}

TEST_F(Halves, OfAWideProduct) {  // IMAD.WIDE: both words of a 64-bit sum
  const ExprId whole = e.add(pointer, e.mul(e.sign_extend(index, 64), wide(4)));
  EXPECT_EQ(e.concat(e.extract(whole, 32, 32), e.extract(whole, 0, 32)), whole);
  const ExprId unsigned_whole = e.add(pointer, e.mul(e.zero_extend(index, 64), wide(12)));
  EXPECT_EQ(e.concat(e.extract(unsigned_whole, 32, 32), e.extract(unsigned_whole, 0, 32)),
            unsigned_whole);
}

TEST_F(Halves, OfAShiftedIndexWithCarry) {  // LEA, LEA.HI.X with the sign in a register
  const ExprId sign = e.shift_right_signed(index, word(31));
  const ExprId whole_index = e.concat(sign, index);
  EXPECT_EQ(whole_index, e.sign_extend(index, 64));
  const ExprId shifted_low = e.shift_left(index, word(2));
  const ExprId shifted_high = e.extract(e.shift_left(whole_index, word(2)), 32, 32);
  const ExprId carry = e.carry(shifted_low, low, clear);
  const ExprId address_high = e.add(e.add(shifted_high, high), from_flag(carry));
  const ExprId address = e.concat(address_high, e.add(shifted_low, low));
  EXPECT_EQ(address, e.add(pointer, e.mul(e.sign_extend(index, 64), wide(4))))
      << e.to_string(address);
}

TEST_F(Halves, OfAValueExtendedByZero) {
  EXPECT_EQ(e.concat(word(0), index), e.zero_extend(index, 64));
  EXPECT_NE(e.concat(word(0), index), e.sign_extend(index, 64));
  // Zero extension does not distribute over a sum that may wrap.
  EXPECT_NE(e.zero_extend(e.add(index, word(1)), 64), e.add(e.zero_extend(index, 64), wide(1)));
}

TEST_F(Halves, KeepTheComplement) {
  // zext(~x) is 2^32 - 1 - zext(x), for every x.
  const ExprId x = e.launch_constant(32, 0x170);
  EXPECT_EQ(e.add(e.zero_extend(e.bit_not(x), 64), e.zero_extend(x, 64)), wide(ones(32)));
}

}  // namespace
}  // namespace picker::analysis
