// Clusters: kernels of data/clusters.cu against what the PTX manual says of the registers and of
// memory across blocks.
#include <gmock/gmock.h>

#include <array>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

constexpr u64 kOut = 0x7f00'0000'0000;

class Clusters : public testing::TestWithParam<const char*> {};

TEST_P(Clusters, KnowTheirPlace) {
  for (const std::array<u32, 3> size : {std::array<u32, 3>{1, 1, 1}, {2, 3, 1}, {3, 1, 2}}) {
    Launch launch;
    launch.grid = {6, 6, 2};
    launch.block = {32, 1, 1};
    launch.cluster = size;
    launch.is_cluster_launch = size != std::array<u32, 3>{1, 1, 1};
    launch.parameters = Parameters().add(kOut).bytes();
    GlobalMemory memory;
    const Outcome outcome = run_on("clusters", GetParam(), "places", launch, memory);
    ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
    const auto out = get<u32>(memory, kOut, 72 * 15);
    for (u32 z = 0; z < 2; ++z)
      for (u32 y = 0; y < 6; ++y)
        for (u32 x = 0; x < 6; ++x) {
          const u32* o = out.data() + size_t{15} * (x + 6 * (y + 6 * z));
          const std::array<u32, 3> index = {x, y, z};
          for (u32 axis = 0; axis < 3; ++axis) {
            EXPECT_EQ(o[axis], index[axis] / size[axis]);
            EXPECT_EQ(o[3 + axis], launch.grid[axis] / size[axis]);
            EXPECT_EQ(o[6 + axis], index[axis] % size[axis]);
            EXPECT_EQ(o[9 + axis], size[axis]);
          }
          EXPECT_EQ(o[12], o[6] + size[0] * (o[7] + size[1] * o[8]));
          EXPECT_EQ(o[13], size[0] * size[1] * size[2]);
          EXPECT_EQ(o[14], launch.is_cluster_launch ? 1u : 0u);
        }
  }
}

TEST_P(Clusters, DivideTheGrid) {
  for (const u32 blocks : {4u, 5u}) {
    Launch launch;
    launch.grid = {blocks, 1, 1};
    launch.block = {32, 1, 1};
    launch.cluster = {2, 1, 1};
    launch.is_cluster_launch = true;
    launch.parameters = Parameters().add(kOut).bytes();
    GlobalMemory memory;
    const Outcome outcome = run_on("clusters", GetParam(), "places", launch, memory);
    EXPECT_EQ(outcome.end, blocks == 4 ? End::kDone : End::kFault) << outcome.message;
  }
}

TEST_P(Clusters, ReachIntoTheSharedMemoryOfTheirBlocks) {
  constexpr u32 kThreads = 96;
  for (const u32 blocks : {1u, 2u, 4u})
    for (const bool random : {false, true}) {
      Launch launch;
      launch.grid = {8, 1, 1};
      launch.block = {kThreads, 1, 1};
      launch.cluster = {blocks, 1, 1};
      launch.is_cluster_launch = true;
      launch.parameters = Parameters().add(kOut).bytes();
      GlobalMemory memory;
      Options options;
      options.random_schedule = random;
      const Outcome outcome = run_on("clusters", GetParam(), "exchange", launch, memory, options);
      ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
      const auto out = get<u32>(memory, kOut, 8 * 5 * kThreads);
      for (u32 block = 0; block < 8; ++block)
        for (u32 t = 0; t < kThreads; ++t) {
          const u32 first = block / blocks * blocks;
          const u32 next = first + (block + 1) % blocks;
          const u32* o = out.data() + size_t{block} * 5 * kThreads + t;
          EXPECT_EQ(o[0], next * 1000 + t);
          EXPECT_EQ(o[kThreads], block + kThreads * (kThreads - 1) / 2);
          EXPECT_EQ(o[2 * kThreads], next * 1000 + t + 7);
          EXPECT_EQ(o[3 * kThreads], block * 1000 + t + 9);
          EXPECT_EQ(o[4 * kThreads], (next - first) * 101);
        }
    }
}

TEST_P(Clusters, WaitForTheLivingOnly) {
  Launch launch;
  launch.grid = {4, 1, 1};
  launch.block = {32, 1, 1};
  launch.cluster = {4, 1, 1};
  launch.is_cluster_launch = true;
  launch.parameters = Parameters().add(kOut).add(u32{0}).bytes();
  GlobalMemory memory;
  Outcome outcome = run_on("clusters", GetParam(), "leave", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  EXPECT_EQ(get<u32>(memory, kOut, 4), (std::vector<u32>{0, 1, 1, 1}));
  launch.parameters = Parameters().add(kOut).add(u32{1}).bytes();
  outcome = run_on("clusters", GetParam(), "leave", launch, memory);
  EXPECT_EQ(outcome.end, End::kFault);
  EXPECT_THAT(outcome.message, testing::HasSubstr("block 0 of the cluster, which has exited"));
}

INSTANTIATE_TEST_SUITE_P(Families, Clusters, testing::Values("sm_90", "sm_100", "sm_120"));

}  // namespace
}  // namespace picker::emulator
