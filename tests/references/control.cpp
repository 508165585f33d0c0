// Kernels whose control flow is the point: loops, guards, switches, calls through pointers.
#include <algorithm>

#include "references/reference.hpp"

namespace picker::references {
namespace {

void dowhile(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    i64 i = t.i();
    do {
      t.store(out, i, t.load(in, i) + 1.0f);
      i += run.grid.x * run.block.x;
    } while (i < n);
  });
}

void earlyexit(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto mode = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (mode == 0 || t.i() >= n) return;
    if (mode == 1)
      t.store(out, t.i(), t.load(in, t.i()));
    else
      t.store(out, t.i(), t.load(out, t.i()) + t.load(in, t.i()));
  });
}

void flagguard(Execution& run) {
  const auto flag = run.pointer<i32>(0);
  const auto in = run.pointer<float>(1), out = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store_if(t.load(flag) > 0, out, t.i(), t.load(in, t.i()));
  });
}
// Mostly raised.
void set_flag(Preparation& p) {
  if (p.run.argument<i32>(3) > 0) p.set(p.run.pointer<i32>(0), 0, p.random.below(4) == 0 ? 0 : 1);
}

void flagguard_mask(Execution& run) {
  const auto mask = run.pointer<u8>(0);
  const auto out = run.pointer<float>(1);
  const auto value = run.argument<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store_if(t.load(mask, t.i()) == u8{0}, out, t.i(), value);
  });
}
void set_mask(Preparation& p) {
  for (i64 i = 0; i < p.run.argument<i32>(3); ++i)
    p.set(p.run.pointer<u8>(0), i, static_cast<u8>(p.random.below(3)));
}

void fnpointer(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto which = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<float> x = t.load(in, t.i());
    t.store(out, t.i(), which == 0 ? x + x : which == 1 ? fused(x, x, -3.0f) : 1.0f / (x + 1.0f));
  });
}

void notequal(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto first = run.argument<i32>(2), last = run.argument<i32>(3);
  const auto step = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    for (i32 i = first; i != last; i += step) {
      const i32 at = i * 64 + static_cast<i32>(t.t.x);
      t.store(out, at, t.load(in, at) + 1.0f);
    }
  });
}

void triangular(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2), diagonal = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    for (i32 j = 0; j < t.i() + diagonal; ++j)
      t.store(out, j * n + t.i(), t.load(in, t.i() * n + j));
  });
}

void whilecount(Execution& run) {
  const auto count = run.pointer<i32>(0);
  const auto in = run.pointer<float>(1), out = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const i32 copies = t.decide(t.load(count));
    const Value<float> value = t.load(in, t.i());
    for (i64 copy = 0; copy < copies; ++copy) t.store(out, copy * n + t.i(), value);
  });
}

void switchcase(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto mode = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    const i32 i = t.i();
    if (i >= n) return;
    switch (mode) {
      case 0:
        return t.store(out, i, t.load(in, i));
      case 1:
        return t.store(out, i, t.load(in, n - 1 - i) * 2.0f);
      case 2:
        return t.store(out, 2 * i, t.load(in, i));
      case 3:
        return t.store(out, i, t.load(in, 2 * i) + t.load(in, 2 * i + 1));
      case 4:
        return t.store(out, i, 0.0f);
      case 5:
        return t.store(out, i, t.load(out, i) + t.load(in, i));
      case 6:
        return t.store(out, i + n, map([](float x) { return std::sqrt(x); }, t.load(in, i)));
      case 7:
        return t.store(out, i, t.load(in, i + n) - t.load(in, i));
      default:
        return;
    }
  });
}

// x is the thread's number, so positive. Documented errors of the fast functions, in the range of x
// here: __sinf 2^-21.4 within [-pi, pi], beyond it that of reducing x as a float; __expf
// 2 + 1.173 x units in the last place; __logf three of them or, near 1, 2^-21.4.
void switch_loaded(Execution& run) {
  const auto in = run.pointer<i32>(0);
  const auto out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const auto x = static_cast<float>(t.i());
    const double wide = x;
    const Value<i32> which = t.load(in, t.i());
    constexpr double kUnit = 0x1p-23;
    const auto near = [&](double y, double bound) {
      // Its own rounding on top, and half a unit of the sum in the source.
      t.store_near(out, t.i(), {y, which.open}, bound + kUnit * std::fabs(y));
    };
    const auto exact = [&](float y) { t.store(out, t.i(), {y, which.open}); };
    switch (which.value) {
      case 0:
        return exact(x * x);
      case 1:
        return exact(std::sqrt(x));
      case 2:
        return near(std::sin(wide) + 1, 0x1p-21 + wide * kUnit);
      case 3:
        return near(std::exp(wide) - wide, (2 + 1.173 * wide) * kUnit * std::exp(wide));
      case 4:
        return exact(x / 3);
      case 5:
        return near(std::log(wide + 1) * wide, (3 * kUnit * std::log(wide + 1) + 0x1p-21) * wide);
      case 6:
        return exact(std::min(x, 4.0f) * std::max(x, 7.0f));
      default:
        return exact(-x);
    }
  });
}

void votestore_active(Execution& run) {
  const auto in = run.pointer<i32>(0), out = run.pointer<i32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<i32> loaded = t.load(in, t.i());
    u32 value = static_cast<u32>(loaded.value);
    // The trip count follows the value as it grows.
    for (u32 j = 0; j < (value & 3); ++j) value = value * 3 + j;
    // How many lanes get here together is the machine's choice, so whether this is stored is.
    // Fewer than eight lanes in all never do.
    const u32 first = t.u() / 32 * 32;
    if (std::min<u32>(32, static_cast<u32>(n) - first) <= 7) return;
    const Pointer<i32> at = out + t.i();
    const i32 old = run.before(at);
    run.open_bytes(at);
    run.check([at, old, value](const GlobalMemory& after) {
      const i32 found = Execution::get(after, at);
      return found == old || found == static_cast<i32>(value);
    });
  });
}

void votestore(Execution& run) {
  const auto in = run.pointer<i32>(0), out = run.pointer<i32>(1);
  run.each_block([&](Block block) {
    for (u32 first = 0; first < run.block.count(); first += 32) {
      Value<bool> all = true;
      std::array<Value<i32>, 32> value;
      for (u32 lane = 0; lane < 32; ++lane) {
        Thread t = block.thread(first + lane);
        value[lane] = t.load(in, t.i());
        all = map([](bool so_far, i32 v) { return so_far && v < 1000; }, all, value[lane]);
      }
      for (u32 lane = 0; lane < 32; ++lane) {
        Thread t = block.thread(first + lane);
        t.store_if(all, out, t.i(), value[lane]);
      }
    }
  });
}
// Small values, but one in the first warp.
void set_votes(Preparation& p) {
  const i64 threads = p.run.grid.x * p.run.block.x;
  for (i64 i = 0; i < threads; ++i)
    p.set(p.run.pointer<i32>(0), i, i == 17 ? 1000 : static_cast<i32>(p.random.below(1000)));
}

}  // namespace

std::vector<Reference> control() {
  return {{"dowhile", dowhile},
          {"earlyexit", earlyexit},
          {"flagguard", flagguard, Fill::kFloats, set_flag},
          {"flagguard_mask", flagguard_mask, Fill::kFloats, set_mask},
          {"fnpointer", fnpointer},
          {"notequal", notequal},
          {"triangular", triangular},
          {"whilecount", whilecount, Fill::kStated},
          {"switchcase", switchcase, Fill::kPositive},
          {"switch_loaded", switch_loaded, Fill::kSmall},
          {"votestore", votestore, Fill::kWords, set_votes},
          {"votestore_active", votestore_active, Fill::kStated, nullptr,
           "which lanes run together is the machine's choice"}};
}

}  // namespace picker::references
