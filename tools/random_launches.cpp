#include "tools/random_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

#include "analysis/analyzer.hpp"
#include "emulator/random.hpp"
#include "oracle/containment.hpp"
#include "oracle/truth.hpp"
#include "support/parallel.hpp"
#include "tools/emulation.hpp"
#include "tools/selection.hpp"
#include "tools/site_text.hpp"
#include "validate/exact.hpp"

namespace picker::tools {
namespace {

using emulator::End;
using emulator::Random;

// Pointers of the suite lie here; nothing else does.
constexpr u64 kLowestPointer = 0x7e0000000000;
constexpr u64 kHighestPointer = 0x800000000000;
constexpr u64 kFarApart = u64{1} << 33;
constexpr u64 kMostThreads = 4096;

// A kernel of the suite with everything that its launches share.
struct Subject {
  Selection selection;
  analysis::Summary summary;
  bool uses_shared_memory = false;
  std::vector<const SampleLaunch*> launches;
  [[nodiscard]] const container::Cubin& cubin() const { return *selection.kernels.front().cubin; }
  [[nodiscard]] const container::Kernel& kernel() const {
    return *selection.kernels.front().kernel;
  }
};

// Where a pointer stands in the parameters, and the bytes reached around it in the first run.
struct Pointer {
  u64 offset = 0;  // in the parameters
  u64 value = 0;
  bool reads = false, writes = false;
  u64 lo = ~u64{0}, hi = 0;  // reached: first byte, one past the last
  u32 element = 4;           // bytes of its smallest access
};

// Sorted, disjoint ranges of bytes.
class ByteSet {
 public:
  void add(u64 lo, u64 bytes) {
    if (!ranges_.empty() && ranges_.back().first <= lo && lo <= ranges_.back().second) {
      ranges_.back().second = std::max(ranges_.back().second, lo + bytes);
    } else {
      ranges_.emplace_back(lo, lo + bytes);
    }
  }
  void sort() {
    std::ranges::sort(ranges_);
    size_t kept = 0;
    for (const auto& range : ranges_) {
      if (kept != 0 && range.first <= ranges_[kept - 1].second)
        ranges_[kept - 1].second = std::max(ranges_[kept - 1].second, range.second);
      else
        ranges_[kept++] = range;
    }
    ranges_.resize(kept);
  }
  [[nodiscard]] const std::vector<std::pair<u64, u64>>& ranges() const { return ranges_; }

 private:
  std::vector<std::pair<u64, u64>> ranges_;  // [first, second)
};

// The bytes of a run, and how close reads and writes come.
class Reach : public emulator::Recorder {
 public:
  void record(const emulator::Access& access) override {
    element_ = std::min(element_, access.bytes);
    for (u32 lane = 0; lane < emulator::kWarpSize; ++lane) {
      if (((access.lanes >> lane) & 1) == 0) continue;
      if (access.read) reads_.add(access.address[lane], access.bytes);
      if (access.write) writes_.add(access.address[lane], access.bytes);
    }
  }
  void finish() {
    reads_.sort();
    writes_.sort();
  }
  // Whether the launch is in the boundary stratum.
  [[nodiscard]] bool at_boundary() const {
    const u64 near = u64{element_ == ~u32{0} ? 4 : element_} + 1;
    u64 common = 0;
    u64 gap = ~u64{0};
    size_t i = 0;
    size_t k = 0;
    const auto& r = reads_.ranges();
    const auto& w = writes_.ranges();
    while (i < r.size() && k < w.size()) {
      const u64 lo = std::max(r[i].first, w[k].first);
      const u64 hi = std::min(r[i].second, w[k].second);
      if (lo < hi)
        common += hi - lo;
      else
        gap = std::min(gap, lo - hi);  // the later one starts where or after the other ends
      (r[i].second < w[k].second ? i : k)++;
    }
    return common == 0 ? gap <= near : common <= near;
  }
  [[nodiscard]] const ByteSet& reads() const { return reads_; }
  [[nodiscard]] const ByteSet& writes() const { return writes_; }
  [[nodiscard]] u32 element() const { return element_ == ~u32{0} ? 4 : element_; }

 private:
  ByteSet reads_, writes_;
  u32 element_ = ~u32{0};
};

void put(std::vector<u8>& bytes, u64 offset, u64 value, u64 size) {
  std::memcpy(bytes.data() + offset, &value, size);
}

// One launch being made.
class Draw {
 public:
  Draw(const Subject& subject, const SampleLaunch& base, LaunchArguments arguments, Random random,
       u64 max_steps)
      : subject_(subject),
        base_(base),
        arguments_(std::move(arguments)),
        random_(random),
        max_steps_(max_steps) {}

  // False if no launch came of it (`report.set_aside` says why).
  bool judge(RandomLaunchReport& report) {
    arguments_.allocations.clear();  // then every address is accessible
    change_integers();
    change_shape();
    find_pointers();
    for (size_t i = 0; i < pointers_.size(); ++i) place(i, kLowestPointer + (i + 1) * kFarApart);
    contents_ = random_.below(3);
    if (!probe(report)) return false;
    place_pointers();
    return compare(report);
  }

 private:
  bool chance(u64 percent) { return random_.below(100) < percent; }
  u64 pick(std::initializer_list<u64> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_.below(values.size())));
  }

  // Integers that are passed by themselves; those in structures mean too many things.
  void change_integers() {
    const auto& parameters = subject_.kernel().parameters;
    for (size_t i = 0; i < parameters.size() && i < base_.argument_texts.size(); ++i) {
      const std::string& text = base_.argument_texts[i];
      if (text.find(':') != std::string::npos || parameters[i].size > 8 || !chance(35)) continue;
      u64 old = 0;
      std::memcpy(&old, arguments_.parameters.data() + parameters[i].offset, parameters[i].size);
      if (old >= kLowestPointer && old < kHighestPointer) continue;
      const u64 threads = u64{arguments_.grid.x} * arguments_.block.x;
      const u64 drawn =
          pick({old + 1, old - 1, old / 2, old * 2, 0, 1, 2, random_.below(70), random_.below(70),
                threads, threads - 1, threads + 1, 32, 33, random_.below(2000), ~u64{0},
                u64{1} << 31, (u64{1} << 31) - 1, 0x40000001});
      put(arguments_.parameters, parameters[i].offset, drawn, parameters[i].size);
    }
  }

  void change_shape() {
    auto& grid = arguments_.grid;
    auto& block = arguments_.block;
    if (chance(25)) grid.x = static_cast<u32>(1 + random_.below(6));
    if (chance(10) && grid.y > 1) grid.y = static_cast<u32>(1 + random_.below(4));
    const bool free = !subject_.uses_shared_memory && arguments_.dynamic_shared_bytes == 0 &&
                      !subject_.kernel().required_threads;
    if (free && chance(25))
      block.x = static_cast<u32>(pick({1, 31, 32, 33, 64, 96, 1 + random_.below(128)}));
    const u64 most = subject_.kernel().max_threads
                         ? u64{subject_.kernel().max_threads->x} *
                               subject_.kernel().max_threads->y * subject_.kernel().max_threads->z
                         : 1024;
    while (u64{block.x} * block.y * block.z > most && block.x > 1) block.x /= 2;
    while (u64{grid.x} * grid.y * grid.z * block.x * block.y * block.z > kMostThreads && grid.x > 1)
      grid.x /= 2;
    // Other grids are refused by the driver.
    const auto whole_clusters = [](u32& blocks, u32 cluster) {
      blocks = std::max(blocks, cluster) / cluster * cluster;
    };
    whole_clusters(grid.x, arguments_.cluster.x);
    whole_clusters(grid.y, arguments_.cluster.y);
    whole_clusters(grid.z, arguments_.cluster.z);
  }

  void find_pointers() {
    for (u64 at = 0; at + 8 <= arguments_.parameters.size(); at += 8) {
      u64 value = 0;
      std::memcpy(&value, arguments_.parameters.data() + at, 8);
      if (value >= kLowestPointer && value < kHighestPointer)
        pointers_.push_back({at, value, false, false, ~u64{0}, 0, 4});
    }
  }

  void place(size_t i, u64 value) {
    pointers_[i].value = value;
    put(arguments_.parameters, pointers_[i].offset, value, 8);
  }

  [[nodiscard]] Expected<Emulation> prepare() const {
    Expected<Emulation> emulation =
        prepare_emulation(subject_.cubin(), subject_.kernel(), arguments_);
    if (!emulation || contents_ == 0) return emulation;
    // Small numbers (indices that stay near) or any numbers, where the first run reached.
    Random random(seed_of_contents_);
    std::vector<u8> bytes;
    for (const Pointer& pointer : pointers_) {
      const u64 size =
          pointer.hi > pointer.lo ? std::min<u64>(pointer.hi - pointer.lo, 65536) : 4096;
      bytes.assign(size, 0);
      for (u64 k = 0; k + 4 <= size; k += 4) {
        const u32 word =
            contents_ == 1 ? static_cast<u32>(random.below(64)) : static_cast<u32>(random.next());
        std::memcpy(bytes.data() + k, &word, 4);
      }
      emulation->memory.write(pointer.value, bytes);
    }
    return emulation;
  }

  // The run with all pointers far apart.
  bool probe(RandomLaunchReport& report) {
    seed_of_contents_ = random_.next();
    Expected<Emulation> emulation = prepare();
    if (!emulation) {
      ++report.not_modelled;
      return false;
    }
    Reach reach;
    emulator::Options options;
    options.max_steps = max_steps_;
    options.recorder = &reach;
    const emulator::Outcome outcome =
        emulator::run(emulation->program, emulation->launch, emulation->memory, options);
    if (outcome.end != End::kDone) {
      ++(outcome.end == End::kUnmodelled ? report.not_modelled : report.set_aside);
      return false;
    }
    reach.finish();
    const auto note = [&](const ByteSet& set, bool Pointer::* kind) {
      for (const auto& [lo, hi] : set.ranges())
        for (Pointer& pointer : pointers_) {
          if (lo + kFarApart / 2 < pointer.value || lo > pointer.value + kFarApart / 2) continue;
          pointer.*kind = true;
          pointer.lo = std::min(pointer.lo, lo);
          pointer.hi = std::max(pointer.hi, hi);
        }
    };
    note(reach.reads(), &Pointer::reads);
    note(reach.writes(), &Pointer::writes);
    for (Pointer& pointer : pointers_) pointer.element = reach.element();
    return true;
  }

  void place_pointers() {
    std::vector<size_t> writers, reached;
    for (size_t i = 0; i < pointers_.size(); ++i) {
      if (pointers_[i].writes) writers.push_back(i);
      if (pointers_[i].lo < pointers_[i].hi) reached.push_back(i);
    }
    if (writers.empty() || reached.size() < 2) return;
    const u64 moves = chance(25) ? 2 : 1;
    for (u64 move = 0; move < moves; ++move) {
      const size_t w = writers[random_.below(writers.size())];
      const size_t other = reached[random_.below(reached.size())];
      if (other == w) continue;
      // Which of the two moves does not matter; the one that moves is placed against the other.
      const bool swap = chance(50);
      const size_t moving = swap ? other : w;
      const size_t still = swap ? w : other;
      const Pointer& m = pointers_[moving];
      const Pointer& s = pointers_[still];
      const u64 before = m.value - m.lo;  // how far its first byte lies below the pointer
      const u64 length_m = m.hi - m.lo;
      const u64 length_s = s.hi - s.lo;
      const u64 element = m.element;
      const u64 nudge =
          pick({0, 0, element, u64{0} - element, element + 1, u64{0} - element - 1, 1, ~u64{0}});
      u64 start = m.lo;
      const u64 kind = random_.below(100);
      if (kind < 48)
        start = s.hi + nudge;  // just behind
      else if (kind < 85)
        start = s.lo - length_m + nudge;  // just before
      else if (kind < 88)
        start = s.lo + before - (s.value - s.lo) + nudge;  // the same pointer, nearly
      else if (kind < 92)
        start = s.lo + element * random_.below(8);  // interleaved, if there are gaps
      else if (kind < 96)
        start = s.lo + random_.below(length_s + 1) / element * element;
      else
        continue;  // apart
      // A pointer that is not aligned faults, unless the kernel works byte by byte.
      u64 value = start + before;
      if (element > 1 && !chance(5)) value -= (value - m.value) % std::min<u64>(element, 16);
      const u64 shift = value - m.value;
      place(moving, value);
      pointers_[moving].lo += shift;
      pointers_[moving].hi += shift;
    }
  }

  [[nodiscard]] std::string words() const {
    std::string text = fmt::format(
        "{} of {} ({}): grid {},{},{} block {},{},{} contents {}/{} hex:", base_.kernel,
        base_.sample, base_.name, arguments_.grid.x, arguments_.grid.y, arguments_.grid.z,
        arguments_.block.x, arguments_.block.y, arguments_.block.z, contents_, seed_of_contents_);
    for (const u8 byte : arguments_.parameters) text += fmt::format("{:02x}", byte);
    return text;
  }

  bool compare(RandomLaunchReport& report) {
    const auto launch =
        make_launch(subject_.cubin(), subject_.kernel(), subject_.summary, arguments_);
    Expected<Emulation> emulation = prepare();
    if (!launch || !emulation) {
      ++report.not_modelled;
      return false;
    }
    oracle::ContainmentCheck containment(subject_.summary, *launch);
    Reach reach;
    emulator::BothRecorders both(containment, &reach);
    oracle::TruthOptions options;
    options.seed = random_.next();
    options.max_steps = max_steps_;
    options.kills = 2;
    options.also = &both;
    const oracle::TruthReport truth =
        oracle::examine(emulation->program, emulation->launch, emulation->memory, options);
    if (truth.outcome.end != End::kDone) {
      ++(truth.outcome.end == End::kUnmodelled ? report.not_modelled : report.set_aside);
      return false;
    }
    containment.check_shields(truth.unshielded_reads);
    reach.finish();
    validate::ThreadWalk walk(subject_.cubin(), subject_.kernel(), subject_.summary, *launch);
    const validate::Verdict verdict = validate::validate_exactly(subject_.summary, *launch, walk);
    const bool boundary = reach.at_boundary();
    const auto fail = [&](std::string what) {
      report.failures.push_back({std::move(what), words()});
    };

    ++report.launches;
    report.boundary += boundary;
    if (!truth.strict.idempotent) {
      ++report.not_idempotent;
      report.not_idempotent_boundary += boundary;
    }
    report.accesses_checked += containment.report().checked;
    report.accesses_unbounded += containment.report().unbounded;
    for (const oracle::Escape& escape : containment.report().escapes)
      fail(fmt::format("escape: {}, {} bytes at {:#x}, {}", escape.why, escape.bytes,
                       escape.address, emulation->program.describe(escape.code_offset)));
    const bool idempotent = truth.all_idempotent();
    if (idempotent) {
      ++report.idempotent;
      report.idempotent_boundary += boundary;
    }
    switch (verdict.kind) {
      case validate::VerdictKind::kIdempotent:
        ++report.called_idempotent;
        report.called_idempotent_boundary += boundary;
        if (!idempotent)
          fail(fmt::format("called idempotent; strict {}, restart {}, junk {}",
                           truth.strict.idempotent, truth.restart.idempotent,
                           truth.junk.idempotent));
        break;
      case validate::VerdictKind::kConflict:
        ++report.called_conflict;
        if (truth.strict.idempotent) fail("called a conflict; the strict truth has none");
        break;
      case validate::VerdictKind::kUnknown:
        if (idempotent) {
          const std::string reason(analysis::reason_info(verdict.reason).name);
          ++report.missed[reason];
          if (boundary) ++report.missed_boundary[reason];
        }
        break;
    }
    return true;
  }

  const Subject& subject_;
  const SampleLaunch& base_;
  LaunchArguments arguments_;
  Random random_;
  u64 max_steps_;
  std::vector<Pointer> pointers_;
  u64 contents_ = 0;  // 0: zeros, 1: small numbers, 2: any
  u64 seed_of_contents_ = 0;
};

void add(RandomLaunchReport& to, const RandomLaunchReport& from) {
  to.launches += from.launches;
  to.set_aside += from.set_aside;
  to.not_modelled += from.not_modelled;
  to.boundary += from.boundary;
  to.not_idempotent += from.not_idempotent;
  to.not_idempotent_boundary += from.not_idempotent_boundary;
  to.called_idempotent += from.called_idempotent;
  to.called_idempotent_boundary += from.called_idempotent_boundary;
  to.called_conflict += from.called_conflict;
  to.idempotent += from.idempotent;
  to.idempotent_boundary += from.idempotent_boundary;
  for (const auto& [reason, count] : from.missed) to.missed[reason] += count;
  for (const auto& [reason, count] : from.missed_boundary) to.missed_boundary[reason] += count;
  to.accesses_checked += from.accesses_checked;
  to.accesses_unbounded += from.accesses_unbounded;
  to.failures.insert(to.failures.end(), from.failures.begin(), from.failures.end());
}

}  // namespace

Expected<RandomLaunchReport> try_random_launches(const std::vector<SampleLaunch>& suite,
                                                 const RandomLaunchOptions& options) {
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Subject>> subjects;
  for (const SampleLaunch& launch : suite) {
    if (!options.only.empty() && launch.sample != options.only) continue;
    auto& subject = subjects[{launch.options.file, launch.kernel}];
    if (subject == nullptr) {
      Expected<Selection> selection =
          select_one_kernel(launch.options.file, launch.kernel, std::nullopt);
      if (!selection) return std::unexpected(selection.error());
      subject = std::make_unique<Subject>();
      subject->selection = std::move(*selection);
      subject->summary = analysis::analyze(subject->cubin(), subject->kernel());
      subject->uses_shared_memory = subject->kernel().static_shared_size != 0;
    }
    subject->launches.push_back(&launch);
  }
  if (subjects.empty()) return usage_error("no sample of that name");
  std::vector<const Subject*> all;
  all.reserve(subjects.size());
  for (const auto& [name, subject] : subjects) all.push_back(subject.get());

  // Rounds of draws until enough launches counted; each draw has a seed of its own, so the result
  // does not depend on how many threads there are.
  RandomLaunchReport total;
  u64 drawn = 0;
  constexpr u64 kMostDrawsPerLaunch = 50;
  while (total.launches < options.count && drawn < options.count * kMostDrawsPerLaunch) {
    const u64 round = std::min<u64>(std::max<u64>(options.count - total.launches, 16), 4096);
    std::vector<RandomLaunchReport> parts(round);
    parallel_for(round, [&](std::size_t i) {
      Random random = emulator::random_for(options.seed, 20, drawn + i);
      const Subject& subject = *all[random.below(all.size())];
      const SampleLaunch& base = *subject.launches[random.below(subject.launches.size())];
      Expected<LaunchArguments> arguments = resolve_launch(base.options, subject.kernel());
      if (!arguments) {
        ++parts[i].set_aside;
        return;
      }
      Draw(subject, base, std::move(*arguments), random, options.max_steps).judge(parts[i]);
    });
    drawn += round;
    for (const RandomLaunchReport& part : parts) add(total, part);
  }
  return total;
}

}  // namespace picker::tools
