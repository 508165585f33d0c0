// Random launches of the sample kernels (tools/random_launches.hpp): a small number in each run of
// the tests; docs/testing.md has the command and the last result of a large one.
#include "tools/random_launches.hpp"

#include <gtest/gtest.h>

#include <string>

namespace picker::tools {
namespace {

class RandomLaunches : public testing::TestWithParam<const char*> {};

TEST_P(RandomLaunches, NoneIsJudgedWrongly) {
  const auto suite = load_samples(std::string(PICKER_SOURCE_DIR) + "/samples", GetParam());
  ASSERT_TRUE(suite.has_value()) << suite.error().message;
  RandomLaunchOptions options;
  options.count = 300;
  const auto report = try_random_launches(*suite, options);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  for (const RandomLaunchFailure& failure : report->failures)
    ADD_FAILURE() << failure.what << "\n" << failure.launch;
  // Enough of them are hard, and enough of them go either way.
  EXPECT_GE(report->launches, options.count);
  EXPECT_GE(report->boundary * 100, report->launches * 25);
  EXPECT_GE(report->not_idempotent * 100, report->launches * 20);
  EXPECT_GE(report->called_idempotent * 100, report->launches * 40);
  EXPECT_GT(report->accesses_checked, report->accesses_unbounded);
}

INSTANTIATE_TEST_SUITE_P(Families, RandomLaunches,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100",
                                         "sm_120"));

}  // namespace
}  // namespace picker::tools
