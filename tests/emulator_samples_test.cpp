// Every launch of samples/*.json, executed: what picker says about it, what the table says, and
// what really happens must fit together.
//
//   * A launch that picker calls idempotent passes the strict, the restart and the junk truth.
//   * A launch that picker calls a conflict has one in the strict truth.
//   * Every access lies in the footprint predicted for its instruction.
//   * The table's truth (worked out from the source, samples/tables) is the emulator's, but for
//     harm that no single device can see and the exceptions below, each with its reason.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/analyzer.hpp"
#include "oracle/containment.hpp"
#include "oracle/truth.hpp"
#include "sass/decoder.hpp"
#include "tests/sample_options.hpp"
#include "tools/emulation.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker {
namespace {

using emulator::End;
using nlohmann::json;
using validate::VerdictKind;

// Kernels whose truth differs from the table's, or from the letter of the definition.
struct Exception {
  const char* kernel;
  const char* why;
};
constexpr Exception kOtherTruth[] = {
    {"slotalloc_odd",
     "the compiled code counts slots per warp in the order of lanes, so odd threads always get odd "
     "slots: in fact determined"},
    {"votestore_active",
     "the emulator never splits a warp that the code has brought together, a device might"},
};
// The analysis takes an exchange whose result is unused for a store; the definition has every
// atomic read what it writes. In fact nothing is lost.
constexpr const char* kUnusedExchange = "exchstore";

struct Case {
  std::string sample;
  std::string kernel;
  json launch;
  bool by_arguments = true;  // no launch of the kernel needs contents of memory
};

std::vector<std::string> strings(const json& list) {
  std::vector<std::string> out;
  for (const json& entry : list) out.push_back(entry.get<std::string>());
  return out;
}

// What all launches of a family add up to.
struct Totals {
  u32 launches = 0, emulated = 0;
  u32 idempotent_verdicts = 0, conflict_verdicts = 0, unknown_verdicts = 0;
  u32 missed = 0;  // idempotent in all truths and not called so
  u64 checked = 0, unbounded = 0, escaped = 0;
  // Of launches that are idempotent without a contract, of kernels no launch of which needs more
  // than its arguments: the verdict needs every range, and the arguments give them.
  u64 sites = 0, bounded_sites = 0;
};

template <class List>
bool listed(const List& list, const std::string& name) {
  for (const auto& entry : list)
    if (name == entry.kernel) return true;
  return false;
}

void check_case(const Case& c, const std::string& file, Totals& totals) {
  const std::string name =
      c.sample + " / " + c.kernel + " / " + c.launch["name"].get<std::string>();
  SCOPED_TRACE(name);
  ++totals.launches;
  tools::LaunchOptions options = options_of(c.launch, c.kernel, file);
  options.assumptions = strings(c.launch["assume"]);
  const auto selection = tools::select_one_kernel(file, c.kernel, std::nullopt);
  ASSERT_TRUE(selection.has_value()) << selection.error().message;
  const container::Cubin& cubin = *selection->kernels.front().cubin;
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  const auto arguments = tools::resolve_launch(options, kernel);
  ASSERT_TRUE(arguments.has_value()) << arguments.error().message;
  const analysis::Summary summary = analysis::analyze(cubin, kernel);
  const auto launch = tools::make_launch(cubin, kernel, summary, *arguments);
  ASSERT_TRUE(launch.has_value()) << launch.error().message;
  auto emulation = tools::prepare_emulation(cubin, kernel, *arguments);
  ASSERT_TRUE(emulation.has_value()) << emulation.error().message;
  validate::ThreadWalk walk(cubin, kernel, summary, *launch);
  const validate::Verdict verdict = validate::validate(summary, *launch, &walk);

  oracle::ContainmentCheck containment(summary, *launch);
  oracle::TruthOptions truth_options;
  truth_options.max_steps = 3'000'000;
  truth_options.also = &containment;
  const oracle::TruthReport truth =
      oracle::examine(emulation->program, emulation->launch, emulation->memory, truth_options);
  containment.check_shields(truth.unshielded_reads);
  totals.checked += containment.report().checked;
  totals.unbounded += containment.report().unbounded;
  if (c.by_arguments && c.launch["expect"] == "idempotent" && c.launch["assume"].empty()) {
    totals.sites += containment.report().sites;
    totals.bounded_sites += containment.report().bounded_sites;
  }
  if (c.sample != kUnusedExchange) {
    totals.escaped += containment.report().escaped;
    for (const oracle::Escape& escape : containment.report().escapes)
      ADD_FAILURE() << "escape: " << escape.why << ", " << escape.bytes << " bytes at 0x"
                    << std::hex << escape.address << ", "
                    << emulation->program.describe(escape.code_offset);
  }
  ASSERT_EQ(truth.outcome.end, End::kDone) << truth.outcome.message;
  ++totals.emulated;
  for (const oracle::Breach& breach : truth.breaches)
    ADD_FAILURE() << "broken contract " << static_cast<u32>(breach.kind) << " at byte "
                  << breach.offset << ": "
                  << emulation->program.describe(breach.earlier.code_offset) << " and "
                  << emulation->program.describe(breach.touch.code_offset);
  const bool idempotent = truth.all_idempotent();
  switch (verdict.kind) {
    case VerdictKind::kIdempotent:
      ++totals.idempotent_verdicts;
      if (c.sample == kUnusedExchange) break;
      EXPECT_TRUE(truth.strict.idempotent) << "called idempotent, but a byte is read and written";
      EXPECT_TRUE(truth.restart.idempotent) << "called idempotent, but a restart changes memory";
      EXPECT_TRUE(truth.junk.idempotent) << "called idempotent, but junk in its output shows";
      break;
    case VerdictKind::kConflict:
      ++totals.conflict_verdicts;
      EXPECT_FALSE(truth.strict.idempotent) << "called a conflict, but no byte is read and written";
      break;
    case VerdictKind::kUnknown:
      ++totals.unknown_verdicts;
      totals.missed += idempotent ? 1 : 0;
      break;
  }
  // The table. With contents that it states, its truth is for those.
  const std::string wanted = c.launch.contains("with_contents")
                                 ? c.launch["with_contents"].get<std::string>()
                                 : c.launch["expect"].get<std::string>();
  if (wanted == "not idempotent" && c.launch.contains("harm")) {
    const std::vector<std::string> harm = strings(c.launch["harm"]);
    // Harm to others, or of a kind that leaves the launch's own memory alone.
    for (const char* outside : {"system", "output", "driver memory", "dependents"})
      if (std::find(harm.begin(), harm.end(), outside) != harm.end()) return;
  }
  if (listed(kOtherTruth, c.kernel)) return;
  // Harm that hangs on a clock or a schedule may not show at once.
  bool harmless = idempotent;
  for (u64 seed = 2; harmless && wanted != "idempotent" && seed < 12; ++seed) {
    auto again = tools::prepare_emulation(cubin, kernel, *arguments);
    ASSERT_TRUE(again.has_value());
    truth_options.seed = seed;
    truth_options.also = nullptr;
    harmless = oracle::examine(again->program, again->launch, again->memory, truth_options)
                   .all_idempotent();
  }
  EXPECT_EQ(harmless, wanted == "idempotent")
      << "the table says " << wanted << "; strict " << truth.strict.idempotent << ", restart "
      << truth.restart.idempotent << ", junk " << truth.junk.idempotent;
}

Totals check_family(const std::string& architecture) {
  Totals totals;
  std::vector<std::filesystem::path> tables;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples))
    if (entry.path().extension() == ".json") tables.push_back(entry.path());
  std::sort(tables.begin(), tables.end());
  for (const std::filesystem::path& path : tables) {
    const json table = json::parse(std::ifstream(path));
    const std::string sample = table["sample"].get<std::string>();
    const std::filesystem::path cubin =
        kSamples / "cubins" / (sample + "." + architecture + ".cubin");
    if (!std::filesystem::exists(cubin)) continue;
    for (const json& kernel : table["kernels"]) {
      const json& launches = kernel["launches"];
      const bool by_arguments = std::none_of(launches.begin(), launches.end(),
                                             [](const json& one) { return one.contains("needs"); });
      for (const json& launch : launches) {
        if (launch.value("misaligned", false) || !launch.value("emulate", true)) continue;
        check_case({sample, kernel["name"].get<std::string>(), launch, by_arguments},
                   cubin.string(), totals);
      }
    }
  }
  std::cout << architecture << ": " << totals.launches << " launches, " << totals.emulated
            << " emulated; verdicts: " << totals.idempotent_verdicts << " idempotent, "
            << totals.conflict_verdicts << " conflict, " << totals.unknown_verdicts << " unknown ("
            << totals.missed << " of them idempotent in fact); accesses: " << totals.checked
            << " checked, " << totals.unbounded << " at unbounded sites, " << totals.escaped
            << " escaped; sites with a range where the table needs one: " << totals.bounded_sites
            << " of " << totals.sites << '\n';
  return totals;
}

class EmulatedSamples : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedSamples, FitVerdictsFootprintsAndTables) {
  const Totals totals = check_family(GetParam());
  EXPECT_GE(totals.launches, 960u);
  EXPECT_EQ(totals.emulated, totals.launches);
  EXPECT_EQ(totals.escaped, 0u);
  EXPECT_GE(totals.bounded_sites * 100, totals.sites * 95);
}

// sm_86 has sm_80's encoding and other code; the others have encodings of their own.
INSTANTIATE_TEST_SUITE_P(Families, EmulatedSamples,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100",
                                         "sm_120"));

}  // namespace
}  // namespace picker
