// From footprints to a verdict. The order of questions:
//
//   1. Which sites can execute, and where? Dead sites and shielded reads drop out.
//   2. Is something live that the analysis did not understand, or a site without a known range?
//      Most such things end in `unknown`. A few only say that reads are not known; they are
//      harmless if nothing is written, for then nothing can be clobbered. Likewise a write of
//      unknown place is harmless if nothing is read (that *where* it writes is the same in every
//      run is a matter of findings, not of this question).
//   3. Does a range in R meet a range in W? First by hulls, sorted; then pair by pair.
//   4. If they may meet: a byte that is surely read and surely written makes a conflict; without
//      such a witness the verdict is `unknown`.
#include "validate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validate/concrete.hpp"
#include "validate/disjoint.hpp"
#include "validate/evaluate.hpp"
#include "validate/footprint.hpp"
#include "validate/loops.hpp"
#include "validate/witness_search.hpp"

namespace picker::validate {

using analysis::AccessKind;
using analysis::AccessSite;
using analysis::ExprId;
using analysis::ExprKind;
using analysis::Finding;
using analysis::Reason;
using analysis::Summary;

namespace {

constexpr std::string_view kInBounds = "in-bounds";

bool reads(const AccessSite& site) {
  return site.kind != AccessKind::kWrite && !(site.kind == AccessKind::kRead && site.shielded);
}
bool writes(const AccessSite& site) { return site.kind != AccessKind::kRead; }

// Instructions that read through a texture or surface and never write.
constexpr std::array<std::string_view, 7> kTextureReads = {"TEX", "TLD",  "TLD4", "TXD",
                                                           "TXQ", "TMML", "SULD"};

// Findings that are harmless when nothing is written. Everything else stays a finding.
enum class Harmless : u8 { kNever, kWithoutWrites, kIfItReads };

Harmless harmlessness(Reason reason) {
  switch (reason) {
    case Reason::kAddressFromMemory:
    case Reason::kAddressUnknown:
    case Reason::kAddressRangeWraps:
    case Reason::kAddressForm:
    case Reason::kTripCountUnknown:
    case Reason::kSymbolNotPlaced:
    case Reason::kTextureOrSurface:
      return Harmless::kIfItReads;
    case Reason::kOverlapOfRanges:
    case Reason::kIndeterminateWrites:  // about writes: there are none
      return Harmless::kWithoutWrites;
    default:
      return Harmless::kNever;
  }
}

// The opt-in contract that takes the harm out of a finding; empty: there is none.
std::string_view contract_against(Reason reason) {
  switch (reason) {
    case Reason::kSystemScope:
      return "private-system-scope";
    case Reason::kProgrammaticLaunch:
      return "no-early-dependent";
    default:
      return {};
  }
}

// A live site whose range is not known.
struct Problem {
  u32 site = 0;
  Reason reason = Reason::kAddressUnknown;
};

struct Pair {
  u32 read = 0;  // indices of pieces
  u32 write = 0;
};

}  // namespace

struct Interpreter::State {
  explicit State(const Summary& s)
      : summary(s),
        evaluator(s),
        trips(s),
        footprints(s, evaluator, trips),
        concrete(s.expressions) {}

  const Summary& summary;
  Evaluator evaluator;
  TripCounts trips;
  FootprintBuilder footprints;
  ConcreteEvaluator concrete;

  // Scratch of one verdict.
  std::vector<AccessPiece> pieces;
  std::vector<Problem> problems;
  std::vector<u32> order;
  std::vector<u32> active;
  std::vector<Pair> pairs;

  Verdict run(const Launch& launch, Witness* witness, Tier most);
  void visit_site(const Launch& launch, u32 site, Verdict& verdict);
  bool finding_is_harmless(const Finding& finding, bool anything_written) const;
  bool find_pairs();
  void add_range(std::vector<SiteRange>& ranges, const AccessPiece& piece) const;
  std::optional<Allocation> pointed_to(const Launch& launch, ExprId address);
  bool apart_in_bounds(const Launch& launch, const AccessPiece& a, const AccessPiece& b);
  bool prove_conflict(const Launch& launch, Witness& witness, Verdict& verdict);
};

namespace {

void set_unknown(Verdict& verdict, Reason reason, std::string detail,
                 std::vector<u32> code_offsets) {
  verdict.kind = VerdictKind::kUnknown;
  verdict.reason = reason;
  verdict.detail = std::move(detail);
  verdict.code_offsets = std::move(code_offsets);
}

void rest_on(Verdict& verdict, std::string_view contract) {
  if (std::find(verdict.contracts.begin(), verdict.contracts.end(), contract) ==
      verdict.contracts.end())
    verdict.contracts.emplace_back(contract);
}

}  // namespace

void Interpreter::State::visit_site(const Launch& launch, u32 index, Verdict& verdict) {
  const AccessSite& site = summary.sites[index];
  if (site.kind == AccessKind::kRead && site.shielded) return;
  const bool usable = site.address != analysis::kNoExpr &&
                      site.address < summary.expressions.size() && site.size != 0;
  Problem problem{index, Reason::kAddressUnknown};
  const bool well_formed = usable && summary.expressions.width(site.address) == 64;
  if (!site.bounded || !well_formed) {
    if (!footprints.feasible(site.conditions, site.loops)) return;
    if (usable && !well_formed) problem.reason = Reason::kAddressForm;
    if (usable && summary.expressions.node(site.address).from_memory)
      problem.reason = Reason::kAddressFromMemory;
  } else if (evaluator.mentions_unplaced_symbol(site.address)) {
    if (!footprints.feasible(site.conditions, site.loops)) return;
    problems.push_back({index, Reason::kSymbolNotPlaced});
    return;
  } else {
    const size_t before = pieces.size();
    if (footprints.add_site(index, pieces) != SiteState::kWraps) return;
    pieces.resize(before);
    problem.reason = footprints.depends_on_unknown_trip_count(site.address)
                         ? Reason::kTripCountUnknown
                         : Reason::kAddressRangeWraps;
  }
  if (well_formed && launch.takes(kInBounds)) {
    if (const std::optional<Allocation> allocation = pointed_to(launch, site.address)) {
      AccessPiece piece;
      piece.site = index;
      piece.first = allocation->address;
      piece.last = allocation->address + allocation->size - 1;
      piece.size = 1;
      piece.base = piece.first;
      piece.dimensions[0] = {1, 0, static_cast<i128>(allocation->size) - 1};
      piece.dimension_count = 1;
      pieces.push_back(piece);
      rest_on(verdict, kInBounds);
      return;
    }
  }
  problems.push_back(problem);
}

// The allocation that the address stays in under the contract in-bounds: the address is a sum with
// coefficient 1 on a pointer parameter into it, and mentions no other pointer.
std::optional<Allocation> Interpreter::State::pointed_to(const Launch& launch, ExprId address) {
  const analysis::Expressions& expressions = summary.expressions;
  const auto allocation_of = [&](ExprId id) -> std::optional<Allocation> {
    const analysis::ExprNode& node = expressions.node(id);
    if (node.kind != ExprKind::kLaunchConstant || node.width != 64) return std::nullopt;
    const std::optional<u64> value = launch.constant_bank.read(node.payload, 8);
    if (!value) return std::nullopt;
    for (const Allocation& allocation : launch.allocations)
      if (*value >= allocation.address && *value - allocation.address < allocation.size &&
          allocation.size <= ~u64{0} - 1 - allocation.address)
        return allocation;
    return std::nullopt;
  };
  ExprId root = analysis::kNoExpr;
  if (expressions.node(address).kind == ExprKind::kLaunchConstant) {
    root = address;
  } else if (expressions.node(address).kind == ExprKind::kSum) {
    const auto operands = expressions.operands(address);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!allocation_of(operands[i])) continue;
      if (root != analysis::kNoExpr || expressions.coefficients(address)[i] != 1)
        return std::nullopt;
      root = operands[i];
    }
  }
  if (root == analysis::kNoExpr) return std::nullopt;
  for (ExprId id = 0; id <= address; ++id)
    if (id != root && allocation_of(id) && expressions.mentions(address, id)) return std::nullopt;
  return allocation_of(root);
}

bool Interpreter::State::apart_in_bounds(const Launch& launch, const AccessPiece& a,
                                         const AccessPiece& b) {
  AccessPiece left = a;
  AccessPiece right = b;
  for (AccessPiece* piece : {&left, &right}) {
    const std::optional<Allocation> allocation =
        pointed_to(launch, summary.sites[piece->site].address);
    if (!allocation) continue;
    piece->first = std::max(piece->first, allocation->address);
    piece->last = std::min(piece->last, allocation->address + allocation->size - 1);
    if (piece->first > piece->last) return true;
  }
  return provably_disjoint(left, right);
}

bool Interpreter::State::finding_is_harmless(const Finding& finding, bool anything_written) const {
  if (anything_written) return false;
  switch (harmlessness(finding.reason)) {
    case Harmless::kNever:
      return false;
    case Harmless::kWithoutWrites:
      return true;
    case Harmless::kIfItReads:
      break;
  }
  if (finding.reason == Reason::kTextureOrSurface) {
    const std::string_view mnemonic =
        std::string_view(finding.detail).substr(0, finding.detail.find_first_of(". "));
    return std::find(kTextureReads.begin(), kTextureReads.end(), mnemonic) != kTextureReads.end();
  }
  // About a read only if every access of that instruction is one.
  bool found = false;
  for (const AccessSite& site : summary.sites) {
    if (site.code_offset != finding.code_offset) continue;
    if (site.kind != AccessKind::kRead) return false;
    found = true;
  }
  return found;
}

// Fills `pairs` with pieces of R and W whose hulls meet; false if there are too many.
bool Interpreter::State::find_pairs() {
  pairs.clear();
  order.resize(pieces.size());
  for (u32 i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [this](u32 x, u32 y) { return pieces[x].first < pieces[y].first; });
  active.clear();
  const auto add = [this](u32 read, u32 write) {
    if (reads(summary.sites[pieces[read].site]) && writes(summary.sites[pieces[write].site]))
      pairs.push_back({read, write});
  };
  for (const u32 i : order) {
    std::erase_if(active, [&](u32 j) { return pieces[j].last < pieces[i].first; });
    add(i, i);
    for (const u32 j : active) {
      add(i, j);
      add(j, i);
      if (pairs.size() > kPairBudget) return false;
    }
    active.push_back(i);
  }
  return true;
}

void Interpreter::State::add_range(std::vector<SiteRange>& ranges, const AccessPiece& piece) const {
  for (SiteRange& range : ranges) {
    if (range.site != piece.site) continue;
    range.lo = std::min(range.lo, piece.first);
    range.hi = std::max(range.hi, piece.last + 1);
    return;
  }
  ranges.push_back({piece.first, piece.last + 1, piece.site});
}

bool Interpreter::State::prove_conflict(const Launch& launch, Witness& witness, Verdict& verdict) {
  WitnessSearch search(summary, launch, evaluator, footprints, concrete, witness);
  for (u32 i = 0; i < pairs.size() && i < kWitnessPairs; ++i) {
    const AccessPiece& read = pieces[pairs[i].read];
    const AccessPiece& write = pieces[pairs[i].write];
    const u64 lo = std::max(read.first, write.first);
    const u64 hi = std::min(read.last, write.last);
    const u64 span = hi - lo;
    const std::array<u64, kWitnessCandidates> bytes = {
        lo, hi, lo + span / 2, lo + span / 4, hi - span / 4, lo + std::min<u64>(span, read.size)};
    for (size_t b = 0; b < bytes.size(); ++b) {
      if (std::find(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(b), bytes[b]) !=
          bytes.begin() + static_cast<std::ptrdiff_t>(b))
        continue;
      if (!search.touches(read, bytes[b]) || !search.touches(write, bytes[b])) continue;
      verdict.kind = VerdictKind::kConflict;
      verdict.reason = Reason::kOverlapOfRanges;
      verdict.detail = fmt::format("byte {:#x} is read and written", bytes[b]);
      verdict.code_offsets = {summary.sites[read.site].code_offset,
                              summary.sites[write.site].code_offset};
      std::erase_if(verdict.conflicts, [&](const Conflict& c) {  // said once is enough
        return c.lo == bytes[b] && c.hi == bytes[b] + 1 && c.read_site == read.site &&
               c.write_site == write.site;
      });
      verdict.conflicts.insert(verdict.conflicts.begin(),
                               {bytes[b], bytes[b] + 1, read.site, write.site});
      return true;
    }
  }
  return false;
}

Verdict Interpreter::State::run(const Launch& launch, Witness* witness, Tier most) {
  Verdict verdict;
  pieces.clear();
  problems.clear();
  if (summary.loops.size() > analysis::kMaxLoops) {
    set_unknown(verdict, Reason::kBudget, "too many loops", {});
    return verdict;
  }
  evaluator.begin_launch(launch);
  trips.compute(evaluator);
  for (u32 site = 0; site < summary.sites.size(); ++site) {
    visit_site(launch, site, verdict);
    if (evaluator.out_of_budget()) {
      set_unknown(verdict, Reason::kBudget, "too many expressions",
                  {summary.sites[site].code_offset});
      return verdict;
    }
  }
  bool anything_read = false;
  bool anything_written = false;
  for (const AccessPiece& piece : pieces) {
    const AccessSite& site = summary.sites[piece.site];
    if (reads(site)) add_range(verdict.reads, piece), anything_read = true;
    if (writes(site)) add_range(verdict.writes, piece), anything_written = true;
  }
  for (const Problem& problem : problems) {
    anything_read |= reads(summary.sites[problem.site]);
    anything_written |= writes(summary.sites[problem.site]);
  }

  if (launch.programmatic) {
    set_unknown(verdict, Reason::kProgrammaticLaunch, "", {});
    return verdict;
  }
  for (const Finding& finding : summary.findings) {
    if (finding_is_harmless(finding, anything_written)) continue;
    if (evaluator.out_of_budget()) {
      set_unknown(verdict, Reason::kBudget, "too many expressions", {finding.code_offset});
      return verdict;
    }
    if (!footprints.feasible(finding.conditions, finding.loops)) continue;
    if (const std::string_view contract = contract_against(finding.reason);
        !contract.empty() && launch.takes(contract)) {
      rest_on(verdict, contract);
      continue;
    }
    set_unknown(verdict, finding.reason, finding.detail, {finding.code_offset});
    return verdict;
  }
  for (const Problem& problem : problems) {
    const AccessSite& site = summary.sites[problem.site];
    if (!anything_written || !anything_read) continue;
    set_unknown(verdict, problem.reason, writes(site) ? "of a write" : "of a read",
                {site.code_offset});
    return verdict;
  }
  verdict.kind = VerdictKind::kIdempotent;
  if (!anything_written || !anything_read) return verdict;

  if (!find_pairs()) {
    set_unknown(verdict, Reason::kBudget, "too many overlapping ranges", {});
    return verdict;
  }
  if (pairs.empty()) return verdict;
  const bool hulls_only = most == Tier::kHulls;
  if (!hulls_only) verdict.tier = Tier::kStrided;
  bool unknown_trip_count = false;
  std::erase_if(pairs, [&](const Pair& pair) {
    const AccessPiece& read = pieces[pair.read];
    const AccessPiece& write = pieces[pair.write];
    if (!hulls_only && provably_disjoint(read, write)) return true;
    if (!hulls_only && launch.takes(kInBounds) && apart_in_bounds(launch, read, write)) {
      rest_on(verdict, kInBounds);
      return true;
    }
    unknown_trip_count |= read.unknown_trip_count || write.unknown_trip_count;
    const u64 lo = std::max(read.first, write.first);
    const u64 hi = std::min(read.last, write.last) + 1;
    for (Conflict& conflict : verdict.conflicts) {
      if (conflict.read_site != read.site || conflict.write_site != write.site) continue;
      conflict.lo = std::min(conflict.lo, lo);
      conflict.hi = std::max(conflict.hi, hi);
      return false;
    }
    verdict.conflicts.push_back({lo, hi, read.site, write.site});
    return false;
  });
  if (pairs.empty()) return verdict;
  if (!hulls_only && witness != nullptr && prove_conflict(launch, *witness, verdict))
    return verdict;
  std::vector<u32> offsets;
  for (const Conflict& conflict : verdict.conflicts) {
    for (const u32 site : {conflict.read_site, conflict.write_site}) {
      const u32 offset = summary.sites[site].code_offset;
      if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end())
        offsets.push_back(offset);
    }
  }
  set_unknown(verdict, unknown_trip_count ? Reason::kTripCountUnknown : Reason::kOverlapOfRanges,
              "", std::move(offsets));
  return verdict;
}

Interpreter::Interpreter(const Summary& summary) : state_(std::make_unique<State>(summary)) {}
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

Verdict Interpreter::validate(const Launch& launch, Witness* witness, Tier most) {
  return state_->run(launch, witness, most);
}

Verdict validate(const Summary& summary, const Launch& launch, Witness* witness, Tier most) {
  return Interpreter(summary).validate(launch, witness, most);
}

}  // namespace picker::validate
