// Runs the tests against mutants of the code that verdicts rest on (tools/make_mutants.py).
//
//   picker-mutants [--list] [--mutant ID]... [--jobs N] [--filter PATTERN] [--times N]
//
// First all tests run on the original, each noting the mutants it reaches and its processor time.
// Then each mutant has a process of its own, in which the tests that reach it run, the cheapest
// first, until one fails. A crash, too much memory, and more processor time than the original took
// (--times, with some seconds more) count as failing. A mutant that no test reaches survives
// without a run. Everything shared between the processes is one mapping made at the start.
//
// Output: one line per survivor, then counts. Exit status 0 if every mutant was killed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.hpp"

namespace picker::mutants {

constexpr u32 kCount =
#include "mutants/count.inc"
    ;

struct Mutant {
  u32 id;
  const char* file;
  u32 line;
  const char *kind, *what, *code;
};

constexpr Mutant kMutants[] = {
#include "mutants/table.inc"
};

constexpr u8 kOriginal = 0, kActive = 1, kNoting = 2;
unsigned char states[kCount];

namespace {

u8* noted = nullptr;  // the row of the running test

// Too dear for every mutant: of the two slowest tests the families beside sm_80 and one more.
constexpr const char* kLeftOut =
    "Families/EmulatedSamples.*/0:Families/EmulatedSamples.*/1:Families/EmulatedSamples.*/3:"
    "Families/EmulatedSamples.*/4:Families/EmulatedSamples.*/5:Families/RandomLaunches.*/1:"
    "Families/RandomLaunches.*/3:Families/RandomLaunches.*/4:Families/RandomLaunches.*/5:"
    "Families/RandomLaunches.*/6";

struct Test {
  std::string name;
  double seconds = 0;
};

struct Result {
  char killer[160];
  u8 failed;
};

template <class T>
T* share(size_t count) {
  void* p =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) std::exit(2);
  return static_cast<T*>(p);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string full_name(const testing::TestInfo& info) {
  return std::string(info.test_suite_name()) + "." + info.name();
}

// Notes, for each test, the mutants it reaches, its time, and whether it passes.
class Notes : public testing::EmptyTestEventListener {
 public:
  Notes(const std::map<std::string, u32>& index, u8* reach, double* seconds, u8* failed)
      : index_(index), reach_(reach), seconds_(seconds), failed_(failed) {}
  void OnTestStart(const testing::TestInfo& info) override {
    std::memset(states, kNoting, kCount);
    noted = reach_ + size_t{kCount} * index_.at(full_name(info));
    start_ = processor_seconds();
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    const u32 i = index_.at(full_name(info));
    seconds_[i] = processor_seconds() - start_;
    failed_[i] = info.result()->Failed() ? 1 : 0;
  }

 private:
  const std::map<std::string, u32>& index_;
  u8* reach_;
  double* seconds_;
  u8* failed_;
  double start_ = 0;
};

// Notes the test that is running, so that the one that ends the process has a name.
class Killer : public testing::EmptyTestEventListener {
 public:
  explicit Killer(Result* result) : result_(result) {}
  void OnTestStart(const testing::TestInfo& info) override {
    std::strncpy(result_->killer, full_name(info).c_str(), sizeof result_->killer - 1);
  }

 private:
  Result* result_;
};

[[noreturn]] void run_tests(const std::string& filter, testing::TestEventListener* listener,
                            bool quiet) {
  if (quiet && (std::freopen("/dev/null", "w", stdout) == nullptr ||
                std::freopen("/dev/null", "w", stderr) == nullptr))
    _exit(2);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (quiet) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(listener);
  GTEST_FLAG_SET(filter, filter);
  const int failed = RUN_ALL_TESTS();
  std::fflush(nullptr);
  _exit(failed != 0 ? 1 : 0);
}

// One mutant's work: groups of tests, the cheap ones first, each group in a process.
struct Job {
  const Mutant* mutant = nullptr;
  std::vector<std::pair<std::string, double>> groups;  // filter, seconds of the original
  size_t next = 0;
  Result* result = nullptr;
};

pid_t start(const Job& job, u32 times) {
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const auto& [filter, seconds] = job.groups[job.next];
  const rlim_t limit = static_cast<rlim_t>(seconds * times) + 5;
  const rlimit processor{limit, limit + 1}, memory{rlim_t{4} << 30, rlim_t{4} << 30}, core{0, 0};
  setrlimit(RLIMIT_CPU, &processor);
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  states[job.mutant->id] = kActive;
  GTEST_FLAG_SET(fail_fast, true);
  run_tests(filter, new Killer(job.result), true);
}

std::string where(const Mutant& m) {
  return fmt::format("{} {}:{}: {}: {}\n      {}", m.id, m.file, m.line, m.kind, m.what, m.code);
}

struct Options {
  bool list = false, verbose = false;
  std::set<u32> only;
  u32 jobs = 1, times = 4;
  std::string filter = "*";
};

int usage() {
  fmt::print(stderr,
             "usage: picker-mutants [--list] [--verbose] [--mutant ID]... [--jobs N] "
             "[--times N] [--filter PATTERN]\n");
  return 2;
}

int check(const Options& options) {
  std::vector<const Mutant*> mutants;
  for (const Mutant& m : kMutants)
    if (options.only.empty() || options.only.contains(m.id)) mutants.push_back(&m);
  if (mutants.empty()) {
    fmt::print(stderr, "no such mutant in this draw (--list names them)\n");
    return 2;
  }
  if (options.list) {
    for (const Mutant* m : mutants) fmt::print("{}\n", where(*m));
    return 0;
  }

  std::vector<Test> tests;
  std::map<std::string, u32> index;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s)
    for (int i = 0; i < unit.GetTestSuite(s)->total_test_count(); ++i) {
      const std::string name = full_name(*unit.GetTestSuite(s)->GetTestInfo(i));
      index.emplace(name, static_cast<u32>(tests.size()));
      tests.push_back({name});
    }
  u8* reach = share<u8>(tests.size() * kCount);
  double* seconds = share<double>(tests.size());
  u8* failed = share<u8>(tests.size());
  const std::string filter = options.filter + "-" + kLeftOut;
  std::fflush(nullptr);
  const pid_t original = fork();
  if (original == 0) run_tests(filter, new Notes(index, reach, seconds, failed), true);
  int status = 0;
  waitpid(original, &status, 0);
  if (status != 0) {
    fmt::print(stderr, "the tests fail on the original\n");
    for (size_t i = 0; i < tests.size(); ++i)
      if (failed[i] != 0) fmt::print(stderr, "  {}\n", tests[i].name);
    return 2;
  }
  double all = 0;
  for (size_t i = 0; i < tests.size(); ++i) all += tests[i].seconds = seconds[i];
  fmt::print("{} tests, {:.0f} s of processor time on the original\n", tests.size(), all);

  Result* results = share<Result>(mutants.size());
  std::vector<Job> jobs(mutants.size());
  std::vector<u32> by_time(tests.size());
  for (u32 i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](u32 a, u32 b) { return tests[a].seconds < tests[b].seconds; });
  for (size_t i = 0; i < mutants.size(); ++i) {
    jobs[i].mutant = mutants[i];
    jobs[i].result = &results[i];
    // Groups grow fourfold, so that little is spent behind the test that kills.
    double most = 0.05;
    for (const u32 t : by_time) {
      if (reach[size_t{kCount} * t + mutants[i]->id] == 0) continue;
      auto& groups = jobs[i].groups;
      if (groups.empty() || groups.back().second + tests[t].seconds > most) {
        groups.push_back({tests[t].name, tests[t].seconds});
        most = std::max(0.05, 4 * tests[t].seconds);
      } else {
        groups.back().first += ":" + tests[t].name;
        groups.back().second += tests[t].seconds;
      }
    }
  }

  std::map<pid_t, Job*> running;
  size_t next = 0, done = 0;
  std::vector<const Mutant*> unreached, survivors;
  std::map<std::string, u32> killers;
  while (next < jobs.size() || !running.empty()) {
    while (next < jobs.size() && running.size() < options.jobs) {
      Job& job = jobs[next++];
      if (job.groups.empty()) {
        unreached.push_back(job.mutant);
        ++done;
        continue;
      }
      running[start(job, options.times)] = &job;
    }
    if (running.empty()) continue;
    const pid_t pid = wait(&status);
    if (pid <= 0 || !running.contains(pid)) continue;
    Job* job = running[pid];
    running.erase(pid);
    if (status == 0 && ++job->next < job->groups.size()) {
      running[start(*job, options.times)] = job;
      continue;
    }
    ++done;
    if (status == 0) {
      survivors.push_back(job->mutant);
      fmt::print("survived: {}\n", where(*job->mutant));
    } else {
      ++killers[job->result->killer];
      if (options.verbose)
        fmt::print("killed by {}{}: {}\n", job->result->killer,
                   WIFSIGNALED(status) ? fmt::format(" (signal {})", WTERMSIG(status)) : "",
                   where(*job->mutant));
    }
    std::fflush(stdout);
  }
  for (const Mutant* m : unreached) fmt::print("not reached: {}\n", where(*m));
  std::map<std::string, std::array<u32, 2>> kinds;
  for (const Mutant* m : mutants) ++kinds[m->kind][0];
  for (const auto* list : {&survivors, &unreached})
    for (const Mutant* m : *list) ++kinds[m->kind][1];
  for (const auto& [kind, n] : kinds)
    fmt::print("{}: {} mutants, {} not killed\n", kind, n[0], n[1]);
  for (const auto& [test, n] : killers) fmt::print("{} killed by {}\n", n, test);
  fmt::print("{} mutants: {} killed, {} survived, {} not reached\n", mutants.size(),
             mutants.size() - survivors.size() - unreached.size(), survivors.size(),
             unreached.size());
  return survivors.empty() && unreached.empty() ? 0 : 1;
}

}  // namespace

bool reached(unsigned id) {
  if (states[id] == kActive) return true;
  states[id] = kOriginal;
  noted[id] = 1;
  return false;
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--list") {
      options.list = true;
    } else if (option == "--verbose") {
      options.verbose = true;
    } else if (i + 1 == argc) {
      return usage();
    } else if (option == "--mutant") {
      options.only.insert(static_cast<u32>(std::strtoul(argv[++i], nullptr, 10)));
    } else if (option == "--jobs") {
      options.jobs = std::max(1u, static_cast<u32>(std::strtoul(argv[++i], nullptr, 10)));
    } else if (option == "--times") {
      options.times = static_cast<u32>(std::strtoul(argv[++i], nullptr, 10));
    } else if (option == "--filter") {
      options.filter = argv[++i];
    } else {
      return usage();
    }
  }
  return check(options);
}

}  // namespace picker::mutants

int main(int argc, char** argv) { return picker::mutants::main(argc, argv); }
