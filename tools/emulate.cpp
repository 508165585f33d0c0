// picker emulate: executes one launch on the CPU and says what is true about it.
#include <fmt/format.h>

#include <cstdio>

#include "analysis/analyzer.hpp"
#include "oracle/containment.hpp"
#include "oracle/truth.hpp"
#include "sass/decoder.hpp"
#include "tools/emulation.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "tools/subcommands.hpp"
#include "tools/textures.hpp"
#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker::tools {
namespace {

using emulator::End;
using oracle::ContainmentReport;
using oracle::Truth;
using oracle::TruthReport;

struct EmulateOptions {
  LaunchOptions launch;
  std::vector<std::string> dumps;  // ADDR:SIZE:FILE
  std::vector<std::string> textures;
  u64 seed = 1;
  u64 max_steps = 50'000'000;
};

std::string_view to_string(End end) {
  switch (end) {
    case End::kDone:
      return "done";
    case End::kStopped:
      return "stopped";
    case End::kFault:
      return "fault";
    case End::kDeadlock:
      return "deadlock";
    case End::kStepLimit:
      return "step limit";
    case End::kUnmodelled:
      break;
  }
  return "not modelled";
}

std::string_view to_string(const Truth& truth) {
  return !truth.known ? "unknown" : truth.idempotent ? "idempotent" : "conflict";
}

std::string_view to_string(validate::VerdictKind kind) {
  switch (kind) {
    case validate::VerdictKind::kIdempotent:
      return "idempotent";
    case validate::VerdictKind::kConflict:
      return "conflict";
    case validate::VerdictKind::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view to_string(oracle::BreachKind kind) {
  switch (kind) {
    case oracle::BreachKind::kRace:
      return "race in shared memory";
    case oracle::BreachKind::kUninitialisedShared:
      return "uninitialised shared memory";
    case oracle::BreachKind::kUninitialisedLocal:
      return "uninitialised local memory";
  }
  return "";
}

struct Emulated {
  const container::Cubin& cubin;
  const container::Kernel& kernel;
  const LaunchArguments& arguments;
  const validate::Verdict& verdict;
  const TruthReport& truth;
  const ContainmentReport& containment;

  [[nodiscard]] std::array<u64, 3> block_index(u64 linear) const {
    const container::Dimensions& g = arguments.grid;
    return {linear % g.x, linear / g.x % g.y, linear / g.x / g.y};
  }
  [[nodiscard]] std::array<u32, 3> thread_index(u32 linear) const {
    const container::Dimensions& b = arguments.block;
    return {linear % b.x, linear / b.x % b.y, linear / b.x / b.y};
  }
  [[nodiscard]] std::string thread_text(u64 block, u32 thread) const {
    const auto b = block_index(block);
    const auto t = thread_index(thread);
    return fmt::format("block ({},{},{}), thread ({},{},{})", b[0], b[1], b[2], t[0], t[1], t[2]);
  }
  [[nodiscard]] Json touch_json(const oracle::Touch& touch) const {
    Json json = site_json(cubin, kernel, touch.code_offset);
    json["block"] = block_index(touch.block);
    json["thread"] = thread_index(touch.thread);
    return json;
  }

  [[nodiscard]] Json json() const {
    const auto conflict_json = [&](const std::optional<oracle::TruthConflict>& conflict) -> Json {
      if (!conflict) return nullptr;
      return {{"lo", hex(conflict->lo)},
              {"hi", hex(conflict->hi)},
              {"read", touch_json(conflict->read)},
              {"write", touch_json(conflict->write)}};
    };
    const auto address_json = [](const std::optional<u64>& address) -> Json {
      return address ? Json(hex(*address)) : Json(nullptr);
    };
    Json breaches = Json::array();
    for (const oracle::Breach& breach : truth.breaches) {
      Json entry = {{"kind", to_string(breach.kind)}, {"offset", breach.offset}};
      entry["access"] = touch_json(breach.touch);
      entry["access"]["write"] = breach.touch_writes;
      if (breach.kind == oracle::BreachKind::kRace) {
        entry["earlier"] = touch_json(breach.earlier);
        entry["earlier"]["write"] = breach.earlier_writes;
      }
      breaches.push_back(std::move(entry));
    }
    Json escapes = Json::array();
    for (const oracle::Escape& escape : containment.escapes) {
      Json entry = touch_json({escape.code_offset, escape.block, escape.thread});
      entry["address"] = hex(escape.address);
      entry["bytes"] = escape.bytes;
      entry["why"] = escape.why;
      escapes.push_back(std::move(entry));
    }
    return {
        {"schema", "picker.emulate/1"},
        {"kernel", kernel.name},
        {"arch", fmt::format("sm_{}", kernel.sm)},
        {"verdict", to_string(verdict.kind)},
        {"end", to_string(truth.outcome.end)},
        {"message", truth.outcome.message.empty() ? Json(nullptr) : Json(truth.outcome.message)},
        {"steps", truth.outcome.steps},
        {"printed", truth.outcome.printed},
        {"bytes_read", truth.bytes_read},
        {"bytes_written", truth.bytes_written},
        {"truth",
         {{"paper", to_string(truth.paper)},
          {"strict", to_string(truth.strict)},
          {"restart", to_string(truth.restart)},
          {"junk", to_string(truth.junk)}}},
        {"paper_conflict", conflict_json(truth.paper_conflict)},
        {"strict_conflict", conflict_json(truth.strict_conflict)},
        {"restart_difference", address_json(truth.restart_difference)},
        {"junk_difference", address_json(truth.junk_difference)},
        {"breaches", std::move(breaches)},
        {"containment",
         {{"checked", containment.checked},
          {"unbounded", containment.unbounded},
          {"escaped", containment.escaped},
          {"escapes", std::move(escapes)}}}};
  }

  [[nodiscard]] std::string breach_text(const oracle::Breach& breach) const {
    const auto side = [&](const oracle::Touch& touch, bool writes) {
      return fmt::format("      {:<5} {}\n            by {}\n", writes ? "write" : "read",
                         site_text(cubin, kernel, touch.code_offset),
                         thread_text(touch.block, touch.thread));
    };
    std::string out =
        fmt::format("  broken contract: {}, byte {:#x}\n", to_string(breach.kind), breach.offset);
    if (breach.kind == oracle::BreachKind::kRace)
      out += side(breach.earlier, breach.earlier_writes);
    return out + side(breach.touch, breach.touch_writes);
  }

  // What the kernel printed, line by line.
  [[nodiscard]] std::string printed_text() const {
    std::string out = "  printed:\n";
    std::string_view rest = truth.outcome.printed;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      out += fmt::format("    {}\n", printable(std::string(rest.substr(0, end))));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
  }

  [[nodiscard]] std::string text(const Global& global) const {
    std::string out = fmt::format(
        "{} (sm_{}): {} after {} warp instructions\n", strong(global, printable(kernel.name)),
        kernel.sm, strong(global, to_string(truth.outcome.end)), truth.outcome.steps);
    if (!truth.outcome.message.empty())
      out += fmt::format("  {}\n", printable(truth.outcome.message));
    if (!truth.outcome.printed.empty()) out += printed_text();
    const auto conflict = [&](const std::optional<oracle::TruthConflict>& c) {
      if (!c) return std::string();
      return fmt::format(
          "    [{:#x}, {:#x}) is read and written\n      read  {}\n            by {}\n"
          "      write {}\n            by {}\n",
          c->lo, c->hi, site_text(cubin, kernel, c->read.code_offset),
          thread_text(c->read.block, c->read.thread),
          site_text(cubin, kernel, c->write.code_offset),
          thread_text(c->write.block, c->write.thread));
    };
    const auto difference = [](const std::optional<u64>& address) {
      return address ? fmt::format("    memory differs from {:#x} on\n", *address) : std::string();
    };
    if (truth.outcome.end == End::kDone) {
      out += fmt::format("  truth: paper   {}\n{}", to_string(truth.paper),
                         conflict(truth.paper_conflict));
      out += fmt::format("         strict  {}\n{}", to_string(truth.strict),
                         conflict(truth.strict_conflict));
      out += fmt::format("         restart {}\n{}", to_string(truth.restart),
                         difference(truth.restart_difference));
      out += fmt::format("         junk    {}\n{}", to_string(truth.junk),
                         difference(truth.junk_difference));
      out += fmt::format("  verdict: {}\n", to_string(verdict.kind));
      out += fmt::format("  {} bytes read, {} written\n", truth.bytes_read, truth.bytes_written);
    }
    for (const oracle::Breach& breach : truth.breaches) out += breach_text(breach);
    out += fmt::format("  containment: {} accesses checked, {} at unbounded sites, {} escaped\n",
                       containment.checked, containment.unbounded, containment.escaped);
    for (const oracle::Escape& escape : containment.escapes)
      out += fmt::format("    {:#x}, {} bytes, {}: {}\n      {}\n", escape.address, escape.bytes,
                         thread_text(escape.block, escape.thread), escape.why,
                         site_text(cubin, kernel, escape.code_offset));
    return out;
  }
};

// ADDR:SIZE:FILE
Expected<void> dump(const std::string& option, const emulator::GlobalMemory& memory) {
  constexpr u64 kMostDumped = u64{1} << 32;
  const size_t first = option.find(':');
  const size_t second = first == std::string::npos ? first : option.find(':', first + 1);
  const auto bad = [&](std::string_view what) {
    return usage_error(fmt::format("--dump {}: {}", option, what));
  };
  if (second == std::string::npos || second + 1 == option.size())
    return bad("expected ADDR:SIZE:FILE");
  char* end = nullptr;
  const u64 address = std::strtoull(option.c_str(), &end, 0);
  if (end != option.c_str() + first || first == 0) return bad("the address is not a whole number");
  u64 size = std::strtoull(option.c_str() + first + 1, &end, 0);
  if (end != option.c_str() + second || size == 0 || size > kMostDumped)
    return bad("the size is not a whole number from 1 to 2^32");
  const std::string path = option.substr(second + 1);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return malformed(fmt::format("{}: cannot be written", path));
  std::vector<u8> buffer(std::min<u64>(size, 1u << 20));
  bool good = true;
  for (u64 at = address; size != 0;) {
    const size_t part = std::min<u64>(size, buffer.size());
    memory.read(at, std::span(buffer).first(part));
    good = good && std::fwrite(buffer.data(), 1, part, file) == part;
    at += part;
    size -= part;
  }
  good = std::fclose(file) == 0 && good;
  if (!good) return malformed(fmt::format("{}: cannot be written", path));
  return {};
}

int emulate(const EmulateOptions& options, const Global& global) {
  const Expected<Selection> selection =
      select_one_kernel(options.launch.file, options.launch.kernel, options.launch.architecture);
  if (!selection) return report(selection.error());
  const container::Cubin& cubin = *selection->kernels.front().cubin;
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  if (!sass::family_of(kernel.sm))
    return report({ErrorKind::kUnsupported, fmt::format("{}: architecture sm_{} is not supported",
                                                        cubin.name(), kernel.sm)});
  const Expected<LaunchArguments> arguments = resolve_launch(options.launch, kernel);
  if (!arguments) return report(arguments.error());
  const analysis::Summary summary = analysis::analyze(cubin, kernel);
  const Expected<validate::Launch> launch = make_launch(cubin, kernel, summary, *arguments);
  if (!launch) return report(launch.error());
  Expected<Emulation> emulation = prepare_emulation(cubin, kernel, *arguments);
  if (!emulation) return report(emulation.error());

  for (const std::string& option : options.textures) {
    const Expected<emulator::Image> image = parse_texture(option);
    if (!image) return report(image.error());
    emulation->launch.images.push_back(*image);
  }

  validate::ThreadWalk walk(cubin, kernel, summary, *launch);
  const validate::Verdict verdict =
      validate::validate(summary, *launch, arguments->tier == Tier::kExact ? &walk : nullptr);
  oracle::ContainmentCheck containment(summary, *launch);
  oracle::TruthOptions truth_options;
  truth_options.seed = options.seed;
  truth_options.max_steps = options.max_steps;
  truth_options.also = &containment;
  const TruthReport truth =
      oracle::examine(emulation->program, emulation->launch, emulation->memory, truth_options);
  containment.check_shields(truth.unshielded_reads);
  for (const std::string& option : options.dumps)
    if (Expected<void> done = dump(option, emulation->memory); !done) return report(done.error());

  const bool good = truth.outcome.end == End::kDone && containment.report().escaped == 0;
  const int status = good ? kExitDone : kExitNotIdempotent;
  const Emulated emulated{cubin, kernel, *arguments, verdict, truth, containment.report()};
  return global.format == Format::kJson ? write_json(emulated.json(), status)
                                        : write_out(emulated.text(global), status);
}

}  // namespace

void add_emulate(CLI::App& app, Action& action) {
  CLI::App* subcommand =
      app.add_subcommand("emulate", "Executes one launch on the CPU and tells what is true of it");
  auto options = std::make_shared<EmulateOptions>();
  add_launch_options(*subcommand, options->launch);
  subcommand->add_option("--dump", options->dumps, "Writes memory after the launch: ADDR:SIZE:FILE")
      ->allow_extra_args(false);
  subcommand
      ->add_option("--texture", options->textures,
                   "A texture or surface: HANDLE:ADDRESS:TYPE:SIZE[:OPTION...]")
      ->allow_extra_args(false);
  subcommand->add_option("--seed", options->seed,
                         "For schedules, clocks, uninitialised state and kill points");
  subcommand->add_option("--max-steps", options->max_steps,
                         "Warp instructions after which a run counts as endless");
  subcommand->callback([&action, options] {
    action = [options](const Global& global) { return emulate(*options, global); };
  });
}

}  // namespace picker::tools
