// What is true about one launch, found out by running it.
//
// A launch is idempotent if it may be killed anywhere and started again with nothing lost. The
// emulator can try that. Four truths, each with its own blind spots, and a launch that the
// validator calls idempotent must pass the last three:
//
//   paper    a clobbering write: to a byte that was read before anything wrote it, in one fixed
//            order of execution. (PICKER, arXiv 2410.23661: "clobber anti-dependence".) A thread
//            may have been lucky to run late, so this truth is too kind.
//   strict   a byte that is read without a shield and written by anybody, whatever the order. A
//            shield is an earlier synchronous store to the byte by the same thread, or by a thread
//            of the same block before a barrier of the whole block. Non-coherent reads have none.
//   restart  kill a run at a random point, start again, compare all memory with a run that was
//            never disturbed. The killed run has its own seed for everything that a device leaves
//            open; restart and reference share theirs.
//   junk     run, overwrite every byte it wrote with random data, run again: memory must equal an
//            undisturbed run. For a determinate launch this stands for every kill point at once.
//
// Restart and junk hold for these contents of memory and these seeds; strict holds for these
// contents. None of them proves anything about others: the oracle is for catching errors.
//
// Cost: about eight runs of the launch, two of them recorded; 64 bytes of record per byte touched.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/machine.hpp"
#include "oracle/contracts.hpp"
#include "oracle/touch.hpp"
#include "support/types.hpp"

namespace picker::oracle {

// Bytes with a read and a write that lose data, and who did them.
struct TruthConflict {
  u64 lo = 0;  // bytes [lo, hi): the longest run around the first one
  u64 hi = 0;
  Touch read;
  Touch write;
};

struct Truth {
  bool known = false;       // false: it could not be established, see TruthReport::message
  bool idempotent = false;  // meaningful only if known
};

struct TruthReport {
  // How the undisturbed run ended; unless kDone, nothing else here is known.
  emulator::Outcome outcome;
  Truth paper, strict, restart, junk;
  std::optional<TruthConflict> paper_conflict, strict_conflict;
  std::optional<u64> restart_difference, junk_difference;  // the first byte that differs
  u64 bytes_read = 0;                                      // distinct bytes
  u64 bytes_written = 0;                                   // distinct bytes
  std::vector<Breach> breaches;       // of the program's own contracts, in the undisturbed run
  std::vector<u32> unshielded_reads;  // code offsets of reads that were seen without a shield

  [[nodiscard]] bool all_idempotent() const {
    return strict.known && strict.idempotent && restart.known && restart.idempotent && junk.known &&
           junk.idempotent;
  }
};

struct TruthOptions {
  u64 seed = 1;
  u32 kills = 3;  // random kill points, besides one at the very end
  u64 max_steps = 50'000'000;
  // Sees every access of the recorded runs too (containment); may be null.
  emulator::Recorder* also = nullptr;
};

// `memory` is what the launch finds; it comes back as an undisturbed run leaves it.
[[nodiscard]] TruthReport examine(const emulator::Program& program, const emulator::Launch& launch,
                                  emulator::GlobalMemory& memory, const TruthOptions& options);

}  // namespace picker::oracle
