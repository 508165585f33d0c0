// How runs end: faults, deadlocks and endless loops are told with kernel, thread, instruction and
// source line; and results are what the source says.
#include "emulator/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>

#include "tools/emulation.hpp"
#include "tools/selection.hpp"

namespace picker::emulator {
namespace {

using testing::HasSubstr;

struct Executed {
  Outcome outcome;
  GlobalMemory memory;
};

Executed run_sample(const std::string& sample, const std::string& kernel,
                    tools::LaunchOptions options, u64 max_steps = 200'000) {
  Executed result;
  options.file = std::string(PICKER_SOURCE_DIR) + "/samples/cubins/" + sample + ".sm_80.cubin";
  options.kernel = kernel;
  const auto selection = tools::select_one_kernel(options.file, kernel, std::nullopt);
  EXPECT_TRUE(selection.has_value());
  if (!selection) return result;
  const auto& selected = selection->kernels.front();
  const auto arguments = tools::resolve_launch(options, *selected.kernel);
  EXPECT_TRUE(arguments.has_value());
  if (!arguments) return result;
  auto emulation = tools::prepare_emulation(*selected.cubin, *selected.kernel, *arguments);
  EXPECT_TRUE(emulation.has_value());
  if (!emulation) return result;
  Options how;
  how.max_steps = max_steps;
  result.outcome = run(emulation->program, emulation->launch, emulation->memory, how);
  result.memory = std::move(emulation->memory);
  return result;
}

tools::LaunchOptions launch(std::string grid, std::string block, std::string arguments,
                            std::vector<std::string> allocations) {
  tools::LaunchOptions options;
  options.grid = std::move(grid);
  options.block = std::move(block);
  options.arguments = std::move(arguments);
  options.allocations = std::move(allocations);
  return options;
}

u32 word_at(const GlobalMemory& memory, u64 address) {
  u32 x = 0;
  std::array<u8, 4> bytes{};
  memory.read(address, bytes);
  std::memcpy(&x, bytes.data(), 4);
  return x;
}

TEST(Machine, AddsVectors) {
  const Executed r =
      run_sample("vadd", "vadd",
                 launch("4", "64", "0x1000,0x2000,0x3000,200",
                        {"0x1000:800:random:1", "0x2000:800:random:2", "0x3000:800"}));
  ASSERT_EQ(r.outcome.end, End::kDone) << r.outcome.message;
  for (u32 i = 0; i < 200; ++i) {
    const float a = std::bit_cast<float>(word_at(r.memory, 0x1000 + 4 * i));
    const float b = std::bit_cast<float>(word_at(r.memory, 0x2000 + 4 * i));
    const float c = std::bit_cast<float>(word_at(r.memory, 0x3000 + 4 * i));
    if (a + b == a + b) {
      EXPECT_EQ(a + b, c) << i;
    }
  }
}

TEST(Machine, AnAccessOutsideAllocationsIsAFaultWithItsPlace) {
  const Executed r = run_sample(
      "vadd", "vadd",
      launch("4", "64", "0x1000,0x2000,0x3000,200", {"0x1000:800", "0x2000:796", "0x3000:800"}));
  EXPECT_EQ(r.outcome.end, End::kFault);
  EXPECT_THAT(r.outcome.message, HasSubstr("kernel vadd, block (3,0,0), thread (7,0,0)"));
  EXPECT_THAT(r.outcome.message, HasSubstr("LDG.E"));
  EXPECT_THAT(r.outcome.message, HasSubstr("vadd.cu:"));
  EXPECT_THAT(r.outcome.message, HasSubstr("4 bytes at 0x231c of global memory, outside of it"));
}

TEST(Machine, AMisalignedAccessIsAFault) {
  const Executed r = run_sample(
      "vadd", "vadd",
      launch("1", "32", "0x1001,0x2000,0x3000,32", {"0x1000:800", "0x2000:800", "0x3000:800"}));
  EXPECT_EQ(r.outcome.end, End::kFault);
  EXPECT_THAT(r.outcome.message, HasSubstr("misaligned access to 4 bytes at 0x1001"));
}

TEST(Machine, AnEndlessLoopEndsAtTheStepLimit) {
  // Counts from 0 by 3 until it equals 100.
  const Executed r =
      run_sample("notequal", "notequal", launch("1", "32", "0x1000,0x2000,0,100,3", {}), 5'000);
  EXPECT_EQ(r.outcome.end, End::kStepLimit);
  EXPECT_THAT(r.outcome.message, HasSubstr("no end after 5000 warp instructions"));
  EXPECT_THAT(r.outcome.message, HasSubstr("notequal.cu:"));
}

TEST(Machine, ABarrierThatNobodyElseReachesIsADeadlock) {
  // The barrier is for 64 threads, the block has 32.
  const Executed r =
      run_sample("subsetbarrier", "subsetbarrier", launch("1", "32", "0x1000,0x2000,0x3000,0", {}));
  EXPECT_EQ(r.outcome.end, End::kDeadlock);
  EXPECT_THAT(r.outcome.message, HasSubstr("deadlock"));
  EXPECT_THAT(r.outcome.message, HasSubstr("BAR.SYNC"));
}

TEST(Machine, TheSameSeedGivesTheSameRun) {
  const auto options = launch("2", "64", "0x1000,100", {});
  const Executed a = run_sample("clockmark", "clockvalue", options);
  const Executed b = run_sample("clockmark", "clockvalue", options);
  EXPECT_EQ(a.outcome.end, End::kDone) << a.outcome.message;
  EXPECT_EQ(a.memory.first_difference(b.memory), std::nullopt);
}

}  // namespace
}  // namespace picker::emulator
