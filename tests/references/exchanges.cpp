// Kernels whose threads exchange data: through shared memory, by shuffles, through global memory.
#include <algorithm>

#include "references/reference.hpp"

namespace picker::references {
namespace {

void blockreduce(Execution& run) {
  const auto in = run.pointer<float>(0), sums = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    std::array<Value<float>, 256> part;
    block.each([&](Thread t) {
      const auto i = static_cast<i32>(t.b.x * 256 + t.t.x);
      part[t.t.x] = 0.0f;
      if (i < n) part[t.t.x] = t.load(in, i);
    });
    block.barrier();
    for (u32 half = 128; half > 0; half >>= 1) {
      for (u32 t = 0; t < half; ++t) part[t] = part[t] + part[t + half];
      block.barrier();
    }
    block.thread(0).store(sums, block.index.x, part[0]);
  });
}

void genericstore(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1), sums = run.pointer<float>(2);
  const auto kept = run.argument<i32>(3);
  run.each_block([&](Block block) {
    std::array<Value<float>, 64> part;
    block.each([&](Thread t) {
      const auto i = static_cast<i32>(t.b.x * 64 + t.t.x);
      const Value<float> value = t.load(in, i) + 1.0f;
      part[t.t.x] = 0.0f;
      if (static_cast<i32>(t.t.x) < kept)
        part[t.t.x] = value;
      else
        t.store(out, i, value);
    });
    block.barrier();
    Value<float> sum = 0.0f;
    for (const Value<float>& p : part) sum = sum + p;
    block.thread(0).store(sums, block.index.x, sum);
  });
}

void pyramid(Execution& run) {
  const auto in = run.pointer<i32>(0), out = run.pointer<i32>(1);
  const auto steps = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_block([&](Block block) {
    const i32 inner = 64 - 2 * steps;
    const i32 first = static_cast<i32>(block.index.x) * inner - steps;
    std::array<Value<i32>, 64> part;
    block.each([&](Thread t) {
      const i32 i = first + static_cast<i32>(t.t.x);
      part[t.t.x] = 0;
      if (i >= 0 && i < n) part[t.t.x] = t.load(in, i);
    });
    block.barrier();
    std::array<bool, 64> computed{};
    const auto least = [](i32 a, i32 b) { return std::min(a, b); };
    for (i32 s = 1; s <= steps; ++s) {
      const auto old = part;
      for (i32 t = 0; t < 64; ++t) {
        const i32 i = first + t;
        computed[t] = t >= s && t < 64 - s && i >= 0 && i < n;
        if (computed[t]) part[t] = map(least, old[t - 1], map(least, old[t], old[t + 1])) + 1;
      }
      block.barrier();
    }
    block.each([&](Thread t) {
      if (computed[t.t.x]) t.store(out, first + static_cast<i32>(t.t.x), part[t.t.x]);
    });
  });
}

void scan(Execution& run) {
  const auto in = run.pointer<i32>(0), out = run.pointer<i32>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    std::array<Value<i32>, 256> part;
    block.each([&](Thread t) {
      part[t.t.x] = 0;
      if (static_cast<i32>(t.t.x) < n) part[t.t.x] = t.load(in, t.t.x);
    });
    block.barrier();
    for (u32 i = 1; i < 256; ++i) part[i] = part[i] + part[i - 1];
    block.each([&](Thread t) {
      if (static_cast<i32>(t.t.x) < n) t.store(out, t.t.x, part[t.t.x]);
    });
  });
}

void sharedpointer(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto pitch = run.argument<i32>(2), columns = run.argument<i32>(3);
  run.each_block([&](Block block) {
    const Pointer<float> row = in + (run.grid.x - 1 - block.index.x) * i64{pitch};
    block.barrier();
    block.each([&](Thread t) {
      const auto i = static_cast<i32>(t.t.x);
      if (i < columns) t.store(out, static_cast<i32>(t.b.x) * columns + i, t.load(row, i));
    });
  });
}

// Blocks are whole warps, so the lane 5 away is the thread 5 away by exclusive or; its own load is
// what it gives away.
void shuffle(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  run.each_block([&](Block block) {
    std::vector<Value<float>> value(run.block.count());
    block.each([&](Thread t) { value[t.linear()] = t.load(in, t.i()); });
    block.each([&](Thread t) { t.store(out, t.i(), value[t.linear() ^ 5]); });
  });
}

// Every thread loads, also those beyond the guard.
void lateguard(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    std::vector<Value<float>> value(run.block.count());
    block.each([&](Thread t) { value[t.linear()] = t.load(in, t.i()); });
    block.each([&](Thread t) {
      if (t.i() < n) t.store(out, t.i(), value[t.linear()] + value[t.linear() ^ 1]);
    });
  });
}

// Only lane 0's sum is stored; a lane whose partner is out of the warp adds its own value.
void shuffle_sum(Execution& run) {
  const auto in = run.pointer<float>(0), sums = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    for (u32 first = 0; first < run.block.count(); first += 32) {
      std::array<Value<float>, 32> value;
      for (u32 lane = 0; lane < 32; ++lane) {
        Thread t = block.thread(first + lane);
        value[lane] = 0.0f;
        if (t.i() < n) value[lane] = t.load(in, t.i());
      }
      for (u32 step = 16; step > 0; step >>= 1) {
        const auto old = value;
        for (u32 lane = 0; lane < 32; ++lane)
          value[lane] = old[lane] + old[lane + step < 32 ? lane + step : lane];
      }
      Thread t = block.thread(first);
      t.store(sums, t.i() / 32, value[0]);
    }
  });
}

// Its own store comes back in two halves.
void readback(Execution& run) {
  const auto in = run.pointer<u32>(0), out = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    t.store(out, t.i(), t.load(in, t.i()) + 1u);
    const Pointer<u16> halves = (out + t.i()).as<u16>();
    t.store(out, t.i(),
            map([](u16 low, u16 high) { return u32{low} * high; }, t.load(halves, 0),
                t.load(halves, 1)));
  });
}

void readback_block(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1), sums = run.pointer<float>(2);
  const auto flip = run.argument<u32>(3);
  run.each_block([&](Block block) {
    const auto at = [](const Thread& t) { return i64{t.b.x} * 64 + t.t.x; };
    block.each([&](Thread t) { t.store(out, at(t), t.load(in, at(t))); });
    block.barrier();
    block.each([&](Thread t) {
      t.store(sums, at(t), t.load(out, static_cast<i32>(t.b.x * 64 + (t.t.x ^ flip))) + 1.0f);
    });
  });
}

void readback_maybe(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1), copy = run.pointer<float>(2);
  const auto least = run.argument<float>(3);
  const auto n = run.argument<i32>(4), again = run.argument<i32>(5);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<float> value = t.load(in, t.i());
    t.store_if(value > least, out, t.i(), value);
    if (again != 0) t.store(copy, t.i(), t.load(out, t.i()));
  });
}

// The barrier of the first 64 threads orders their accesses; those of the others it does not.
void subsetbarrier(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1), copy = run.pointer<float>(2);
  const auto again = run.argument<i32>(3);
  run.each_block([&](Block block) {
    block.each([&](Thread t) { t.store(out, t.i(), t.load(in, t.i())); });
    block.barrier();
    block.each([&](Thread t) {
      const auto at = static_cast<i32>(t.t.x);
      if (at < 64 && again != 0) t.store(copy, t.i(), t.load(out, t.i() - at + 63 - at));
    });
  });
}

// Each block of a pair stores the other's elements, after both have loaded theirs.
void cluster(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  for (u32 pair = 0; pair < run.grid.x / 2; ++pair) {
    std::array<Value<float>, 128> part;
    for (const u32 epoch : {0u, 1u})
      for (u32 i = 0; i < 128; ++i) {
        Thread t(run, {pair, i, epoch}, {2 * pair + i / 64, 0, 0}, {i % 64, 0, 0});
        if (epoch == 0)
          part[i] = t.load(in, 128 * pair + i);
        else
          t.store(out, 128 * pair + i, part[i ^ 64]);
      }
  }
}

// A block's elements, mirrored, and twice the own one; those from n on count as 0.
void arrivewait(Execution& run) {
  const auto in = run.pointer<u32>(0), out = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  for (u32 block = 0; block < run.grid.x; ++block) {
    std::array<Value<u32>, 64> part{};
    for (const u32 epoch : {0u, 1u})
      for (u32 t = 0; t < 64; ++t) {
        Thread thread(run, {block, t, epoch}, {block, 0, 0}, {t, 0, 0});
        const u32 i = block * 64 + t;
        if (static_cast<i32>(i) >= n) continue;
        if (epoch == 0)
          part[t] = thread.load(in, i);
        else
          thread.store(out, i, part[t] * 2u + part[63 - t]);
      }
  }
}

// Tiles of 64, mirrored and raised by one.
void bulkcopy(Execution& run) {
  const auto in = run.pointer<u32>(0), out = run.pointer<u32>(1);
  const auto tiles = run.argument<i32>(2);
  for (u32 block = 0; block < run.grid.x; ++block)
    for (i32 i = static_cast<i32>(block); i < tiles; i += static_cast<i32>(run.grid.x)) {
      std::array<Value<u32>, 64> tile{};
      for (const u32 epoch : {0u, 1u})
        for (u32 t = 0; t < 64; ++t) {
          Thread thread(run, {block, t, epoch}, {block, 0, 0}, {t, 0, 0});
          if (epoch == 0)
            tile[t] = thread.load(in, 64 * i + static_cast<i32>(t));
          else
            thread.store(out, 64 * i + static_cast<i32>(t), tile[63 - t] + 1u);
        }
    }
}

// The sums of all blocks' tiles, place by place.
void bulkreduce(Execution& run) {
  const auto in = run.pointer<u32>(0), sums = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  for (u32 block = 0; block < run.grid.x; ++block)
    for (u32 t = 0; t < 64; ++t) {
      Thread thread(run, {block, t, 0}, {block, 0, 0}, {t, 0, 0});
      const i32 i = static_cast<i32>(block * 64 + t);
      if (i < n) thread.store(sums, t, thread.load(sums, t) + thread.load(in, i));
    }
}

// Every thread stores what it computes itself, so that the barriers of the grid do not show.
void gridsync(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto steps = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    for (i32 s = 0; s < steps; ++s)
      if (t.i() < n) t.store(out, s * n + t.i(), t.load(in, t.i()) + static_cast<float>(s));
  });
}

}  // namespace

std::vector<Reference> exchanges() {
  return {{"blockreduce", blockreduce},
          {"genericstore", genericstore},
          {"pyramid", pyramid, Fill::kWords},
          {"scan", scan, Fill::kWords},
          {"sharedpointer", sharedpointer},
          {"shuffle", shuffle},
          {"shuffle_sum", shuffle_sum},
          {"lateguard", lateguard},
          {"readback", readback, Fill::kWords},
          {"readback_block", readback_block},
          {"readback_maybe", readback_maybe},
          {"subsetbarrier", subsetbarrier},
          {"cluster", cluster, Fill::kFloats, nullptr, nullptr, true},
          {"arrivewait", arrivewait, Fill::kWords, nullptr, nullptr, true},
          {"bulkcopy", bulkcopy, Fill::kWords, nullptr, nullptr, true},
          {"bulkreduce", bulkreduce, Fill::kWords, nullptr, nullptr, true},
          {"gridsync", gridsync}};
}

}  // namespace picker::references
