// The sample cubins that benchmarks run on.
#pragma once

#include <vector>

#include "container/cubin.hpp"

namespace picker::bench {

// Those for sm_80, in the order of their names; empty, with a line on standard error, if one cannot
// be read. Live until the program ends.
[[nodiscard]] const std::vector<container::Cubin>& sample_cubins();

}  // namespace picker::bench
