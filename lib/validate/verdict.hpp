// The answer for one launch, and the function that gives it: the reference interpreter of
// summaries. Faster implementations must agree with it on every launch.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analysis/reasons.hpp"
#include "analysis/summary.hpp"
#include "support/types.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

enum class VerdictKind : u8 {
  kIdempotent,  // may be killed at any moment and started again with nothing lost
  kConflict,    // a byte is surely read and surely written by this launch
  kUnknown,     // neither was shown; `reason` says what stood in the way
};

// How far the validator had to go.
enum class Tier : u8 {
  kHulls,    // one interval of addresses per site was enough
  kStrided,  // strides and dimensions of overlapping sites were compared
  kExact,    // threads were looked at one by one
};

// Bytes [lo, hi) that instruction site `site` (index into Summary::sites) may touch.
struct SiteRange {
  u64 lo = 0;
  u64 hi = 0;
  u32 site = 0;
};

// Bytes [lo, hi) that both sites may touch; in a kConflict verdict the first entry is a byte that
// both surely touch.
struct Conflict {
  u64 lo = 0;
  u64 hi = 0;
  u32 read_site = 0;
  u32 write_site = 0;
};

// A value; owns everything.
struct Verdict {
  VerdictKind kind = VerdictKind::kUnknown;
  analysis::Reason reason = analysis::Reason::kBudget;  // kUnknown and kConflict only
  std::string detail;                                   // a short phrase for people; may be empty
  std::vector<u32> code_offsets;  // bytes from the start of the code: the instructions concerned
  Tier tier = Tier::kHulls;
  std::vector<std::string> contracts;  // opt-in contracts that the verdict rests on
  std::vector<SiteRange> reads;        // hulls of live sites in R, bounded ones only
  std::vector<SiteRange> writes;       // hulls of live sites in W, bounded ones only
  std::vector<Conflict> conflicts;     // overlaps found, proved (kConflict) or possible (kUnknown)
};

// Confirms that an access really happens, by following the kernel's instructions for one thread.
class Witness {
 public:
  Witness() = default;
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  virtual ~Witness() = default;

  // Whether this thread surely executes site `site` (index into Summary::sites) as an access to
  // global memory whose first byte is `address`, whatever memory holds. For a site that reads,
  // moreover no earlier write of the same thread may cover `byte`: then the value read would be
  // its own. When in doubt: false.
  virtual bool executes(u32 site, const std::array<u32, 3>& block, const std::array<u32, 3>& thread,
                        u64 address, u64 byte) = 0;
};

// Evaluates one summary for many launches; keeps scratch memory between them. Refers to the
// summary, which must outlive it. Not thread-safe: one per thread.
class Interpreter {
 public:
  explicit Interpreter(const analysis::Summary& summary);
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

  // `witness` may be null: then overlaps are never called conflicts. Never fails: whatever cannot
  // be decided is kUnknown. Depends on its arguments alone (budgets are counted steps). With
  // `most` = kHulls, ranges that overlap are not looked at more closely and end in kUnknown.
  [[nodiscard]] Verdict validate(const Launch& launch, Witness* witness = nullptr,
                                 Tier most = Tier::kExact);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same for a single launch.
[[nodiscard]] Verdict validate(const analysis::Summary& summary, const Launch& launch,
                               Witness* witness = nullptr, Tier most = Tier::kExact);

}  // namespace picker::validate
