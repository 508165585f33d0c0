#include "oracle/containment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/expression.hpp"
#include "validate/loops.hpp"

namespace picker::oracle {

using analysis::AccessKind;
using analysis::AccessSite;
using emulator::Access;
using emulator::kWarpSize;
using validate::AccessPiece;

namespace {

constexpr size_t kKeptEscapes = 16;
// Values tried when an address is taken apart into dimensions; more: the hull has to do.
constexpr u32 kSearchSteps = 4096;

bool reads(AccessKind kind) { return kind != AccessKind::kWrite; }
bool writes(AccessKind kind) { return kind != AccessKind::kRead; }

// Findings after which the analysis may not have looked at all the code.
bool ends_the_analysis(analysis::Reason reason) {
  switch (reason) {
    case analysis::Reason::kUndecodedInstruction:
    case analysis::Reason::kIndirectBranch:
    case analysis::Reason::kRecursion:
    case analysis::Reason::kUnresolvedCall:
    case analysis::Reason::kDeviceRuntimeCall:
    case analysis::Reason::kControlFlow:
    case analysis::Reason::kConvergenceBarrier:
    case analysis::Reason::kBudget:
      return true;
    default:
      return false;
  }
}

// Whether `rest` can be a sum of coefficient times integer over dimensions `from` and later ones.
// True when the budget runs out.
bool reachable(const AccessPiece& piece, u32 from, i128 rest, u32& steps) {
  if (steps == 0) return true;
  --steps;
  if (from == piece.dimension_count) return rest == 0;
  const auto& d = piece.dimensions[from];
  if (d.coefficient == 0) return reachable(piece, from + 1, rest, steps);
  // What the dimensions after this one can add up to.
  i128 low = 0, high = 0;
  for (u32 i = from + 1; i < piece.dimension_count; ++i) {
    const auto& e = piece.dimensions[i];
    const i128 x = e.coefficient * e.lo, y = e.coefficient * e.hi;
    low += std::min(x, y);
    high += std::max(x, y);
  }
  // coefficient * v in [rest - high, rest - low].
  const auto floor_divide = [](i128 a, i128 b) {
    const i128 q = a / b;
    return q * b == a || (a < 0) == (b < 0) ? q : q - 1;
  };
  i128 first = 0, last = 0;
  if (d.coefficient > 0) {
    first = -floor_divide(-(rest - high), d.coefficient);
    last = floor_divide(rest - low, d.coefficient);
  } else {
    first = -floor_divide(rest - low, -i128{d.coefficient});
    last = floor_divide(-(rest - high), -i128{d.coefficient});
  }
  first = std::max(first, d.lo);
  last = std::min(last, d.hi);
  for (i128 v = first; v <= last; ++v) {
    if (reachable(piece, from + 1, rest - d.coefficient * v, steps)) return true;
    if (steps == 0) return true;
  }
  return false;
}

}  // namespace

struct ContainmentCheck::Instruction {
  bool bounded = true;  // all its sites are
  bool reads = false, writes = false;
  bool open_read = false;  // some read of it is not called shielded
  std::vector<AccessPiece> read_pieces, write_pieces;
};

ContainmentCheck::ContainmentCheck(const analysis::Summary& summary,
                                   const validate::Launch& launch) {
  validate::Evaluator evaluator(summary);
  validate::TripCounts trips(summary);
  validate::FootprintBuilder footprints(summary, evaluator, trips);
  const bool evaluable = summary.loops.size() <= analysis::kMaxLoops;
  if (evaluable) {
    evaluator.begin_launch(launch);
    trips.compute(evaluator);
  }
  for (const analysis::Finding& finding : summary.findings) {
    if (evaluable && !footprints.feasible(finding.conditions, finding.loops)) continue;
    not_understood_.push_back(finding.code_offset);
    not_followed_ |= ends_the_analysis(finding.reason);
  }
  for (u32 number = 0; number < summary.sites.size(); ++number) {
    const AccessSite& site = summary.sites[number];
    std::unique_ptr<Instruction>& slot = instructions_[site.code_offset];
    if (!slot) slot = std::make_unique<Instruction>();
    Instruction& instruction = *slot;
    instruction.reads |= reads(site.kind);
    instruction.writes |= writes(site.kind);
    instruction.open_read |= reads(site.kind) && !(site.shielded && site.kind == AccessKind::kRead);
    // A verdict passes over a site that no thread reaches, whatever its address: an access there is
    // an escape.
    if (evaluable && !footprints.feasible(site.conditions, site.loops)) continue;
    const bool usable = evaluable && site.bounded && site.address != analysis::kNoExpr &&
                        site.size != 0 && summary.expressions.width(site.address) == 64 &&
                        !evaluator.mentions_unplaced_symbol(site.address);
    std::vector<AccessPiece> pieces;
    if (!usable || footprints.add_site(number, pieces) == validate::SiteState::kWraps ||
        evaluator.out_of_budget()) {
      instruction.bounded = false;
      continue;
    }
    for (const AccessPiece& piece : pieces) {
      if (reads(site.kind)) instruction.read_pieces.push_back(piece);
      if (writes(site.kind)) instruction.write_pieces.push_back(piece);
    }
  }
  report_.sites = static_cast<u32>(instructions_.size());
  for (const auto& [offset, instruction] : instructions_)
    report_.bounded_sites += instruction->bounded ? 1 : 0;
}

ContainmentCheck::~ContainmentCheck() = default;

void ContainmentCheck::escape(const Access& access, u32 lane, std::string why) {
  ++report_.escaped;
  if (report_.escapes.size() >= kKeptEscapes) return;
  report_.escapes.push_back({access.code_offset, access.address[lane], access.bytes, access.read,
                             access.write, access.block, access.first_thread + lane,
                             std::move(why)});
}

void ContainmentCheck::record(const Access& access) {
  const auto it = instructions_.find(access.code_offset);
  const u32 first = static_cast<u32>(__builtin_ctz(access.lanes));
  if (it == instructions_.end()) {
    if (not_followed_ || std::find(not_understood_.begin(), not_understood_.end(),
                                   access.code_offset) != not_understood_.end()) {
      report_.unbounded += static_cast<u32>(__builtin_popcount(access.lanes));
      return;
    }
    return escape(access, first, "no site at this instruction");
  }
  const Instruction& instruction = *it->second;
  if ((access.read && !instruction.reads) || (access.write && !instruction.writes))
    return escape(access, first, "the site has another kind of access");
  if (!instruction.bounded) {
    report_.unbounded += static_cast<u32>(__builtin_popcount(access.lanes));
    return;
  }
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (((access.lanes >> lane) & 1) == 0) continue;
    ++report_.checked;
    const u64 address = access.address[lane];
    const auto inside = [&](const std::vector<AccessPiece>& pieces) {
      return std::any_of(pieces.begin(), pieces.end(), [&](const AccessPiece& piece) {
        if (address < piece.first || address + access.bytes - 1 > piece.last) return false;
        if (piece.size > access.bytes) return true;  // a part of a wider access
        u32 steps = kSearchSteps;
        return reachable(piece, 0, static_cast<i128>(address) - piece.base, steps);
      });
    };
    if ((access.read && !inside(instruction.read_pieces)) ||
        (access.write && !inside(instruction.write_pieces))) {
      // Code that was not followed may lead back to code that was, in another state.
      if (not_followed_) {
        --report_.checked;
        ++report_.unbounded;
        continue;
      }
      escape(access, lane,
             instruction.read_pieces.empty() && instruction.write_pieces.empty()
                 ? "the summary says that no thread gets there"
                 : "outside the predicted bytes");
    }
  }
}

void ContainmentCheck::check_shields(const std::vector<u32>& unshielded) {
  for (const auto& [offset, instruction] : instructions_) {
    if (!instruction->reads || instruction->open_read ||
        std::find(unshielded.begin(), unshielded.end(), offset) == unshielded.end())
      continue;
    ++report_.escaped;
    if (report_.escapes.size() < kKeptEscapes)
      report_.escapes.push_back({offset, 0, 0, true, false, 0, 0,
                                 "a read that the summary calls shielded had no shield"});
  }
}

}  // namespace picker::oracle
