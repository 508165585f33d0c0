// Concrete evaluation: the bit pattern of an expression for one thread at one moment.
//
// Written apart from the abstract evaluator, directly from the definitions in expression.hpp, so
// that tests can hold one against the other, and so that a witness is checked by other code than
// the one that proposed it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analysis/expression.hpp"
#include "support/types.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

// What one evaluation is for. Refers to nothing.
struct Moment {
  std::array<u32, 3> block{};
  std::array<u32, 3> thread{};
  std::vector<u64> iterations;              // by loop; missing ones are unknown
  std::vector<std::optional<u64>> opaques;  // by opaque number; missing ones are unknown
};

// Refers to the expressions, which must outlive it. Not thread-safe.
class ConcreteEvaluator {
 public:
  explicit ConcreteEvaluator(const analysis::Expressions& expressions)
      : expressions_(expressions) {}

  // The launch and moment of the evaluations to come; both must stay alive.
  void set(const Launch& launch, const Moment& moment) {
    launch_ = &launch;
    moment_ = &moment;
    ++epoch_;
  }
  // The value, in the low `width` bits; nothing when it depends on something unknown, or divides
  // by zero. Cost: each node once per `set`; recursion as deep as the expression.
  [[nodiscard]] std::optional<u64> value(analysis::ExprId id);

 private:
  struct Memo {
    u64 epoch = 0;
    std::optional<u64> value;
  };
  [[nodiscard]] std::optional<u64> compute(analysis::ExprId id);

  const analysis::Expressions& expressions_;
  const Launch* launch_ = nullptr;
  const Moment* moment_ = nullptr;
  u64 epoch_ = 0;
  std::vector<Memo> memo_;
  u32 depth_ = 0;
};

}  // namespace picker::validate
