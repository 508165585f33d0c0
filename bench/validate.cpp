// Validation: the reference interpreter on a summary that exists, one launch after the other, as a
// runtime would use it. Launches are those of samples/, on either side of the kernel's condition;
// an overlap is reported as `unknown` here, because no thread is followed to prove a conflict.
#include <benchmark/benchmark.h>

#include <iostream>
#include <memory>
#include <string>

#include "analysis/analyzer.hpp"
#include "bench/registration.hpp"
#include "bench/sample_cubins.hpp"
#include "tools/sample_suite.hpp"
#include "tools/site_text.hpp"
#include "validate/verdict.hpp"

namespace picker::bench {
namespace {

constexpr std::string_view kKernels[] = {"vadd", "gridstride", "stencil", "matmul"};
constexpr u32 kLaunchesPerKernel = 3;

struct Case {
  std::string name;
  analysis::Summary summary;
  validate::Launch launch;
};

// Nothing if the launch cannot be made; standard error says why.
std::unique_ptr<Case> make_case(const tools::SampleLaunch& sample) {
  for (const container::Cubin& cubin : sample_cubins()) {
    const container::Kernel* kernel = cubin.find(sample.kernel);
    if (kernel == nullptr) continue;
    auto made = std::make_unique<Case>();
    made->name = "validate/" + sample.kernel + "/" + sample.name;
    made->summary = analysis::analyze(cubin, *kernel);
    const auto arguments = tools::resolve_launch(sample.options, *kernel);
    if (!arguments) {
      std::cerr << "picker-bench: " << arguments.error().message << '\n';
      return nullptr;
    }
    auto launch = tools::make_launch(cubin, *kernel, made->summary, *arguments);
    if (!launch) {
      std::cerr << "picker-bench: " << launch.error().message << '\n';
      return nullptr;
    }
    made->launch = std::move(*launch);
    return made;
  }
  std::cerr << "picker-bench: no kernel " << sample.kernel << '\n';
  return nullptr;
}

}  // namespace

bool register_validate() {
  static std::vector<std::unique_ptr<Case>> cases;  // benchmarks refer to them until the end
  const auto samples = tools::load_samples(PICKER_SOURCE_DIR "/samples", "sm_80");
  if (!samples) {
    std::cerr << "picker-bench: " << samples.error().message << '\n';
    return false;
  }
  for (const std::string_view kernel : kKernels) {
    u32 taken = 0;
    for (const tools::SampleLaunch& sample : *samples) {
      if (sample.kernel != kernel || taken == kLaunchesPerKernel) continue;
      ++taken;
      auto made = make_case(sample);
      if (made == nullptr) return false;
      cases.push_back(std::move(made));
      const Case& one = *cases.back();
      benchmark::RegisterBenchmark(one.name.c_str(), [&one](benchmark::State& state) {
        validate::Interpreter interpreter(one.summary);
        validate::Verdict verdict;
        for (auto _ : state) {
          verdict = interpreter.validate(one.launch);
          benchmark::DoNotOptimize(verdict);
        }
        state.SetLabel(verdict.kind == validate::VerdictKind::kIdempotent ? "idempotent"
                                                                          : "unknown");
      });
    }
  }
  return true;
}

}  // namespace picker::bench
