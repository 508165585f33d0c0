// Summaries of real kernels.
//
// nondeterminism.cu has a kernel for each way by which something that differs from run to run may
// reach the place of a store. The golden texts (tests/golden/analyze) say what `analyze` finds in
// samples; each was read beside its source before it was recorded with
//   PICKER_REWRITE_GOLDEN=1 build/release/analyzer_test
#include "analysis/analyzer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "analysis/describe.hpp"

namespace picker::analysis {
namespace {

// A cubin with the bytes that it refers to.
struct Loaded {
  std::vector<u8> bytes;
  std::unique_ptr<container::Cubin> cubin;
};

Loaded load(const std::string& path) {
  Loaded loaded;
  std::ifstream stream(PICKER_SOURCE_DIR "/" + path, std::ios::binary);
  loaded.bytes.assign(std::istreambuf_iterator<char>(stream), {});
  auto cubin = container::Cubin::parse(Slice(loaded.bytes), path);
  if (cubin)
    loaded.cubin = std::make_unique<container::Cubin>(std::move(*cubin));
  else
    ADD_FAILURE() << cubin.error().message;
  return loaded;
}

bool finds(const Summary& summary, Reason reason) {
  return std::any_of(summary.findings.begin(), summary.findings.end(),
                     [&](const Finding& f) { return f.reason == reason; });
}

TEST(Analyzer, FollowsNondeterminismToStores) {
  const Loaded file = load("tests/analysis/data/nondeterminism.sm_80.cubin");
  ASSERT_NE(file.cubin, nullptr);
  u32 marked = 0, clean = 0;
  for (const container::Kernel& kernel : file.cubin->kernels()) {
    const Summary summary = analyze(*file.cubin, kernel);
    const bool harmless = kernel.name == "only_stored";
    EXPECT_EQ(finds(summary, Reason::kIndeterminateWrites), !harmless) << kernel.name;
    EXPECT_TRUE(!harmless || summary.findings.empty()) << kernel.name;
    ++(harmless ? clean : marked);
  }
  EXPECT_EQ(marked, 12u);
  EXPECT_EQ(clean, 1u);
}

TEST(Analyzer, NamesWhatItDoesNotFollow) {
  const auto summary_of = [](const std::string& sample) {
    const Loaded file = load("samples/cubins/" + sample + ".sm_80.cubin");
    return file.cubin == nullptr ? Summary() : analyze(*file.cubin, file.cubin->kernels().front());
  };
  EXPECT_TRUE(finds(summary_of("printing"), Reason::kDeviceRuntimeCall));
  EXPECT_TRUE(finds(summary_of("fnpointer"), Reason::kIndirectBranch));
  EXPECT_TRUE(finds(summary_of("texture"), Reason::kTextureOrSurface));
  EXPECT_TRUE(summary_of("vadd").findings.empty());
}

std::string summary_text(const Summary& summary, const container::Kernel& kernel) {
  std::string out = fmt::format("{}\n", kernel.name);
  for (const AccessSite& site : summary.sites) {
    const char* kind = site.kind == AccessKind::kRead    ? "reads"
                       : site.kind == AccessKind::kWrite ? "writes"
                                                         : "reads and writes";
    out += fmt::format("  {:#06x} {} {} at {}{}{}{}\n", site.code_offset, kind, site.size,
                       to_words(summary, site.address, kernel), site.bounded ? "" : ", unbounded",
                       site.generic ? ", generic" : "", site.shielded ? ", shielded" : "");
    for (const ExprId condition : site.conditions)
      out += fmt::format("      if {}\n", to_words(summary, condition, kernel));
  }
  for (size_t i = 0; i < summary.loops.size(); ++i) {
    out += fmt::format("  loop k{} at {:#06x}\n", i, summary.loops[i].header_offset);
    for (const ExprId condition : summary.loops[i].continues)
      out += fmt::format("      while {}\n", to_words(summary, condition, kernel));
  }
  for (const Finding& finding : summary.findings)
    out += fmt::format("  {:#06x} {} {}\n", finding.code_offset, reason_info(finding.reason).name,
                       finding.detail);
  return out;
}

class AnalyzeGolden : public testing::TestWithParam<const char*> {};

TEST_P(AnalyzeGolden, IsTheRecordedOne) {
  const std::string name = GetParam();
  const Loaded file = load("samples/cubins/" + name + ".sm_80.cubin");
  ASSERT_NE(file.cubin, nullptr);
  std::string text;
  for (const container::Kernel& kernel : file.cubin->kernels())
    text += summary_text(analyze(*file.cubin, kernel), kernel);
  const std::string path = PICKER_SOURCE_DIR "/tests/golden/analyze/" + name + ".txt";
  if (std::getenv("PICKER_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream stream(path);
  std::stringstream recorded;
  recorded << stream.rdbuf();
  EXPECT_EQ(text, recorded.str());
}

INSTANTIATE_TEST_SUITE_P(Samples, AnalyzeGolden,
                         testing::Values("vadd", "gridstride", "readback", "clockmark", "smid",
                                         "flagraise", "constwrite", "localarray", "atomicmax",
                                         "earlyexit"),
                         [](const auto& sample) { return std::string(sample.param); });

}  // namespace
}  // namespace picker::analysis
