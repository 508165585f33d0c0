// Functions of the system. What printf prints was worked out by hand from the C standard.
#include <gmock/gmock.h>

#include "tests/emulator/run_kernel.hpp"

namespace picker::emulator {
namespace {

using testing::HasSubstr;

class Syscalls : public testing::TestWithParam<const char*> {};

TEST_P(Syscalls, PrintsWhatTheFormatSays) {
  Launch launch;
  launch.block = {2, 1, 1};
  launch.parameters = Parameters().add(u32{2}).add(2.5).add(u64{0x123456789ab}).bytes();
  GlobalMemory memory;
  const Outcome outcome = run_on("syscalls", GetParam(), "messages", launch, memory);
  ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
  EXPECT_EQ(outcome.printed,
            "-1|   42|beef  |010|a|%|text\n"
            "0|   42|beef  |010|b|%|text\n"
            "2.500|2.50e+03|+2.5|1250999896491|123456789ab|   0|2.5\n"
            "2.500|2.50e+03|+2.5|1250999896491|123456789ab|   1|2.5\n"
            "plain, 6\n"
            "plain, 6\n");
  launch.parameters = Parameters().add(u32{0}).add(2.5).add(u64{1}).bytes();
  const Outcome silent = run_on("syscalls", GetParam(), "messages", launch, memory);
  EXPECT_EQ(silent.end, End::kDone);
  EXPECT_EQ(silent.printed, "");
}

TEST_P(Syscalls, AFailedAssertionEndsTheLaunchWithItsText) {
  Launch launch;
  launch.block = {32, 1, 1};
  launch.parameters = Parameters().add(u32{32}).bytes();
  GlobalMemory memory;
  EXPECT_EQ(run_on("syscalls", GetParam(), "claim", launch, memory).end, End::kDone);
  launch.parameters = Parameters().add(u32{31}).bytes();
  const Outcome outcome = run_on("syscalls", GetParam(), "claim", launch, memory);
  EXPECT_EQ(outcome.end, End::kFault);
  EXPECT_THAT(outcome.message, HasSubstr("thread (31,0,0)"));
  EXPECT_THAT(outcome.message, HasSubstr("assertion failed: syscalls.cu:"));
  EXPECT_THAT(outcome.message, HasSubstr("(int)threadIdx.x < limit"));
}

TEST_P(Syscalls, TheHeapIsRefusedByName) {
  Launch launch;
  launch.parameters = Parameters().add(u64{0x1000}).bytes();
  GlobalMemory memory;
  const Outcome outcome = run_on("syscalls", GetParam(), "heap", launch, memory);
  EXPECT_EQ(outcome.end, End::kUnmodelled);
  EXPECT_THAT(outcome.message, HasSubstr("the heap of the device (malloc) is not modelled"));
}

INSTANTIATE_TEST_SUITE_P(Families, Syscalls,
                         testing::Values("sm_70", "sm_80", "sm_90", "sm_100", "sm_120"));

}  // namespace
}  // namespace picker::emulator
