// picker-bench: how long picker's parts take. Google Benchmark's options apply; docs/benchmarks.md
// says which ones print the figures noted there.
#include <benchmark/benchmark.h>

#include "bench/registration.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (!picker::bench::register_decode() || !picker::bench::register_analyze() ||
      !picker::bench::register_validate() || !picker::bench::register_emulate())
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
