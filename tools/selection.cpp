#include "tools/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace picker::tools {
namespace {

using container::Container;
using container::Cubin;
using container::Image;
using container::ImageKind;
using container::Kernel;

std::string listed(const std::set<std::string>& names) {
  constexpr size_t kMost = 12;
  std::string text;
  size_t count = 0;
  for (const std::string& name : names) {
    if (count == kMost) return fmt::format("{}, and {} more", text, names.size() - kMost);
    text += (count++ == 0 ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

bool matches(const Kernel& kernel, const std::string& wanted) {
  if (kernel.name == wanted) return true;
  // A demangled name is more work: only if it could be one.
  return wanted.find('(') != std::string::npos && container::demangle(kernel.name) == wanted;
}

}  // namespace

Expected<Selection> select_kernels(const std::string& path,
                                   const std::optional<std::string>& kernel,
                                   const std::optional<std::string>& architecture) {
  Expected<Container> opened = Container::open(path);
  if (!opened) return std::unexpected(opened.error());
  Selection selection;
  selection.container = std::move(*opened);
  const Container& container = selection.container;
  std::set<std::string> architectures;
  std::set<std::string> names;
  bool has_ptx = false;
  for (const Image& image : container.images()) {
    if (image.kind != ImageKind::kCubin) {
      has_ptx = true;
      continue;
    }
    architectures.insert(image.architecture);
    if (architecture && image.architecture != *architecture) continue;
    Expected<Cubin> cubin = container.cubin(image);
    if (!cubin) return std::unexpected(cubin.error());
    selection.cubins.push_back(std::move(*cubin));
    const Cubin& kept = selection.cubins.back();
    bool used = false;
    for (const Kernel& candidate : kept.kernels()) {
      if (kernel && !matches(candidate, *kernel)) {
        names.insert(candidate.name);
        continue;
      }
      selection.kernels.push_back({&kept, &candidate});
      used = true;
    }
    if (!used) selection.cubins.pop_back();
  }
  if (architecture && !architectures.contains(*architecture))
    return usage_error(fmt::format("{}: no code for {}; there is code for: {}", container.name(),
                                   *architecture, listed(architectures)));
  if (architectures.empty() && has_ptx)
    return unsupported(fmt::format("{}: has PTX only, no machine code", container.name()));
  if (kernel && selection.kernels.empty())
    return usage_error(
        fmt::format("{}: no kernel {}; there are: {}", container.name(), *kernel, listed(names)));
  return selection;
}

Expected<Selection> select_one_kernel(const std::string& path, const std::string& kernel,
                                      const std::optional<std::string>& architecture) {
  Expected<Selection> selection = select_kernels(path, kernel, architecture);
  if (!selection || selection->kernels.size() == 1) return selection;
  std::set<std::string> architectures;
  for (const SelectedKernel& choice : selection->kernels)
    architectures.insert(fmt::format("sm_{}", choice.kernel->sm));
  if (architectures.size() > 1)
    return usage_error(
        fmt::format("{}: kernel {} exists for several architectures, choose one with --arch: {}",
                    selection->container.name(), kernel, listed(architectures)));
  std::set<std::string> places;
  for (const SelectedKernel& choice : selection->kernels)
    places.insert(fmt::format("{} in {}", choice.kernel->name, choice.cubin->name()));
  return usage_error(fmt::format("{}: {} kernels match {}: {}", selection->container.name(),
                                 selection->kernels.size(), kernel, listed(places)));
}

}  // namespace picker::tools
