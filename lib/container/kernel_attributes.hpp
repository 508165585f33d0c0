// Turns the attribute stream of one kernel into the fields of `Kernel`.
#pragma once

#include <span>

#include "container/cubin.hpp"

namespace picker::container {

// Fills parameters, limits, offsets and branch targets of `kernel` from `attributes` (its
// .nv.info.KERNEL) and lists the numbers not understood. `symbols` are the cubin's.
// Errors: kMalformed, naming `section` and the record's offset.
[[nodiscard]] Expected<void> apply_kernel_attributes(Kernel& kernel,
                                                     std::vector<Attribute> attributes,
                                                     std::string_view section,
                                                     std::span<const Symbol> symbols);

}  // namespace picker::container
