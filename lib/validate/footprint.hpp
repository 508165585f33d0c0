// Footprints: the bytes that an access site can touch in one launch.
//
// A site is taken apart into *pieces*: for each loop around it, its first iteration, and all later
// ones together. In later iterations the loop's continue condition held one iteration before, an
// inequality that does not hold in the first; without the split the guard of a loop would bound
// nothing. (Loops that neither the address nor a condition mentions need no split.) A piece whose
// conditions contradict each other is not executed and touches nothing.
//
// The address of each piece is one affine form. Its hull is the tightest interval that ranges and
// inequalities give. For finer tests the form is kept as a base and *dimensions*, coefficient times
// a bounded integer. Where an inequality bounds a partial sum of the form as a whole (the global
// index in `blockIdx * 256 + threadIdx < n`), that sum becomes a single dimension of its own:
// a box of the single variables would be wider.
#pragma once

#include <array>
#include <vector>

#include "analysis/summary.hpp"
#include "validate/evaluate.hpp"
#include "validate/loops.hpp"

namespace picker::validate {

// coefficient * y for every integer y in [lo, hi] (some of them may not occur).
struct Dimension {
  i64 coefficient = 0;
  i128 lo = 0;
  i128 hi = 0;
};

// Where the accesses of one piece begin: base + the sum of all dimensions. Each is `size` bytes.
struct AccessPiece {
  u32 site = 0;
  u32 part = 0;   // which iterations: bit i set = later iterations of the i-th split loop
  u64 first = 0;  // the lowest byte touched
  u64 last = 0;   // the highest one, below 2^64 - 1
  u32 size = 0;   // bytes
  i128 base = 0;
  std::array<Dimension, kMaxTerms> dimensions{};
  u32 dimension_count = 0;
  bool unknown_trip_count = false;  // mentions a loop whose trip count is unknown
};

enum class SiteState : u8 {
  kDead,     // no thread executes it
  kBounded,  // all its pieces are known
  kWraps,    // some address range does not fit [0, 2^64)
};

// Refers to its evaluator, trip counts and summary. Not thread-safe.
class FootprintBuilder {
 public:
  FootprintBuilder(const analysis::Summary& summary, Evaluator& evaluator, TripCounts& trips)
      : summary_(summary), evaluator_(evaluator), trips_(trips) {}

  // Whether some thread and iteration may meet `conditions` inside `loops`.
  [[nodiscard]] bool feasible(const std::vector<analysis::ExprId>& conditions,
                              const std::vector<analysis::LoopId>& loops);
  // Appends the pieces of a site.
  [[nodiscard]] SiteState add_site(u32 site, std::vector<AccessPiece>& pieces);
  // Whether the address mentions a loop with an unknown trip count.
  [[nodiscard]] bool depends_on_unknown_trip_count(analysis::ExprId address) const;

  // Sets the evaluator up for one part again, for a closer look at its variables: the address form
  // of that piece, nothing if the part turned out to be impossible.
  [[nodiscard]] std::optional<Form> revisit(u32 site, u32 part);

 private:
  // The loops to split for these expressions, outermost first; at most kMaxSplitLoops.
  void choose_split(const std::vector<analysis::ExprId>& conditions, analysis::ExprId address,
                    const std::vector<analysis::LoopId>& loops);
  // Sets up one part under the conditions; false: nothing executes there.
  bool open_part(u32 part, const std::vector<analysis::ExprId>& conditions);
  // A part that cannot exist: later iterations of a loop that has none.
  [[nodiscard]] bool part_exists(u32 part) const;
  void make_dimensions(const Form& address, AccessPiece& piece) const;

  const analysis::Summary& summary_;
  Evaluator& evaluator_;
  TripCounts& trips_;
  std::vector<analysis::LoopId> split_;
};

}  // namespace picker::validate
