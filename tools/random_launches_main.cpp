// picker-random-launches: see random_launches.hpp.
//
// Exit status 1 if a launch called idempotent was not, a conflict was none, or an access escaped.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "tools/command.hpp"
#include "tools/guarded_main.hpp"
#include "tools/random_launches.hpp"

namespace picker::tools {
namespace {

double percent(u64 part, u64 whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

int run(int argc, char** argv) {
  CLI::App app("Judges and executes random launches of the sample kernels.",
               "picker-random-launches");
  std::string folder = "samples", architecture = "sm_80";
  RandomLaunchOptions options;
  app.add_option("--folder", folder, "Where the samples lie");
  app.add_option("--arch", architecture, "Architecture of the cubins");
  app.add_option("--count", options.count, "Launches");
  app.add_option("--seed", options.seed, "Another seed, other launches");
  app.add_option("--only", options.only, "A sample");
  app.add_option("--max-steps", options.max_steps, "Warp instructions of the longest run");
  CLI11_PARSE(app, argc, argv);

  const auto suite = load_samples(folder, architecture);
  if (!suite) return report(suite.error());
  const auto result = try_random_launches(*suite, options);
  if (!result) return report(result.error());
  const RandomLaunchReport& r = *result;
  fmt::print("{} launches on {}; set aside {} (faults, endless loops), not modelled {}\n",
             r.launches, architecture, r.set_aside, r.not_modelled);
  fmt::print(
      "at a boundary {} ({:.1f} %); not idempotent in strict truth {} ({:.1f} %), of them {} "
      "at a boundary\n",
      r.boundary, percent(r.boundary, r.launches), r.not_idempotent,
      percent(r.not_idempotent, r.launches), r.not_idempotent_boundary);
  fmt::print("called idempotent {} ({} at a boundary), conflict {}\n", r.called_idempotent,
             r.called_idempotent_boundary, r.called_conflict);
  fmt::print("accesses checked {}, unbounded {}\n", r.accesses_checked, r.accesses_unbounded);
  u64 missed = 0, missed_boundary = 0;
  for (const auto& [reason, count] : r.missed) missed += count;
  for (const auto& [reason, count] : r.missed_boundary) missed_boundary += count;
  fmt::print(
      "idempotent in all truths {}, not called so {} ({:.2f} %); at a boundary {}, {} "
      "({:.2f} %)\n",
      r.idempotent, missed, percent(missed, r.idempotent), r.idempotent_boundary, missed_boundary,
      percent(missed_boundary, r.idempotent_boundary));
  for (const auto& [reason, count] : r.missed)
    fmt::print("  {:<28} {:>6} ({:.2f} %), at a boundary {}\n", reason, count,
               percent(count, r.idempotent),
               r.missed_boundary.contains(reason) ? r.missed_boundary.at(reason) : 0);
  fmt::print("wrong: {}\n", r.failures.size());
  for (size_t i = 0; i < r.failures.size() && i < 20; ++i)
    fmt::print("  {}\n    {}\n", r.failures[i].what, r.failures[i].launch);
  return r.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace picker::tools

int main(int argc, char** argv) {
  return picker::tools::guarded_main("picker-random-launches", picker::tools::run, argc, argv);
}
