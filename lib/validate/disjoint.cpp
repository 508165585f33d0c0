#include "validate/disjoint.hpp"

#include <algorithm>

namespace picker::validate {
namespace {

// coefficient > 0, 0 <= y <= count.
struct Axis {
  i128 coefficient = 0;
  i128 count = 0;
};

struct Axes {
  i128 base = 0;  // the lowest start address
  std::array<Axis, kMaxTerms> axes{};
  u32 size = 0;
};

// False when a product leaves 128 bits (never for real footprints).
bool normalise(const AccessPiece& piece, Axes& out) {
  out.base = piece.base;
  for (u32 i = 0; i < piece.dimension_count; ++i) {
    const Dimension& dimension = piece.dimensions[i];
    const i128 coefficient = dimension.coefficient;
    const i128 at = coefficient > 0 ? dimension.lo : dimension.hi;
    const std::optional<i128> offset = checked_mul<i128>(coefficient, at);
    if (!offset) return false;
    const std::optional<i128> base = checked_add<i128>(out.base, *offset);
    if (!base) return false;
    out.base = *base;
    if (dimension.lo == dimension.hi) continue;
    out.axes[out.size++] = {coefficient > 0 ? coefficient : -coefficient,
                            dimension.hi - dimension.lo};
  }
  return true;
}

i128 reach(const Axes& axes, u32 except) {
  i128 sum = 0;
  for (u32 i = 0; i < axes.size; ++i)
    if (i != except) sum += axes.axes[i].coefficient * axes.axes[i].count;
  return sum;
}

// Keeps to starts in [lo, hi]: nothing outside the common range of both pieces matters.
bool clip(Axes& axes, i128 lo, i128 hi) {
  for (u32 i = 0; i < axes.size; ++i) {
    Axis& axis = axes.axes[i];
    // At most: even with all others at their least.
    if (axes.base > hi) return false;
    axis.count = std::min(axis.count, (hi - axes.base) / axis.coefficient);
    // At least: even with all others at their most.
    const i128 need = lo - axes.base - reach(axes, i);
    if (need <= 0) continue;
    const i128 least = ceil_divide(need, axis.coefficient);
    if (least > axis.count) return false;
    axes.base += least * axis.coefficient;
    axis.count -= least;
  }
  return axes.base <= hi && axes.base + reach(axes, axes.size) >= lo;
}

class Solver {
 public:
  Solver(const Axes& a, const Axes& b, i128 lo, i128 hi) : lo_(lo), hi_(hi) {
    offset_ = a.base - b.base;
    for (u32 i = 0; i < a.size; ++i) axes_[size_++] = a.axes[i];
    for (u32 i = 0; i < b.size; ++i) {
      // -c * y = -c * n + c * (n - y)
      offset_ -= b.axes[i].coefficient * b.axes[i].count;
      axes_[size_++] = b.axes[i];
    }
    std::sort(axes_.begin(), axes_.begin() + size_,
              [](const Axis& x, const Axis& y) { return x.coefficient > y.coefficient; });
    u32 kept = 0;
    for (u32 i = 0; i < size_; ++i) {
      if (kept != 0 && axes_[kept - 1].coefficient == axes_[i].coefficient)
        axes_[kept - 1].count += axes_[i].count;
      else
        axes_[kept++] = axes_[i];
    }
    size_ = kept;
    reach_[size_] = 0;
    divisor_[size_] = 0;
    for (u32 i = size_; i-- > 0;) {
      reach_[i] = reach_[i + 1] + axes_[i].coefficient * axes_[i].count;
      divisor_[i] = greatest_common_divisor(divisor_[i + 1], axes_[i].coefficient);
    }
  }

  // Whether offset + sum may lie in [lo, hi].
  bool may_hit() { return hit(0, offset_); }

 private:
  bool hit(u32 level, i128 sum) {
    if (++steps_ > kSolverBudget) return true;
    const i128 lo = std::max(lo_, sum);
    const i128 hi = std::min(hi_, sum + reach_[level]);
    if (lo > hi) return false;
    if (level == size_) return true;
    // The values within reach are congruent to `sum` modulo the common divisor.
    const i128 divisor = divisor_[level];
    if (lo + positive_remainder(sum - lo, divisor) > hi) return false;
    const Axis& axis = axes_[level];
    const i128 first =
        std::max<i128>(0, ceil_divide(lo_ - sum - reach_[level + 1], axis.coefficient));
    const i128 last = std::min(axis.count, floor_divide(hi_ - sum, axis.coefficient));
    if (last - first > kSolverBudget) return true;
    for (i128 y = first; y <= last; ++y)
      if (hit(level + 1, sum + y * axis.coefficient)) return true;
    return false;
  }

  std::array<Axis, size_t{2} * kMaxTerms> axes_{};
  std::array<i128, size_t{2} * kMaxTerms + 1> reach_{};    // how far axes from here on can add
  std::array<i128, size_t{2} * kMaxTerms + 1> divisor_{};  // of their coefficients
  u32 size_ = 0;
  i128 offset_ = 0;
  i128 lo_ = 0;
  i128 hi_ = 0;
  u32 steps_ = 0;
};

}  // namespace

bool provably_disjoint(const AccessPiece& a, const AccessPiece& b) {
  if (a.last < b.first || b.last < a.first) return true;
  Axes left;
  Axes right;
  if (!normalise(a, left) || !normalise(b, right)) return false;
  // Guard the products below: footprints inside 64 bits have axes of 65 bits and coefficients
  // of 64.
  for (const Axes* axes : {&left, &right})
    for (u32 i = 0; i < axes->size; ++i)
      if (axes->axes[i].count >= power_of_two(66) ||
          !checked_mul<i128>(axes->axes[i].coefficient, axes->axes[i].count * 64))
        return false;
  const i128 lo = std::max<i128>(a.first, b.first);
  const i128 hi = std::min<i128>(a.last, b.last);
  if (!clip(left, lo - (a.size - 1), hi)) return true;
  if (!clip(right, lo - (b.size - 1), hi)) return true;
  return !Solver(left, right, -static_cast<i128>(a.size - 1), static_cast<i128>(b.size) - 1)
              .may_hit();
}

}  // namespace picker::validate
