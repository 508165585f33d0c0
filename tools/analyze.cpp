// picker analyze: the class of each kernel, its access sites, and the condition in words.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/analyzer.hpp"
#include "analysis/describe.hpp"
#include "sass/decoder.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "tools/subcommands.hpp"
#include "validate/classify.hpp"

namespace picker::tools {
namespace {

using analysis::AccessKind;
using analysis::AccessSite;
using analysis::Summary;
using validate::Classification;
using validate::KernelClass;

struct Options {
  std::string path;
  std::optional<std::string> kernel;
  std::optional<std::string> architecture;
};

std::string_view kind_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kReadWrite:
      break;
  }
  return "read-modify-write";
}

struct Analyzed {
  const container::Cubin& cubin;
  const container::Kernel& kernel;
  const Summary& summary;
  const Classification& classification;

  [[nodiscard]] std::vector<std::string> condition_texts(
      const std::vector<analysis::ExprId>& conditions) const {
    std::vector<std::string> out;
    out.reserve(conditions.size());
    for (const analysis::ExprId c : conditions)
      out.push_back(analysis::to_words(summary, c, kernel));
    return out;
  }

  [[nodiscard]] Json json() const {
    Json sites = Json::array(), findings = Json::array();
    for (const AccessSite& site : summary.sites) {
      Json entry = site_json(cubin, kernel, site.code_offset);
      entry["kind"] = kind_name(site.kind);
      entry["size"] = site.size;
      entry["through"] = analysis::base_name(summary, site.address, kernel);
      entry["address"] = analysis::to_words(summary, site.address, kernel);
      entry["bounded"] = site.bounded;
      entry["shielded"] = site.shielded;
      entry["conditions"] = condition_texts(site.conditions);
      sites.push_back(std::move(entry));
    }
    for (const analysis::Finding& finding : summary.findings) {
      Json entry = site_json(cubin, kernel, finding.code_offset);
      entry["reason"] = analysis::reason_info(finding.reason).name;
      entry["detail"] = finding.detail;
      entry["conditions"] = condition_texts(finding.conditions);
      findings.push_back(std::move(entry));
    }
    const bool unknown = classification.kernel_class == KernelClass::kUnknown;
    const auto example = [](const std::optional<validate::Exhibit>& exhibit) {
      return exhibit ? Json(exhibit->what) : Json(nullptr);
    };
    return {{"name", kernel.name},
            {"arch", fmt::format("sm_{}", kernel.sm)},
            {"class", to_string(classification.kernel_class)},
            {"reason", unknown && classification.reason
                           ? Json(analysis::reason_info(*classification.reason).name)
                           : Json(nullptr)},
            {"condition", analysis::condition_in_words(summary, kernel)},
            {"idempotent_example", example(classification.idempotent)},
            {"conflict_example", example(classification.conflict)},
            {"sites", std::move(sites)},
            {"findings", std::move(findings)}};
  }

  [[nodiscard]] std::string text(const Global& global) const {
    std::string out =
        fmt::format("{} (sm_{}): ", strong(global, printable(kernel.name)), kernel.sm);
    switch (classification.kernel_class) {
      case KernelClass::kAlways:
        out += strong(global, "always idempotent");
        break;
      case KernelClass::kNever:
        out += strong(global, "never idempotent");
        break;
      case KernelClass::kConditionally:
        out += strong(global, "conditionally idempotent");
        break;
      case KernelClass::kUnknown:
        out += strong(global, "unknown");
        if (classification.reason)
          out += fmt::format(": {}", analysis::reason_info(*classification.reason).sentence);
        if (!classification.detail.empty())
          out += fmt::format(" ({})", printable(classification.detail));
        break;
    }
    out += "\n";
    if (classification.kernel_class == KernelClass::kConditionally ||
        classification.kernel_class == KernelClass::kUnknown) {
      const std::vector<std::string> lines = analysis::condition_in_words(summary, kernel);
      if (!lines.empty()) out += "  idempotent if\n";
      for (const std::string& line : lines) out += fmt::format("    {}\n", line);
    }
    if (classification.idempotent)
      out += fmt::format("  an idempotent launch: {}\n", classification.idempotent->what);
    if (classification.conflict)
      out += fmt::format("  a conflicting launch: {}\n", classification.conflict->what);
    for (const AccessSite& site : summary.sites) {
      out += fmt::format("  {} {} {} bytes through {}{}{}\n",
                         site_text(cubin, kernel, site.code_offset),
                         kind_name(site.kind) == "read"    ? "reads"
                         : kind_name(site.kind) == "write" ? "writes"
                                                           : "reads and writes",
                         site.size, analysis::base_name(summary, site.address, kernel),
                         site.shielded ? ", after writing them itself" : "",
                         site.bounded ? "" : ", address not followed");
      out += fmt::format("      at {}\n", analysis::to_words(summary, site.address, kernel));
      for (const std::string& condition : condition_texts(site.conditions))
        out += fmt::format("      if {}\n", condition);
    }
    for (size_t i = 0; i < summary.loops.size(); ++i) {
      const analysis::Loop& loop = summary.loops[i];
      const bool mentioned =
          std::any_of(summary.sites.begin(), summary.sites.end(), [&](const AccessSite& s) {
            return std::find(s.loops.begin(), s.loops.end(), i) != s.loops.end();
          });
      if (!mentioned) continue;
      out += fmt::format("  loop k{} at {:#06x} goes on", i, loop.header_offset);
      if (loop.continues.empty()) out += " under a condition that was not followed";
      for (const std::string& condition : condition_texts(loop.continues))
        out += fmt::format("\n      while {}", condition);
      out += "\n";
    }
    for (const analysis::Finding& finding : summary.findings) {
      out += fmt::format("  {}: {}", site_text(cubin, kernel, finding.code_offset),
                         analysis::reason_info(finding.reason).sentence);
      if (!finding.detail.empty()) out += fmt::format(" ({})", printable(finding.detail));
      out += "\n";
      for (const std::string& condition : condition_texts(finding.conditions))
        out += fmt::format("      if {}\n", condition);
    }
    return out;
  }
};

int analyze(const Options& options, const Global& global) {
  const Expected<Selection> selection =
      select_kernels(options.path, options.kernel, options.architecture);
  if (!selection) return report(selection.error());
  for (const SelectedKernel& selected : selection->kernels)
    if (!sass::family_of(selected.kernel->sm))
      return report(
          {ErrorKind::kUnsupported, fmt::format("{}: architecture sm_{} is not supported",
                                                selected.cubin->name(), selected.kernel->sm)});
  Json kernels = Json::array();
  for (const SelectedKernel& selected : selection->kernels) {
    const Summary summary = analysis::analyze(*selected.cubin, *selected.kernel);
    const Classification classification =
        validate::classify(*selected.cubin, *selected.kernel, summary);
    const Analyzed analyzed{*selected.cubin, *selected.kernel, summary, classification};
    if (global.format == Format::kJson) {
      kernels.push_back(analyzed.json());
    } else if (const int status = write_out(analyzed.text(global)); status != kExitDone) {
      return status;
    }
  }
  if (global.format == Format::kText) return kExitDone;
  return write_json(Json{{"schema", "picker.analyze/1"},
                         {"file", selection->container.name()},
                         {"kernels", std::move(kernels)}});
}

}  // namespace

void add_analyze(CLI::App& app, Action& action) {
  CLI::App* subcommand =
      app.add_subcommand("analyze", "Tells under which condition kernels are idempotent");
  auto options = std::make_shared<Options>();
  subcommand->add_option("FILE", options->path, "As for list")->required();
  subcommand->add_option("--kernel", options->kernel, "Only this kernel (mangled name)");
  subcommand->add_option("--arch", options->architecture,
                         "Only code for this architecture (sm_80)");
  subcommand->callback([&action, options] {
    action = [options](const Global& global) { return analyze(*options, global); };
  });
}

}  // namespace picker::tools
