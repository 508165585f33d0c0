// Kernels with atomics. Sums and maxima come out alike in every order; what an atomic returns does
// not, and is checked by what must hold of it.
#include <algorithm>
#include <bit>
#include <set>

#include "references/reference.hpp"

namespace picker::references {
namespace {

void atomicmax(Execution& run) {
  const auto in = run.pointer<i32>(0), greatest = run.pointer<i32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const i32 mine = t.decide(t.load(in, t.i()));
    t.atomic(Atomic::kMaximum, greatest, t.i() & 7, [&](i32 x) { return std::max(x, mine); });
  });
}

// The values returned are those of one order of the threads: a thread finds the greatest of the
// values before its own. So they climb from the first content to the last; whoever finds less than
// it brings has brought the next one, and each step is made by one thread.
void atomicmax_used(Execution& run) {
  const auto in = run.pointer<i32>(0), greatest = run.pointer<i32>(1), old = run.pointer<i32>(2);
  const auto n = run.argument<i32>(3);
  std::vector<i32> brought;
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const i32 mine = t.decide(t.load(in, t.i()));
    brought.push_back(mine);
    const Value<i32> found =
        t.atomic(Atomic::kMaximum, greatest, 0, [&](i32 x) { return std::max(x, mine); });
    t.store(old, t.i(), found);
    if (n > 1) run.open_bytes(old + t.i());
  });
  if (brought.empty()) return;
  const i32 first = run.before(greatest);
  run.check([=](const GlobalMemory& after) {
    std::set<i32> steps{first, Execution::get(after, greatest)};
    for (i32 i = 0; i < n; ++i) steps.insert(Execution::get(after, old + i));
    if (*steps.begin() != first || *steps.rbegin() != Execution::get(after, greatest)) return false;
    std::map<i32, u32> climbs;  // from each step
    for (i32 i = 0; i < n; ++i) {
      const i32 found = Execution::get(after, old + i), mine = brought[i];
      if (mine <= found) continue;
      const auto next = steps.upper_bound(found);
      if (next == steps.end() || *next != mine) return false;
      ++climbs[found];
    }
    return std::all_of(steps.begin(), std::prev(steps.end()),
                       [&](i32 step) { return climbs[step] == 1; });
  });
}

void exchstore(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n) t.store(out, t.i(), t.load(in, t.i()));
  });
}

void histogram_global(Execution& run) {
  const auto data = run.pointer<u8>(0);
  const auto bins = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() < n)
      t.atomic(Atomic::kAdd, bins, t.decide(t.load(data, t.i())), [](u32 x) { return x + 1; });
  });
}

// The bytes of a block counted; open if one of them is.
std::array<Value<u32>, 256> count_bytes(Execution& run, Block& block) {
  const auto data = run.pointer<u8>(0);
  const auto n = run.argument<i32>(2);
  std::array<Value<u32>, 256> count;
  bool open = false;
  block.barrier();
  block.each([&](Thread t) {
    const auto i = static_cast<i32>(t.b.x * 256 + t.t.x);
    if (i >= n) return;
    const Value<u8> byte = t.load(data, i);
    ++count[byte.value].value;
    open = open || byte.open;
  });
  block.barrier();
  for (Value<u32>& c : count) c.open = open;
  return count;
}
void histogram_shared(Execution& run) {
  const auto bins = run.pointer<u32>(1);
  run.each_block([&](Block block) {
    const auto count = count_bytes(run, block);
    block.each([&](Thread t) {
      const u32 mine = t.decide(count[t.t.x]);
      if (mine != 0) t.atomic(Atomic::kAdd, bins, t.t.x, [&](u32 x) { return x + mine; });
    });
  });
}
void histogram_rows(Execution& run) {
  const auto rows = run.pointer<u32>(1);
  run.each_block([&](Block block) {
    const auto count = count_bytes(run, block);
    block.each([&](Thread t) { t.store(rows, t.b.x * 256 + t.t.x, count[t.t.x]); });
  });
}

void shuffle_data(Preparation& p) { p.shuffle(p.run.pointer<u8>(0), p.run.argument<i32>(2)); }

// The last block, whichever it is, finds every block's sum in staging and adds them in their order.
void lastblock(Execution& run) {
  const auto in = run.pointer<float>(0), staging = run.pointer<float>(1);
  const auto counter = run.pointer<u32>(2);
  const auto total = run.pointer<float>(3);
  const auto n = run.argument<i32>(4);
  const u32 blocks = run.grid.x;
  std::vector<Value<float>> sums;
  run.each_block([&](Block block) {
    std::array<Value<float>, 128> part;
    block.each([&](Thread t) {
      const auto i = static_cast<i32>(t.b.x * 128 + t.t.x);
      part[t.t.x] = 0.0f;
      if (i < n) part[t.t.x] = t.load(in, i);
    });
    block.barrier();
    for (u32 half = 64; half > 0; half >>= 1)
      for (u32 t = 0; t < half; ++t) part[t] = part[t] + part[t + half];
    block.barrier();
    Thread first = block.thread(0);
    if (blocks == 1) return first.store(total, 0, part[0]);
    first.store(staging, block.index.x, part[0]);
    sums.push_back(part[0]);
    const Value<u32> turn = first.atomic(Atomic::kIncrement, counter, 0,
                                         [&](u32 x) { return x >= blocks - 1 ? 0 : x + 1; });
    if (turn.value != blocks - 1) return;
    // The counter starts at 0, so this is the last block in any order.
    Value<float> sum = 0.0f;
    for (const Value<float>& s : sums) sum = sum + s;
    first.store(total, 0, sum);
  });
}
void keep_counter(Preparation& p) {
  if (p.run.grid.x > 1) p.set(p.run.pointer<u32>(2), 0, u32{0});
}

// Signed and unsigned maximum do not commute as soon as a negative value is about.
void mixedmax(Execution& run) {
  const auto in = run.pointer<i32>(0), greatest = run.pointer<i32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const i32 mine = t.decide(t.load(in, t.i()));
    if (mine >= 0) {
      t.atomic(Atomic::kMaximum, greatest, 0, [&](i32 x) { return std::max(x, mine); });
    } else {
      t.atomic(Atomic::kUnsignedMaximum, greatest, 0, [&](i32 x) {
        return std::bit_cast<i32>(std::max(std::bit_cast<u32>(x), std::bit_cast<u32>(mine)));
      });
    }
  });
  // Of two kinds the last one decides: after a value of the other sign any value stays as it is, so
  // each of those brought may be the last. Of one kind it is the greatest, in every order.
  std::set<i32> brought;
  for (i32 i = 0; i < n; ++i) brought.insert(run.before(in, i));
  if (brought.empty() || (*brought.begin() < 0) == (*brought.rbegin() < 0)) return;
  run.open_bytes(greatest);
  run.check(
      [=](const GlobalMemory& after) { return brought.contains(Execution::get(after, greatest)); });
}

void red_add(Execution& run) {
  const auto in = run.pointer<float>(0), total = run.pointer<float>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const float mine = t.decide(t.load(in, t.i()));
    t.atomic(Atomic::kAdd, total, 0, [&](float x) { return x + mine; });
  });
}

void red_or(Execution& run) {
  const auto in = run.pointer<u32>(0), bits = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    const u32 mine = t.decide(t.load(in, t.i()));
    t.atomic(Atomic::kOr, bits, t.i() / 32, [&](u32 x) { return x | mine; });
  });
}

void red_guarded(Execution& run) {
  const auto in = run.pointer<float>(0), out = run.pointer<float>(1), total = run.pointer<float>(2);
  const auto n = run.argument<i32>(3);
  run.each_thread([&](Thread t) {
    if (t.i() >= n) return;
    t.store(out, t.i(), t.load(in, t.i()));
    if (run.grid.x > 1) t.atomic(Atomic::kAdd, total, 0, [](float x) { return x + 1; });
  });
}

// Every block fills its part with its elements, in some order. Where in overlaps that part, an
// element may be one that was stored meanwhile.
void slotalloc_of(Execution& run, bool only_odd) {
  const auto in = run.pointer<u32>(0), out = run.pointer<u32>(1);
  const auto n = run.argument<i32>(2);
  run.each_block([&](Block block) {
    const i64 first = i64{block.index.x} * run.block.x;
    std::multiset<u32> wanted;
    i64 slots = 0, stored = 0;
    bool open = false;
    block.each([&](Thread t) {
      if (t.i() >= n) return;
      const i64 slot = slots++;
      if (only_odd && (t.i() & 1) == 0) return;
      const Value<u32> mine = t.load(in, t.i());
      // Any thread of the block may have filled this slot before.
      const u64 part = (in + t.i()).address - (out + first).address;
      open = open || mine.open || part + 4 - 1 < 4 * u64{run.block.x} + 3;
      wanted.insert(mine.value);
      ++stored;
      t.store(out, first + slot, mine);
    });
    if (stored == 0) return;
    // Slots that the odd threads leave alone may be any.
    if (only_odd)
      block.each([&](Thread t) {
        if (static_cast<i64>(t.t.x) < slots && (t.t.x & 1) == 0) {
          const Pointer<u32> at = out + (first + t.t.x);
          t.store(out, first + t.t.x, {run.now(at), true});
        }
      });
    if (slots <= 1) return;
    run.open_bytes(out + first, static_cast<u64>(slots));
    if (open) return;
    std::vector<u32> before(static_cast<size_t>(slots));
    for (i64 i = 0; i < slots; ++i) before[i] = run.before(out, first + i);
    run.check([=](const GlobalMemory& after) {
      // Each slot holds an element of its own or, of `slots - stored`, what it held.
      std::multiset<u32> left = wanted;
      i64 kept = 0;
      for (i64 i = 0; i < slots; ++i) {
        const auto match = left.find(Execution::get(after, out + (first + i)));
        if (match != left.end())
          left.erase(match);
        else if (Execution::get(after, out + (first + i)) == before[i])
          ++kept;
        else
          return false;
      }
      return left.empty() && kept == slots - stored;
    });
  });
}
void slotalloc(Execution& run) { slotalloc_of(run, false); }
void slotalloc_odd(Execution& run) { slotalloc_of(run, true); }

}  // namespace

std::vector<Reference> atomics() {
  return {
      {"atomicmax", atomicmax, Fill::kWords},
      {"atomicmax_used", atomicmax_used, Fill::kWords, nullptr,
       "what an atomic returns hangs on the order"},
      {"exchstore", exchstore},
      {"histogram_global", histogram_global, Fill::kStated, shuffle_data},
      {"histogram_shared", histogram_shared, Fill::kStated, shuffle_data},
      {"histogram_rows", histogram_rows, Fill::kStated, shuffle_data},
      {"lastblock", lastblock, Fill::kWhole, keep_counter, nullptr, true},
      {"mixedmax", mixedmax, Fill::kWords, nullptr, "signed and unsigned maxima do not commute"},
      {"red_add", red_add, Fill::kWhole},
      {"red_or", red_or, Fill::kWords},
      {"red_guarded", red_guarded, Fill::kWhole},
      {"slotalloc", slotalloc, Fill::kWords, nullptr, "slots are handed out by an atomic"},
      {"slotalloc_odd", slotalloc_odd, Fill::kWords, nullptr, "slots are handed out by an atomic"}};
}

}  // namespace picker::references
