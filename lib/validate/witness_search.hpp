// Looks for threads that surely touch a given byte, so that an overlap of footprints can be called
// a conflict.
//
// A candidate is found by solving the address form for the start address: greedily from the largest
// coefficient down, in the ranges of the piece. Where the form holds node variables (a quotient, a
// minimum) that a thread cannot be chosen by, threads are tried one after the other. Either way the
// candidate is then checked by the concrete evaluator: the address must come out and every
// condition must be true, with nothing unknown. Last, the caller's Witness follows the kernel's
// instructions. All steps are counted.
#pragma once

#include "validate/concrete.hpp"
#include "validate/footprint.hpp"
#include "validate/verdict.hpp"

namespace picker::validate {

// Refers to everything it is given. Not thread-safe.
class WitnessSearch {
 public:
  WitnessSearch(const analysis::Summary& summary, const Launch& launch, Evaluator& evaluator,
                FootprintBuilder& footprints, ConcreteEvaluator& concrete, Witness& witness)
      : summary_(summary),
        launch_(launch),
        evaluator_(evaluator),
        footprints_(footprints),
        concrete_(concrete),
        witness_(witness) {}

  // Whether some thread surely touches `byte` in this piece.
  [[nodiscard]] bool touches(const AccessPiece& piece, u64 byte);

 private:
  bool solve(std::span<const Term> terms, i128 remaining);
  bool confirm();
  bool enumerate();

  const analysis::Summary& summary_;
  const Launch& launch_;
  Evaluator& evaluator_;
  FootprintBuilder& footprints_;
  ConcreteEvaluator& concrete_;
  Witness& witness_;

  u32 site_ = 0;
  u64 byte_ = 0;
  Moment moment_;
  std::vector<i128> values_;  // by variable, for the solution being built
  std::vector<Interval> ranges_;
  std::vector<VariableKey> keys_;
  u32 steps_ = 0;
  u64 enumerated_ = 0;  // over all calls
};

}  // namespace picker::validate
