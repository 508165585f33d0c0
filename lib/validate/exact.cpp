#include "validate/exact.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace picker::validate {
namespace {

using analysis::Reason;
using Event = ThreadWalk::Event;

constexpr size_t kMaxSpans = size_t{1} << 22;

// Bytes [lo, hi) touched by the instruction at `code_offset`.
struct Span {
  u64 lo;
  u64 hi;
  u32 code_offset;
  bool certain;
  u32 epoch = 0;            // barriers of the whole block passed before
  bool shieldable = false;  // a read that an earlier store may shield
};

// Disjoint intervals, end by start.
using Intervals = std::map<u64, u64>;

// The parts of `span` that `covered` leaves.
void add_uncovered(const Span& span, const Intervals& covered, std::vector<Span>& out) {
  u64 at = span.lo;
  const auto add = [&](u64 lo, u64 hi) {
    Span part = span;
    part.lo = lo;
    part.hi = hi;
    out.push_back(part);
  };
  auto it = covered.upper_bound(at);
  if (it != covered.begin() && std::prev(it)->second > at)
    at = std::min(span.hi, std::prev(it)->second);
  for (; it != covered.end() && it->first < span.hi && at < span.hi; ++it) {
    if (it->first > at) add(at, it->first);
    at = std::max(at, std::min(span.hi, it->second));
  }
  if (at < span.hi) add(at, span.hi);
}

// The parts of the read `event` that no earlier certain store of the same thread covers.
void add_unshielded(const Event& event, const Intervals& own, std::vector<Span>& out) {
  Span span{event.address,     event.address + event.bytes,
            event.code_offset, event.known_address,
            event.epoch,       event.shieldable};
  // An asynchronous load is not called shielded, but behind the thread's own store to the bytes it
  // is no certain conflict either.
  const auto touches_own = [&] {
    const auto it = own.upper_bound(span.hi - 1);
    return it != own.begin() && std::prev(it)->second > span.lo;
  };
  if (event.asynchronous && touches_own()) span.certain = false;
  if (event.shieldable)
    add_uncovered(span, own, out);
  else
    out.push_back(span);
}

// Adds [lo, hi) to a set of disjoint intervals.
void insert(Intervals& set, u64 lo, u64 hi) {
  auto it = set.upper_bound(lo);
  if (it != set.begin() && std::prev(it)->second >= lo) {
    --it;
    lo = it->first;
    hi = std::max(hi, it->second);
    it = set.erase(it);
  }
  while (it != set.end() && it->first <= hi) {
    hi = std::max(hi, it->second);
    it = set.erase(it);
  }
  set.emplace(lo, hi);
}

// Leaves out of `reads`, all of one block, what stores of the block ahead of a barrier shield.
void shield_by_block(std::vector<Span>& reads, std::vector<Span>& stores) {
  const auto by_epoch = [](const Span& a, const Span& b) { return a.epoch < b.epoch; };
  std::sort(reads.begin(), reads.end(), by_epoch);
  std::sort(stores.begin(), stores.end(), by_epoch);
  Intervals covered;
  std::vector<Span> left;
  auto store = stores.begin();
  for (const Span& read : reads) {
    for (; store != stores.end() && store->epoch < read.epoch; ++store)
      insert(covered, store->lo, store->hi);
    if (read.shieldable)
      add_uncovered(read, covered, left);
    else
      left.push_back(read);
  }
  reads = std::move(left);
}

// Reasons that a complete walk over all threads answers by itself.
bool is_about_ranges(Reason reason) {
  switch (reason) {
    case Reason::kAddressFromMemory:
    case Reason::kAddressUnknown:
    case Reason::kAddressRangeWraps:
    case Reason::kTripCountUnknown:
    case Reason::kOverlapOfRanges:
    case Reason::kIndeterminateWrites:
      return true;
    default:
      return false;
  }
}

// Whether `finding` may still matter after every thread was followed.
bool still_matters(const analysis::Finding& finding, const ThreadWalk& walk) {
  if (finding.reason == Reason::kIndeterminateWrites) return false;
  switch (finding.reason) {
    // Facts of the file, not of an instruction.
    case Reason::kUnknownAttribute:
    case Reason::kUnknownRelocation:
    case Reason::kBudget:
    case Reason::kControlFlow:
      return true;
    default:
      break;
  }
  if (finding.conditions.empty() && finding.code_offset == 0) return true;
  return walk.executed(finding.code_offset);
}

u32 site_at(const analysis::Summary& summary, u32 code_offset, bool write) {
  for (u32 i = 0; i < summary.sites.size(); ++i) {
    const analysis::AccessSite& site = summary.sites[i];
    const bool matches = write ? site.kind != analysis::AccessKind::kRead
                               : site.kind != analysis::AccessKind::kWrite;
    if (site.code_offset == code_offset && matches) return i;
  }
  return 0;
}

// Adds what the threads of one block read without a shield and what they write; false where one
// cannot be followed to its end, or there is too much.
bool follow_block(const Launch& launch, ThreadWalk& walk, const std::array<u32, 3>& block,
                  std::vector<Span>& reads, std::vector<Span>& writes) {
  std::vector<Span> here, stores;
  bool whole_barriers = true;
  for (u32 tz = 0; tz < launch.block[2]; ++tz)
    for (u32 ty = 0; ty < launch.block[1]; ++ty)
      for (u32 tx = 0; tx < launch.block[0]; ++tx) {
        if (walk.steps_left() == 0 || reads.size() + here.size() + writes.size() > kMaxSpans)
          return false;
        const ThreadWalk::Walk& one = walk.walk(block, {tx, ty, tz}, false);
        if (!one.complete) return false;
        whole_barriers = whole_barriers && one.only_whole_barriers;
        Intervals own;
        for (const Event& event : one.events) {
          const u64 end = event.address + event.bytes;
          if (!event.address_is_value || end < event.address) return false;
          if (event.read) add_unshielded(event, own, here);
          if (event.write)
            writes.push_back({event.address, end, event.code_offset, event.known_address});
          if (!event.may_shield) continue;
          insert(own, event.address, end);
          if (event.epoch < one.epochs)  // it passed a barrier afterwards
            stores.push_back({event.address, end, event.code_offset, true, event.epoch});
        }
      }
  if (whole_barriers && !stores.empty()) shield_by_block(here, stores);
  reads.insert(reads.end(), here.begin(), here.end());
  return true;
}

}  // namespace

Verdict validate_exactly(const analysis::Summary& summary, const Launch& launch, ThreadWalk& walk) {
  Verdict verdict = validate(summary, launch, &walk);
  if (verdict.kind != VerdictKind::kUnknown || launch.programmatic) return verdict;
  // User constants are read through the constant cache, which the walk does not record.
  for (const analysis::ModuleSymbol& symbol : summary.symbols)
    if (symbol.constant_bank) return verdict;
  std::vector<Span> reads, writes;
  for (u32 bz = 0; bz < launch.grid[2]; ++bz)
    for (u32 by = 0; by < launch.grid[1]; ++by)
      for (u32 bx = 0; bx < launch.grid[0]; ++bx)
        if (!follow_block(launch, walk, {bx, by, bz}, reads, writes)) return verdict;
  for (const analysis::Finding& finding : summary.findings)
    if (still_matters(finding, walk)) return verdict;
  if (!is_about_ranges(verdict.reason) && summary.findings.empty()) return verdict;

  const auto by_start = [](const Span& a, const Span& b) { return a.lo < b.lo; };
  std::sort(reads.begin(), reads.end(), by_start);
  std::sort(writes.begin(), writes.end(), by_start);
  // A sweep over both lists; `last` is the write that reaches furthest among those begun.
  std::optional<std::pair<Span, Span>> overlap;
  size_t w = 0;
  std::optional<Span> furthest;
  for (const Span& read : reads) {
    while (w < writes.size() && writes[w].lo < read.hi) {
      if (!furthest || writes[w].hi > furthest->hi) furthest = writes[w];
      ++w;
    }
    if (furthest && furthest->hi > read.lo) {
      overlap = {read, *furthest};
      if (read.certain && furthest->certain) break;
    }
  }
  verdict.tier = Tier::kExact;
  verdict.conflicts.clear();
  verdict.code_offsets.clear();
  verdict.detail.clear();
  if (!overlap) {
    verdict.kind = VerdictKind::kIdempotent;
    verdict.contracts.clear();
    return verdict;
  }
  const auto& [read, write] = *overlap;
  Conflict conflict;
  conflict.lo = std::max(read.lo, write.lo);
  conflict.hi = std::min(read.hi, write.hi);
  conflict.read_site = site_at(summary, read.code_offset, false);
  conflict.write_site = site_at(summary, write.code_offset, true);
  verdict.conflicts.push_back(conflict);
  verdict.code_offsets = {read.code_offset, write.code_offset};
  verdict.reason = Reason::kOverlapOfRanges;
  // A load behind a barrier may be shielded by another thread's store: not decided here.
  if (read.certain && write.certain && !walk.passed_barriers())
    verdict.kind = VerdictKind::kConflict;
  return verdict;
}

}  // namespace picker::validate
