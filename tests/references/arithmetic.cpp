// Kernels that compute: sums, products, stencils, matrices, and functions that are approximated.
#include <algorithm>

#include "references/reference.hpp"
#include "references/small_floats.hpp"

namespace picker::references {
namespace {

void vadd(Execution& run) {
  const auto a = run.pointer<float>(0), b = run.pointer<float>(1), c = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(c, t.i(), t.load(a, t.i()) + t.load(b, t.i()));
  });
}

void saxpy(Execution& run) {
  const auto a = run.argument<float>(0);
  const auto x = run.pointer<float>(1), y = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(y, t.i(), fused(a, t.load(x, t.i()), t.load(y, t.i())));
  });
}

void inplace(Execution& run) {
  const auto p = run.pointer<float>(0);
  const auto factor = run.argument<float>(1);
  const auto first = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    const i32 i = first + t.i();
    if (i < n) t.store(p, i, t.load(p, i) * factor);
  });
}

void pingpong(Execution& run) {
  const auto buffer = run.pointer<float>(0);
  const auto half = run.argument<i32>(1), step = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Pointer<float> in = buffer + ((step & 1) != 0 ? half : 0);
    const Pointer<float> out = buffer + ((step & 1) != 0 ? 0 : half);
    t.store(out, t.i(), 0.5f * t.load(in, t.i()));
  });
}

// ((x * 0.5 + 1.25) * x - 3) * x + 2 of a sum of two.
void calls(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<float> x = t.load(in, t.i()) + t.load(in, t.i() + 1);
    t.store(out, t.i(), fused(fused(fused(x, 0.5f, 1.25f), x, -3.0f), x, 2.0f));
  });
}

void clamp(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto radius = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n)
      t.store(
          out, t.i(),
          t.load(in, std::max(t.i() - radius, 0)) + t.load(in, std::min(t.i() + radius, n - 1)));
  });
}

void constbank(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto weights = run.symbol<float>("weights");
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    Value<float> sum = 0.0f;
    for (i32 j = 0; j < 4; ++j) sum = fused(t.load(weights, j), t.load(in, t.i() + j), sum);
    t.store(out, t.i(), sum);
  });
}

// Contracted from the left: the second product stands alone, as nvcc's PTX has it. (It shows only
// where a product is subnormal: the factors are powers of two.)
void stencil(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    const i32 i = t.i();
    if (i <= 0 || i >= n - 1) return;
    const Value<float> left = fused(0.25f, t.load(in, i - 1), 0.5f * t.load(in, i));
    t.store(out, i, fused(0.25f, t.load(in, i + 1), left));
  });
}

void unrolled(Execution& run) {
  const auto in = run.pointer<float>(0), sums = run.pointer<float>(1);
  const auto rows = run.argument<i32>(2), columns = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= rows) return;
    Value<float> sum = 0.0f;
    for (i32 j = 0; j < columns; ++j) sum = sum + t.load(in, i64{t.i()} * columns + j);
    t.store(sums, t.i(), sum);
  });
}

void matmul(Execution& run) {
  constexpr i32 kTile = 8;
  const auto m = run.argument<i32>(0), n = run.argument<i32>(1), k = run.argument<i32>(2);
  const auto alpha = run.argument<float>(3), beta = run.argument<float>(6);
  const auto a = run.pointer<float>(4), b = run.pointer<float>(5), c = run.pointer<float>(7);
  run.each_block([&](Block block) {
    std::vector<Value<float>> sum(run.block.count(), 0.0f);
    std::array<std::array<Value<float>, kTile>, kTile> tile_a, tile_b;
    const auto column_of = [&](const Thread& t) { return static_cast<i32>(t.b.x * kTile + t.t.x); };
    const auto row_of = [&](const Thread& t) { return static_cast<i32>(t.b.y * kTile + t.t.y); };
    for (i32 k0 = 0; k0 < k; k0 += kTile) {
      block.each([&](Thread t) {
        const i32 x = static_cast<i32>(t.t.x), y = static_cast<i32>(t.t.y);
        const i32 row = row_of(t), column = column_of(t);
        tile_a[y][x] = 0.0f;
        tile_b[y][x] = 0.0f;
        if (row < m && k0 + x < k) tile_a[y][x] = t.load(a, row * k + k0 + x);
        if (k0 + y < k && column < n) tile_b[y][x] = t.load(b, (k0 + y) * n + column);
      });
      block.barrier();
      block.each([&](Thread t) {
        for (u32 i = 0; i < kTile; ++i)
          sum[t.linear()] = fused(tile_a[t.t.y][i], tile_b[i][t.t.x], sum[t.linear()]);
      });
      block.barrier();
    }
    block.each([&](Thread t) {
      const i32 row = row_of(t), column = column_of(t);
      if (row >= m || column >= n) return;
      Value<float> value = alpha * sum[t.linear()];
      if (beta != 0) value = fused(beta, t.load(c, row * n + column), value);
      t.store(c, row * n + column, value);
    });
  });
}

// One tile of 16 by 16 per warp. The elements are whole numbers, so that sums are exact in whatever
// order a tensor core takes them. The lanes share out the tile in a way that is nobody's business;
// as the product needs all of them, a warp reads its tiles before it stores, like one thread.
void tensorcore(Execution& run) {
  const auto a = run.pointer<u16>(0), b = run.pointer<u16>(1);
  const auto c = run.pointer<float>(2), d = run.pointer<float>(3);
  const auto n = run.argument<i32>(4), k = run.argument<i32>(5), beta = run.argument<i32>(6);
  run.each_block([&](Block block) {
    Thread t = block.thread(0);
    const i32 row = static_cast<i32>(t.b.y) * 16, column = static_cast<i32>(t.b.x) * 16;
    std::array<std::array<Value<float>, 16>, 16> sum;
    for (i32 y = 0; y < 16; ++y)
      for (i32 x = 0; x < 16; ++x) {
        sum[y][x] = 0.0f;
        if (beta != 0) sum[y][x] = t.load(c, (row + y) * n + column + x);
      }
    for (i32 y = 0; y < 16; ++y)
      for (i32 x = 0; x < 16; ++x)
        for (i32 i = 0; i < k; ++i)
          sum[y][x] = sum[y][x] + map(float_from_half, t.load(a, (row + y) * k + i)) *
                                      map(float_from_half, t.load(b, i * n + column + x));
    for (i32 y = 0; y < 16; ++y)
      for (i32 x = 0; x < 16; ++x) t.store(d, (row + y) * n + column + x, sum[y][x]);
  });
}
void whole_numbers_in_c(Preparation& p) {
  if (p.run.argument<i32>(6) == 0) return;
  const auto n = p.run.argument<i32>(4);
  const i64 rows = p.run.grid.y * 16;
  for (i64 i = 0; i < rows * n; ++i)
    p.set(p.run.pointer<float>(2), i, static_cast<float>(p.random.below(64)) - 32);
}

// One row per warp. Lanes sum every 32nd element; then halves of the warp are added, so that all
// lanes have the same sum. Documented error of rsqrtf: two units in the last place; the rest is at
// most three roundings, or two where the compiler contracts.
void layernorm(Execution& run) {
  const auto in = run.pointer<float>(0), scale = run.pointer<float>(1);
  const auto shift = run.pointer<float>(2), out = run.pointer<float>(3);
  const auto rows = run.argument<i32>(4), columns = run.argument<i32>(5);
  const auto epsilon = run.argument<float>(6);
  run.each_block([&](Block block) {
    for (u32 y = 0; y < run.block.y; ++y) {
      const auto row = static_cast<i32>(block.index.x * run.block.y + y);
      if (row >= rows) continue;
      const Pointer<float> x = in + row * columns;
      std::array<Value<float>, 32> sum, squares;
      for (u32 lane = 0; lane < 32; ++lane) {
        Thread t = block.thread(y * 32 + lane);
        sum[lane] = squares[lane] = 0.0f;
        for (i32 i = static_cast<i32>(lane); i < columns; i += 32) {
          const Value<float> v = t.load(x, i);
          sum[lane] = sum[lane] + v;
          squares[lane] = fused(v, v, squares[lane]);
        }
      }
      for (u32 step = 16; step > 0; step >>= 1) {
        const auto s = sum, q = squares;
        for (u32 lane = 0; lane < 32; ++lane) {
          sum[lane] = s[lane] + s[lane ^ step];
          squares[lane] = q[lane] + q[lane ^ step];
        }
      }
      const Value<float> count = static_cast<float>(columns);
      const Value<float> mean = sum[0] / count;
      const Value<float> variance = fused(0.0f - mean, mean, squares[0] / count) + epsilon;
      for (u32 lane = 0; lane < 32; ++lane) {
        Thread t = block.thread(y * 32 + lane);
        for (i32 i = static_cast<i32>(lane); i < columns; i += 32) {
          const Value<float> centred = t.load(x, i) - mean;
          Value<double> value =
              map([](float v, float var) { return v / std::sqrt(double{var}); }, centred, variance);
          if (scale.address != 0)
            value = map([](double v, float s) { return v * s; }, value, t.load(scale, i));
          const double size = std::fabs(value.value);
          if (shift.address != 0)
            value = map([](double v, float s) { return v + s; }, value, t.load(shift, i));
          t.store_near(out, row * columns + i, value,
                       size * 5 * 0x1p-23 + std::fabs(value.value) * 0x1p-23);
        }
      }
    }
  });
}

// The order of the sum as in the source. Documented error of __expf(x): 2 + |1.173 x| units in the
// last place; x is within 8 of zero, so a sum and a quotient of such are good to 2^-18.
void softmax(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto columns = run.argument<i32>(2);
  run.each_block([&](Block block) {
    const Pointer<float> row = in + i64{block.index.x} * columns;
    const Pointer<float> result = out + i64{block.index.x} * columns;
    const auto step = static_cast<i32>(run.block.x);
    Value<float> greatest = -3.4e38f;
    Value<double> sum = 0.0;
    const auto larger = [](float a, float b) { return std::fmax(a, b); };
    const auto power = [](float x, float most) { return std::exp(double{x} - double{most}); };
    block.each([&](Thread t) {
      for (i32 i = static_cast<i32>(t.t.x); i < columns; i += step)
        greatest = map(larger, greatest, t.load(row, i));
    });
    block.barrier();
    block.each([&](Thread t) {
      for (i32 i = static_cast<i32>(t.t.x); i < columns; i += step)
        sum = sum + map(power, t.load(row, i), greatest);
    });
    block.barrier();
    block.each([&](Thread t) {
      for (i32 i = static_cast<i32>(t.t.x); i < columns; i += step) {
        const Value<double> value = map(power, t.load(row, i), greatest) / sum;
        t.store_near(result, i, value, std::fabs(value.value) * 0x1p-18);
      }
    });
  });
}

// Documented errors: sinf two, powf four units in the last place. Where the argument is large
// enough for the sine's slow path, the power outweighs the sine by far.
void trig(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto table = run.symbol<u32>("__cudart_i2opi_f");
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<float> x = t.load(in, t.i());
    const Value<double> sine = map([](float v) { return std::sin(double{v}); }, x);
    const Value<double> power = map([](float v) { return std::pow(double{v}, double{1.7f}); }, x);
    Value<double> sum = sine + power;
    if (std::fabs(x.value) > 105615)  // the slow path reads 2/pi from its table
      for (i32 i = 0; i < 6; ++i) {
        const Value<u32> word = t.load(table, i);
        sum.open = sum.open || word.open || word.value != run.before(table, i);
      }
    t.store_near(out, t.i(), sum,
                 2 * 0x1p-23 * std::fabs(sine.value) + 4 * 0x1p-23 * std::fabs(power.value) +
                     0x1p-23 * std::fabs(sum.value));
  });
}
void keep_trig_table(Preparation& p) { p.keep(p.run.symbol<u32>("__cudart_i2opi_f"), 6); }

}  // namespace

std::vector<Reference> arithmetic() {
  return {{"vadd", vadd},
          {"saxpy", saxpy},
          {"inplace", inplace},
          {"pingpong", pingpong},
          {"calls", calls},
          {"clamp", clamp},
          {"constbank", constbank},
          {"stencil", stencil},
          {"unrolled", unrolled},
          {"matmul", matmul},
          {"tensorcore", tensorcore, Fill::kHalves, whole_numbers_in_c, nullptr, true},
          {"layernorm", layernorm, Fill::kModerate},
          {"softmax", softmax, Fill::kModerate},
          {"trig", trig, Fill::kPositive, keep_trig_table}};
}

}  // namespace picker::references
