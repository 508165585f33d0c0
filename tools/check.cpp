// picker check: the verdict for one launch.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "analysis/analyzer.hpp"
#include "analysis/describe.hpp"
#include "sass/decoder.hpp"
#include "tools/launch_arguments.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "tools/subcommands.hpp"
#include "validate/exact.hpp"
#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker::tools {
namespace {

using analysis::AccessKind;
using analysis::Summary;
using validate::Verdict;
using validate::VerdictKind;

constexpr const char* kStandingContracts[] = {"one-mapping", "privacy", "quiescent-kill",
                                              "no-device-error", "defined-behaviour"};

std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kIdempotent:
      return "idempotent";
    case VerdictKind::kConflict:
      return "conflict";
    case VerdictKind::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view to_string(validate::Tier tier) {
  switch (tier) {
    case validate::Tier::kHulls:
      return "hulls";
    case validate::Tier::kStrided:
      return "strided";
    case validate::Tier::kExact:
      break;
  }
  return "exact";
}

// The overlaps to show. In a conflict the first entry of Verdict::conflicts is one byte that both
// sites surely touch; it is shown as part of the range of the same two sites that holds it.
struct ShownConflict {
  validate::Conflict range;
  std::optional<u64> witness;  // address of the byte
};

std::vector<ShownConflict> shown_conflicts(const Verdict& verdict) {
  std::vector<ShownConflict> shown;
  shown.reserve(verdict.conflicts.size());
  for (const validate::Conflict& conflict : verdict.conflicts) shown.push_back({conflict, {}});
  if (verdict.kind != VerdictKind::kConflict || shown.empty()) return shown;
  const validate::Conflict witness = shown.front().range;
  for (size_t i = 1; i < shown.size(); ++i) {
    const validate::Conflict& range = shown[i].range;
    if (range.read_site == witness.read_site && range.write_site == witness.write_site &&
        range.lo <= witness.lo && witness.hi <= range.hi) {
      shown[i].witness = witness.lo;
      std::swap(shown[0], shown[i]);
      shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(i));
      return shown;
    }
  }
  shown.front().witness = witness.lo;
  return shown;
}

struct Checked {
  const container::Cubin& cubin;
  const container::Kernel& kernel;
  const Summary& summary;
  const Verdict& verdict;

  [[nodiscard]] u32 offset_of(u32 site) const { return summary.sites[site].code_offset; }
  [[nodiscard]] std::string argument_of(u32 site) const {
    return analysis::base_name(summary, summary.sites[site].address, kernel);
  }

  [[nodiscard]] Json json() const {
    const bool idempotent = verdict.kind == VerdictKind::kIdempotent;
    const analysis::ReasonInfo& reason = analysis::reason_info(verdict.reason);
    Json contracts = Json::array();
    for (const char* contract : kStandingContracts) contracts.push_back(contract);
    for (const std::string& contract : verdict.contracts) contracts.push_back(contract);
    const auto ranges = [&](const std::vector<validate::SiteRange>& list) {
      Json out = Json::array();
      for (const validate::SiteRange& range : list)
        out.push_back({{"lo", hex(range.lo)},
                       {"hi", hex(range.hi)},
                       {"site", site_json(cubin, kernel, offset_of(range.site))}});
      return out;
    };
    Json conflicts = Json::array();
    for (const auto& [conflict, witness] : shown_conflicts(verdict))
      conflicts.push_back({{"lo", hex(conflict.lo)},
                           {"hi", hex(conflict.hi)},
                           {"witness", witness ? Json(hex(*witness)) : Json(nullptr)},
                           {"read", site_json(cubin, kernel, offset_of(conflict.read_site))},
                           {"write", site_json(cubin, kernel, offset_of(conflict.write_site))},
                           {"argument", argument_of(conflict.write_site)}});
    Json at = Json::array();
    for (const u32 offset : verdict.code_offsets) at.push_back(site_json(cubin, kernel, offset));
    return {
        {"schema", "picker.check/1"},
        {"kernel", kernel.name},
        {"arch", fmt::format("sm_{}", kernel.sm)},
        {"verdict", to_string(verdict.kind)},
        {"reason", verdict.kind == VerdictKind::kUnknown ? Json(reason.name) : Json(nullptr)},
        {"cause", verdict.kind == VerdictKind::kUnknown ? Json(analysis::to_string(reason.cause))
                                                        : Json(nullptr)},
        {"detail", idempotent || verdict.detail.empty() ? Json(nullptr) : Json(verdict.detail)},
        {"at", std::move(at)},
        {"tier", to_string(verdict.tier)},
        {"contracts", std::move(contracts)},
        {"reads", ranges(verdict.reads)},
        {"writes", ranges(verdict.writes)},
        {"conflicts", std::move(conflicts)}};
  }

  [[nodiscard]] std::string text(const Global& global) const {
    std::string out = fmt::format("{} (sm_{}): {}", strong(global, printable(kernel.name)),
                                  kernel.sm, strong(global, to_string(verdict.kind)));
    if (verdict.kind == VerdictKind::kUnknown) {
      out += fmt::format(": {}", analysis::reason_info(verdict.reason).sentence);
      if (!verdict.detail.empty()) out += fmt::format(" ({})", printable(verdict.detail));
    }
    out += "\n";
    if (verdict.kind == VerdictKind::kUnknown)
      for (const u32 offset : verdict.code_offsets)
        out += fmt::format("  at {}\n", site_text(cubin, kernel, offset));
    for (const auto& [conflict, witness] : shown_conflicts(verdict)) {
      out += fmt::format("  [{:#x}, {:#x}) {}", conflict.lo, conflict.hi,
                         witness ? "is read and written" : "may be read and written");
      if (witness && conflict.hi - conflict.lo > 1)
        out += fmt::format(", byte {:#x} for certain", *witness);
      out += fmt::format("\n    read  {} through {}\n    write {} through {}\n",
                         site_text(cubin, kernel, offset_of(conflict.read_site)),
                         argument_of(conflict.read_site),
                         site_text(cubin, kernel, offset_of(conflict.write_site)),
                         argument_of(conflict.write_site));
    }
    const auto ranges = [&](std::string_view what, const std::vector<validate::SiteRange>& list) {
      for (const validate::SiteRange& range : list)
        out +=
            fmt::format("  {} [{:#x}, {:#x}) through {}: {}\n", what, range.lo, range.hi,
                        argument_of(range.site), site_text(cubin, kernel, offset_of(range.site)));
    };
    ranges("reads ", verdict.reads);
    ranges("writes", verdict.writes);
    if (verdict.kind == VerdictKind::kIdempotent && !verdict.contracts.empty()) {
      out += "  assuming";
      for (const std::string& contract : verdict.contracts) out += " " + contract;
      out += "\n";
    }
    return out;
  }
};

int check(const LaunchOptions& options, const Global& global) {
  const Expected<Selection> selection =
      select_one_kernel(options.file, options.kernel, options.architecture);
  if (!selection) return report(selection.error());
  const container::Cubin& cubin = *selection->kernels.front().cubin;
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  if (!sass::family_of(kernel.sm))
    return report({ErrorKind::kUnsupported, fmt::format("{}: architecture sm_{} is not supported",
                                                        cubin.name(), kernel.sm)});
  const Expected<LaunchArguments> arguments = resolve_launch(options, kernel);
  if (!arguments) return report(arguments.error());
  const Summary summary = analysis::analyze(cubin, kernel);
  const Expected<validate::Launch> launch = make_launch(cubin, kernel, summary, *arguments);
  if (!launch) return report(launch.error());
  validate::ThreadWalk walk(cubin, kernel, summary, *launch);
  const Verdict verdict =
      arguments->tier == Tier::kExact
          ? validate::validate_exactly(summary, *launch, walk)
          : validate::validate(summary, *launch, nullptr,
                               arguments->tier == Tier::kHulls ? validate::Tier::kHulls
                                                               : validate::Tier::kStrided);
  const int status = verdict.kind == VerdictKind::kIdempotent ? kExitDone : kExitNotIdempotent;
  const Checked checked{cubin, kernel, summary, verdict};
  return global.format == Format::kJson ? write_json(checked.json(), status)
                                        : write_out(checked.text(global), status);
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* subcommand = app.add_subcommand("check", "Tells whether one launch is idempotent");
  auto options = std::make_shared<LaunchOptions>();
  add_launch_options(*subcommand, *options);
  subcommand->callback([&action, options] {
    action = [options](const Global& global) { return check(*options, global); };
  });
}

}  // namespace picker::tools
