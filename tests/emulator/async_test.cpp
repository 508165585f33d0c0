// Barriers in shared memory and bulk copies: kernels of data/async.cu against the rules of the PTX
// manual, worked out here or by hand.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kOut = 0x7f00'0000'0000, kIn = 0x7f00'1000'0000;

class Async : public testing::TestWithParam<const char*> {};

TEST_P(Async, ABarrierGoesThroughItsPhases) {
  Launch launch;
  launch.parameters = Parameters().add(kOut).bytes();
  GlobalMemory memory;
  const Outcome outcome = run_on("async", GetParam(), "phases", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  // Phase 0 is not over, the one before it is; 3 and 2 pending; phase 0 is over, phase 1 not; after
  // a drop and two more it is; the next waits for 100 bytes after its two arrivals.
  EXPECT_EQ(get<u32>(memory, kOut, 10), (std::vector<u32>{0, 1, 3, 2, 1, 0, 1, 0, 0, 1}));
}

TEST_P(Async, WaitsEndWhenThePhaseDoes) {
  for (const bool random : {false, true}) {
    Launch launch;
    launch.block = {256, 1, 1};
    launch.parameters = Parameters().add(kOut).bytes();
    GlobalMemory memory;
    Options options;
    options.random_schedule = random;
    const Outcome outcome = run_on("async", GetParam(), "relay", launch, memory, options);
    ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
    u32 value = 1;
    for (u32 warp = 8; warp-- != 0;) value = value * 3 + warp;
    EXPECT_EQ(get<u32>(memory, kOut, 1)[0], value);
  }
}

TEST_P(Async, AWaitInVainIsADeadlock) {
  Launch launch;
  launch.parameters = Parameters().add(kOut).bytes();
  GlobalMemory memory;
  const Outcome outcome = run_on("async", GetParam(), "forever", launch, memory);
  EXPECT_EQ(outcome.end, End::kDeadlock);
  EXPECT_THAT(outcome.message, testing::HasSubstr("SYNCS.PHASECHK"));
}

TEST_P(Async, ReductionsCombineElementByElement) {
  std::mt19937 random(3);
  std::vector<u32> in(32), old_words(9 * 32);
  for (u32& x : in) x = static_cast<u32>(random());
  for (u32& x : old_words) x = static_cast<u32>(random());
  for (u32 i = 0; i < 32; ++i) {  // row 7 adds floats: small integers
    in[i] = std::bit_cast<u32>(static_cast<float>(static_cast<i32>(in[i] % 2000) - 1000));
    old_words[7 * 32 + i] = std::bit_cast<u32>(static_cast<float>(old_words[7 * 32 + i] % 2000));
  }
  GlobalMemory memory;
  put(memory, kIn, in);
  put(memory, kOut, old_words);
  Launch launch;
  launch.block = {32, 1, 1};
  launch.parameters = Parameters().add(kOut).add(kIn).bytes();
  const Outcome outcome = run_on("async", GetParam(), "reductions", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  const auto out = get<u32>(memory, kOut, 9 * 32);
  for (u32 i = 0; i < 32; ++i) {
    SCOPED_TRACE(i);
    const auto was = [&](u32 row) { return old_words[row * 32 + i]; };
    const auto is = [&](u32 row) { return out[row * 32 + i]; };
    EXPECT_EQ(is(0), was(0) + in[i]);
    EXPECT_EQ(is(1), static_cast<u32>(std::min(static_cast<i32>(was(1)), static_cast<i32>(in[i]))));
    EXPECT_EQ(is(2), std::max(was(2), in[i]));
    EXPECT_EQ(is(3), was(3) & in[i]);
    EXPECT_EQ(is(4), was(4) ^ in[i]);
    EXPECT_EQ(std::bit_cast<float>(is(7)),
              std::bit_cast<float>(was(7)) + std::bit_cast<float>(in[i]));
    EXPECT_EQ(is(8), was(8) >= in[i] ? 0 : was(8) + 1);
    if (i % 2 != 0) continue;
    const auto wide = [&](const std::vector<u32>& from, u32 at) {
      return u64{from[at + 1]} << 32 | from[at];
    };
    EXPECT_EQ(wide(out, 5 * 32 + i), wide(old_words, 5 * 32 + i) + wide(in, i));
    EXPECT_EQ(
        static_cast<i64>(wide(out, 6 * 32 + i)),
        std::max(static_cast<i64>(wide(old_words, 6 * 32 + i)), static_cast<i64>(wide(in, i))));
  }
}

TEST_P(Async, CopiesReachTheBlocksOfACluster) {
  for (const bool random_schedule : {false, true}) {
    std::vector<u32> in(64);
    for (u32 i = 0; i < 64; ++i) in[i] = 7 * i + 1;
    GlobalMemory memory;
    put(memory, kIn, in);
    memory.allocate(kOut, 1024);
    Launch launch;
    launch.grid = {2, 1, 1};
    launch.block = {64, 1, 1};
    launch.cluster = {2, 1, 1};
    launch.is_cluster_launch = true;
    // From sm_120 on, a function of the system stands for the copy to several blocks.
    const bool multicast = GetParam() != std::string("sm_120");
    launch.parameters = Parameters().add(kOut).add(kIn).add(u32{multicast}).bytes();
    Options options;
    options.random_schedule = random_schedule;
    const Outcome outcome = run_on("async", GetParam(), "deliver", launch, memory, options);
    ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
    const auto out = get<u32>(memory, kOut, 256);
    for (u32 t = 0; t < 64; ++t) {
      EXPECT_EQ(out[t], t);
      EXPECT_EQ(out[64 + t], multicast ? in[t] : 0);
      EXPECT_EQ(out[128 + t], t < 32 ? t : 5000 + t);
      EXPECT_EQ(out[192 + t], multicast ? in[t] : 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Async, testing::Values("sm_90", "sm_100", "sm_120"));

}  // namespace
}  // namespace picker::emulator
