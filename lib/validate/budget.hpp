// All budgets of the validator: counted steps, never seconds, so that a verdict does not depend on
// the load of the machine. Whatever runs out of budget becomes less precise or `unknown`.
#pragma once

#include "support/types.hpp"

namespace picker::validate {

// Node evaluations and inequalities looked at per verdict; more: `unknown`, budget.
inline constexpr u64 kNodeBudget = 4'000'000;
// Terms of one affine form; a sum with more becomes an interval.
inline constexpr u32 kMaxTerms = 12;
// Inequalities kept per piece of a site; further ones are dropped.
inline constexpr u32 kMaxConstraints = 48;
// Of these, how many may be there when evaluation adds facts of its own (quotients, minima): the
// rest is kept for conditions.
inline constexpr u32 kMaxFacts = 24;
// Times the conditions of a piece are evaluated again under what they implied before.
inline constexpr u32 kConditionRounds = 3;
// Sweeps of bound propagation over all inequalities.
inline constexpr u32 kPropagationSweeps = 4;
// Inequalities eliminated one after the other when a form is bounded.
inline constexpr u32 kEliminationSteps = 4;
// Loops whose first iteration is looked at apart from the others; a site in more loops is taken
// over all iterations at once.
inline constexpr u32 kMaxSplitLoops = 3;
// Levels of Boolean connectives followed inside one condition.
inline constexpr u32 kConditionDepth = 64;
// Pairs of overlapping hulls that are compared in detail; more: they count as overlapping.
inline constexpr u64 kPairBudget = 20'000;
// Values tried by the comparison of two affine forms.
inline constexpr u32 kSolverBudget = 2'000;
// Bytes of an overlap, and pairs of sites, for which a witness is looked for.
inline constexpr u32 kWitnessPairs = 16;
inline constexpr u32 kWitnessSolverSteps = 400;
inline constexpr u32 kWitnessCandidates = 6;
// Threads times iterations that may be enumerated to find a witness.
inline constexpr u64 kWitnessEnumeration = 4096;

}  // namespace picker::validate
