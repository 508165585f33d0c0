// What a reference finds to hang on the order of threads, on small kernels made up for it. Each
// case has a sibling that differs in one thing and in its answer.
#include "references/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace picker::references {
namespace {

constexpr u64 kBuffer = 0x10000;

// What became of one kernel: four threads a block, two runs as the harness makes them.
struct Applied {
  u32 open = 0, raced = 0;  // words
  bool order_decides = false;
};

template <class Kernel>
Applied apply(Kernel kernel, u32 blocks = 1) {
  GlobalMemory before;
  for (u32 i = 0; i < 64; ++i) {
    const u32 word = 100 + i;
    before.write(kBuffer + 4 * i, {reinterpret_cast<const u8*>(&word), 4});
  }
  Setting setting;
  setting.grid.x = blocks;
  setting.block.x = 4;
  setting.before = &before;
  GlobalMemory first_memory = before, memory = before;
  Execution first(setting, first_memory, nullptr);
  kernel(first);
  const WriteLog log = first.take_writes();
  Execution run(setting, memory, &log);
  kernel(run);
  Applied result;
  for (const auto& [address, byte] : run.bytes()) {
    if (address % 4 != 0) continue;
    result.open += byte.open ? 1 : 0;
    result.raced += byte.raced ? 1 : 0;
  }
  result.order_decides = run.order_decides();
  return result;
}

const Pointer<u32> kIn{kBuffer};

TEST(Reference, WhatAnotherThreadMayHaveWrittenIsOpen) {
  const auto shifted_by = [](i64 words) {
    return apply([words](Execution& run) {
      run.each_thread([&](Thread t) { t.store(kIn + words, t.i(), t.load(kIn, t.i()) + 1u); });
    });
  };
  // Thread 0 reads what nobody writes; the others read what their neighbours write.
  EXPECT_EQ(shifted_by(1).open, 3u);
  EXPECT_EQ(shifted_by(3).open, 1u);
  EXPECT_EQ(shifted_by(4).open, 0u);
  EXPECT_EQ(shifted_by(0).open, 0u);  // each its own
}

TEST(Reference, ABarrierOrdersTheThreadsOfABlock) {
  const auto reversed = [](bool barrier, u32 blocks) {
    return apply(
        [barrier](Execution& run) {
          run.each_block([&](Block block) {
            std::array<Value<u32>, 4> part;
            block.each([&](Thread t) { part[t.t.x] = t.load(kIn, t.t.x); });
            if (barrier) block.barrier();
            block.each([&](Thread t) { t.store(kIn, 3 - t.t.x, part[t.t.x]); });
          });
        },
        blocks);
  };
  EXPECT_EQ(reversed(true, 1).open, 0u);
  EXPECT_EQ(reversed(false, 1).open, 4u);
  EXPECT_EQ(reversed(true, 2).open, 4u);
}

TEST(Reference, TheLastOfRacingStoresIsOpenUnlessTheyAgree) {
  const auto same_place = [](u32 per_thread) {
    return apply([per_thread](Execution& run) {
      run.each_thread([&](Thread t) { t.store(kIn, 0, 7 + per_thread * t.t.x); });
    });
  };
  EXPECT_EQ(same_place(1).raced, 1u);
  EXPECT_EQ(same_place(0).raced, 0u);
}

TEST(Reference, AtomicsOfOneKindCommuteButReturnAnything) {
  const auto counted = [](Atomic odd, bool used) {
    return apply([=](Execution& run) {
      run.each_thread([&](Thread t) {
        const Value<u32> old =
            (t.t.x & 1) != 0
                ? t.atomic(odd, kIn, 0, [&](u32 x) { return odd == Atomic::kAdd ? x + 1 : x | 1; })
                : t.atomic(Atomic::kAdd, kIn, 0, [](u32 x) { return x + 1; });
        if (used) t.store(kIn, 8 + t.t.x, old);
      });
    });
  };
  EXPECT_EQ(counted(Atomic::kAdd, false).open, 0u);
  EXPECT_EQ(counted(Atomic::kAdd, true).open, 4u);
  EXPECT_EQ(counted(Atomic::kOr, false).open, 1u);
}

TEST(Reference, AnOpenAddressOrConditionMakesMoreOpen) {
  const auto scattered = [](i64 out) {
    return apply([out](Execution& run) {
      run.each_thread([&](Thread t) {
        const u32 index = t.decide(t.load(kIn, t.i()));
        t.store(kIn + out, (index - 100) % 4, 1u);
      });
    });
  };
  EXPECT_TRUE(scattered(2).order_decides);
  EXPECT_FALSE(scattered(4).order_decides);
  const auto guarded = [](i64 out) {
    return apply([out](Execution& run) {
      run.each_thread(
          [&](Thread t) { t.store_if(t.load(kIn, t.i()) > 101u, kIn + out, t.i(), 1u); });
    });
  };
  // Threads 2 and 3 store, two words on or four; so nobody reads what is stored, but for one case.
  EXPECT_EQ(guarded(4).open, 0u);
  EXPECT_EQ(guarded(1).open, 1u);
}

}  // namespace
}  // namespace picker::references
