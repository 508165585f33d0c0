// Every launch of samples/*.json, emulated on every architecture with a cubin, against a plain C++
// reference of its kernel (references/): all of memory must be equal, bit by bit.
//
// Memory is filled from seeds, by kinds that make the kernel do something
// (references/reference.hpp, Fill), and so are 64 bytes on both sides of every allocation, which no
// launch may change. A launch runs twice, with other contents: in the usual schedule, and in one
// drawn from a seed. Four things are not compared bit by bit, and all are counted:
//
//   * floats for which the documentation gives an error bound: they must lie within it;
//   * bytes that hang on the order of threads, since buffers overlap: the reference finds them, and
//     there may be some only in launches that the table does not call idempotent. They are compared
//     with what these threads must have stored in the order that was taken; where that is not known
//     (several lanes store to one place at once, a warp shares out a tile) the launch is counted;
//   * launches in which that order decides addresses or trip counts: likewise;
//   * bytes that the kernel itself leaves open (clocks, slots by atomics): the reference says what
//     must hold of them instead.
//
// What the emulator does not execute is listed below; a launch on the list that runs to its end
// fails the test. So does a kernel without a reference, or one of whose bytes none was compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "references/reference.hpp"
#include "tests/sample_options.hpp"
#include "tools/emulation.hpp"
#include "tools/selection.hpp"

namespace picker::references {
namespace {

using emulator::End;
using nlohmann::json;

constexpr u64 kGuardBytes = 64;
// Larger allocations are filled where pointers point only.
constexpr u64 kMostFilledBytes = u64{1} << 24;
constexpr u64 kFilledBehindPointer = 4096;

// What the emulator does not execute. Remove a line once it does: the references are there.
struct NotEmulated {
  const char* kernel;
  const char* launch;        // null: all but `except`
  const char* architecture;  // null: all
  const char* why;
  const char* except = nullptr;
};
constexpr NotEmulated kNotEmulated[] = {
    {"gridsync", "three steps, apart", nullptr, "barriers of the grid"},
    {"gridsync", "one step, nothing to write", nullptr, "barriers of the grid"},
    {"texture", "100 elements", nullptr, "a texture that is not described"},
    {"texture", "one element", nullptr, "a texture that is not described"},
};

// How many launches there are of each kind. A launch that is no longer compared, or less of it, is
// not to go unnoticed.
struct Expected {
  const char* architecture;
  u32 launches;
  u32 compared;              // the others are misaligned or not emulated
  u32 misaligned;            // must end in a fault
  u32 not_emulated;          // kNotEmulated
  u32 some_bytes_by_order;   // of those compared: some bytes hang on the order of threads
  u32 order_decides;         // it decides more than values
  u32 not_followed;          // of the last two: some bytes are not known in the order taken either
  u32 some_bytes_by_nature;  // the kernel leaves some bytes open
};
constexpr Expected kExpected[] = {
    {"sm_70", 1026, 979, 43, 4, 295, 3, 18, 22},   {"sm_75", 1026, 979, 43, 4, 295, 3, 18, 22},
    {"sm_80", 1054, 1007, 43, 4, 304, 3, 20, 32},  {"sm_86", 1054, 1007, 43, 4, 304, 3, 20, 32},
    {"sm_90", 1084, 1037, 43, 4, 310, 3, 24, 32},  {"sm_100", 1084, 1037, 43, 4, 310, 3, 24, 32},
    {"sm_120", 1084, 1037, 43, 4, 310, 3, 24, 32},
};

// A launch of a table.
struct Case {
  std::string sample;
  std::string kernel;
  json launch;

  [[nodiscard]] std::string name() const { return launch["name"].get<std::string>(); }
};

u64 seed_of(const std::string& text) {
  u64 seed = 1469598103934665603u;  // FNV-1a
  for (const char c : text) seed = (seed ^ static_cast<u8>(c)) * 1099511628211u;
  return seed;
}

u32 random_word(Fill fill, emulator::Random& random) {
  const u64 bits = random.next();
  const auto fraction = static_cast<float>(bits >> 40) * 0x1p-24f;  // in [0, 1)
  const float sign = (bits & 1) != 0 ? -1.0f : 1.0f;
  const u64 kind = bits >> 1 & 15, exponent = bits >> 5 & 31;
  switch (fill) {
    case Fill::kFloats:
      if (kind == 0) return (bits & 1) != 0 ? 0x80000000 : 0;
      if (kind == 1) return static_cast<u32>(bits >> 32) & 0x807fffff;
      return std::bit_cast<u32>(sign * std::ldexp(1 + fraction, static_cast<int>(exponent) - 16));
    case Fill::kModerate:
      return std::bit_cast<u32>(8 * fraction - 4);
    case Fill::kPositive:
      return std::bit_cast<u32>(kind == 0 ? 1e7f * fraction : 30 * fraction);
    case Fill::kWhole:
      return std::bit_cast<u32>(static_cast<float>(kind) - 8);
    case Fill::kWords:
      return static_cast<u32>(bits >> 32);
    case Fill::kSmall:
      return static_cast<u32>(exponent % 10);
    case Fill::kHalves: {
      constexpr std::array<u32, 8> kWholes = {0xc200, 0xc000, 0xbc00, 0,
                                              0x3c00, 0x4000, 0x4200, 0x4400};
      return kWholes[bits & 7] | kWholes[bits >> 3 & 7] << 16;
    }
    case Fill::kStated:
      break;
  }
  return 0;
}

void write_words(GlobalMemory& memory, u64 address, u64 size, const std::function<u32(u64)>& word) {
  std::vector<u8> bytes(size);
  for (u64 at = 0; at < size; at += 4) {
    const u32 w = word(at / 4);
    std::memcpy(bytes.data() + at, &w, std::min<u64>(4, size - at));
  }
  memory.write(address, bytes);
}

// What one comparison found.
struct Comparison {
  std::vector<std::string> differences;
  u64 exact = 0, bounded = 0, by_order = 0, by_nature = 0;  // bytes that the kernel stores
};

// Notes what loads find and who writes last.
class Observer : public emulator::Recorder {
 public:
  explicit Observer(const GlobalMemory& memory) : memory_(memory) {}

  void record(const emulator::Access& access) override {
    ++accesses_;
    for (u32 lane = 0; lane < emulator::kWarpSize; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      const auto block = static_cast<u32>(access.block);
      const u32 thread = access.first_thread + lane;
      for (u64 at = access.address[lane]; at < access.address[lane] + access.bytes; ++at) {
        if (access.write) {
          Observed::Writer& writer = observed_.last_writer[at];
          const bool again = writer.access == accesses_;
          writer = {block, thread, again || access.read || access.discards, accesses_};
        } else {
          u8 byte = 0;
          memory_.read(at, {&byte, 1});
          observed_.loads[at].push_back({block, thread, byte});
        }
      }
    }
  }
  [[nodiscard]] const Observed& observed() const { return observed_; }

 private:
  const GlobalMemory& memory_;
  Observed observed_;
  u64 accesses_ = 0;
};

// A launch with its memory and what the reference makes of it.
class Trial {
 public:
  Trial(const Reference& reference, const tools::LaunchArguments& arguments,
        const container::Kernel& kernel, const GlobalMemory& as_stated, u64 seed)
      : reference_(reference), allocations_(arguments.allocations), before_(as_stated) {
    setting_.grid = {arguments.grid.x, arguments.grid.y, arguments.grid.z};
    setting_.block = {arguments.block.x, arguments.block.y, arguments.block.z};
    setting_.parameters = arguments.parameters;
    for (const auto& parameter : kernel.parameters)
      setting_.parameter_offsets.push_back(parameter.offset);
    for (const auto& symbol : arguments.symbols) setting_.symbols[symbol.name] = symbol.address;
    fill_memory(kernel, as_stated, seed);
    setting_.before = &before_;
    // First who writes what, then what follows.
    GlobalMemory scratch = before_;
    Execution first(setting_, scratch, nullptr);
    reference.apply(first);
    log_ = first.take_writes();
    after_ = before_;
    run_.emplace(setting_, after_, &log_);
    reference.apply(*run_);
  }

  [[nodiscard]] const GlobalMemory& before() const { return before_; }
  [[nodiscard]] const GlobalMemory& after() const { return after_; }
  [[nodiscard]] bool order_decides() const { return run_->order_decides(); }
  // Bytes that hang on who reads before another one writes.
  [[nodiscard]] bool reads_race() const { return any_byte(&Execution::Byte::open); }
  // Bytes that hang on who writes last.
  [[nodiscard]] bool writes_race() const { return any_byte(&Execution::Byte::raced); }

  [[nodiscard]] bool order_matters() const {
    return order_decides() || reads_race() || writes_race();
  }

  [[nodiscard]] Comparison compare(const GlobalMemory& emulated) const {
    Comparison result = compare(*run_, after_, emulated);
    if (order_decides()) return result;
    for (const Check& check : run_->checks())
      if (!check(emulated)) result.differences.emplace_back("what the kernel leaves open is wrong");
    return result;
  }

  // With what the threads must have stored in the order in which they ran.
  [[nodiscard]] Comparison compare_following(const GlobalMemory& emulated,
                                             const Observed& observed) const {
    GlobalMemory after = before_;
    Execution run(setting_, after, &log_, &observed);
    reference_.apply(run);
    return compare(run, after, emulated);
  }

 private:
  [[nodiscard]] Comparison compare(const Execution& run, const GlobalMemory& after,
                                   const GlobalMemory& emulated) const {
    Comparison result;
    for (const auto& [address, byte] : run.bytes()) {
      if (byte.natural)
        ++result.by_nature;
      else if (byte.open || byte.raced || run.order_decides())
        ++result.by_order;
      else if (byte.near)
        ++result.bounded;
      else
        ++result.exact;
    }
    std::set<u64> pages;
    const auto collect = [&](u64 address, const GlobalMemory::Page&) { pages.insert(address); };
    emulated.for_each_page(collect);
    after.for_each_page(collect);
    GlobalMemory::Page wanted, got;
    for (const u64 page : pages) {
      after.read(page, wanted);
      emulated.read(page, got);
      if (wanted == got) continue;
      for (u32 i = 0; i < GlobalMemory::kPageBytes; ++i)
        if (wanted[i] != got[i] && !may_differ(run, page + i))
          result.differences.push_back(testing::PrintToString(reinterpret_cast<void*>(page + i)) +
                                       " holds " + std::to_string(got[i]) + ", not " +
                                       std::to_string(wanted[i]));
    }
    if (run.order_decides()) return result;
    for (const auto& [address, near] : run.near()) {
      const Execution::Byte& byte = run.bytes().at(address);
      if (!byte.near || byte.open || byte.raced) continue;
      const auto got_value = Execution::get(emulated, Pointer<float>{address});
      const bool same = std::isnan(near.value) || std::isinf(near.value)
                            ? std::isnan(got_value) == std::isnan(near.value) &&
                                  (std::isnan(near.value) || got_value == near.value)
                            : std::fabs(double{got_value} - double{near.value}) <= near.bound;
      if (!same)
        result.differences.push_back(
            "the float at " + std::to_string(address) + " is " + std::to_string(got_value) +
            ", not within " + std::to_string(near.bound) + " of " + std::to_string(near.value));
    }
    return result;
  }

  [[nodiscard]] bool any_byte(bool Execution::Byte::* flag) const {
    return std::any_of(run_->bytes().begin(), run_->bytes().end(), [&](const auto& entry) {
      return !entry.second.natural && entry.second.*flag;
    });
  }

  [[nodiscard]] bool may_differ(const Execution& run, u64 address) const {
    if (run.order_decides())
      return std::any_of(allocations_.begin(), allocations_.end(),
                         [&](const auto& range) { return address - range.address < range.size; });
    const auto found = run.bytes().find(address);
    if (found == run.bytes().end()) return false;
    const Execution::Byte& byte = found->second;
    return byte.natural || byte.open || byte.raced || byte.near;
  }

  void fill_memory(const container::Kernel& kernel, const GlobalMemory& as_stated, u64 seed) {
    emulator::Random random(seed);
    for (const auto& range : allocations_) {
      // The guards first: an allocation may begin in another one's.
      for (const u64 guard : {range.address - kGuardBytes, range.address + range.size})
        write_words(before_, guard, kGuardBytes,
                    [&](u64) { return static_cast<u32>(random.next()); });
    }
    for (const auto& range : allocations_) {
      if (range.size > kMostFilledBytes) {
        for (const auto& parameter : kernel.parameters) {
          u64 pointer = 0;
          if (parameter.size != sizeof pointer) continue;
          std::memcpy(&pointer, setting_.parameters.data() + parameter.offset, sizeof pointer);
          if (pointer - range.address < range.size)
            write_words(before_, pointer,
                        std::min(kFilledBehindPointer, range.address + range.size - pointer),
                        [](u64 i) { return static_cast<u32>(i); });
        }
      } else if (reference_.fill == Fill::kStated) {
        std::vector<u8> bytes(range.size);
        as_stated.read(range.address, bytes);
        before_.write(range.address, bytes);
      } else {
        write_words(before_, range.address, range.size,
                    [&](u64) { return random_word(reference_.fill, random); });
      }
    }
    if (reference_.prepare == nullptr) return;
    setting_.before = &before_;
    GlobalMemory scratch;
    const Execution arguments(setting_, scratch, nullptr);
    Preparation preparation(arguments, seed, as_stated, before_);
    reference_.prepare(preparation);
  }

  const Reference& reference_;
  std::vector<tools::Allocation> allocations_;
  GlobalMemory before_, after_;
  Setting setting_;
  WriteLog log_;
  std::optional<Execution> run_;
};

// What all launches of an architecture add up to.
struct Totals {
  u32 launches = 0, compared = 0, misaligned = 0, not_emulated = 0;
  u32 some_bytes_by_order = 0, order_decides = 0, some_bytes_by_nature = 0;
  u32 followed = 0, not_followed = 0;
  u64 exact = 0, bounded = 0, by_order = 0, by_nature = 0;
  u64 followed_bytes = 0, not_followed_bytes = 0;
  std::map<std::string, u64> compared_bytes;  // by kernel
};

const Reference* find_reference(const std::string& kernel) {
  static const std::vector<Reference> all = all_references();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Reference& r) { return kernel == r.kernel; });
  return found == all.end() ? nullptr : &*found;
}

const NotEmulated* find_not_emulated(const Case& c, const std::string& architecture) {
  const auto* found =
      std::find_if(std::begin(kNotEmulated), std::end(kNotEmulated), [&](const NotEmulated& entry) {
        return c.kernel == entry.kernel && (entry.launch == nullptr || c.name() == entry.launch) &&
               (entry.except == nullptr || c.name() != entry.except) &&
               (entry.architecture == nullptr || architecture == entry.architecture);
      });
  return found == std::end(kNotEmulated) ? nullptr : found;
}

// The truth that the table states: for these contents, if they are its own, else for all.
bool stated_idempotent(const Case& c, const Reference& reference) {
  const bool own = reference.fill == Fill::kStated && c.launch.contains("with_contents");
  const char* key = own ? "with_contents" : "expect";
  return c.launch[key].get<std::string>() == "idempotent";
}

void report(const Comparison& comparison) {
  for (size_t i = 0; i < std::min<size_t>(4, comparison.differences.size()); ++i)
    ADD_FAILURE() << comparison.differences[i] << " (" << i + 1 << " of "
                  << comparison.differences.size() << ")";
}

void check_case(const Case& c, const container::Cubin& cubin, const std::string& architecture,
                Totals& totals) {
  SCOPED_TRACE(c.sample + " / " + c.kernel + " / " + c.name());
  ++totals.launches;
  const container::Kernel* kernel = cubin.find(c.kernel);
  ASSERT_NE(kernel, nullptr);
  auto arguments = tools::resolve_launch(options_of(c.launch, c.kernel, ""), *kernel);
  ASSERT_TRUE(arguments.has_value()) << arguments.error().message;
  for (auto& range : arguments->allocations)
    if (range.size > kMostFilledBytes) range.fill = tools::Fill::kZero;
  const Reference* reference = find_reference(c.kernel);
  ASSERT_NE(reference, nullptr) << "no reference";
  const NotEmulated* unable = find_not_emulated(c, architecture);
  auto emulation = tools::prepare_emulation(cubin, *kernel, *arguments);
  if (unable != nullptr && !emulation) {
    ++totals.not_emulated;
    return;
  }
  ASSERT_TRUE(emulation.has_value()) << emulation.error().message;
  const bool misaligned = c.launch.value("misaligned", false);
  for (const bool random_schedule : {false, true}) {
    SCOPED_TRACE(random_schedule ? "random schedule" : "usual schedule");
    const Trial trial(*reference, *arguments, *kernel, emulation->memory,
                      seed_of(c.kernel + c.name()) + (random_schedule ? 1 : 0));
    GlobalMemory memory = trial.before();
    emulator::Options options;
    options.seed = random_schedule ? 1 + seed_of(c.name()) % 1000 : 1;
    options.random_schedule = random_schedule;
    options.max_steps = 3'000'000;
    Observer observer(memory);
    const bool follow = trial.order_matters() && !reference->shares_work;
    if (follow) options.recorder = &observer;
    const emulator::Outcome outcome =
        emulator::run(emulation->program, emulation->launch, memory, options);
    if (unable != nullptr) {
      EXPECT_NE(outcome.end, End::kDone)
          << "runs to its end, so take it off the list: " << unable->why;
      totals.not_emulated += random_schedule ? 0 : 1;
      continue;
    }
    if (misaligned) {
      EXPECT_EQ(outcome.end, End::kFault);
      EXPECT_NE(outcome.message.find("misaligned"), std::string::npos) << outcome.message;
      totals.misaligned += random_schedule ? 0 : 1;
      continue;
    }
    ASSERT_EQ(outcome.end, End::kDone) << outcome.message;
    const Comparison comparison = trial.compare(memory);
    report(comparison);
    Comparison following;
    if (follow) {
      SCOPED_TRACE("in the order that was taken");
      following = trial.compare_following(memory, observer.observed());
      report(following);
    }
    if (random_schedule) continue;
    totals.followed += follow ? 1 : 0;
    totals.followed_bytes += following.exact + following.bounded;
    totals.not_followed_bytes += follow ? following.by_order : comparison.by_order;
    totals.not_followed += (follow ? following : comparison).by_order != 0 ? 1 : 0;
    ++totals.compared;
    totals.exact += comparison.exact;
    totals.bounded += comparison.bounded;
    totals.by_order += comparison.by_order;
    totals.by_nature += comparison.by_nature;
    totals.compared_bytes[c.kernel] += comparison.exact + comparison.bounded;
    totals.some_bytes_by_nature += comparison.by_nature != 0 ? 1 : 0;
    if (trial.order_decides())
      ++totals.order_decides;
    else if (trial.reads_race() || trial.writes_race())
      ++totals.some_bytes_by_order;
    if (trial.order_decides() || trial.reads_race()) {
      EXPECT_FALSE(stated_idempotent(c, *reference))
          << "the reference finds that the order of threads matters";
    }
    if (comparison.by_nature != 0) {
      EXPECT_NE(reference->open_by_nature, nullptr) << "a reason is wanted";
    }
  }
}

// Calls visit(Case, Cubin) for every launch with a cubin of the architecture.
template <class Visit>
void for_each_case(const std::string& architecture, Visit visit) {
  std::vector<std::filesystem::path> tables;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples))
    if (entry.path().extension() == ".json") tables.push_back(entry.path());
  std::sort(tables.begin(), tables.end());
  for (const std::filesystem::path& path : tables) {
    const json table = json::parse(std::ifstream(path));
    const auto sample = table["sample"].get<std::string>();
    const auto file = (kSamples / "cubins" / (sample + "." + architecture + ".cubin")).string();
    if (!std::filesystem::exists(file)) continue;
    const auto input = container::read_input(file);
    ASSERT_TRUE(input.has_value());
    const auto cubin = container::Cubin::parse(input->bytes, file, input->owner);
    ASSERT_TRUE(cubin.has_value()) << cubin.error().message;
    for (const json& kernel : table["kernels"])
      for (const json& launch : kernel["launches"])
        visit(Case{sample, kernel["name"].get<std::string>(), launch}, *cubin);
  }
}

class EmulatedReferences : public testing::TestWithParam<const char*> {};

TEST_P(EmulatedReferences, HaveEqualMemory) {
  const std::string architecture = GetParam();
  Totals totals;
  for_each_case(architecture, [&](const Case& c, const container::Cubin& cubin) {
    check_case(c, cubin, architecture, totals);
  });
  std::cout << architecture << ": " << totals.launches << " launches of "
            << totals.compared_bytes.size() << " kernels, " << totals.compared << " compared, "
            << totals.misaligned << " misaligned, " << totals.not_emulated << " not emulated; in "
            << totals.some_bytes_by_order << " some bytes hang on the order of threads, in "
            << totals.order_decides << " that order decides more, in "
            << totals.some_bytes_by_nature
            << " the kernel leaves bytes open; stored bytes: " << totals.exact << " equal, "
            << totals.bounded << " within a bound, " << totals.by_order << " by order, "
            << totals.by_nature << " open; followed: " << totals.followed << " launches, "
            << totals.followed_bytes << " bytes equal; " << totals.not_followed_bytes
            << " bytes of " << totals.not_followed << " launches by order still\n";
  for (const auto& [kernel, bytes] : totals.compared_bytes) {
    const bool rightly_nothing =
        find_reference(kernel)->open_by_nature != nullptr ||
        std::any_of(std::begin(kNotEmulated), std::end(kNotEmulated),
                    [&](const NotEmulated& entry) { return kernel == entry.kernel; });
    EXPECT_TRUE(bytes != 0 || rightly_nothing) << kernel << ": no byte is compared";
  }
  const auto* expected =
      std::find_if(std::begin(kExpected), std::end(kExpected),
                   [&](const Expected& e) { return architecture == e.architecture; });
  ASSERT_NE(expected, std::end(kExpected));
  EXPECT_EQ(totals.launches, expected->launches);
  EXPECT_EQ(totals.compared, expected->compared);
  EXPECT_EQ(totals.misaligned, expected->misaligned);
  EXPECT_EQ(totals.not_emulated, expected->not_emulated);
  EXPECT_EQ(totals.some_bytes_by_order, expected->some_bytes_by_order);
  EXPECT_EQ(totals.order_decides, expected->order_decides);
  EXPECT_EQ(totals.not_followed, expected->not_followed);
  EXPECT_EQ(totals.some_bytes_by_nature, expected->some_bytes_by_nature);
}

INSTANTIATE_TEST_SUITE_P(Architectures, EmulatedReferences,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100",
                                         "sm_120"),
                         [](const auto& of) { return std::string(of.param); });

// Each kernel of the tables has one reference, and each reference a kernel.
TEST(References, AreThoseOfTheKernelsInTheTables) {
  std::set<std::string> kernels, references;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples)) {
    if (entry.path().extension() != ".json") continue;
    const json table = json::parse(std::ifstream(entry.path()));
    for (const json& kernel : table["kernels"]) kernels.insert(kernel["name"].get<std::string>());
  }
  for (const Reference& reference : all_references())
    EXPECT_TRUE(references.insert(reference.kernel).second) << reference.kernel << " twice";
  EXPECT_EQ(references, kernels);
}

// A wrong byte in a result, in what is only read, or in a guard is noticed.
TEST(References, NoticeEveryWrongByte) {
  Case c{"vadd", "vadd",
         json::parse(std::ifstream(kSamples / "vadd.json"))["kernels"][0]["launches"][0]};
  const std::string file = (kSamples / "cubins" / "vadd.sm_80.cubin").string();
  const auto selection = tools::select_one_kernel(file, c.kernel, std::nullopt);
  ASSERT_TRUE(selection.has_value());
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  const auto arguments = tools::resolve_launch(options_of(c.launch, c.kernel, file), kernel);
  ASSERT_TRUE(arguments.has_value());
  const auto emulation =
      tools::prepare_emulation(*selection->kernels.front().cubin, kernel, *arguments);
  ASSERT_TRUE(emulation.has_value());
  const Trial trial(*find_reference(c.kernel), *arguments, kernel, emulation->memory, 1);
  EXPECT_TRUE(trial.compare(trial.after()).differences.empty());
  EXPECT_EQ(trial.compare(trial.before()).exact, 4000u);
  EXPECT_GT(trial.compare(trial.before()).differences.size(), 3000u);
  const u64 result = arguments->allocations[2].address, read = arguments->allocations[0].address;
  for (const u64 address : {result, result + 3999, result + 4000, result - 1, read, read + 4063}) {
    GlobalMemory wrong = trial.after();
    u8 byte = 0;
    wrong.read(address, {&byte, 1});
    byte ^= 1;
    wrong.write(address, {&byte, 1});
    EXPECT_EQ(trial.compare(wrong).differences.size(), 1u) << address;
  }
}

// vadd with c's first element the last one of a: what a thread reads may be what another wrote.
// Whichever it was, what it then stores is known once that is.
TEST(References, NoticeAWrongByteThatHangsOnTheOrder) {
  const json table = json::parse(std::ifstream(kSamples / "vadd.json"));
  const json& launches = table["kernels"][0]["launches"];
  const auto found = std::find_if(launches.begin(), launches.end(), [](const json& launch) {
    return launch["name"] == "grid shorter than n, c one element closer";
  });
  ASSERT_NE(found, launches.end());
  const Case c{"vadd", "vadd", *found};
  const std::string file = (kSamples / "cubins" / "vadd.sm_80.cubin").string();
  const auto selection = tools::select_one_kernel(file, c.kernel, std::nullopt);
  ASSERT_TRUE(selection.has_value());
  const container::Kernel& kernel = *selection->kernels.front().kernel;
  const auto arguments = tools::resolve_launch(options_of(c.launch, c.kernel, file), kernel);
  ASSERT_TRUE(arguments.has_value());
  const auto emulation =
      tools::prepare_emulation(*selection->kernels.front().cubin, kernel, *arguments);
  ASSERT_TRUE(emulation.has_value());
  const Trial trial(*find_reference(c.kernel), *arguments, kernel, emulation->memory, 1);
  ASSERT_TRUE(trial.order_matters());
  GlobalMemory memory = trial.before();
  Observer observer(memory);
  emulator::Options options;
  options.recorder = &observer;
  ASSERT_EQ(emulator::run(emulation->program, emulation->launch, memory, options).end, End::kDone);
  EXPECT_EQ(trial.compare(memory).by_order, 4u);
  EXPECT_EQ(trial.compare_following(memory, observer.observed()).by_order, 0u);
  // Thread 511 reads element 511 of a, which is element 0 of c.
  const u64 c_address = std::stoull(c.launch["args"][2].get<std::string>(), nullptr, 16);
  const u64 address = c_address + 4 * 511;
  u8 byte = 0;
  memory.read(address, {&byte, 1});
  byte ^= 1;
  memory.write(address, {&byte, 1});
  EXPECT_TRUE(trial.compare(memory).differences.empty());
  EXPECT_EQ(trial.compare_following(memory, observer.observed()).differences.size(), 1u);
}

}  // namespace
}  // namespace picker::references
