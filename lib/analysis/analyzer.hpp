// From a kernel's machine code to its summary.
//
// Abstract execution over the control-flow graph, without enumerating paths. Blocks are executed
// once in reverse postorder on a symbolic thread; where paths join, a register that differs becomes
// a choice by the branch condition, or an unknown. A loop is executed twice: first with a
// placeholder for every register it changes, which shows what one iteration does to them; then with
// `initial + step * iteration` for those that only grow by a step, and unknowns for the others. The
// first run is the inductive proof of the second: it holds for whatever the placeholders are.
//
// Nondeterminism (premise 2) and warp divergence flow against the order of execution (a store late
// in the code taints a load early in a loop). They are facts that only grow; the whole analysis is
// repeated until none is new, and only the last run writes the summary.
//
// Cost: linear in code size times 2^depth of loop nesting, bounded by a counted budget.
#pragma once

#include "analysis/summary.hpp"
#include "container/cubin.hpp"

namespace picker::analysis {

// The summary of `kernel`, which must belong to `cubin`. Never fails: what cannot be followed is a
// finding. Thread-safe for different or the same kernels; deterministic.
[[nodiscard]] Summary analyze(const container::Cubin& cubin, const container::Kernel& kernel);

}  // namespace picker::analysis
