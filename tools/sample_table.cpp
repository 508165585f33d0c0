// picker-samples: the table of sample launches that ./run ends with.
//
// One line per launch: kernel, the arguments that matter, the stated truth, picker's verdict and
// why. The last lines count. Exit status 1 if a launch that is not idempotent was called so.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tools/command.hpp"
#include "tools/guarded_main.hpp"
#include "tools/sample_suite.hpp"

namespace picker::tools {
namespace {

constexpr const char* kGreen = "\033[32m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kYellow = "\033[33m";
constexpr const char* kPlain = "\033[0m";

std::string arguments_in_short(const SampleLaunch& launch) {
  std::string out;
  for (size_t i = 0; i < launch.argument_texts.size(); ++i) {
    const std::string& text = launch.argument_texts[i];
    if (text.size() > 40) continue;  // structures
    if (!out.empty()) out += " ";
    out += fmt::format("{}={}", i < launch.parameter_names.size() ? launch.parameter_names[i] : "?",
                       text);
  }
  if (out.size() > 78) out = out.substr(0, 75) + "...";
  return out;
}

int run(int argc, char** argv) {
  CLI::App app("Judges the sample launches.", "picker-samples");
  std::string folder = "samples", architecture = "sm_80";
  bool all = false, json = false;
  app.add_option("--folder", folder, "Where the samples lie");
  app.add_option("--arch", architecture, "Architecture of the cubins");
  app.add_flag("--all", all, "Every launch, not four of each kernel");
  app.add_flag("--json", json, "One JSON object per launch");
  CLI11_PARSE(app, argc, argv);

  const auto launches = load_samples(folder, architecture);
  if (!launches) return report(launches.error());
  const auto verdicts = judge_samples(*launches);
  if (!verdicts) return report(verdicts.error());

  const char* no_color = std::getenv("NO_COLOR");
  const bool color = ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
  u32 idempotent = 0, found = 0, wrong = 0, not_idempotent = 0, conflicts = 0;
  std::map<std::string, u32> missed;
  std::map<std::string, u32> shown;
  std::string out;
  for (size_t i = 0; i < launches->size(); ++i) {
    const SampleLaunch& launch = (*launches)[i];
    const SampleVerdict& verdict = (*verdicts)[i];
    const bool yes = verdict.verdict.kind == validate::VerdictKind::kIdempotent;
    if (launch.expect_idempotent) {
      ++idempotent;
      if (yes)
        ++found;
      else
        ++missed[verdict.reason];
    } else {
      ++not_idempotent;
      if (yes) ++wrong;
      if (verdict.verdict.kind == validate::VerdictKind::kConflict) ++conflicts;
    }
    const std::string answer = yes ? "idempotent"
                               : verdict.verdict.kind == validate::VerdictKind::kConflict
                                   ? "conflict"
                                   : "unknown";
    if (json) {
      const Json line = {{"sample", launch.sample},
                         {"kernel", launch.kernel},
                         {"launch", launch.name},
                         {"truth", launch.expect_idempotent ? "idempotent" : "not idempotent"},
                         {"needs", launch.needs},
                         {"verdict", answer},
                         {"reason", verdict.reason},
                         {"detail", verdict.verdict.detail}};
      out += line.dump() + "\n";
      continue;
    }
    if (!all && shown[launch.kernel]++ >= 4) continue;
    const char* paint = !color ? "" : yes ? kGreen : answer == "conflict" ? kRed : kYellow;
    out +=
        fmt::format("{:<18.18} {:<34.34} {}{:<10}{} {}\n{:<18} {}\n", printable(launch.kernel),
                    printable(launch.name), paint, answer, color ? kPlain : "",
                    yes                    ? launch.why
                    : answer == "conflict" ? launch.why
                                           : fmt::format("{}{}{}", verdict.reason,
                                                         verdict.verdict.detail.empty() ? "" : ": ",
                                                         printable(verdict.verdict.detail)),
                    "", arguments_in_short(launch));
  }
  if (!json) {
    out += fmt::format(
        "\n{}: {} launches. Of {} idempotent ones {} found ({:.1f} %); of {} others {} called "
        "idempotent, {} shown to conflict.\n",
        architecture, launches->size(), idempotent, found,
        idempotent == 0 ? 100.0 : 100.0 * found / idempotent, not_idempotent, wrong, conflicts);
    for (const auto& [reason, count] : missed)
      out += fmt::format("  not found: {:>4}  {}\n", count, reason);
  }
  return write_out(out, wrong == 0 ? kExitDone : kExitNotIdempotent);
}

}  // namespace
}  // namespace picker::tools

int main(int argc, char** argv) {
  return picker::tools::guarded_main("picker-samples", picker::tools::run, argc, argv);
}
