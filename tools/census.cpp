// picker-census: what the analysis makes of every kernel of a library, and what that costs.
//
// Kernels are analysed and classified one by one, cubin by cubin, so that a library of gigabytes
// needs memory for one cubin per thread only. Of each kernel the table knows its class, the reason
// if that is `unknown`, the processor times of analysis and classification, and the largest amount
// of memory allocated meanwhile: operator new is replaced here by one that counts. Kernels without
// any access to global memory and without findings are counted apart: libraries compile the bodies
// of kernels for newer architectures to nothing.
//
// With --one-in N a kernel is taken if a hash of its number and the seed says so: the same sample
// whatever the number of threads.
//
// Exit status: 0, or that of reading the file.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "analysis/analyzer.hpp"
#include "container/container.hpp"
#include "support/hash.hpp"
#include "tools/command.hpp"
#include "tools/guarded_main.hpp"
#include "validate/classify.hpp"

namespace {

// Bytes allocated by this thread through operator new, and the most since it was last reset.
thread_local std::int64_t allocated = 0;
thread_local std::int64_t most_allocated = 0;

void* counted_allocation(std::size_t size) {
  void* place = std::malloc(size == 0 ? 1 : size);
  if (place == nullptr) throw std::bad_alloc();
  allocated += static_cast<std::int64_t>(::malloc_usable_size(place));
  most_allocated = std::max(most_allocated, allocated);
  return place;
}

void counted_release(void* place) noexcept {
  if (place == nullptr) return;
  allocated -= static_cast<std::int64_t>(::malloc_usable_size(place));
  std::free(place);
}

}  // namespace

void* operator new(std::size_t size) { return counted_allocation(size); }
void* operator new[](std::size_t size) { return counted_allocation(size); }
void operator delete(void* place) noexcept { counted_release(place); }
void operator delete[](void* place) noexcept { counted_release(place); }
void operator delete(void* place, std::size_t) noexcept { counted_release(place); }
void operator delete[](void* place, std::size_t) noexcept { counted_release(place); }

namespace picker::tools {
namespace {

using container::Container;
using container::Cubin;
using container::Image;
using container::ImageKind;
using container::Kernel;

struct Entry {
  u64 number = 0;  // of the kernel among those of the architecture
  std::string kernel;
  std::string architecture;
  u64 code_bytes = 0;
  validate::KernelClass kernel_class{};
  bool empty = false;
  std::string reason, detail;
  u32 sites = 0, expressions = 0;
  double analysis_ms = 0, classification_ms = 0, megabytes = 0;
};

struct Options {
  std::string path, lines_path;
  std::optional<std::string> architecture, kernel;
  u64 one_in = 1, seed = 1;
  u32 threads = 1, slowest = 10;
  bool classify = true;
};

// Processor time of this thread, so that the figures do not depend on what else is running.
double thread_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

Entry examine(const Cubin& cubin, const Kernel& kernel, bool classify) {
  Entry entry;
  entry.kernel = kernel.name;
  entry.code_bytes = kernel.code.size();
  const std::int64_t before = allocated;
  most_allocated = allocated;
  double start = thread_milliseconds();
  const analysis::Summary summary = analysis::analyze(cubin, kernel);
  entry.analysis_ms = thread_milliseconds() - start;
  entry.sites = static_cast<u32>(summary.sites.size());
  entry.expressions = summary.expressions.size();
  entry.empty = summary.sites.empty() && summary.findings.empty();
  start = thread_milliseconds();
  if (classify) {
    const validate::Classification found = validate::classify(cubin, kernel, summary);
    entry.kernel_class = found.kernel_class;
    if (found.kernel_class == validate::KernelClass::kUnknown && found.reason) {
      entry.reason = analysis::reason_info(*found.reason).name;
      entry.detail = found.detail;
    }
  }
  entry.classification_ms = thread_milliseconds() - start;
  entry.megabytes = static_cast<double>(most_allocated - before) / 1e6;
  return entry;
}

// The kernels of `container`, cubin by cubin; `take` says whether a kernel is wanted.
class Census {
 public:
  Census(const Container& container, const Options& options)
      : container_(container), options_(options) {
    for (const Image& image : container.images())
      if (image.kind == ImageKind::kCubin &&
          (!options.architecture || image.architecture == *options.architecture))
        images_.push_back(&image);
  }

  void run() {
    std::vector<std::thread> threads;
    for (u32 i = 1; i < options_.threads; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.number < b.number; });
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }

 private:
  void work() {
    for (;;) {
      const size_t at = next_++;
      if (at >= images_.size()) return;
      const Image& image = *images_[at];
      Expected<Cubin> cubin = container_.cubin(image);
      if (!cubin) {
        const std::lock_guard lock(mutex_);
        errors_.push_back(cubin.error());
        continue;
      }
      for (size_t k = 0; k < cubin->kernels().size(); ++k) {
        const Kernel& kernel = cubin->kernels()[k];
        const u64 number = (static_cast<u64>(at) << 24) + k;
        if (options_.kernel && kernel.name.find(*options_.kernel) == std::string::npos) continue;
        if (hash_combine(options_.seed, number) % options_.one_in != 0) continue;
        Entry entry = examine(*cubin, kernel, options_.classify);
        entry.number = number;
        entry.architecture = image.architecture;
        const std::lock_guard lock(mutex_);
        entries_.push_back(std::move(entry));
      }
    }
  }

  const Container& container_;
  const Options& options_;
  std::vector<const Image*> images_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Diagnostic> errors_;
};

std::string distribution(std::vector<double> values, std::string_view unit) {
  if (values.empty()) return "none";
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[std::min(values.size() - 1,
                           static_cast<size_t>(part * static_cast<double>(values.size())))];
  };
  return fmt::format("median {:.2f}, 90 % {:.2f}, 99 % {:.2f}, most {:.2f} {}", at(0.5), at(0.9),
                     at(0.99), values.back(), unit);
}

std::string table(std::vector<Entry> entries, const Options& options) {
  std::map<std::string_view, size_t> classes;
  std::map<std::string, size_t> reasons;
  std::vector<double> analysis, classification, memory;
  size_t empty = 0;
  double total = 0;
  for (const Entry& entry : entries) {
    analysis.push_back(entry.analysis_ms);
    classification.push_back(entry.classification_ms);
    memory.push_back(entry.megabytes);
    total += entry.analysis_ms + entry.classification_ms;
    if (entry.empty) {
      ++empty;
      continue;
    }
    ++classes[to_string(entry.kernel_class)];
    if (!entry.reason.empty()) ++reasons[entry.reason];
  }
  const size_t counted = entries.size() - empty;
  const auto share = [&](size_t count) {
    return counted == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(counted);
  };
  std::string out = fmt::format("{} kernels; {} without access to global memory, {} others:\n",
                                entries.size(), empty, counted);
  if (options.classify) {
    for (const std::string_view name : {"always", "conditionally", "never", "unknown"})
      out += fmt::format("  {:<14} {:>6}  {:5.1f} %\n", name, classes[name], share(classes[name]));
    std::vector<std::pair<size_t, std::string>> ranked;
    ranked.reserve(reasons.size());
    for (const auto& [reason, count] : reasons) ranked.emplace_back(count, reason);
    std::sort(ranked.rbegin(), ranked.rend());
    for (const auto& [count, reason] : ranked)
      out += fmt::format("    {:<28} {:>6}  {:5.1f} %\n", reason, count, share(count));
  }
  out += fmt::format("analysis:       {}\n", distribution(analysis, "ms"));
  out += fmt::format("classification: {}\n", distribution(classification, "ms"));
  out += fmt::format("memory:         {}\n", distribution(memory, "MB"));
  out += fmt::format("both, all kernels together: {:.1f} s of processor time\n", total / 1000);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.analysis_ms + a.classification_ms > b.analysis_ms + b.classification_ms;
  });
  if (options.slowest > 0) out += "slowest (ms for analysis, classification; MB; kernel):\n";
  for (size_t i = 0; i < entries.size() && i < options.slowest; ++i)
    out += fmt::format("  {:>9.1f} {:>9.1f} {:>7.1f} {:.120}\n", entries[i].analysis_ms,
                       entries[i].classification_ms, entries[i].megabytes,
                       printable(entries[i].kernel));
  return out;
}

int run(int argc, char** argv) {
  CLI::App app("Analyses and classifies every kernel of a library.", "picker-census");
  Options options;
  app.add_option("FILE", options.path, "As for picker list")->required();
  app.add_option("--arch", options.architecture, "Only code for this architecture (sm_80)");
  app.add_option("--kernel", options.kernel, "Only kernels whose mangled name contains this");
  app.add_option("--one-in", options.one_in, "A sample: about one kernel in this many")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Another seed, another sample");
  app.add_option("--threads", options.threads, "How many at a time")->check(CLI::Range(1u, 256u));
  app.add_option("--slowest", options.slowest, "How many of the slowest kernels to name");
  app.add_flag("!--no-classes", options.classify, "Analyse only");
  app.add_option("-o,--output", options.lines_path, "A file for one JSON object per kernel");
  CLI11_PARSE(app, argc, argv);

  const Expected<Container> container = Container::open(options.path);
  if (!container) return report(container.error());
  Census census(*container, options);
  census.run();
  for (const Diagnostic& error : census.errors()) report(error);
  if (!options.lines_path.empty()) {
    std::ofstream lines(options.lines_path);
    for (const Entry& entry : census.entries())
      lines << Json{{"kernel", entry.kernel},
                    {"arch", entry.architecture},
                    {"code_bytes", entry.code_bytes},
                    {"class", to_string(entry.kernel_class)},
                    {"empty", entry.empty},
                    {"reason", entry.reason},
                    {"detail", entry.detail},
                    {"sites", entry.sites},
                    {"expressions", entry.expressions},
                    {"analysis_ms", entry.analysis_ms},
                    {"classification_ms", entry.classification_ms},
                    {"megabytes", entry.megabytes}}
                   .dump()
            << '\n';
    if (!lines) {
      std::fprintf(stderr, "picker-census: %s cannot be written\n", options.lines_path.c_str());
      return kExitMalformed;
    }
  }
  return write_out(table(census.entries(), options));
}

}  // namespace
}  // namespace picker::tools

int main(int argc, char** argv) {
  return picker::tools::guarded_main("picker-census", picker::tools::run, argc, argv);
}
