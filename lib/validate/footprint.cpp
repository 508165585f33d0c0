#include "validate/footprint.hpp"

#include <algorithm>

namespace picker::validate {

using analysis::AccessSite;
using analysis::ExprId;
using analysis::LoopId;

void FootprintBuilder::choose_split(const std::vector<ExprId>& conditions, ExprId address,
                                    const std::vector<LoopId>& loops) {
  u64 mentioned = address == analysis::kNoExpr ? 0 : evaluator_.mentioned_loops(address);
  for (const ExprId condition : conditions) mentioned |= evaluator_.mentioned_loops(condition);
  split_.clear();
  for (const LoopId loop : loops)
    if (loop < summary_.loops.size() && loop < 64 && (mentioned >> loop & 1) != 0 &&
        std::find(split_.begin(), split_.end(), loop) == split_.end())
      split_.push_back(loop);
  // Too deep: the innermost ones profit most.
  if (split_.size() > kMaxSplitLoops)
    split_.erase(split_.begin(), split_.end() - static_cast<std::ptrdiff_t>(kMaxSplitLoops));
}

bool FootprintBuilder::part_exists(u32 part) const {
  for (size_t i = 0; i < split_.size(); ++i)
    if ((part >> i & 1) != 0 && trips_.of(split_[i]).iterations.hi < 1) return false;
  return true;
}

bool FootprintBuilder::open_part(u32 part, const std::vector<ExprId>& conditions) {
  for (size_t i = 0; i < split_.size(); ++i) {
    const Interval all = trips_.of(split_[i]).iterations;
    evaluator_.set_iteration(split_[i],
                             (part >> i & 1) != 0 ? Interval{1, all.hi} : Interval{0, 0});
  }
  evaluator_.begin_piece();
  for (const LoopId loop : split_) evaluator_.set_iteration(loop, trips_.of(loop).iterations);
  std::array<Variant, kMaxSplitLoops> variants{};
  for (size_t i = 0; i < split_.size(); ++i) {
    if ((part >> i & 1) == 0) continue;
    variants[i] = evaluator_.add_variant(split_[i]);
    for (const PortableInequality& inequality : trips_.of(split_[i]).from_second)
      if (const std::optional<Form> form = in_piece(inequality, evaluator_))
        evaluator_.assume(*form);
  }
  for (u32 round = 0; round < kConditionRounds; ++round) {
    (void)evaluator_.take_news();
    for (const ExprId condition : conditions) evaluator_.assume(condition, true);
    for (size_t i = 0; i < split_.size(); ++i)
      if (variants[i] != 0)
        for (const ExprId condition : trips_.usable(split_[i]))
          evaluator_.assume(condition, true, variants[i]);
    evaluator_.propagate();
    if (evaluator_.contradiction()) return false;
    if (!evaluator_.take_news()) break;
    evaluator_.next_round();
  }
  return true;
}

bool FootprintBuilder::feasible(const std::vector<ExprId>& conditions,
                                const std::vector<LoopId>& loops) {
  if (conditions.empty()) return true;
  choose_split(conditions, analysis::kNoExpr, loops);
  for (u32 part = 0; part < (1u << split_.size()); ++part)
    if (part_exists(part) && open_part(part, conditions)) return true;
  return false;
}

bool FootprintBuilder::depends_on_unknown_trip_count(ExprId address) const {
  const u64 mentioned = evaluator_.mentioned_loops(address);
  for (LoopId loop = 0; loop < summary_.loops.size() && loop < 64; ++loop)
    if ((mentioned >> loop & 1) != 0 && !trips_.of(loop).known) return true;
  return false;
}

SiteState FootprintBuilder::add_site(u32 site, std::vector<AccessPiece>& pieces) {
  const AccessSite& access = summary_.sites[site];
  choose_split(access.conditions, access.address, access.loops);
  const bool unknown_trip_count = depends_on_unknown_trip_count(access.address);
  SiteState state = SiteState::kDead;
  for (u32 part = 0; part < (1u << split_.size()); ++part) {
    if (!part_exists(part) || !open_part(part, access.conditions)) continue;
    const std::optional<Form> address =
        evaluator_.into_window(evaluator_.value(access.address), 64, false);
    if (evaluator_.contradiction()) continue;
    if (!address) return SiteState::kWraps;
    const Interval hull = evaluator_.bound(*address);
    if (hull.empty()) continue;
    const i128 last = hull.hi + access.size - 1;
    if (hull.lo < 0 || last >= unsigned_window(64).hi) return SiteState::kWraps;
    AccessPiece piece;
    piece.site = site;
    piece.part = part;
    piece.first = static_cast<u64>(hull.lo);
    piece.last = static_cast<u64>(last);
    piece.size = access.size;
    piece.unknown_trip_count = unknown_trip_count;
    make_dimensions(*address, piece);
    pieces.push_back(piece);
    state = SiteState::kBounded;
  }
  return state;
}

std::optional<Form> FootprintBuilder::revisit(u32 site, u32 part) {
  const AccessSite& access = summary_.sites[site];
  choose_split(access.conditions, access.address, access.loops);
  if (!part_exists(part) || !open_part(part, access.conditions)) return std::nullopt;
  return evaluator_.into_window(evaluator_.value(access.address), 64, false);
}

void FootprintBuilder::make_dimensions(const Form& address, AccessPiece& piece) const {
  piece.base = address.constant();
  piece.dimension_count = 0;
  Form rest = address;
  rest.set_constant(0);
  // Partial sums that an inequality bounds as a whole.
  for (const Form& inequality : evaluator_.constraints().forms()) {
    if (inequality.terms().size() < 2 || inequality.terms().size() > rest.terms().size()) continue;
    Form part(0);
    i128 common = 0;
    for (const Term& term : inequality.terms())
      common = greatest_common_divisor(common, term.coefficient);
    bool fits = true;
    i128 multiple = 0;
    for (const Term& term : inequality.terms()) {
      const i64 unit = static_cast<i64>(term.coefficient / common);
      const i64 mine = rest.coefficient(term.variable);
      if (mine == 0 || mine % unit != 0 || (multiple != 0 && mine / unit != multiple)) {
        fits = false;
        break;
      }
      multiple = mine / unit;
      fits = fits && part.append(term.variable, unit);
    }
    if (!fits) continue;
    const Interval together = evaluator_.bound(part);
    const Interval apart = hull(part, evaluator_.ranges());
    if (together.lo <= apart.lo && together.hi >= apart.hi) continue;
    for (const Term& term : part.terms()) rest.remove_variable(term.variable);
    piece.dimensions[piece.dimension_count++] = {static_cast<i64>(multiple), together.lo,
                                                 together.hi};
  }
  for (const Term& term : rest.terms()) {
    const Interval& range = evaluator_.ranges()[term.variable];
    piece.dimensions[piece.dimension_count++] = {term.coefficient, range.lo, range.hi};
  }
}

}  // namespace picker::validate
