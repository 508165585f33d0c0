// The benchmarks of each layer. They are registered at run time, because their names come from the
// sample kernels.
#pragma once

namespace picker::bench {

// Each says whether the sample files could be read; if not, one line on standard error says why.
[[nodiscard]] bool register_decode();
[[nodiscard]] bool register_analyze();
[[nodiscard]] bool register_validate();
[[nodiscard]] bool register_emulate();

}  // namespace picker::bench
