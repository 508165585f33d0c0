// Random expressions and launches for the validator's property tests.
#pragma once

#include <random>
#include <vector>

#include "analysis/summary.hpp"
#include "validate/concrete.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

class Random {
 public:
  explicit Random(u64 seed) : engine_(seed) {}
  // Uniform in [lo, hi].
  u64 range(u64 lo, u64 hi) { return std::uniform_int_distribution<u64>(lo, hi)(engine_); }
  bool chance(u32 percent) { return range(1, 100) <= percent; }
  u64 bits() { return engine_(); }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[range(0, from.size() - 1)];
  }
  // Values that sit where wraps happen, more often than not.
  u64 interesting(u32 width) {
    const u64 mask = width >= 64 ? ~u64{0} : (u64{1} << width) - 1;
    switch (range(0, 7)) {
      case 0:
        return range(0, 8) & mask;
      case 1:
        return (0 - range(1, 8)) & mask;
      case 2:
        return ((u64{1} << (width - 1)) + range(0, 6) - 3) & mask;
      case 3:
        return (u64{1} << range(0, width - 1)) & mask;
      case 4:
        return ((u64{1} << range(0, width - 1)) - 1) & mask;
      case 5:
        return range(0, 300) & mask;
      default:
        return bits() & mask;
    }
  }

 private:
  std::mt19937_64 engine_;
};

// A summary with `loops` loops and a pool of random nodes; every width has nodes to start from.
class RandomExpressions {
 public:
  RandomExpressions(Random& random, analysis::Summary& summary, u32 loops)
      : random_(random), e_(summary.expressions) {
    summary.loops.resize(loops);
    for (u32 axis = 0; axis < 3; ++axis) {
      add(e_.thread_index(axis));
      add(e_.block_index(axis));
    }
    for (u32 loop = 0; loop < loops; ++loop) {
      const analysis::ExprId iteration = e_.iteration(loop, 0, false);
      add(iteration);
      add(e_.extract(iteration, 0, 32));
    }
    for (u32 i = 0; i < 3; ++i) add_opaque();
    for (const u8 width : {u8{8}, u8{16}, u8{32}, u8{64}}) {
      for (u32 i = 0; i < 2; ++i) add(e_.constant(width, random_.interesting(width)));
      add(e_.launch_constant(width, 16 * width));
    }
    add(e_.equal(e_.thread_index(0), e_.constant(32, 1)));
  }

  void grow(u32 steps) {
    for (u32 i = 0; i < steps; ++i) step();
  }
  [[nodiscard]] const std::vector<analysis::ExprId>& nodes() const { return nodes_; }
  [[nodiscard]] analysis::ExprId pick_condition() {
    for (u32 i = 0; i < 8 || conditions_.empty(); ++i) step_condition();
    return random_.pick(conditions_);
  }
  analysis::ExprId pick_width(u8 width) {
    std::vector<analysis::ExprId> fitting;
    for (const analysis::ExprId id : nodes_)
      if (e_.width(id) == width) fitting.push_back(id);
    // Later nodes are deeper; prefer them.
    const size_t from = random_.chance(50) ? fitting.size() / 2 : 0;
    return fitting[random_.range(from, fitting.size() - 1)];
  }

 private:
  void add(analysis::ExprId id) {
    if (e_.width(id) == 1) {
      conditions_.push_back(id);
      return;
    }
    const u8 width = e_.width(id);
    if (width == 8 || width == 16 || width == 32 || width == 64) nodes_.push_back(id);
  }
  void add_opaque() {
    const u8 width = random_.chance(50) ? 32 : 64;
    u64 lo = random_.interesting(width);
    u64 hi = random_.interesting(width);
    if (lo > hi) std::swap(lo, hi);
    add(e_.make_opaque(width, lo, hi, analysis::OpaqueCause::kArithmetic, 0, 0, false, false));
  }
  u8 some_width() {
    const u64 r = random_.range(0, 9);
    return r < 1 ? 8 : r < 2 ? 16 : r < 7 ? 32 : 64;
  }
  void step_condition() {
    const u8 width = some_width();
    const analysis::ExprId a = pick_width(width);
    const analysis::ExprId b =
        random_.chance(50) ? pick_width(width) : e_.constant(width, random_.interesting(width));
    switch (random_.range(0, 9)) {
      case 0:
      case 1:
        return add(e_.equal(a, b));
      case 2:
      case 3:
        return add(e_.less_unsigned(a, b));
      case 4:
      case 5:
        return add(e_.less_signed(a, b));
      case 6:
        return add(e_.carry(a, b, random_.pick(conditions_)));
      case 7:
        return add(e_.extract(a, width - 1u, 1));
      case 8: {
        const analysis::ExprId x = random_.pick(conditions_), y = random_.pick(conditions_);
        const u64 r = random_.range(0, 3);
        return add(r == 0   ? e_.bit_and(x, y)
                   : r == 1 ? e_.bit_or(x, y)
                   : r == 2 ? e_.bit_xor(x, y)
                            : e_.select(random_.pick(conditions_), x, y));
      }
      default:
        return add(e_.bit_not(random_.pick(conditions_)));
    }
  }
  void step() {
    const u8 width = some_width();
    const analysis::ExprId a = pick_width(width);
    const analysis::ExprId b =
        random_.chance(50) ? pick_width(width) : e_.constant(width, random_.interesting(width));
    const analysis::ExprId small = e_.constant(width, random_.range(1, 40));
    switch (random_.range(0, 21)) {
      case 0:
      case 1:
        return add(e_.add(a, b));
      case 2:
        return add(e_.sub(a, b));
      case 3:
      case 4:
        return add(e_.mul(a, random_.chance(60) ? small : b));
      case 5:
        return add(e_.bit_and(a, b));
      case 6:
        return add(e_.bit_or(a, b));
      case 7:
        return add(e_.bit_xor(a, b));
      case 8:
        return add(e_.shift_left(a, random_.chance(70) ? small : b));
      case 9:
        return add(e_.shift_right(a, random_.chance(70) ? small : b));
      case 10:
        return add(e_.shift_right_signed(a, random_.chance(70) ? small : b));
      case 11:
        return add(e_.divide(a, small));
      case 12:
        return add(e_.remainder(a, small));
      case 13:
        return add(e_.min_unsigned(a, b));
      case 14:
        return add(random_.chance(50) ? e_.max_unsigned(a, b) : e_.max_signed(a, b));
      case 15:
        return add(e_.min_signed(a, b));
      case 16:
        return add(e_.zero_extend(a, 64));
      case 17:
        return add(e_.sign_extend(a, 64));
      case 18: {
        const u32 low = static_cast<u32>(random_.range(0, width - 1));
        const u8 bits = static_cast<u8>(random_.range(1, width - low));
        const analysis::ExprId part = e_.extract(a, low, bits);
        add(part);
        return add(random_.chance(50) ? e_.zero_extend(part, width) : e_.sign_extend(part, width));
      }
      case 19: {
        // A bit field kept in place: masks with contiguous ones.
        const u32 low = static_cast<u32>(random_.range(0, width - 1));
        const u64 ones = (u64{1} << random_.range(1, width - low > 63 ? 63 : width - low)) - 1;
        return add(e_.bit_and(a, e_.constant(width, ones << low)));
      }
      case 20:
        return add(e_.select(random_.pick(conditions_), a, b));
      default:
        return step_condition();
    }
  }

  Random& random_;
  analysis::Expressions& e_;
  std::vector<analysis::ExprId> nodes_;
  std::vector<analysis::ExprId> conditions_;
};

}  // namespace picker::validate
