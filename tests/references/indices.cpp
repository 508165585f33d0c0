// Kernels whose index is the point: it is loaded, wraps, is divided, shifted, masked or wide.
#include "references/reference.hpp"

namespace picker::references {
namespace {

void asserted(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto index = run.pointer<i32>(1);
  const auto n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    // The launches keep every index within bounds, whoever comes first: nothing traps.
    if (t.i() < n) t.store(out, t.i(), t.load_at(in, t.load(index, t.i())));
  });
}
void shuffle_asserted(Preparation& p) { p.shuffle(p.run.pointer<i32>(1), p.run.argument<i32>(4)); }

void gather(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto index = run.pointer<i32>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load_at(in, t.load(index, t.i())));
  });
}
void gather_byte(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto index = run.pointer<u8>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load_at(in, t.load(index, t.i())));
  });
}

// Where several threads pick one place, any of them may win.
void scatter(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto index = run.pointer<i32>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.decide(t.load(index, t.i())), t.load(in, t.i()));
  });
}
void scatter_mask(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto index = run.pointer<i32>(1);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.decide(t.load(index, t.i())) & 63, t.load(in, t.i()));
  });
}
void shuffle_words(Preparation& p) { p.shuffle(p.run.pointer<i32>(1), p.run.argument<i32>(3)); }
void shuffle_bytes(Preparation& p) { p.shuffle(p.run.pointer<u8>(1), p.run.argument<i32>(3)); }

void index64(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(2);
  const auto in_offset = run.argument<i64>(1), out_offset = run.argument<i64>(3);
  const auto n = run.argument<i64>(4);
  run.each_thread([&](Thread t) {
    const i64 i = i64{t.b.x} * run.block.x + t.t.x;
    if (i < n) t.store(out, out_offset + i, t.load(in, in_offset + i));
  });
}

// The divider's magic numbers stand for a division by its first word.
void fastdivmod(Execution& run) {
  struct Divider {
    u32 divisor, multiplier, shift;
  };
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto columns = run.argument<Divider>(2);
  const auto row_stride = run.argument<u32>(3), column_stride = run.argument<u32>(4);
  const auto n = run.argument<u32>(5);
  run.each_thread([&](Thread t) {
    if (t.u() >= n) return;
    const u32 row = t.u() / columns.divisor, column = t.u() % columns.divisor;
    t.store(out, t.u(), t.load(in, row * row_stride + column * column_stride));
  });
}

void paramdiv(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto columns = run.argument<u32>(2), pitch = run.argument<u32>(3);
  const auto n = run.argument<u32>(4);
  run.each_thread([&](Thread t) {
    const u32 i = t.u();
    if (i < n) t.store(out, i, t.load(in, i / columns * pitch + i % columns));
  });
}
void paramdiv_signed(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto columns = run.argument<i32>(2), pitch = run.argument<i32>(3);
  const auto n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    const i32 i = t.i();
    if (i < n) t.store(out, i, t.load(in, i / columns * pitch + i % columns));
  });
}
void paramdiv_wide(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto columns = run.argument<i64>(2), pitch = run.argument<i64>(3);
  const auto n = run.argument<i64>(4);
  run.each_thread([&](Thread t) {
    const i64 i = t.u();
    if (i < n) t.store(out, i, t.load(in, i / columns * pitch + i % columns));
  });
}

void ring(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto start = run.argument<u32>(2), mask = run.argument<u32>(3);
  const auto n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, (start + t.u()) & mask, t.load(in, t.i()));
  });
}

// PTX shifts by more than 31 as if bit by bit: 0 is left, or the sign.
void shiftleft(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto by = run.argument<u32>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, by > 31 ? 0 : t.u() << by));
  });
}
void shiftright(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto bias = run.argument<i32>(2);
  const auto by = run.argument<u32>(3);
  const auto n = run.argument<i32>(4);
  run.each_thread([&](Thread t) {
    const auto biased = static_cast<i32>(t.u() - static_cast<u32>(bias));
    if (t.i() < n) t.store(out, t.i(), t.load(in, biased >> (by > 31 ? 31 : by)));
  });
}

void signext(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i() - 1));
  });
}
void zeroext(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<u32>(2);
  run.each_thread([&](Thread t) {
    if (t.u() < n) t.store(out, t.u(), t.load(in, t.u() - 1u));
  });
}

void wrapmul(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto stride = run.argument<u32>(2), n = run.argument<u32>(3);
  run.each_thread([&](Thread t) {
    if (t.u() < n) t.store(out, t.u(), t.load(in, t.u() * stride));
  });
}
void wrapmul_signed(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto stride = run.argument<u32>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, static_cast<i32>(t.u() * stride)));
  });
}
void wrapmul_store(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto stride = run.argument<u32>(2), n = run.argument<u32>(3);
  run.each_thread([&](Thread t) {
    if (t.u() < n) t.store(out, t.u() * stride, t.load(in, t.u()));
  });
}

void unsignedguard(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto lo = run.argument<u32>(2), hi = run.argument<u32>(3);
  run.each_thread([&](Thread t) {
    if (t.u() - lo < hi - lo) t.store(out, t.i(), t.load(in, t.i()));
  });
}

}  // namespace

std::vector<Reference> indices() {
  return {{"asserted", asserted, Fill::kStated, shuffle_asserted},
          {"gather", gather, Fill::kStated, shuffle_words},
          {"gather_byte", gather_byte, Fill::kStated, shuffle_bytes},
          {"scatter", scatter, Fill::kStated, shuffle_words},
          {"scatter_mask", scatter_mask, Fill::kStated, shuffle_words},
          {"index64", index64},
          {"fastdivmod", fastdivmod},
          {"paramdiv", paramdiv},
          {"paramdiv_signed", paramdiv_signed},
          {"paramdiv_wide", paramdiv_wide},
          {"ring", ring},
          {"shiftleft", shiftleft},
          {"shiftright", shiftright},
          {"signext", signext},
          {"zeroext", zeroext},
          {"wrapmul", wrapmul},
          {"wrapmul_signed", wrapmul_signed},
          {"wrapmul_store", wrapmul_store},
          {"unsignedguard", unsignedguard}};
}

}  // namespace picker::references
