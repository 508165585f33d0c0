// Which kernels of a file a subcommand is about: --kernel and --arch.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "support/diagnostic.hpp"

namespace picker::tools {

// A kernel with what keeps it alive and says where it comes from.
struct SelectedKernel {
  const container::Cubin* cubin = nullptr;
  const container::Kernel* kernel = nullptr;
  std::string architecture;  // "sm_90a", as --arch takes it
  bool linkable = false;     // still has to be linked
};

struct Selection {
  container::Container container;
  std::deque<container::Cubin> cubins;  // a deque: pointers to its elements stay valid
  std::vector<SelectedKernel> kernels;  // in file order
};

// All kernels of `path` called `kernel` (mangled or demangled name; all if absent) in cubins for
// `architecture` ("sm_80"; all if absent). Code that still has to be linked counts only if there is
// no other. Errors: those of reading; kUsage if there is no such
// kernel or architecture (the message names the choices).
[[nodiscard]] Expected<Selection> select_kernels(const std::string& path,
                                                 const std::optional<std::string>& kernel,
                                                 const std::optional<std::string>& architecture);

// The same for exactly one kernel, copies with the same code counting as one; kUsage, naming the
// choices, if several match.
[[nodiscard]] Expected<Selection> select_one_kernel(const std::string& path,
                                                    const std::string& kernel,
                                                    const std::optional<std::string>& architecture);

}  // namespace picker::tools
