// A summary in words: which argument each access goes through and under which condition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "container/cubin.hpp"

namespace picker::analysis {

// The parameter through which an address goes: the one 64-bit parameter word that the address
// contains with coefficient 1. Nothing if there is none or more than one.
struct PointerArgument {
  u32 ordinal = 0;         // of the parameter
  u32 offset = 0;          // of the pointer inside it, bytes (not 0 only in structs)
  u32 parameter_size = 0;  // bytes
};
[[nodiscard]] std::optional<PointerArgument> pointer_argument(const Expressions& expressions,
                                                              ExprId address,
                                                              const container::Kernel& kernel);

// "argument 2" or "argument 1 (byte 16)"; the symbol's name for a module global; "?" otherwise.
[[nodiscard]] std::string base_name(const Summary& summary, ExprId address,
                                    const container::Kernel& kernel);

// An expression with parameters called arg0, arg1, ..., launch dimensions by their CUDA names.
[[nodiscard]] std::string to_words(const Summary& summary, ExprId id,
                                   const container::Kernel& kernel);

// The condition under which a launch is idempotent: one line per pair of an argument that is
// written and one that is read, in a stable order.
[[nodiscard]] std::vector<std::string> condition_in_words(const Summary& summary,
                                                          const container::Kernel& kernel);

}  // namespace picker::analysis
