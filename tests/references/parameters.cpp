// Kernels whose pointers come from elsewhere: structs, tables, constant and module memory, local
// arrays, a selection.
#include <algorithm>

#include "references/reference.hpp"

namespace picker::references {
namespace {

struct Task {
  Pointer<float> in, out;
  i32 n, padding;
};

void constparams(Execution& run) {
  const auto place = run.symbol<u64>("task");
  run.each_thread([&](Thread t) {
    const i32 n = t.decide(t.load(Pointer<i32>{place.address + 16}));
    if (t.i() >= n) return;
    const Pointer<float> in{t.decide(t.load(place, 0))}, out{t.decide(t.load(place, 1))};
    t.store(out, t.i(), t.load(in, t.i()) + 1.0f);
  });
}
void keep_task(Preparation& p) { p.keep(p.run.symbol<u64>("task"), 3); }

void constwrite(Execution& run) {
  const auto out = run.pointer<float>(0), k = run.symbol<float>("K");
  const auto first = run.argument<i32>(1), n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(k, first + t.i()) + 1.0f);
  });
}

void global_reader(Execution& run) {
  const auto out = run.pointer<float>(0), table = run.symbol<float>("table");
  const auto n = run.argument<i32>(1);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(table, t.i()));
  });
}
void global_writer(Execution& run) {
  const auto in = run.pointer<float>(0), state = run.symbol<float>("state");
  const auto n = run.argument<i32>(1);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(state, t.i(), t.load(in, t.i()));
  });
}
void global_updater(Execution& run) {
  const auto table = run.symbol<float>("table"), state = run.symbol<float>("state");
  const auto step = run.argument<float>(0);
  const auto n = run.argument<i32>(1);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(state, t.i(), fused(step, t.load(table, t.i()), t.load(state, t.i())));
  });
}

void localarray(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto step = run.argument<i32>(2), n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    std::array<Value<float>, 8> value;
    for (i32 j = 0; j < 8; ++j) value[j] = t.load(in, 8 * t.i() + j);
    for (i32 j = 0; j < 8; ++j) value[j * step & 7] = value[j * step & 7] + value[j];
    t.store(out, t.i(), value[(t.i() + step) & 7]);
  });
}

void local_pointers(Execution& run) {
  const std::array from = {run.pointer<float>(0), run.pointer<float>(1), run.pointer<float>(2),
                           run.pointer<float>(3)};
  const auto out = run.pointer<float>(4);
  const auto shift = run.argument<i32>(5), n = run.argument<i32>(6);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(from[(t.i() >> shift) & 3], t.i()));
  });
}

void nestedstruct(Execution& run) {
  struct View {
    Pointer<float> data;
    i32 stride, size;
  };
  struct Problem {
    i32 flags, padding;
    View in, out;
    Pointer<float> bias;
  };
  const auto problem = run.argument<Problem>(0);
  const auto factor = run.argument<float>(1);
  const View &in = problem.in, &out = problem.out;
  run.each_thread([&](Thread t) {
    const i64 i = t.i();
    if (i >= in.size || i >= out.size) return;
    Value<float> value = t.load(in.data, i * in.stride) * factor;
    if (problem.bias.address != 0) value = value + t.load(problem.bias, i);
    if ((problem.flags & 4) != 0) value = value + t.load(out.data, i * out.stride);
    t.store(out.data, i * out.stride, value);
  });
}

// Four elements by one access where a chunk is made of such, which decides when it is stored.
void pointertable(Execution& run) {
  constexpr i32 kTensors = 6, kBlocks = 16, kChunk = 256;
  struct Table {
    std::array<Pointer<float>, kTensors> in, out;
    std::array<i32, kTensors> size;
    std::array<i32, kBlocks> chunk_of_block;
    std::array<u8, kBlocks> tensor_of_block;
  };
  const auto table = run.argument<Table>(0);
  const auto factor = run.argument<float>(1);
  run.each_thread([&](Thread t) {
    const u8 tensor = table.tensor_of_block.at(t.b.x);
    const i32 start = table.chunk_of_block.at(t.b.x) * kChunk;
    const i32 count = std::min(table.size.at(tensor) - start, kChunk);
    const Pointer<float> in = table.in[tensor] + start, out = table.out[tensor] + start;
    const auto threads = static_cast<i32>(run.block.x), first = static_cast<i32>(t.t.x);
    if (count % 4 == 0 && (in.address | out.address) % 16 == 0) {
      for (i32 i = first; i < count / 4; i += threads) {
        std::array<Value<float>, 4> v;
        for (i32 j = 0; j < 4; ++j) v[j] = t.load(in, 4 * i + j);
        for (i32 j = 0; j < 4; ++j) t.store(out, 4 * i + j, v[j] * factor);
      }
    } else {
      for (i32 i = first; i < count; i += threads) t.store(out, i, t.load(in, i) * factor);
    }
  });
}

void ptrarray(Execution& run) {
  const auto rows = run.pointer<u64>(0);
  const auto out = run.pointer<float>(1);
  const auto columns = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    const Pointer<float> row{t.decide(t.load(rows, t.b.x))};
    for (i32 i = static_cast<i32>(t.t.x); i < columns; i += static_cast<i32>(run.block.x))
      t.store(out, static_cast<i32>(t.b.x) * columns + i, t.load(row, i));
  });
}
// Rows of their own, the last one first.
void place_rows(Preparation& p) {
  constexpr u64 kRows = 0x7e00'0000'0000, kPitch = 0x1000;
  const auto columns = p.run.argument<i32>(2);
  for (u32 row = 0; row < p.run.grid.x; ++row) {
    const Pointer<float> at{kRows + (p.run.grid.x - row) * kPitch};
    p.set(p.run.pointer<u64>(0), row, at.address);
    if (columns > 0) p.allocate(at.address, 4 * static_cast<u64>(columns));
    for (i32 i = 0; i < columns; ++i) p.set(at, i, static_cast<float>(p.random.below(1 << 20)));
  }
}

void ptrselect(Execution& run) {
  const auto a = run.pointer<float>(0), b = run.pointer<float>(1), out = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load((t.i() & 1) != 0 ? a : b, t.i()));
  });
}
void ptrselect_parameter(Execution& run) {
  const auto a = run.pointer<float>(0), b = run.pointer<float>(1), out = run.pointer<float>(2);
  const auto which = run.argument<i32>(3), n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(which > 3 ? a : b, t.i()));
  });
}

// Texture 1 is linear memory of floats at kTexels, bound by whoever emulates textures.
constexpr Pointer<float> kTexels{0x7e00'0000'0000};
void texture(Execution& run) {
  const auto out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(kTexels, t.i()));
  });
}
void place_texels(Preparation& p) {
  const auto n = p.run.argument<i32>(2);
  if (n > 0) p.allocate(kTexels.address, 4 * static_cast<u64>(n));
  for (i32 i = 0; i < n; ++i) p.set(kTexels, i, static_cast<float>(p.random.below(1 << 20)));
}

}  // namespace

std::vector<Reference> parameters() {
  return {{"constparams", constparams, Fill::kFloats, keep_task},
          {"cst", constwrite},
          {"global_reader", global_reader},
          {"global_writer", global_writer},
          {"global_updater", global_updater},
          {"localarray", localarray},
          {"local_pointers", local_pointers},
          {"nestedstruct", nestedstruct},
          {"pointertable", pointertable},
          {"ptrarray", ptrarray, Fill::kFloats, place_rows},
          {"ptrselect", ptrselect},
          {"ptrselect_parameter", ptrselect_parameter},
          {"texture", texture, Fill::kFloats, place_texels}};
}

}  // namespace picker::references
