#include "oracle/truth.hpp"

#include "emulator/random.hpp"
#include "oracle/access_log.hpp"

namespace picker::oracle {

using emulator::End;
using emulator::GlobalMemory;
using emulator::Options;
using emulator::Outcome;
using emulator::Random;

TruthReport examine(const emulator::Program& program, const emulator::Launch& launch,
                    GlobalMemory& memory, const TruthOptions& options) {
  TruthReport report;
  const GlobalMemory initial = memory;
  Random random = emulator::random_for(options.seed, 10);
  const auto go = [&](GlobalMemory& on, u64 seed, bool random_schedule,
                      emulator::Recorder* recorder, std::optional<u64> stop_after) {
    Options o;
    o.seed = seed;
    o.random_schedule = random_schedule;
    o.max_steps = options.max_steps;
    o.recorder = recorder;
    o.stop_after = stop_after;
    return emulator::run(program, launch, on, o);
  };

  // One fixed order, recorded.
  AccessLog fixed;
  ContractCheck contracts;
  emulator::BothRecorders fixed_and_others(fixed, options.also);
  emulator::BothRecorders fixed_recorder(contracts, &fixed_and_others);
  report.outcome = go(memory, random.next(), false, &fixed_recorder, std::nullopt);
  report.bytes_read = fixed.bytes_read();
  report.bytes_written = fixed.bytes_written();
  report.breaches = contracts.breaches();
  if (report.outcome.end != End::kDone) return report;
  report.paper_conflict = fixed.paper_conflict();
  report.paper = {true, !report.paper_conflict.has_value()};
  report.strict_conflict = fixed.strict_conflict();

  // The reference: another schedule and other seeds, recorded too.
  const u64 reference_seed = random.next();
  GlobalMemory reference = initial;
  AccessLog drawn;
  emulator::BothRecorders drawn_recorder(drawn, options.also);
  const Outcome second = go(reference, reference_seed, true, &drawn_recorder, std::nullopt);
  if (second.end != End::kDone) {
    report.outcome = second;
    return report;
  }
  if (!report.strict_conflict) report.strict_conflict = drawn.strict_conflict();
  report.strict = {true, !report.strict_conflict.has_value()};
  report.unshielded_reads = fixed.unshielded_reads();
  for (const u32 offset : drawn.unshielded_reads()) report.unshielded_reads.push_back(offset);

  // Kill and restart.
  report.restart = {true, true};
  for (u32 kill = 0; kill <= options.kills; ++kill) {
    GlobalMemory disturbed = initial;
    const u64 seed = random.next();
    const bool to_the_end = kill == options.kills;
    const u64 stop = 1 + random.below(report.outcome.steps + 1);
    (void)go(disturbed, seed, true, nullptr, to_the_end ? std::nullopt : std::optional(stop));
    const Outcome again = go(disturbed, reference_seed, true, nullptr, std::nullopt);
    const std::optional<u64> difference = disturbed.first_difference(reference);
    // A restart that does not even end loses what the launch was to compute.
    if (difference || again.end != End::kDone) {
      report.restart.idempotent = false;
      report.restart_difference = difference;
      break;
    }
  }

  // Junk in every byte written.
  GlobalMemory junked = initial;
  AccessLog first_run;
  (void)go(junked, random.next(), true, &first_run, std::nullopt);
  first_run.for_each_written([&](u64 address) {
    const u8 junk = static_cast<u8>(random.next());
    junked.write(address, std::span<const u8>(&junk, 1));
  });
  const Outcome again = go(junked, reference_seed, true, nullptr, std::nullopt);
  report.junk_difference = junked.first_difference(reference);
  report.junk = {true, !report.junk_difference && again.end == End::kDone};
  return report;
}

}  // namespace picker::oracle
