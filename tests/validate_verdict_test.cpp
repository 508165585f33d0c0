// Verdicts for kernels written out by hand. Every case that is fine has a sibling that differs by
// one byte or one element and is not.
#include <gtest/gtest.h>

#include <functional>

#include "validate/verdict.hpp"
#include "validate_kernels.hpp"

namespace picker::validate {
namespace {

using analysis::AccessKind;
using analysis::ExprId;
using analysis::Reason;

constexpr u64 kA = 0x7f0000000000;

// c[i] = a[i] + b[i] for i < n; parameters a, b, c, n.
Kernel vector_add() {
  Kernel k;
  const ExprId i = k.global_index();
  const ExprId guard = k.e().less_signed(i, k.scalar(3));
  k.read(k.element(k.pointer(0), i), {guard});
  k.read(k.element(k.pointer(1), i), {guard});
  k.write(k.element(k.pointer(2), i), {guard});
  return k;
}

VerdictKind kind(const Kernel& k, const Launch& launch) { return validate(k.summary, launch).kind; }

#define EXPECT_IDEMPOTENT(kernel, launch) EXPECT_EQ(kind(kernel, launch), VerdictKind::kIdempotent)
#define EXPECT_UNKNOWN(kernel, launch) EXPECT_EQ(kind(kernel, launch), VerdictKind::kUnknown)

TEST(VectorAdd, RangesThatTouchAreIdempotentRangesThatOverlapByAByteAreNot) {
  const Kernel k = vector_add();
  const auto launch = [](u64 c, u64 n) {
    return make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA + 0x100000, c, n});
  };
  EXPECT_IDEMPOTENT(k, launch(kA + 4000, 1000));
  EXPECT_UNKNOWN(k, launch(kA + 3999, 1000));
  EXPECT_UNKNOWN(k, launch(kA + 3996, 1000));
  EXPECT_IDEMPOTENT(k, launch(kA - 4000, 1000));
  EXPECT_UNKNOWN(k, launch(kA - 3999, 1000));
  EXPECT_UNKNOWN(k, launch(kA, 1000));
  EXPECT_UNKNOWN(k, launch(kA + 0x100000, 1000));
  // One element more reaches the next buffer.
  EXPECT_UNKNOWN(k, launch(kA + 4000, 1001));
  // The grid covers 1024 elements only: a larger n changes nothing.
  EXPECT_IDEMPOTENT(k, launch(kA + 4096, 5000));
  EXPECT_UNKNOWN(k, launch(kA + 4095, 5000));
}

TEST(VectorAdd, HullsAreExact) {
  const Verdict verdict =
      validate(vector_add().summary,
               make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA + 0x100000, kA + 0x200000, 1000}));
  ASSERT_EQ(verdict.reads.size(), 2u);
  ASSERT_EQ(verdict.writes.size(), 1u);
  EXPECT_EQ(verdict.reads[0].lo, kA);
  EXPECT_EQ(verdict.reads[0].hi, kA + 4000);
  EXPECT_EQ(verdict.writes[0].lo, kA + 0x200000);
  EXPECT_EQ(verdict.writes[0].hi, kA + 0x200000 + 4000);
  EXPECT_EQ(verdict.tier, Tier::kHulls);
}

TEST(VectorAdd, NothingToDoIsIdempotentWhateverThePointers) {
  const Kernel k = vector_add();
  EXPECT_IDEMPOTENT(k, make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA, kA, 0}));
  EXPECT_IDEMPOTENT(k, make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA, kA, 0x80000000}));  // negative
  EXPECT_UNKNOWN(k, make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA, kA, 1}));
  EXPECT_UNKNOWN(k, make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA, kA, 0x7fffffff}));
}

TEST(VectorAdd, AddressesBeyondTheAddressSpaceAreUnknown) {
  const Kernel k = vector_add();
  const u64 top = 0 - u64{4000};
  EXPECT_UNKNOWN(k, make_launch({4, 1, 1}, {256, 1, 1}, {top, kA, kA + 0x100000, 1001}));
  EXPECT_EQ(validate(k.summary, make_launch({4, 1, 1}, {256, 1, 1}, {top, kA, kA + 0x100000, 1001}))
                .reason,
            Reason::kAddressRangeWraps);
  EXPECT_IDEMPOTENT(k, make_launch({4, 1, 1}, {256, 1, 1}, {top, kA, kA + 0x100000, 999}));
}

TEST(VectorAdd, UnknownParameterIsUnknown) {
  const Kernel k = vector_add();
  Launch launch = make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA + 0x100000});
  launch.constant_bank.set_value(kParameterBase + 24, 1000, 4);  // but c is missing
  EXPECT_UNKNOWN(k, launch);
  launch.constant_bank.set_value(kParameterBase + 16, kA + 0x200000, 8);
  EXPECT_IDEMPOTENT(k, launch);
}

// Confirms what the concrete evaluator already found.
class Agreeing : public Witness {
 public:
  bool executes(u32, const std::array<u32, 3>&, const std::array<u32, 3>&, u64 address,
                u64 byte) override {
    ++asked;
    return address <= byte && byte < address + 4;
  }
  u32 asked = 0;
};
class Refusing : public Witness {
 public:
  bool executes(u32, const std::array<u32, 3>&, const std::array<u32, 3>&, u64, u64) override {
    return false;
  }
};

TEST(Conflict, NeedsAWitness) {
  const Kernel k = vector_add();
  const Launch launch = make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA + 0x100000, kA + 3996, 1000});
  Agreeing agreeing;
  const Verdict verdict = validate(k.summary, launch, &agreeing);
  EXPECT_EQ(verdict.kind, VerdictKind::kConflict);
  EXPECT_GT(agreeing.asked, 0u);
  ASSERT_FALSE(verdict.conflicts.empty());
  // The only bytes in common are those of the last element of a and the first of c.
  EXPECT_GE(verdict.conflicts[0].lo, kA + 3996);
  EXPECT_LE(verdict.conflicts[0].hi, kA + 4000);
  EXPECT_EQ(verdict.conflicts[0].read_site, 0u);
  EXPECT_EQ(verdict.conflicts[0].write_site, 2u);
  Refusing refusing;
  EXPECT_EQ(validate(k.summary, launch, &refusing).kind, VerdictKind::kUnknown);
  EXPECT_EQ(validate(k.summary, launch).reason, Reason::kOverlapOfRanges);
}

// for (i = global; i < n; i += threads in grid) b[i] = a[i]; the loop's counter and guards as the
// compiler leaves them: the guard before the loop, the test after the increment.
Kernel grid_stride() {
  Kernel k;
  const ExprId first = k.global_index();
  const ExprId n = k.scalar(2);
  const ExprId i = k.e().add(first, k.e().mul(k.narrow_iteration(0), k.threads_in_grid()));
  const ExprId next = k.e().add(i, k.threads_in_grid());
  k.loop({k.e().less_signed(next, n)});
  const ExprId guard = k.e().less_signed(first, n);
  k.read(k.element(k.pointer(0), i), {guard}, {0});
  k.write(k.element(k.pointer(1), i), {guard}, {0});
  return k;
}

TEST(GridStride, CoversExactlyNElements) {
  const Kernel k = grid_stride();
  const auto launch = [](u64 b, u64 n) { return make_launch({2, 1, 1}, {64, 1, 1}, {kA, b, n}); };
  for (const u64 n : {1u, 5u, 127u, 128u, 129u, 1000u, 100000u}) {
    EXPECT_IDEMPOTENT(k, launch(kA + 4 * n, n)) << n;
    EXPECT_UNKNOWN(k, launch(kA + 4 * n - 1, n)) << n;
    EXPECT_IDEMPOTENT(k, launch(kA - 4 * n, n)) << n;
    EXPECT_UNKNOWN(k, launch(kA - 4 * n + 1, n)) << n;
  }
  EXPECT_IDEMPOTENT(k, launch(kA, 0));
  EXPECT_IDEMPOTENT(k, launch(kA, 0xffffffff));
}

TEST(GridStride, TripCountThatMayWrapIsNotBelieved) {
  const Kernel k = grid_stride();
  // next = i + 128 may pass 2^31 - 1 before it reaches n. What remains is that a sign-extended
  // 32-bit index reaches 2^33 bytes down and almost as far up.
  const auto launch = [](u64 b, u64 n) { return make_launch({2, 1, 1}, {64, 1, 1}, {kA, b, n}); };
  const u64 n = 0x7ffffff0;
  const u64 away = u64{1} << 34;
  EXPECT_IDEMPOTENT(k, launch(kA + away, n));
  const Verdict verdict = validate(k.summary, launch(kA + away - 1, n));
  EXPECT_EQ(verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(verdict.reason, Reason::kTripCountUnknown);
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * (n - 0x100), n - 0x100));  // next fits: counted exactly
}

// m x n matrix: c[row * n + column] = a[...] under a guard for each axis.
Kernel matrix_copy() {
  Kernel k;
  const ExprId row = k.global_index(1);
  const ExprId column = k.global_index(0);
  const ExprId m = k.scalar(2), n = k.scalar(3);
  const std::vector<ExprId> guards = {k.e().less_signed(row, m), k.e().less_signed(column, n)};
  const ExprId index = k.e().add(k.e().mul(row, n), column);
  k.read(k.element(k.pointer(0), index), guards);
  k.write(k.element(k.pointer(1), index), guards);
  return k;
}

TEST(Matrix, GuardsOfBothAxesBoundTheFootprint) {
  const Kernel k = matrix_copy();
  // 100 x 50 in blocks of 16 x 16: both axes overhang.
  const auto launch = [](u64 b) { return make_launch({4, 7, 1}, {16, 16, 1}, {kA, b, 100, 50}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 5000));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 5000 - 1));
  EXPECT_IDEMPOTENT(k, launch(kA - 4 * 5000));
  EXPECT_UNKNOWN(k, launch(kA - 4 * 5000 + 1));
}

// Columns [0, n) of rows with a pitch: read one block of columns, write another of the same rows.
Kernel column_blocks() {
  Kernel k;
  const ExprId row = k.global_index(1);
  const ExprId column = k.global_index(0);
  const ExprId m = k.scalar(2), n = k.scalar(3), pitch = k.scalar(4);
  const std::vector<ExprId> guards = {k.e().less_signed(row, m), k.e().less_signed(column, n)};
  const ExprId index = k.e().add(k.e().mul(row, pitch), column);
  k.read(k.element(k.pointer(0), index), guards);
  k.write(k.element(k.pointer(1), index), guards);
  return k;
}

TEST(Matrix, ColumnBlocksOfTheSameRowsAreDisjoint) {
  const Kernel k = column_blocks();
  const auto launch = [](u64 b, u64 n) {
    return make_launch({4, 7, 1}, {16, 16, 1}, {kA, b, 100, n, 120});
  };
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 50, 50));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 50 - 1, 50));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 50, 51));
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 70, 50));  // wraps into the next row's free columns exactly
  EXPECT_UNKNOWN(k, launch(kA + 4 * 71, 50));
  EXPECT_EQ(validate(k.summary, launch(kA + 4 * 50, 50)).tier, Tier::kStrided);
}

TEST(Strided, EvenAndOddElementsAreDisjoint) {
  Kernel k;
  const ExprId i = k.global_index();
  const ExprId twice = k.e().mul(i, k.number(2));
  const ExprId guard = k.e().less_signed(i, k.scalar(2));
  k.read(k.element(k.pointer(0), twice), {guard});
  k.write(k.element(k.pointer(1), twice), {guard});
  const auto launch = [](u64 b) { return make_launch({4, 1, 1}, {256, 1, 1}, {kA, b, 1000}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 4));
  EXPECT_UNKNOWN(k, launch(kA + 3));
  EXPECT_UNKNOWN(k, launch(kA + 5));
  EXPECT_UNKNOWN(k, launch(kA + 8));
  EXPECT_IDEMPOTENT(k, launch(kA + 12));
  EXPECT_IDEMPOTENT(k, launch(kA - 4));
}

TEST(Wrap, IndexTimesStrideThatWrapsIsNotTakenForAnInteger) {
  // a[(unsigned)(i * stride)]: with i * stride up to 2^32 and beyond the index wraps.
  Kernel k;
  const ExprId i = k.global_index();
  const ExprId index = k.e().mul(i, k.scalar(2));
  k.read(k.unsigned_element(k.pointer(0), index));
  k.write(k.unsigned_element(k.pointer(1), i));
  const auto launch = [](u64 stride, u64 b) {
    return make_launch({1, 1, 1}, {257, 1, 1}, {kA, b, stride});
  };
  // 256 * 2^24 = 2^32 wraps to 0 and 255 * 2^24 does not: reads reach up to (2^32 - 2^24) * 4.
  EXPECT_IDEMPOTENT(k, launch((1u << 24) - 1, kA + (u64{1} << 34)));
  EXPECT_UNKNOWN(k, launch((1u << 24) + 1, kA + 4));
  // Before the wrap the largest index is 256 * (2^24 - 1).
  const u64 end = kA + 4 * (u64{256} * ((1u << 24) - 1) + 1);
  EXPECT_IDEMPOTENT(k, launch((1u << 24) - 1, end));
  EXPECT_UNKNOWN(k, launch((1u << 24) - 1, end - 1));
}

TEST(Wrap, NegativeOffsetsAreSignExtended) {
  Kernel k;
  const ExprId i = k.e().sub(k.thread(), k.number(8));  // -8 .. 7 in 16 threads
  k.read(k.element(k.pointer(0), i));
  k.write(k.element(k.pointer(1), k.thread()));
  const auto launch = [](u64 b) { return make_launch({1, 1, 1}, {16, 1, 1}, {kA, b}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 8));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 8 - 1));
  EXPECT_IDEMPOTENT(k, launch(kA - 4 * 24));
  EXPECT_UNKNOWN(k, launch(kA - 4 * 24 + 1));
}

TEST(Guards, UnsignedRangeCheckBoundsBothSides) {
  // if ((unsigned)(tid - first) < count) a[tid] is read.
  Kernel k;
  const ExprId tid = k.thread();
  const ExprId guard = k.e().less_unsigned(k.e().sub(tid, k.scalar(2)), k.scalar(3));
  k.read(k.element(k.pointer(0), tid), {guard});
  k.write(k.element(k.pointer(1), k.number(0)));
  const auto launch = [](u64 b) {
    return make_launch({1, 1, 1}, {64, 1, 1}, {kA, b, 10, 20});  // threads 10 to 29
  };
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 30));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 30 - 1));
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * 9));
  EXPECT_UNKNOWN(k, launch(kA + 4 * 9 + 1));
}

TEST(Guards, UnsignedRangeCheckThatLetsWrappedValuesPassBoundsNothing) {
  // tid - 10 wraps to 2^32 - 10 and up for the first ten threads; a count of 2^32 - 10 lets all but
  // those pass, one more lets thread 0 pass as well.
  Kernel k;
  const ExprId tid = k.thread();
  const ExprId guard = k.e().less_unsigned(k.e().sub(tid, k.number(10)), k.scalar(2));
  k.read(k.element(k.pointer(0), tid), {guard});
  k.write(k.element(k.pointer(1), k.number(0)));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA, 0xfffffff6}));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA, 0xfffffff7}));
}

TEST(Guards, EqualityPinsAVariable) {
  Kernel k;
  const ExprId guard = k.e().equal(k.thread(), k.scalar(2));
  k.read(k.element(k.pointer(0), k.thread()), {guard});
  k.write(k.element(k.pointer(1), k.number(0)));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 6, 5}));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 4, 5}));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 5, 5}));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 64, 64}));  // nobody
}

TEST(Clamp, MinimumAndMaximumKeepIndicesInside) {
  // Stencil with clamped neighbours: a[max(i - 1, 0)], a[min(i + 1, n - 1)].
  Kernel k;
  const ExprId i = k.global_index();
  const ExprId n = k.scalar(2);
  const ExprId guard = k.e().less_signed(i, n);
  const ExprId left = k.e().max_signed(k.e().sub(i, k.number(1)), k.number(0));
  const ExprId right = k.e().min_signed(k.e().add(i, k.number(1)), k.e().sub(n, k.number(1)));
  k.read(k.element(k.pointer(0), left), {guard});
  k.read(k.element(k.pointer(0), right), {guard});
  k.write(k.element(k.pointer(1), i), {guard});
  const auto launch = [](u64 b) { return make_launch({4, 1, 1}, {256, 1, 1}, {kA, b, 1000}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 4000));
  EXPECT_UNKNOWN(k, launch(kA + 3999));
  EXPECT_IDEMPOTENT(k, launch(kA - 4000));
  EXPECT_UNKNOWN(k, launch(kA - 3999));
}

TEST(Clamp, SelectOnTheSignKeepsIndicesInside) {
  // j = i - 4 < 0 ? 0 : i - 4
  Kernel k;
  const ExprId shifted = k.e().sub(k.thread(), k.number(4));
  const ExprId j = k.e().select(k.e().less_signed(shifted, k.number(0)), k.number(0), shifted);
  k.read(k.element(k.pointer(0), j));
  k.write(k.element(k.pointer(1), k.number(0)));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA - 4}));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA - 3}));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 60}));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 4 * 60 - 1}));
}

TEST(Bits, DivisionAndRemainderSplitAnIndex) {
  // a[(t / 16) * pitch + t % 16] with 64 threads: 4 rows of 16.
  Kernel k;
  const ExprId row = k.e().shift_right(k.thread(), k.number(4));
  const ExprId column = k.e().bit_and(k.thread(), k.number(15));
  const ExprId index = k.e().add(k.e().mul(row, k.scalar(2)), column);
  k.read(k.element(k.pointer(0), index));
  k.write(k.element(k.pointer(1), index));
  const auto launch = [](u64 b, u64 pitch) {
    return make_launch({1, 1, 1}, {64, 1, 1}, {kA, b, pitch});
  };
  EXPECT_IDEMPOTENT(k, launch(kA + 64, 32));
  EXPECT_UNKNOWN(k, launch(kA + 64, 31));
  EXPECT_UNKNOWN(k, launch(kA + 63, 32));
  EXPECT_IDEMPOTENT(k, launch(kA + 4 * (3 * 32 + 16), 32));
  EXPECT_UNKNOWN(k, launch(kA + 4 * (3 * 32 + 16) - 1, 32));
}

TEST(Bits, DivisionByMagicNumberSplitsAnIndex) {
  // Division as integer-division helpers do it, with the multiplier and shift as parameters:
  // q = (umulhi(x, m) + x) >> s, r = x - q * d; then a[q * pitch + r].
  for (const u64 d : {3u, 10u, 25u, 60u}) {
    u32 shift = 0;
    while ((u64{1} << shift) < d) ++shift;
    const u64 magic = ((u64{1} << 32) * ((u64{1} << shift) - d)) / d + 1;
    Kernel k;
    const ExprId x = k.global_index();
    const ExprId guard = k.e().less_signed(x, k.scalar(2));
    const ExprId wide = k.e().mul(k.e().zero_extend(x, 64), k.e().zero_extend(k.scalar(3), 64));
    const ExprId high = k.e().extract(wide, 32, 32);
    const ExprId q = k.e().shift_right(k.e().add(high, x), k.scalar(4));
    const ExprId r = k.e().sub(x, k.e().mul(q, k.number(d)));
    const ExprId index = k.e().add(k.e().mul(q, k.scalar(5)), r);
    k.read(k.element(k.pointer(0), index), {guard});
    k.write(k.element(k.pointer(1), index), {guard});
    const auto launch = [&](u64 b, u64 pitch) {
      return make_launch({4, 1, 1}, {256, 1, 1}, {kA, b, 1001, magic, shift, pitch});
    };
    const u64 last_row = 1000 / d;
    EXPECT_IDEMPOTENT(k, launch(kA + 4 * (last_row * 100 + d), 100)) << d;
    EXPECT_UNKNOWN(k, launch(kA + 4 * (last_row * 100), 100)) << d;
  }
}

TEST(Interpreter, RemembersNothingBetweenLaunches) {
  const Kernel k = grid_stride();
  Interpreter interpreter(k.summary);
  for (u32 i = 0; i < 20; ++i) {
    const u64 n = 100 + 37 * i;
    EXPECT_EQ(interpreter.validate(make_launch({2, 1, 1}, {64, 1, 1}, {kA, kA + 4 * n, n})).kind,
              VerdictKind::kIdempotent);
    EXPECT_EQ(
        interpreter.validate(make_launch({2, 1, 1}, {64, 1, 1}, {kA, kA + 4 * n - 1, n})).kind,
        VerdictKind::kUnknown);
  }
}

TEST(Writes, NothingWrittenIsIdempotentWhateverIsRead) {
  Kernel k;
  k.site(AccessKind::kRead, k.pointer(0), 4).bounded = false;
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
  k.write(k.pointer(0));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
}

TEST(Writes, UnboundedWriteIsHarmlessOnlyIfNothingIsRead) {
  Kernel k;
  k.site(AccessKind::kWrite, k.pointer(0), 4).bounded = false;
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
  k.read(k.pointer(0));
  const Verdict verdict = validate(k.summary, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
  EXPECT_EQ(verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(verdict.reason, Reason::kAddressUnknown);
}

TEST(Atomics, CountAsReadAndWrite) {
  Kernel k;
  const ExprId guard = k.e().less_signed(k.thread(), k.scalar(1));
  k.site(AccessKind::kReadWrite, k.element(k.pointer(0), k.thread()), 4, {guard});
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, 1}));
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA, 0}));
  Agreeing agreeing;
  EXPECT_EQ(validate(k.summary, make_launch({1, 1, 1}, {64, 1, 1}, {kA, 1}), &agreeing).kind,
            VerdictKind::kConflict);
}

TEST(Shielded, ReadsOfOwnWritesDoNotCount) {
  Kernel k;
  k.write(k.element(k.pointer(0), k.thread()));
  k.site(AccessKind::kRead, k.element(k.pointer(0), k.thread()), 4).shielded = true;
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
  k.summary.sites[1].shielded = false;
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {64, 1, 1}, {kA}));
}

TEST(Findings, LiveOnesMakeUnknownDeadOnesDoNot) {
  Kernel k = vector_add();
  analysis::Finding finding;
  finding.reason = Reason::kIndirectBranch;
  finding.code_offset = 0x80;
  finding.detail = "BRX";
  finding.conditions = {k.e().less_signed(k.number(2000), k.scalar(3))};
  k.summary.findings.push_back(finding);
  const auto launch = [](u64 n) {
    return make_launch({4, 1, 1}, {256, 1, 1}, {kA, kA + 0x100000, kA + 0x200000, n});
  };
  EXPECT_IDEMPOTENT(k, launch(2000));
  const Verdict verdict = validate(k.summary, launch(2001));
  EXPECT_EQ(verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(verdict.reason, Reason::kIndirectBranch);
  EXPECT_EQ(verdict.detail, "BRX");
  EXPECT_EQ(verdict.code_offsets, std::vector<u32>{0x80});
}

TEST(Findings, UndecodedInstructionIsNeverHarmless) {
  Kernel k;
  k.read(k.pointer(0));
  analysis::Finding finding;
  finding.reason = Reason::kUndecodedInstruction;
  k.summary.findings = {finding};
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {1, 1, 1}, {kA}));
  k.summary.findings[0].reason = Reason::kTextureOrSurface;
  k.summary.findings[0].detail = "TEX.LL";
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {1, 1, 1}, {kA}));
  k.summary.findings[0].detail = "SUST.D.BA";
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {1, 1, 1}, {kA}));
}

TEST(ProgrammaticLaunch, IsUnknown) {
  Launch launch = make_launch({1, 1, 1}, {64, 1, 1}, {kA, kA + 0x1000, kA + 0x2000, 10});
  EXPECT_IDEMPOTENT(vector_add(), launch);
  launch.programmatic = true;
  EXPECT_EQ(validate(vector_add().summary, launch).reason, Reason::kProgrammaticLaunch);
}

TEST(Symbols, MustBePlacedWhenTheyMatter) {
  Kernel k;
  k.summary.symbols.push_back({"table", false});
  k.read(k.element(k.e().symbol_address(0), k.thread()));
  k.write(k.pointer(0));
  Launch launch = make_launch({1, 1, 1}, {8, 1, 1}, {kA});
  const Verdict verdict = validate(k.summary, launch);
  EXPECT_EQ(verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(verdict.reason, Reason::kSymbolNotPlaced);
  launch.symbols = {kA + 4};
  EXPECT_IDEMPOTENT(k, launch);
  launch.symbols = {kA + 3};
  EXPECT_UNKNOWN(k, launch);
}

TEST(InBounds, ContractBoundsWhatTheAnalysisCannot) {
  Kernel k;
  const ExprId lost =
      k.e().make_opaque(64, 0, ~u64{0}, analysis::OpaqueCause::kGlobalLoad, 0, 0, false, true);
  k.site(AccessKind::kRead, k.e().add(k.pointer(0), lost), 4).bounded = false;
  k.write(k.pointer(1));
  Launch launch = make_launch({1, 1, 1}, {8, 1, 1}, {kA, kA + 0x1000});
  launch.allocations = {{kA, 0x1000}, {kA + 0x1000, 0x1000}};
  EXPECT_EQ(validate(k.summary, launch).reason, Reason::kAddressFromMemory);
  launch.contracts = {"in-bounds"};
  const Verdict verdict = validate(k.summary, launch);
  EXPECT_EQ(verdict.kind, VerdictKind::kIdempotent);
  EXPECT_EQ(verdict.contracts, std::vector<std::string>{"in-bounds"});
  // A write to the last byte of the same allocation meets it.
  launch.constant_bank.set_value(kParameterBase + 8, kA + 0xfff, 8);
  EXPECT_UNKNOWN(k, launch);
}

// ---- Trip counts ---------------------------------------------------------------------------

// One thread reads a[kappa * 4 ...] in a loop with this continue condition on x = x0 + s * kappa,
// and writes b: the least b - a that is idempotent is four times the number of iterations.
u64 iterations_found(const std::function<ExprId(Kernel&, ExprId x)>& continues, u64 x0, u64 step,
                     u8 width = 32) {
  Kernel k;
  const ExprId iteration = k.e().iteration(0, 0, false);
  const ExprId narrow = width == 64 ? iteration : k.e().extract(iteration, 0, width);
  const ExprId x =
      k.e().add(k.e().constant(width, x0), k.e().mul(narrow, k.e().constant(width, step)));
  k.loop({continues(k, x)});
  k.read(k.e().add(k.pointer(0), k.e().mul(iteration, k.number(4, 64))), {}, {0});
  const Verdict verdict = validate(k.summary, make_launch({1, 1, 1}, {1, 1, 1}, {kA, 0}));
  if (verdict.reads.empty()) return 0;
  return (verdict.reads[0].hi - kA) / 4;
}

TEST(TripCount, EveryRelationGivesTheExactNumber) {
  const auto count = [](auto relation, u64 x0, u64 step, u8 width = 32) {
    return iterations_found(relation, x0, step, width);
  };
  const auto less = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_signed(x, k.number(n, k.e().width(x))); };
  };
  const auto at_most = [](u64 n) {
    return [n](Kernel& k, ExprId x) {
      return k.e().bit_not(k.e().less_signed(k.number(n, k.e().width(x)), x));
    };
  };
  const auto more = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_signed(k.number(n, k.e().width(x)), x); };
  };
  const auto below = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_unsigned(x, k.number(n, k.e().width(x))); };
  };
  const auto above = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_unsigned(k.number(n, k.e().width(x)), x); };
  };
  const auto differs = [](u64 n) {
    return [n](Kernel& k, ExprId x) {
      return k.e().bit_not(k.e().equal(x, k.number(n, k.e().width(x))));
    };
  };
  const auto same = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().equal(x, k.number(n, k.e().width(x))); };
  };
  // The loop body runs once, and again for each k = 0, 1, ... while the condition holds for x(k).
  EXPECT_EQ(count(less(10), 0, 1), 11u);
  EXPECT_EQ(count(less(10), 0, 3), 5u);  // 0 3 6 9 | 12
  EXPECT_EQ(count(less(9), 0, 3), 4u);   // 0 3 6 | 9
  EXPECT_EQ(count(less(0), 0, 1), 1u);
  EXPECT_EQ(count(less(0u - 5), 0, 1), 1u);
  EXPECT_EQ(count(less(5), 0u - 5, 1), 11u);
  EXPECT_EQ(count(at_most(9), 0, 3), 5u);
  EXPECT_EQ(count(at_most(8), 0, 3), 4u);
  EXPECT_EQ(count(more(0), 10, 0u - 1), 11u);
  EXPECT_EQ(count(more(0), 10, 0u - 4), 4u);            // 10 6 2 | -2
  EXPECT_EQ(count(more(0u - 11), 0u - 1, 0u - 5), 3u);  // -1 -6 | -11
  EXPECT_EQ(count(below(10), 0, 1), 11u);
  EXPECT_EQ(count(below(0xf0000000), 0, 0x08000000), 31u);
  EXPECT_EQ(count(above(0), 10, 0u - 1), 11u);
  EXPECT_EQ(count(differs(10), 0, 1), 11u);
  EXPECT_EQ(count(differs(10), 0, 2), 6u);
  EXPECT_EQ(count(differs(0), 10, 0u - 5), 3u);
  EXPECT_EQ(count(differs(3), 0xfffffffe, 1), 6u);  // through zero: fe ff 0 1 2 | 3
  EXPECT_EQ(count(same(7), 7, 1), 2u);
  EXPECT_EQ(count(less(u64{1} << 40), 0, u64{1} << 30, 64), 1025u);
  EXPECT_EQ(count(below(u64{1} << 40), 0, u64{1} << 30, 64), 1025u);
}

TEST(TripCount, WhatMayWrapHasNone) {
  const auto unbounded = [](const std::function<ExprId(Kernel&, ExprId)>& continues, u64 x0,
                            u64 step) {
    return iterations_found(continues, x0, step) == 0 ||
           iterations_found(continues, x0, step) > (u64{1} << 32);
  };
  const auto less = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_signed(x, k.number(n)); };
  };
  const auto below = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().less_unsigned(x, k.number(n)); };
  };
  const auto differs = [](u64 n) {
    return [n](Kernel& k, ExprId x) { return k.e().bit_not(k.e().equal(x, k.number(n))); };
  };
  EXPECT_TRUE(unbounded(less(0x7fffffff), 0, 2));  // 0x7ffffffe + 2 is negative
  EXPECT_FALSE(unbounded(less(0x7fffffff), 0, 1));
  EXPECT_TRUE(unbounded(below(0xffffffff), 0, 2));
  EXPECT_FALSE(unbounded(below(0xfffffffe), 0, 2));
  EXPECT_TRUE(unbounded(less(10), 0, 0u - 1));  // runs away from its bound
  EXPECT_TRUE(unbounded(differs(9), 0, 2));     // steps over it
  EXPECT_TRUE(unbounded(less(10), 0, 0));       // does not move
}

TEST(TripCount, WideningComparisonsAreTakenNarrow) {
  // for (int i = 0; (long)i < n; ++i), n a 64-bit parameter
  Kernel k;
  const ExprId iteration = k.e().iteration(0, 0, false);
  const ExprId i = k.e().add(k.thread(), k.e().extract(iteration, 0, 32));
  k.loop({k.e().less_signed(k.e().sign_extend(k.e().add(i, k.number(1)), 64), k.wide_scalar(2))});
  k.read(k.element(k.pointer(0), i), {}, {0});
  k.write(k.pointer(1));
  const auto launch = [](u64 b, u64 n) { return make_launch({1, 1, 1}, {1, 1, 1}, {kA, b, n}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 400, 100));
  EXPECT_UNKNOWN(k, launch(kA + 399, 100));
  EXPECT_UNKNOWN(k, launch(kA + 400, u64{1} << 33));
}

TEST(TripCount, NestedLoopsWithDependentBounds) {
  // for (i = 0; i < n; ++i) for (j = 0; j <= i; ++j) read a[i * n + j]
  Kernel k;
  const ExprId n = k.scalar(2);
  const ExprId one = k.number(1);
  const ExprId i = k.narrow_iteration(0);
  const ExprId j = k.e().extract(k.e().iteration(1, 1, false), 0, 32);
  k.loop({k.e().less_signed(k.e().add(i, one), n)});
  k.loop({k.e().bit_not(k.e().less_signed(i, k.e().add(j, one)))}, 0);
  const ExprId guard = k.e().less_signed(k.number(0), n);
  k.read(k.element(k.pointer(0), k.e().add(k.e().mul(i, n), j)), {guard}, {0, 1});
  k.write(k.pointer(1));
  const auto launch = [](u64 b) { return make_launch({1, 1, 1}, {1, 1, 1}, {kA, b, 10}); };
  EXPECT_IDEMPOTENT(k, launch(kA + 400));  // the last element read is a[99]
  EXPECT_UNKNOWN(k, launch(kA + 396));
  EXPECT_IDEMPOTENT(k, launch(kA - 4));
  EXPECT_UNKNOWN(k, launch(kA));
}

TEST(TripCount, SitesThatDoNotMentionTheLoopStayBounded) {
  Kernel k;
  k.loop({});
  k.read(k.pointer(0), {}, {0});
  k.write(k.pointer(1), {}, {0});
  EXPECT_IDEMPOTENT(k, make_launch({1, 1, 1}, {1, 1, 1}, {kA, kA + 4}));
  EXPECT_UNKNOWN(k, make_launch({1, 1, 1}, {1, 1, 1}, {kA, kA + 3}));
  k.read(k.e().add(k.pointer(0), k.e().mul(k.e().iteration(0, 0, false), k.number(4, 64))), {},
         {0});
  const Verdict verdict = validate(k.summary, make_launch({1, 1, 1}, {1, 1, 1}, {kA, kA + 4}));
  EXPECT_EQ(verdict.kind, VerdictKind::kUnknown);
  EXPECT_EQ(verdict.reason, Reason::kTripCountUnknown);
}

}  // namespace
}  // namespace picker::validate
