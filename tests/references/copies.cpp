// Kernels that move data: what they store is what they load, or that plus a constant.
#include <algorithm>

#include "references/reference.hpp"
#include "references/small_floats.hpp"

namespace picker::references {
namespace {

void bytecopy(Execution& run) {
  const auto in = run.pointer<u8>(0), out = run.pointer<u8>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()));
  });
}

void convert(Execution& run, u16 (*narrow)(float)) {
  const auto in = run.pointer<float>(0);
  const auto out = run.pointer<u16>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    const i32 first = 4 * t.i(), left = n - first;
    // A thread loads its four before it stores one; of a tail it takes one by one.
    std::array<Value<float>, 4> four;
    if (left >= 4) {
      for (i32 j = 0; j < 4; ++j) four[j] = t.load(in, first + j);
      for (i32 j = 0; j < 4; ++j) t.store(out, first + j, map(narrow, four[j]));
    } else {
      for (i32 j = 0; j < left; ++j) t.store(out, first + j, map(narrow, t.load(in, first + j)));
    }
  });
}
void convert_half(Execution& run) { convert(run, half_from_float); }
void convert_bfloat16(Execution& run) { convert(run, bfloat16_from_float); }

void cpasync(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  const auto step = static_cast<i32>(run.grid.x * 128);
  run.each_thread([&](Thread t) {
    // An element is fetched before the one in front of it is stored.
    const auto first = static_cast<i32>(t.b.x * 128 + t.t.x);
    Value<float> next;
    if (first < n) next = t.load(in, first);
    for (i32 i = first; i < n; i += step) {
      const Value<float> current = next;
      if (i + step < n) next = t.load(in, i + step);
      t.store(out, i, current + 1.0f);
      // The copy on its way may see this store.
      if ((out + i).address == (in + (i + step)).address) next.open = true;
    }
  });
}

void dynshared(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    const auto size = static_cast<i32>(run.block.x);
    const i32 first = static_cast<i32>(block.index.x) * size;
    const i32 count = std::min(n - first, size);
    std::vector<Value<float>> part(run.block.x);
    block.each([&](Thread t) {
      if (static_cast<i32>(t.t.x) < count) part[t.t.x] = t.load(in, first + t.t.x);
    });
    block.barrier();
    block.each([&](Thread t) {
      const auto at = static_cast<i32>(t.t.x);
      if (at < count) t.store(out, first + at, part[static_cast<u32>(count - 1 - at)]);
    });
  });
}

void gridstride(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto factor = run.argument<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    for (i64 i = t.i(); i < n; i += run.grid.x * run.block.x)
      t.store(out, i, factor * t.load(in, i));
  });
}

void grid3d(Execution& run) {
  struct Box {
    i32 x, y, z;
  };
  const auto in = run.pointer<float>(0), out = run.pointer<float>(3);
  const auto in_row = run.argument<i32>(1), in_slice = run.argument<i32>(2);
  const auto out_row = run.argument<i32>(4), out_slice = run.argument<i32>(5);
  const auto size = run.argument<Box>(6);
  run.each_thread([&](Thread t) {
    const i32 x = t.i(), y = static_cast<i32>(t.b.y * run.block.y + t.t.y),
              z = static_cast<i32>(t.b.z * run.block.z + t.t.z);
    if (x < size.x && y < size.y && z < size.z)
      t.store(out, z * out_slice + y * out_row + x, t.load(in, z * in_slice + y * in_row + x));
  });
}

void pitched(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto in_pitch = run.argument<u64>(1), out_pitch = run.argument<u64>(3);
  const auto width = run.argument<i32>(4), height = run.argument<i32>(5);
  run.each_thread([&](Thread t) {
    const i32 x = t.i(), y = static_cast<i32>(t.b.y * run.block.y + t.t.y);
    if (x >= width || y >= height) return;
    const Pointer<float> from{in.address + static_cast<u64>(y) * in_pitch};
    const Pointer<float> to{out.address + static_cast<u64>(y) * out_pitch};
    t.store(to, x, t.load(from, x));
  });
}

void reverse(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, n - 1 - t.i(), t.load(in, t.i()));
  });
}

void selfcopy(Execution& run) {
  struct Word {
    std::array<u64, 2> half;
  };
  const auto in = run.pointer<Word>(0), out = run.pointer<Word>(1);
  const auto words = run.argument<u64>(2);
  run.each_thread([&](Thread t) {
    for (u64 i = t.u(); i < words; i += u64{run.grid.x} * run.block.x)
      t.store(out, static_cast<i64>(i), t.load(in, static_cast<i64>(i)));
  });
}

void transpose(Execution& run) {
  constexpr u32 kTile = 32, kRows = 8;
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto width = run.argument<i32>(2), height = run.argument<i32>(3);
  run.each_block([&](Block block) {
    std::array<std::array<Value<float>, kTile>, kTile> tile;
    block.each([&](Thread t) {
      const auto x = static_cast<i32>(t.b.x * kTile + t.t.x);
      for (u32 i = 0; i < kTile; i += kRows) {
        const auto y = static_cast<i32>(t.b.y * kTile + t.t.y + i);
        if (x < width && y < height) tile[t.t.y + i][t.t.x] = t.load(in, y * width + x);
      }
    });
    block.barrier();
    block.each([&](Thread t) {
      const auto x = static_cast<i32>(t.b.y * kTile + t.t.x);
      for (u32 i = 0; i < kTile; i += kRows) {
        const auto y = static_cast<i32>(t.b.x * kTile + t.t.y + i);
        if (x < height && y < width) t.store(out, y * height + x, tile[t.t.x][t.t.y + i]);
      }
    });
  });
}

void vectors_float4(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n / 4) return;
    std::array<Value<float>, 4> v;
    for (i32 j = 0; j < 4; ++j) v[j] = t.load(in, 4 * t.i() + j);
    for (i32 j = 0; j < 4; ++j) t.store(out, 4 * t.i() + j, v[j] + static_cast<float>(j + 1));
  });
}

void vectors_half2(Execution& run) {
  const auto in = run.pointer<u16>(0), out = run.pointer<u16>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n / 2) return;
    std::array<Value<u16>, 2> v;
    for (i32 j = 0; j < 2; ++j) v[j] = t.load(in, 2 * t.i() + j);
    for (i32 j = 0; j < 2; ++j)
      t.store(out, 2 * t.i() + j,
              map([](u16 h) { return half_from_float(2 * float_from_half(h)); }, v[j]));
  });
}

// Finite ones; doubled, some are infinite.
void random_halves(Preparation& p) {
  for (i64 i = 0; i < p.run.argument<i32>(2); ++i) {
    const u64 bits = p.random.next();
    p.set(p.run.pointer<u16>(0), i, static_cast<u16>((bits & 0x83ff) | (bits >> 16) % 31 << 10));
  }
}

void readonly(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Value<float> x = t.load(in, t.i());
    t.store(out, t.i(), x * x);
  });
}

void readonly_again(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto again = run.pointer<float>(2), copy = run.pointer<float>(3);
  const auto n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    t.store(out, t.i(), t.load(in, t.i()));
    // A non-coherent load may miss even the thread's own store.
    const Pointer<float> at = again + t.i();
    Value<float> value = t.load(at);
    value.open = value.open ||
                 (at.address >= out.address && at.address < out.address + 4 * static_cast<u64>(n));
    t.store(copy, t.i(), value);
  });
}

void columns(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto in_stride = run.argument<i32>(1), out_stride = run.argument<i32>(3);
  const auto rows = run.argument<i32>(4), count = run.argument<i32>(5);
  run.each_thread([&](Thread t) {
    if (t.i() >= count) return;
    for (i32 y = 0; y < rows; ++y)
      t.store(out, y * out_stride + t.i(), t.load(in, y * in_stride + t.i()) * 2.0f);
  });
}

void interleaved(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto factor = run.argument<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, 2 * t.i(), factor * t.load(in, 2 * t.i()));
  });
}

// A prefetch changes nothing.
void prefetch(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()) + 1.0f);
  });
}

// What a discarded line holds afterwards is undefined.
void discard(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto scratch = run.pointer<u8>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    t.store(out, t.i(), t.load(in, t.i()));
    for (i64 i = 128ll * t.i(); i < 128ll * t.i() + 128; ++i) {
      t.store(scratch, i, {t.load(scratch, i).value, true});
      run.open_bytes(scratch + i);
    }
  });
}

void volatile_load(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()) + t.load(in, t.i()));
  });
}

void volatile_store(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()));
  });
}

void flagraise(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto flag = run.pointer<i32>(2);
  const auto raise = run.argument<i32>(3), n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()) + 1.0f);
    if (raise != 0 && t.i() == 0) t.store(flag, 0, 1);
  });
}

void fill(Execution& run) {
  const auto p = run.pointer<float>(0);
  const auto value = run.argument<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(p, t.i(), value);
  });
}

void dependents(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()) * 2.0f);
  });
}

// What is printed is not in memory.
void printing(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()) * 3.0f);
  });
}

}  // namespace

std::vector<Reference> copies() {
  return {{"bytecopy", bytecopy, Fill::kWords},
          {"_Z7convertI6__halfEvPKfPT_i", convert_half},
          {"_Z7convertI13__nv_bfloat16EvPKfPT_i", convert_bfloat16},
          {"cpasync", cpasync},
          {"dynshared", dynshared},
          {"gridstride", gridstride},
          {"grid3d", grid3d},
          {"pitched", pitched},
          {"reverse", reverse},
          {"selfcopy", selfcopy, Fill::kWords},
          {"transpose", transpose},
          {"vectors_float4", vectors_float4},
          {"vectors_half2", vectors_half2, Fill::kHalves, random_halves},
          {"readonly", readonly},
          {"readonly_again", readonly_again},
          {"columns", columns},
          {"interleaved", interleaved},
          {"prefetch", prefetch},
          {"discard", discard, Fill::kFloats, nullptr, "a discarded line holds anything"},
          {"volatile_load", volatile_load},
          {"volatile_store", volatile_store},
          {"flagraise", flagraise},
          {"flagraise_plain", flagraise},
          {"fill", fill},
          {"dependents", dependents},
          {"printing", printing}};
}

}  // namespace picker::references
