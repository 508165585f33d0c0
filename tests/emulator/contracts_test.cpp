// Kernels of data/contracts.cu, executed: what they break is found, and their siblings break
// nothing.
#include "oracle/contracts.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "container/container.hpp"
#include "emulator/machine.hpp"

namespace picker::oracle {
namespace {

constexpr u64 kIn = 0x7f00'0000'0000, kOut = 0x7f00'1000'0000;

class Contracts : public testing::TestWithParam<const char*> {
 protected:
  // The breaches of `kernel` run by one block of 64 threads with parameters in, out, `more`.
  static std::vector<Breach> breaches_of(const std::string& kernel, std::vector<u32> more = {},
                                         bool random_schedule = false) {
    const std::string path =
        std::string(PICKER_SOURCE_DIR) + "/tests/emulator/data/contracts." + GetParam() + ".cubin";
    const auto file = container::read_input(path);
    EXPECT_TRUE(file.has_value());
    const auto cubin = container::Cubin::parse(file->bytes, path, file->owner);
    EXPECT_TRUE(cubin.has_value());
    const container::Kernel* found = cubin->find(kernel);
    EXPECT_NE(found, nullptr);
    emulator::GlobalMemory memory;
    memory.allocate(kIn, 1024);
    memory.allocate(kOut, 1024);
    const auto program = emulator::Program::load(*cubin, *found, {}, memory);
    EXPECT_TRUE(program.has_value());
    emulator::Launch launch;
    launch.block = {64, 1, 1};
    launch.grid = {3, 1, 1};
    launch.parameters.resize(16 + 4 * more.size());
    std::memcpy(launch.parameters.data(), &kIn, 8);
    std::memcpy(launch.parameters.data() + 8, &kOut, 8);
    if (!more.empty()) std::memcpy(launch.parameters.data() + 16, more.data(), 4 * more.size());
    ContractCheck check;
    emulator::Options options;
    options.recorder = &check;
    options.random_schedule = random_schedule;
    const emulator::Outcome outcome = emulator::run(*program, launch, memory, options);
    EXPECT_EQ(outcome.end, emulator::End::kDone) << outcome.message;
    return check.breaches();
  }
};

TEST_P(Contracts, MissingBarrier) {
  EXPECT_TRUE(breaches_of("reverse_waits").empty());
  for (const bool random_schedule : {false, true}) {
    const std::vector<Breach> found = breaches_of("reverse_races", {}, random_schedule);
    ASSERT_FALSE(found.empty());
    bool race = false;
    for (const Breach& breach : found) {
      if (breach.kind != BreachKind::kRace) continue;
      race = true;
      // Thread t writes word t, thread 63 - t reads it.
      EXPECT_EQ(breach.touch.thread / 32 + breach.earlier.thread / 32, 1u);
      EXPECT_EQ(breach.touch.thread + breach.earlier.thread, 63u);
      EXPECT_NE(breach.touch_writes, breach.earlier_writes);
      EXPECT_NE(breach.touch.code_offset, breach.earlier.code_offset);
    }
    EXPECT_TRUE(race);
  }
}

TEST_P(Contracts, OverwrittenWhileOthersRead) {
  EXPECT_TRUE(breaches_of("twice_waits").empty());
  const std::vector<Breach> found = breaches_of("twice_races");
  ASSERT_FALSE(found.empty());
  for (const Breach& breach : found) EXPECT_EQ(breach.kind, BreachKind::kRace);
}

TEST_P(Contracts, NamedBarriersBetweenHalvesOfABlock) {
  EXPECT_TRUE(breaches_of("handover_waits").empty());
  const std::vector<Breach> found = breaches_of("handover_races");
  ASSERT_FALSE(found.empty());
  for (const Breach& breach : found) {
    EXPECT_EQ(breach.kind, BreachKind::kRace);
    EXPECT_EQ(breach.touch.thread / 32 + breach.earlier.thread / 32, 1u);
  }
}

TEST_P(Contracts, ALockIsNotARace) { EXPECT_TRUE(breaches_of("locked").empty()); }

TEST_P(Contracts, SharedMemoryThatNobodyWrote) {
  EXPECT_TRUE(breaches_of("part_of_shared", {64}).empty());
  const std::vector<Breach> found = breaches_of("part_of_shared", {63});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, BreachKind::kUninitialisedShared);
  EXPECT_EQ(found[0].touch.thread, 0u);  // which reads element 63
  // The system keeps the first 1024 bytes for itself on sm_90 and later.
  EXPECT_EQ(found[0].offset % 1024 / 4, 63u);
}

TEST_P(Contracts, LocalMemoryThatItsThreadDidNotWrite) {
  EXPECT_TRUE(breaches_of("part_of_local", {16, 5}).empty());
  const std::vector<Breach> found = breaches_of("part_of_local", {15, 0});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, BreachKind::kUninitialisedLocal);
  EXPECT_EQ(found[0].touch.thread % 16, 15u);
}

INSTANTIATE_TEST_SUITE_P(Families, Contracts, testing::Values("sm_75", "sm_80", "sm_90", "sm_120"),
                         [](const auto& family) { return std::string(family.param); });

}  // namespace
}  // namespace picker::oracle
