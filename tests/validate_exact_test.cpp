// What a block's stores shield in the exact tier: kernels of analysis/data/barriers.cu, each judged
// and executed. Strict truth is the judge.
#include <gtest/gtest.h>

#include <string>

#include "analysis/analyzer.hpp"
#include "oracle/truth.hpp"
#include "tools/emulation.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "validate/exact.hpp"

namespace picker::validate {
namespace {

struct Judged {
  VerdictKind verdict = VerdictKind::kUnknown;
  bool strict = false;  // idempotent in strict truth
};

// Three blocks of 64 threads; thread t reads what thread t ^ flip stored.
Judged judge(const std::string& name, u32 flip) {
  Judged judged;
  tools::LaunchOptions options;
  options.file = PICKER_SOURCE_DIR "/tests/analysis/data/barriers.sm_80.cubin";
  options.kernel = name;
  options.grid = "3";
  options.block = "64";
  options.arguments = "0x7f0000000000,0x7f0001000000," + std::to_string(flip);
  const auto selection = tools::select_one_kernel(options.file, name, std::nullopt);
  EXPECT_TRUE(selection.has_value());
  if (!selection) return judged;
  const container::Cubin& cubin = *selection->kernels.front().cubin;
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  const auto arguments = tools::resolve_launch(options, kernel);
  EXPECT_TRUE(arguments.has_value());
  const analysis::Summary summary = analysis::analyze(cubin, kernel);
  const auto launch = tools::make_launch(cubin, kernel, summary, *arguments);
  auto emulation = tools::prepare_emulation(cubin, kernel, *arguments);
  EXPECT_TRUE(launch.has_value() && emulation.has_value());
  if (!launch || !emulation) return judged;
  ThreadWalk walk(cubin, kernel, summary, *launch);
  judged.verdict = validate_exactly(summary, *launch, walk).kind;
  const oracle::TruthReport truth =
      oracle::examine(emulation->program, emulation->launch, emulation->memory, {});
  EXPECT_EQ(truth.outcome.end, emulator::End::kDone) << truth.outcome.message;
  judged.strict = truth.strict.known && truth.strict.idempotent;
  return judged;
}

TEST(BlockShield, CoversReadsOfTheBlocksOwnStores) {
  for (const u32 flip : {0u, 1u, 32u, 63u}) {
    const Judged judged = judge("behind", flip);
    EXPECT_EQ(judged.verdict, VerdictKind::kIdempotent) << flip;
    EXPECT_TRUE(judged.strict) << flip;
  }
  // One block further on.
  EXPECT_NE(judge("behind", 64).verdict, VerdictKind::kIdempotent);
  EXPECT_FALSE(judge("behind", 64).strict);
}

TEST(BlockShield, NeedsTheBarrierBetween) {
  for (const char* kernel : {"ahead", "between"}) {
    EXPECT_NE(judge(kernel, 32).verdict, VerdictKind::kIdempotent) << kernel;
    EXPECT_FALSE(judge(kernel, 32).strict) << kernel;
  }
}

TEST(BlockShield, NeedsTheStoringThreadToPassTheBarrier) {
  EXPECT_NE(judge("left", 32).verdict, VerdictKind::kIdempotent);
  EXPECT_EQ(judge("left", 31).verdict, VerdictKind::kIdempotent);  // among those that stay
  EXPECT_TRUE(judge("left", 31).strict);
}

TEST(BlockShield, NeedsABarrierForAllThreads) {
  EXPECT_NE(judge("numbered", 32).verdict, VerdictKind::kIdempotent);
}

}  // namespace
}  // namespace picker::validate
