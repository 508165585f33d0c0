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
#include <set>
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

// C++ leaves the order open in which the arguments of a call are evaluated, and with it the order
// in which expressions are made, which is the order of the operands of + and the like in the text.
// `text` with the operands of each parenthesised sum, product, equality or logical chain sorted.
std::string in_fixed_order(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '(') {
      out += text[at];
      continue;
    }
    size_t end = at;  // the matching parenthesis, or the end of a cut text
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    const std::string inner =
        in_fixed_order(text.substr(at + 1, std::min(end, text.size()) - at - 1));
    // Blanks outside inner parentheses part operands and operators.
    std::vector<std::string> words(1);
    int depth = 0;
    for (const char c : inner) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ' ' && depth == 0)
        words.emplace_back();
      else
        words.back() += c;
    }
    bool commutative = words.size() % 2 == 1 && words.size() > 1;
    const std::set<std::string> chains = {"*", "&", "|", "^", "and", "or", "==", "!="};
    for (size_t i = 1; commutative && i < words.size(); i += 2)
      commutative = words[1] == "+" || words[1] == "-"
                        ? words[i] == "+" || words[i] == "-"
                        : words[i] == words[1] && chains.count(words[i]) != 0;
    if (commutative) {
      const bool sum = words[1] == "+" || words[1] == "-";
      std::vector<std::string> parts = {sum ? "+ " + words[0] : words[0]};
      for (size_t i = 2; i < words.size(); i += 2)
        parts.push_back(sum ? words[i - 1] + " " + words[i] : words[i]);
      std::sort(parts.begin(), parts.end());
      out += "(";
      for (const std::string& part : parts) out += part + (sum ? " " : " " + words[1] + " ");
      out += ")";
    } else {
      out += "(" + inner + ")";
    }
    at = end;
  }
  return out;
}

TEST(FixedOrder, SortsOnlyWhatCommutes) {
  EXPECT_EQ(in_fixed_order("(a + (c * b) - d)"), in_fixed_order("((b * c) + a - d)"));
  EXPECT_EQ(in_fixed_order("!((x | y) or z)"), in_fixed_order("!(z or (y | x))"));
  EXPECT_NE(in_fixed_order("(a < b)"), in_fixed_order("(b < a)"));
  EXPECT_NE(in_fixed_order("(a + b - c)"), in_fixed_order("(a + c - b)"));
  EXPECT_NE(in_fixed_order("(a + 4*b)"), in_fixed_order("(4*a + b)"));
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
  EXPECT_EQ(in_fixed_order(text), in_fixed_order(recorded.str()));
}

INSTANTIATE_TEST_SUITE_P(Samples, AnalyzeGolden,
                         testing::Values("vadd", "gridstride", "readback", "clockmark", "smid",
                                         "flagraise", "constwrite", "localarray", "atomicmax",
                                         "earlyexit"),
                         [](const auto& sample) { return std::string(sample.param); });

}  // namespace
}  // namespace picker::analysis
