#include "tools/launch_arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace picker::tools {
namespace {

using container::Dimensions;
using container::Kernel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// k(pointer, int, double, char, struct of 3 bytes)
Kernel kernel_of(u32 sm) {
  Kernel kernel;
  kernel.name = "k";
  kernel.sm = sm;
  kernel.parameter_size = 0x1c;
  kernel.parameters = {{0, 0x0, 8, 0, 0},
                       {1, 0x8, 4, 0, 0},
                       {2, 0x10, 8, 0, 0},
                       {3, 0x18, 1, 0, 0},
                       {4, 0x19, 3, 0, 0}};
  return kernel;
}

LaunchOptions plain() {
  LaunchOptions options;
  options.grid = "4";
  options.block = "128";
  options.arguments = "0x7f0000000000,-5,f:1.5,255,hex:00fF10";
  return options;
}

std::string refused(const LaunchOptions& options, const Kernel& kernel) {
  const Expected<LaunchArguments> launch = resolve_launch(options, kernel);
  if (launch) return "accepted";
  EXPECT_EQ(launch.error().kind, ErrorKind::kUsage);
  return launch.error().message;
}

std::string with_arguments(const std::string& arguments) {
  LaunchOptions options = plain();
  options.arguments = arguments;
  return refused(options, kernel_of(80));
}

std::string with_sizes(const std::string& grid, const std::string& block, u32 sm = 80) {
  LaunchOptions options = plain();
  options.grid = grid;
  options.block = block;
  return refused(options, kernel_of(sm));
}

TEST(LaunchArguments, ParameterBytes) {
  const Expected<LaunchArguments> launch = resolve_launch(plain(), kernel_of(80));
  ASSERT_TRUE(launch) << launch.error().message;
  const std::vector<u8>& bytes = launch->parameters;
  EXPECT_THAT(bytes, ElementsAre(0, 0, 0, 0, 0, 0x7f, 0, 0,     // pointer
                                 0xfb, 0xff, 0xff, 0xff,        // -5
                                 0, 0, 0, 0,                    // padding
                                 0, 0, 0, 0, 0, 0, 0xf8, 0x3f,  // 1.5 as a double
                                 0xff, 0x00, 0xff, 0x10));
  EXPECT_EQ(launch->grid.x, 4u);
  EXPECT_EQ(launch->grid.z, 1u);
  EXPECT_EQ(launch->block.x, 128u);
  EXPECT_FALSE(launch->cluster_launch);
  EXPECT_EQ(launch->tier, Tier::kExact);
}

TEST(LaunchArguments, FloatIsRoundedToItsWidth) {
  Kernel kernel = kernel_of(80);
  kernel.parameters = {{0, 0, 4, 0, 0}};
  kernel.parameter_size = 4;
  LaunchOptions options = plain();
  options.arguments = "f:0.1";
  const Expected<LaunchArguments> launch = resolve_launch(options, kernel);
  ASSERT_TRUE(launch);
  EXPECT_THAT(launch->parameters, ElementsAre(0xcd, 0xcc, 0xcc, 0x3d));
  options.arguments = "f:1e39";
  EXPECT_THAT(refused(options, kernel), HasSubstr("out of range"));
}

TEST(LaunchArguments, ValuesAtTheEdgeOfTheirWidth) {
  EXPECT_EQ(with_arguments("0,4294967295,0,0,hex:000000"), "accepted");
  EXPECT_THAT(with_arguments("0,4294967296,0,0,hex:000000"), HasSubstr("does not fit"));
  EXPECT_EQ(with_arguments("0,-2147483648,0,0,hex:000000"), "accepted");
  EXPECT_THAT(with_arguments("0,-2147483649,0,0,hex:000000"), HasSubstr("does not fit"));
  EXPECT_EQ(with_arguments("0xffffffffffffffff,0,0,-128,hex:000000"), "accepted");
  EXPECT_THAT(with_arguments("0x10000000000000000,0,0,0,hex:000000"), HasSubstr("64 bits"));
  EXPECT_THAT(with_arguments("0,0,0,256,hex:000000"), HasSubstr("parameter 3 (1 bytes)"));
  EXPECT_THAT(with_arguments("0,0,0,-129,hex:000000"), HasSubstr("does not fit"));
}

TEST(LaunchArguments, WrongNumberOrForm) {
  EXPECT_THAT(with_arguments("0,0,0,0"), HasSubstr("has 5 parameters, found 4 values"));
  EXPECT_THAT(with_arguments("0,0,0,0,hex:000000,0"), HasSubstr("found 6 values"));
  EXPECT_THAT(with_arguments(""), HasSubstr("found 0 values"));
  EXPECT_THAT(with_arguments("0,0,0,0,0"), HasSubstr("use hex:"));
  EXPECT_THAT(with_arguments("0,0,0,0,hex:0000"), HasSubstr("expected 6 hexadecimal digits"));
  EXPECT_THAT(with_arguments("0,0,0,0,hex:0000zz"), HasSubstr("not hexadecimal"));
  EXPECT_THAT(with_arguments("x,0,0,0,hex:000000"), HasSubstr("not a whole number"));
  EXPECT_THAT(with_arguments("0,0,0,f:1,hex:000000"), HasSubstr("4 or 8 bytes"));
  EXPECT_THAT(with_arguments("0,f:one,0,0,hex:000000"), HasSubstr("not a number"));
  EXPECT_THAT(with_arguments("--5,0,0,0,hex:000000"), HasSubstr("not a whole number"));
  EXPECT_THAT(with_arguments("0x,0,0,0,hex:000000"), HasSubstr("not a whole number"));
}

TEST(LaunchArguments, NoParameters) {
  Kernel kernel = kernel_of(80);
  kernel.parameters.clear();
  kernel.parameter_size = 0;
  LaunchOptions options = plain();
  options.arguments.reset();
  EXPECT_EQ(refused(options, kernel), "accepted");
  options.arguments = "1";
  EXPECT_THAT(refused(options, kernel), HasSubstr("has 0 parameters, found 1"));
}

TEST(LaunchArguments, GridAndBlockLimits) {
  EXPECT_EQ(with_sizes("2147483647,65535,65535", "1024"), "accepted");
  EXPECT_THAT(with_sizes("2147483648", "1"), HasSubstr("--grid"));
  EXPECT_THAT(with_sizes("1,65536", "1"), HasSubstr("--grid"));
  EXPECT_THAT(with_sizes("1,1,65536", "1"), HasSubstr("--grid"));
  EXPECT_THAT(with_sizes("0", "1"), HasSubstr("no dimension may be 0"));
  EXPECT_THAT(with_sizes("1", "32,0"), HasSubstr("no dimension may be 0"));
  EXPECT_EQ(with_sizes("1", "4,4,64"), "accepted");
  EXPECT_THAT(with_sizes("1", "4,4,65"), HasSubstr("--block"));
  EXPECT_THAT(with_sizes("1", "1025"), HasSubstr("--block"));
  EXPECT_THAT(with_sizes("1", "32,33"), HasSubstr("1024 in all"));
  EXPECT_THAT(with_sizes("1,2,3,4", "1"), HasSubstr("expected X[,Y[,Z]]"));
  EXPECT_THAT(with_sizes("1,", "1"), HasSubstr("expected X[,Y[,Z]]"));
  EXPECT_THAT(with_sizes("-1", "1"), HasSubstr("expected X[,Y[,Z]]"));
  EXPECT_THAT(with_sizes("4294967297", "1"), HasSubstr("expected X[,Y[,Z]]"));
}

TEST(LaunchArguments, LimitsOfTheKernel) {
  Kernel kernel = kernel_of(80);
  kernel.required_threads = Dimensions{128, 1, 1};
  EXPECT_EQ(refused(plain(), kernel), "accepted");
  kernel.required_threads = Dimensions{64, 2, 1};
  EXPECT_THAT(refused(plain(), kernel), HasSubstr("requires 64,2,1"));
  kernel.required_threads.reset();
  kernel.max_threads = Dimensions{64, 2, 1};
  EXPECT_EQ(refused(plain(), kernel), "accepted");
  kernel.max_threads = Dimensions{127, 1, 1};
  EXPECT_THAT(refused(plain(), kernel), HasSubstr("at most 127 threads"));
}

TEST(LaunchArguments, Clusters) {
  LaunchOptions options = plain();
  options.cluster = "2";
  EXPECT_EQ(refused(options, kernel_of(90)), "accepted");
  EXPECT_THAT(refused(options, kernel_of(89)), HasSubstr("sm_89 has no clusters"));
  options.cluster = "3";
  EXPECT_THAT(refused(options, kernel_of(90)), HasSubstr("not a multiple of the cluster size"));
  options.cluster = "0";
  EXPECT_THAT(refused(options, kernel_of(90)), HasSubstr("no dimension may be 0"));
  options.cluster = "4,4,2";
  EXPECT_THAT(refused(options, kernel_of(90)), HasSubstr("at most 16 blocks"));
  Kernel fixed = kernel_of(90);
  fixed.blocks_per_cluster = Dimensions{2, 1, 1};
  options.cluster = "4";
  EXPECT_THAT(refused(options, fixed), HasSubstr("requires 2,1,1"));
  options.cluster.reset();
  const Expected<LaunchArguments> launch = resolve_launch(options, fixed);
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->cluster_launch);
  EXPECT_EQ(launch->cluster.x, 2u);
}

TEST(LaunchArguments, SharedMemory) {
  LaunchOptions options = plain();
  options.shared_bytes = 163 * 1024;
  EXPECT_EQ(refused(options, kernel_of(80)), "accepted");
  options.shared_bytes += 1;
  EXPECT_THAT(refused(options, kernel_of(80)), HasSubstr("--shared"));
  Kernel kernel = kernel_of(90);
  kernel.static_shared_size = 1024 + 16;  // the first 1024 are the system's
  options.shared_bytes = 227 * 1024 - 16;
  EXPECT_EQ(refused(options, kernel), "accepted");
  options.shared_bytes += 1;
  EXPECT_THAT(refused(options, kernel), HasSubstr("--shared"));
}

TEST(LaunchArguments, Allocations) {
  LaunchOptions options = plain();
  options.allocations = {"0x2000:0x100:random:7", "4096:4096:iota32", "0x3000:1:file:a:b",
                         "0x4000:16:zero", "0xffffffffffffffff:1"};
  const Expected<LaunchArguments> launch = resolve_launch(options, kernel_of(80));
  ASSERT_TRUE(launch) << launch.error().message;
  ASSERT_EQ(launch->allocations.size(), 5u);
  EXPECT_EQ(launch->allocations[0].address, 0x1000u);
  EXPECT_EQ(launch->allocations[0].fill, Fill::kIota32);
  EXPECT_EQ(launch->allocations[1].fill, Fill::kRandom);
  EXPECT_EQ(launch->allocations[1].seed, 7u);
  EXPECT_EQ(launch->allocations[2].path, "a:b");
  const auto refused_allocation = [](std::vector<std::string> allocations) {
    LaunchOptions bad = plain();
    bad.allocations = std::move(allocations);
    return refused(bad, kernel_of(80));
  };
  EXPECT_THAT(refused_allocation({"0x1000:0x1001", "0x2000:1"}), HasSubstr("overlaps"));
  EXPECT_THAT(refused_allocation({"0x1000"}), HasSubstr("expected ADDR:SIZE"));
  EXPECT_THAT(refused_allocation({"0x1000:0"}), HasSubstr("size 0"));
  EXPECT_THAT(refused_allocation({"0x1000:1:ones"}), HasSubstr("expected zero"));
  EXPECT_THAT(refused_allocation({"0x1000:1:random:x"}), HasSubstr("seed"));
  EXPECT_THAT(refused_allocation({"0xffffffffffffffff:2"}), HasSubstr("address space"));
}

TEST(LaunchArguments, Symbols) {
  LaunchOptions options = plain();
  options.symbols = {"table=0x1000", "counter=64:file:dir/x=y"};
  const Expected<LaunchArguments> launch = resolve_launch(options, kernel_of(80));
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(launch->symbols[0].address, 0x1000u);
  EXPECT_EQ(launch->symbols[1].path, "dir/x=y");
  options.symbols = {"table"};
  EXPECT_THAT(refused(options, kernel_of(80)), HasSubstr("expected NAME=ADDR"));
  options.symbols = {"table=x"};
  EXPECT_THAT(refused(options, kernel_of(80)), HasSubstr("not a whole number"));
  options.symbols = {"table=1:data"};
  EXPECT_THAT(refused(options, kernel_of(80)), HasSubstr("file:PATH"));
  options.symbols = {"table=1", "table=2"};
  EXPECT_THAT(refused(options, kernel_of(80)), HasSubstr("twice"));
}

}  // namespace
}  // namespace picker::tools
