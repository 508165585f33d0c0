// Kernels that ask the machine: its clock, the number of the SM. What they store is open; that they
// store it there and nowhere else is checked.
#include <algorithm>

#include "references/reference.hpp"

namespace picker::references {
namespace {

// At least one and at most `most` of `words` words come to hold 1; the others stay.
void marks(Execution& run, Pointer<u32> o, i64 words, u32 most) {
  run.open_bytes(o, words);
  std::vector<u32> before(static_cast<size_t>(words));
  for (i64 i = 0; i < words; ++i) before[static_cast<size_t>(i)] = run.before(o, i);
  run.check([=](const GlobalMemory& after) {
    u32 found = 0;
    for (i64 i = 0; i < words; ++i) {
      const u32 word = Execution::get(after, o + i), old = before[static_cast<size_t>(i)];
      if (word != old && word != 1) return false;
      found += word != old ? 1 : 0;
    }
    return found >= 1 && found <= most;
  });
}

// From one mark to as many as there are threads, somewhere among 1024 words.
void clockmark(Execution& run) {
  marks(run, run.pointer<u32>(0), 1024, run.grid.count() * run.block.count());
}

void clockbranch(Execution& run) {
  const auto o = run.pointer<u32>(0);
  const auto n = run.argument<i32>(1);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Pointer<u32> at = o + t.i();
    const u32 before = run.before(at);
    run.open_bytes(at);
    run.check([=](const GlobalMemory& after) {
      const u32 found = Execution::get(after, at);
      return found == before || found == 1;
    });
  });
}

// A clock is no more than a number that is not what was there (a 64-bit one, so surely not).
void clockvalue(Execution& run) {
  const auto o = run.pointer<u64>(0);
  const auto n = run.argument<i32>(1);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const Pointer<u64> at = o + t.i();
    const u64 before = run.before(at);
    run.open_bytes(at);
    run.check([=](const GlobalMemory& after) { return Execution::get(after, at) != before; });
  });
}

// One mark for each block at most, as a block stays on its SM.
void smid_mark(Execution& run) {
  if (run.argument<i32>(1) > 0) marks(run, run.pointer<u32>(0), 256, run.grid.count());
}

void smid_value(Execution& run) {
  const auto o = run.pointer<u32>(0);
  const auto n = run.argument<i32>(1);
  run.each_block([&](Block block) {
    const auto first = static_cast<i32>(block.index.x * run.block.x);
    const i32 last = std::min(n, first + static_cast<i32>(run.block.x));
    for (i32 i = first; i < last; ++i) run.open_bytes(o + i);
    run.check([=](const GlobalMemory& after) {
      // One number for the block, and a small one.
      for (i32 i = first; i < last; ++i)
        if (Execution::get(after, o + i) != Execution::get(after, o + first) ||
            Execution::get(after, o + i) >= 1024)
          return false;
      return true;
    });
  });
}

}  // namespace

std::vector<Reference> machine() {
  return {{"clockmark", clockmark, Fill::kWords, nullptr, "the clock decides where"},
          {"clockbranch", clockbranch, Fill::kWords, nullptr, "the clock decides whether"},
          {"clockvalue", clockvalue, Fill::kWords, nullptr, "the clock is what is stored"},
          {"smid_mark", smid_mark, Fill::kWords, nullptr, "the number of the SM decides where"},
          {"smid_value", smid_value, Fill::kWords, nullptr, "the number of the SM is stored"}};
}

}  // namespace picker::references
