// The sample launches against their stated truth (samples/*.json), which comes from models of the
// kernels written apart from picker (samples/tables).
//
// For every family: no launch that is not idempotent is called so, and no conflict is claimed where
// there is none. For sm_80 moreover: enough is found, and every verdict is the recorded one, so
// that a change of any shows. After reading the difference, record it with
//   PICKER_REWRITE_GOLDEN=1 build/release/samples_verdict_test
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tools/sample_suite.hpp"

namespace picker::tools {
namespace {

using validate::VerdictKind;

constexpr const char* kGolden = PICKER_SOURCE_DIR "/tests/golden/verdicts.sm_80.txt";

struct Judged {
  std::vector<SampleLaunch> launches;
  std::vector<SampleVerdict> verdicts;
};

Judged judge(const std::string& architecture) {
  Judged judged;
  auto launches = load_samples(PICKER_SOURCE_DIR "/samples", architecture);
  if (!launches) {
    ADD_FAILURE() << launches.error().message;
    return judged;
  }
  auto verdicts = judge_samples(*launches);
  if (!verdicts) {
    ADD_FAILURE() << verdicts.error().message;
    return judged;
  }
  judged.launches = std::move(*launches);
  judged.verdicts = std::move(*verdicts);
  return judged;
}

std::string where(const SampleLaunch& launch) {
  return fmt::format("{}: {}: {}", launch.sample, launch.kernel, launch.name);
}

class SampleVerdicts : public testing::TestWithParam<const char*> {};

TEST_P(SampleVerdicts, AreNeverWrong) {
  const Judged judged = judge(GetParam());
  ASSERT_FALSE(judged.launches.empty());
  ASSERT_EQ(judged.launches.size(), judged.verdicts.size());
  u32 not_idempotent = 0;
  for (size_t i = 0; i < judged.launches.size(); ++i) {
    const SampleLaunch& launch = judged.launches[i];
    const VerdictKind kind = judged.verdicts[i].verdict.kind;
    not_idempotent += launch.expect_idempotent ? 0 : 1;
    if (launch.expect_idempotent)
      EXPECT_NE(kind, VerdictKind::kConflict) << where(launch) << ": " << launch.why;
    else
      EXPECT_NE(kind, VerdictKind::kIdempotent) << where(launch) << ": " << launch.why;
  }
  EXPECT_GT(not_idempotent, 100u) << "too few launches that could be called wrongly";
}

INSTANTIATE_TEST_SUITE_P(Families, SampleVerdicts,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100",
                                         "sm_120"),
                         [](const auto& family) { return std::string(family.param); });

TEST(SampleVerdictsOfSm80, FindMostIdempotentLaunches) {
  const Judged judged = judge("sm_80");
  u32 idempotent = 0, found = 0;
  for (size_t i = 0; i < judged.verdicts.size(); ++i) {
    if (!judged.launches[i].expect_idempotent) continue;
    ++idempotent;
    found += judged.verdicts[i].verdict.kind == VerdictKind::kIdempotent ? 1 : 0;
  }
  EXPECT_GE(found * 100, idempotent * 70) << found << " of " << idempotent;
}

TEST(SampleVerdictsOfSm80, AreTheRecordedOnes) {
  const Judged judged = judge("sm_80");
  std::string text =
      "# sample | kernel | launch | verdict | reason   (made by samples_verdict_test)\n";
  for (size_t i = 0; i < judged.verdicts.size(); ++i) {
    const SampleLaunch& launch = judged.launches[i];
    const SampleVerdict& verdict = judged.verdicts[i];
    const char* answer = verdict.verdict.kind == VerdictKind::kIdempotent ? "idempotent"
                         : verdict.verdict.kind == VerdictKind::kConflict ? "conflict"
                                                                          : "unknown";
    const bool unknown = verdict.verdict.kind == VerdictKind::kUnknown;
    text += fmt::format("{} | {} | {} | {} | {}\n", launch.sample, launch.kernel, launch.name,
                        answer, unknown ? verdict.reason : "-");
  }
  if (std::getenv("PICKER_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(kGolden) << text;
    return;
  }
  std::ifstream stream(kGolden);
  std::stringstream recorded;
  recorded << stream.rdbuf();
  ASSERT_FALSE(recorded.str().empty()) << kGolden;
  // Line by line, so that a failure names the launch.
  std::istringstream have(text), want(recorded.str());
  std::string have_line, want_line;
  u32 differences = 0;
  while (std::getline(want, want_line)) {
    have_line.clear();
    std::getline(have, have_line);
    if (have_line != want_line && ++differences <= 20)
      ADD_FAILURE() << "recorded: " << want_line << "\nnow:      " << have_line;
  }
  EXPECT_FALSE(std::getline(have, have_line)) << "not recorded: " << have_line;
  EXPECT_EQ(differences, 0u);
}

}  // namespace
}  // namespace picker::tools
