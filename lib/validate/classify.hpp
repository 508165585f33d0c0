// The class of a kernel: always, conditionally, never idempotent, or unknown.
//
// always         no launch can conflict: the kernel has no write to global memory, or no read, and
//                nothing that the analysis did not understand.
// never          every launch that executes a global write conflicts, whatever the pointers: each
//                write is an atomic, or the same thread read the very bytes before under weaker
//                conditions.
// conditionally  a launch of each kind is exhibited. The search makes up small launches with
//                pointers far apart, then lets an argument that is written point where one that is
//                read points; the validator judges both, and a conflict counts only if a walk
//                through the code confirms it.
// unknown        otherwise, with the first reason.
#pragma once

#include <optional>
#include <string>

#include "analysis/summary.hpp"
#include "container/cubin.hpp"
#include "validate/launch.hpp"

namespace picker::validate {

enum class KernelClass : u8 { kAlways, kConditionally, kNever, kUnknown };

struct Exhibit {
  Launch launch;
  std::string what;  // "pointers apart, scalars 64, grid 2, block 32"
};

struct Classification {
  KernelClass kernel_class = KernelClass::kUnknown;
  std::optional<analysis::Reason> reason;  // kUnknown only
  std::string detail;
  std::optional<Exhibit> idempotent;  // kConditionally only
  std::optional<Exhibit> conflict;    // kConditionally only
};

// Cost: a few dozen validations. Deterministic and thread-safe.
[[nodiscard]] Classification classify(const container::Cubin& cubin,
                                      const container::Kernel& kernel,
                                      const analysis::Summary& summary);

[[nodiscard]] std::string_view to_string(KernelClass kernel_class);

}  // namespace picker::validate
