// Footprints and verdicts of random kernels against brute force: all threads of small launches are
// run through their loops one by one, with the plain evaluator. Every access must lie in the
// footprint, "disjoint" must be true, "idempotent" must mean that no byte is both read and written,
// and "conflict" that one is.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "validate/concrete.hpp"
#include "validate/disjoint.hpp"
#include "validate/footprint.hpp"
#include "validate/verdict.hpp"
#include "validate_kernels.hpp"
#include "validate_random.hpp"

namespace picker::validate {
namespace {

using analysis::AccessKind;
using analysis::ExprId;

constexpr u64 kBase = 0x7f0000000000;
constexpr u32 kIterationCap = 24;  // of each loop; the brute force looks no further

struct Access {
  u64 address = 0;
  std::array<u32, 3> block{};
  std::array<u32, 3> thread{};
};

// An opaque defined inside that many loops.
struct Unknown {
  ExprId id = analysis::kNoExpr;
  u32 loops = 0;
  u64 lo = 0, hi = 0;
};

struct RandomKernel {
  Random& random;
  Kernel k;
  u32 depth = 0;  // nested loops
  std::vector<ExprId> counters;
  std::vector<Unknown> unknowns;

  explicit RandomKernel(Random& r) : random(r) {}

  ExprId small() { return k.number(random.range(0, 20)); }
  // Something that changes in every iteration of the loops around it in no known way.
  ExprId unknown(u32 loops) {
    if (unknowns.size() < 4 && random.chance(50)) {
      const u64 lo = random.range(0, 10);
      const u64 hi = random.chance(90) ? lo + random.range(0, 20) : 0xffffffff;
      unknowns.push_back({k.e().make_opaque(32, lo, hi, analysis::OpaqueCause::kLoop, 0,
                                            (u64{1} << loops) - 1, false, false),
                          loops, lo, hi});
    }
    for (const Unknown& one : unknowns)
      if (one.loops <= loops && random.chance(60)) return one.id;
    return k.thread();
  }
  ExprId constant() { return random.chance(85) ? small() : k.number(random.interesting(32)); }
  ExprId leaf(u32 loops) {
    switch (random.range(0, 7)) {
      case 7:
        return unknown(loops);
      case 0:
        return k.thread(static_cast<u32>(random.range(0, 1)));
      case 1:
        return k.block(static_cast<u32>(random.range(0, 1)));
      case 2:
        return k.global_index();
      case 3:
        return k.scalar(static_cast<u32>(random.range(2, 4)));
      case 4:
        return loops > 0 ? counters[random.range(0, loops - 1)] : k.thread();
      case 5:
        return k.e().add(k.thread(), k.e().mul(k.thread(1), k.block_size(0)));
      default:
        return constant();
    }
  }
  // An index as kernels compute them: mostly affine, sometimes cut up.
  ExprId index(u32 loops, u32 levels = 3) {
    if (levels == 0 || random.chance(20)) return leaf(loops);
    const ExprId a = index(loops, levels - 1);
    const ExprId b = index(loops, levels - 1);
    switch (random.range(0, 14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return k.e().add(a, b);
      case 4:
        return k.e().sub(a, b);
      case 5:
      case 6:
        return k.e().mul(a, random.chance(80) ? constant() : k.scalar(2));
      case 7:
        return k.e().shift_right(a, k.number(random.range(1, 4)));
      case 8:
        return k.e().bit_and(a, k.number((u64{1} << random.range(1, 5)) - 1));
      case 9:
        return k.e().bit_and(a, k.number(0 - (u64{1} << random.range(1, 3))));
      case 10:
        return k.e().remainder(a, k.number(random.range(1, 12)));
      case 11:
        return k.e().min_signed(a, b);
      case 12:
        return k.e().max_signed(a, b);
      case 13:
        return k.e().select(condition(loops, 0), a, b);
      default:
        return k.e().divide(a, k.number(random.range(1, 12)));
    }
  }
  ExprId condition(u32 loops, u32 levels = 1) {
    const ExprId a = index(loops, levels + 1);
    const ExprId b = random.chance(70) ? index(loops, 1) : constant();
    ExprId result = analysis::kNoExpr;
    switch (random.range(0, 4)) {
      case 0:
      case 1:
        result = k.e().less_signed(a, b);
        break;
      case 2:
        result = k.e().less_unsigned(a, b);
        break;
      case 3:
        result = k.e().less_unsigned(k.e().sub(a, small()), small());
        break;
      default:
        result = k.e().equal(a, b);
    }
    if (random.chance(40)) result = k.e().bit_not(result);
    if (levels > 0 && random.chance(20))
      result = random.chance(50) ? k.e().bit_and(result, condition(loops, 0))
                                 : k.e().bit_or(result, condition(loops, 0));
    return result;
  }

  void build() {
    depth = static_cast<u32>(random.range(0, 3));
    if (depth == 3) depth = 1;
    for (u32 loop = 0; loop < depth; ++loop) {
      const u64 outer = (u64{1} << loop) - 1;
      const ExprId iteration = k.e().extract(k.e().iteration(loop, outer, false), 0, 32);
      const std::vector<u64> steps = {1, 1, 2, 3, 0u - 1, 0u - 2, 8, 1u << 30, 0u - (1u << 29)};
      const ExprId step = random.chance(85)   ? k.number(random.pick(steps))
                          : random.chance(50) ? k.scalar(2)
                                              : k.threads_in_grid();
      const ExprId start = random.chance(85) ? index(loop, 1) : k.number(random.interesting(32));
      const ExprId counter = k.e().add(start, k.e().mul(iteration, step));
      counters.push_back(counter);
      const ExprId tested = random.chance(50) ? counter : k.e().add(counter, step);
      const ExprId bound = random.chance(80) ? index(loop, 1) : k.number(random.interesting(32));
      ExprId test = analysis::kNoExpr;
      switch (random.range(0, 5)) {
        case 0:
        case 1:
          test = k.e().less_signed(tested, bound);
          break;
        case 2:
          test = k.e().less_unsigned(tested, bound);
          break;
        case 3:
          test = k.e().less_signed(bound, tested);
          break;
        case 4:
          test = k.e().less_signed(k.e().sign_extend(tested, 64), k.e().sign_extend(bound, 64));
          break;
        default:
          test = k.e().equal(tested, bound);
      }
      if (random.chance(35)) test = k.e().bit_not(test);
      std::vector<ExprId> continues = {test};
      if (random.chance(20)) continues.push_back(condition(loop + 1, 0));
      k.loop(continues, loop == 0 ? std::numeric_limits<u32>::max() : loop - 1);
    }
    const u32 sites = static_cast<u32>(random.range(2, 4));
    for (u32 i = 0; i < sites; ++i) {
      const u32 loops = static_cast<u32>(random.range(0, depth));
      const bool is_write = i == 0 || random.chance(30);
      std::vector<ExprId> conditions;
      for (u64 c = random.range(0, 2); c > 0; --c) conditions.push_back(condition(loops));
      std::vector<u32> enclosing;
      for (u32 loop = 0; loop < loops; ++loop) enclosing.push_back(loop);
      const u32 size = 1u << random.range(0, 3);
      const u64 scale = random.chance(70) ? size : random.range(1, 9);
      const ExprId base = k.pointer(is_write ? 0 : 1);
      const ExprId at = index(loops);
      const ExprId address =
          random.chance(60) ? k.element(base, at, scale) : k.unsigned_element(base, at, scale);
      k.site(random.chance(5) ? AccessKind::kReadWrite
             : is_write       ? AccessKind::kWrite
                              : AccessKind::kRead,
             address, size, conditions, enclosing);
    }
  }
};

// Runs every thread; accesses by site.
class BruteForce {
 public:
  BruteForce(const analysis::Summary& summary, const Launch& launch,
             const std::vector<Unknown>& unknowns)
      : summary_(summary), launch_(launch), unknowns_(unknowns), concrete_(summary.expressions) {
    moment_.opaques.resize(unknowns.size());
    accesses.resize(summary.sites.size());
    moment_.iterations.assign(summary.loops.size(), 0);
    for (u32 by = 0; by < launch.grid[1]; ++by)
      for (u32 bx = 0; bx < launch.grid[0]; ++bx)
        for (u32 ty = 0; ty < launch.block[1]; ++ty)
          for (u32 tx = 0; tx < launch.block[0]; ++tx) {
            moment_.block = {bx, by, 0};
            moment_.thread = {tx, ty, 0};
            run(0);
          }
  }
  std::vector<std::vector<Access>> accesses;

 private:
  // The sites directly inside `depth` loops, then the loop at that depth.
  void run(u32 depth) {
    visit(depth);
    if (depth == summary_.loops.size()) return;
    u64& iteration = moment_.iterations[depth];
    for (iteration = 0; iteration < kIterationCap; ++iteration) {
      run(depth + 1);
      // Inner loops are over; their numbers mean nothing to this loop's test.
      settle();
      if (!all(summary_.loops[depth].continues)) break;
    }
    iteration = 0;
  }
  // Unknowns get values that depend on the thread and on the iterations of their loops.
  void settle() {
    for (size_t i = 0; i < unknowns_.size(); ++i) {
      const Unknown& one = unknowns_[i];
      u64 hash = i + 1;
      const auto mix = [&hash](u64 value) {
        hash = (hash ^ (value + 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd;
        hash ^= hash >> 29;
      };
      for (u32 axis = 0; axis < 2; ++axis) {
        mix(moment_.block[axis]);
        mix(moment_.thread[axis]);
      }
      for (u32 loop = 0; loop < one.loops; ++loop) mix(moment_.iterations[loop]);
      moment_.opaques[i] = one.lo + hash % (one.hi - one.lo + 1);
    }
    concrete_.set(launch_, moment_);
  }
  bool all(const std::vector<ExprId>& conditions) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [this](ExprId id) { return concrete_.value(id).value_or(0) != 0; });
  }
  void visit(u32 depth) {
    settle();
    for (u32 site = 0; site < summary_.sites.size(); ++site) {
      const analysis::AccessSite& access = summary_.sites[site];
      if (access.loops.size() != depth || !all(access.conditions)) continue;
      if (const std::optional<u64> address = concrete_.value(access.address))
        accesses[site].push_back({*address, moment_.block, moment_.thread});
    }
  }

  const analysis::Summary& summary_;
  const Launch& launch_;
  const std::vector<Unknown>& unknowns_;
  ConcreteEvaluator concrete_;
  Moment moment_;
};

class RecordedWitness : public Witness {
 public:
  explicit RecordedWitness(const BruteForce& force) {
    for (u32 site = 0; site < force.accesses.size(); ++site)
      for (const Access& access : force.accesses[site])
        known_.insert({site, access.block, access.thread, access.address});
  }
  bool executes(u32 site, const std::array<u32, 3>& block, const std::array<u32, 3>& thread,
                u64 address, u64) override {
    return known_.contains({site, block, thread, address});
  }

 private:
  std::set<std::tuple<u32, std::array<u32, 3>, std::array<u32, 3>, u64>> known_;
};

struct Tally {
  u64 cases = 0, idempotent = 0, apart = 0, conflicts = 0, overlapping = 0, accesses = 0,
      bounded = 0, sites = 0;
};

void check_case(u64 seed, Tally& tally) {
  Random random(seed);
  RandomKernel kernel(random);
  kernel.build();
  const analysis::Summary& summary = kernel.k.summary;
  const auto size = [&random](u64 hi) { return static_cast<u32>(random.range(1, hi)); };
  Launch launch = make_launch(
      {size(4), random.chance(70) ? 1 : size(3), 1}, {size(8), random.chance(70) ? 1 : size(3), 1},
      {kBase, 0, random.chance(90) ? random.range(0, 20) : random.interesting(32),
       random.chance(90) ? random.range(0, 40) : random.interesting(32), random.range(0, 100)});
  // The second buffer: somewhere that makes footprints nearly meet.
  const u64 offset = random.chance(60) ? random.range(0, 300) : random.range(0, 40000);
  launch.constant_bank.set_value(kParameterBase + 8,
                                 random.chance(50) ? kBase + offset : kBase - offset, 8);
  const BruteForce force(summary, launch, kernel.unknowns);
  const std::string where = "seed " + std::to_string(seed);

  Evaluator evaluator(summary);
  TripCounts trips(summary);
  FootprintBuilder builder(summary, evaluator, trips);
  evaluator.begin_launch(launch);
  trips.compute(evaluator);
  std::vector<AccessPiece> pieces;
  std::vector<std::pair<size_t, size_t>> of_site;
  for (u32 site = 0; site < summary.sites.size(); ++site) {
    const size_t before = pieces.size();
    const SiteState state = builder.add_site(site, pieces);
    of_site.push_back({before, pieces.size()});
    ++tally.sites;
    if (state == SiteState::kWraps) continue;
    ++tally.bounded;
    for (const Access& access : force.accesses[site]) {
      ++tally.accesses;
      AccessPiece single;
      single.size = summary.sites[site].size;
      single.first = access.address;
      single.last = access.address + single.size - 1;
      single.base = access.address;
      bool inside = false;
      for (size_t i = before; i < pieces.size() && !inside; ++i)
        inside = pieces[i].first <= single.first && single.last <= pieces[i].last &&
                 !provably_disjoint(single, pieces[i]);
      ASSERT_TRUE(inside) << where << " site " << site << " "
                          << summary.expressions.to_string(summary.sites[site].address);
    }
    if (state == SiteState::kDead) {
      EXPECT_TRUE(force.accesses[site].empty()) << where;
    }
  }
  // Pairs of sites: "disjoint" is true of the accesses.
  const auto bytes_of = [&](u32 site) {
    std::set<u64> bytes;
    for (const Access& access : force.accesses[site])
      for (u32 i = 0; i < summary.sites[site].size; ++i) bytes.insert(access.address + i);
    return bytes;
  };
  std::vector<std::set<u64>> bytes;
  for (u32 site = 0; site < summary.sites.size(); ++site) bytes.push_back(bytes_of(site));
  const auto meet = [&](u32 a, u32 b) {
    return std::any_of(bytes[a].begin(), bytes[a].end(),
                       [&](u64 byte) { return bytes[b].contains(byte); });
  };
  bool overlap = false;
  for (u32 a = 0; a < summary.sites.size(); ++a)
    for (u32 b = 0; b < summary.sites.size(); ++b) {
      const bool touching = meet(a, b);
      if (summary.sites[a].kind != AccessKind::kWrite && summary.sites[b].kind != AccessKind::kRead)
        overlap |= touching;
      if (!touching || of_site[a].first == of_site[a].second ||
          of_site[b].first == of_site[b].second)
        continue;
      bool all_apart = true;
      for (size_t i = of_site[a].first; i < of_site[a].second; ++i)
        for (size_t j = of_site[b].first; j < of_site[b].second; ++j)
          all_apart = all_apart && provably_disjoint(pieces[i], pieces[j]);
      EXPECT_FALSE(all_apart) << where << " sites " << a << " " << b;
    }

  RecordedWitness witness(force);
  const Verdict verdict = validate(summary, launch, &witness);
  ++tally.cases;
  tally.apart += overlap ? 0 : 1;
  tally.overlapping += overlap ? 1 : 0;
  if (verdict.kind == VerdictKind::kIdempotent) {
    ++tally.idempotent;
    EXPECT_FALSE(overlap) << where;
  }
  if (verdict.kind == VerdictKind::kConflict) {
    ++tally.conflicts;
    ASSERT_FALSE(verdict.conflicts.empty()) << where;
    const Conflict& conflict = verdict.conflicts[0];
    EXPECT_TRUE(bytes[conflict.read_site].contains(conflict.lo)) << where;
    EXPECT_TRUE(bytes[conflict.write_site].contains(conflict.lo)) << where;
  }
}

TEST(Footprint, AgreesWithBruteForce) {
  Tally tally;
  for (u64 seed = 1; seed <= 6000 && !HasFailure(); ++seed) check_case(seed, tally);
  std::printf(
      "cases %llu apart %llu idempotent %llu overlapping %llu conflicts %llu accesses %llu "
      "bounded %llu of %llu\n",
      static_cast<unsigned long long>(tally.cases), static_cast<unsigned long long>(tally.apart),
      static_cast<unsigned long long>(tally.idempotent),
      static_cast<unsigned long long>(tally.overlapping),
      static_cast<unsigned long long>(tally.conflicts),
      static_cast<unsigned long long>(tally.accesses),
      static_cast<unsigned long long>(tally.bounded), static_cast<unsigned long long>(tally.sites));
  // Not vacuous: both answers occur often, and most of what is apart is found to be.
  EXPECT_GT(tally.accesses, 100'000u);
  EXPECT_GT(tally.idempotent * 10, tally.apart * 5);
  EXPECT_GT(tally.conflicts * 10, tally.overlapping * 5);
}

}  // namespace
}  // namespace picker::validate
