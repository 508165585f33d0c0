// Independent pieces of work on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace picker {

// Calls `work(i)` once for every i below `count`, on as many threads as there are processors, in no
// fixed order; returns when all are done. `work` must not throw and may be called from several
// threads at once.
template <typename Work>
void parallel_for(std::size_t count, Work work) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t helpers =
      std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency())) -
      (count == 0 ? 0 : 1);
  std::vector<std::jthread> threads;
  threads.reserve(helpers);
  for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(run);
  run();
}

}  // namespace picker
