// Analysis: from a kernel's machine code to its summary, for each sample kernel.
#include <benchmark/benchmark.h>

#include <string>

#include "analysis/analyzer.hpp"
#include "bench/registration.hpp"
#include "bench/sample_cubins.hpp"
#include "sass/instruction.hpp"

namespace picker::bench {

bool register_analyze() {
  if (sample_cubins().empty()) return false;
  for (const container::Cubin& cubin : sample_cubins())
    for (const container::Kernel& kernel : cubin.kernels())
      benchmark::RegisterBenchmark(("analyze/" + std::string(kernel.name)).c_str(),
                                   [&cubin, &kernel](benchmark::State& state) {
                                     for (auto _ : state)
                                       benchmark::DoNotOptimize(analysis::analyze(cubin, kernel));
                                     state.counters["instructions"] = static_cast<double>(
                                         kernel.code.size() / sass::kInstructionBytes);
                                   })
          ->Unit(benchmark::kMicrosecond);
  return true;
}

}  // namespace picker::bench
