// Random launches of the sample kernels: the validator against the emulator where it is hardest.
//
// Launches drawn blindly prove nothing: their buffers lie far apart, or on top of each other. So
// each launch is made in two steps. First a stated launch of the suite is taken and some of its
// integers, its grid and its block are changed (by one, to zero, to negative and to huge values);
// it is run with all its pointers far apart, to see which bytes each of them reaches. Then its
// pointers are placed: apart, equal, interleaved, overlapping somewhere, or so that the end of what
// one reaches lies within an element, or a byte, of the start of what another reaches. The launch
// is judged, executed for the four truths and held against its summary (containment).
//
// A launch is in the *boundary stratum* if a read byte and a written byte, not the same, lie at
// most one element and one byte apart while none coincide, or if at most so many bytes coincide.
//
// Cost: about ten runs of each launch; see docs/testing.md for figures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/diagnostic.hpp"
#include "tools/sample_suite.hpp"

namespace picker::tools {

struct RandomLaunchOptions {
  u64 seed = 1;
  u64 count = 1000;         // launches that count: those that break a contract are drawn again
  u64 max_steps = 400'000;  // warp instructions of one run; launches that take more are not taken
  std::string only;         // a sample; empty: all
};

// One launch with which something is wrong, in words that let it be repeated.
struct RandomLaunchFailure {
  std::string what;
  std::string launch;  // kernel, grid, block, parameters
};

// Counts of launches. "Boundary" is the boundary stratum alone.
struct RandomLaunchReport {
  u64 launches = 0;
  u64 set_aside = 0;  // ended in a fault, a deadlock or the limit of steps: contracts broken
  u64 not_modelled = 0;
  u64 boundary = 0;
  u64 not_idempotent = 0, not_idempotent_boundary = 0;  // in the strict truth
  u64 called_idempotent = 0, called_idempotent_boundary = 0;
  u64 called_conflict = 0;
  u64 idempotent = 0, idempotent_boundary = 0;  // in all truths
  std::map<std::string, u64> missed;            // of these not called so, by reason
  std::map<std::string, u64> missed_boundary;
  u64 accesses_checked = 0, accesses_unbounded = 0;
  // Each of these is a bug of the highest kind.
  std::vector<RandomLaunchFailure> failures;
};

// Draws and judges launches of the given suite (load_samples()). Deterministic for its options;
// uses all processors. Errors: those of reading a cubin.
[[nodiscard]] Expected<RandomLaunchReport> try_random_launches(
    const std::vector<SampleLaunch>& suite, const RandomLaunchOptions& options);

}  // namespace picker::tools
