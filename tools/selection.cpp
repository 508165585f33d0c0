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

bool equal(Slice a, Slice b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// Whether what the kernels do is surely the same: headers included in several sources leave copies.
bool same_everywhere(const std::vector<SelectedKernel>& kernels) {
  const auto addresses = [](const Cubin& cubin) {
    std::vector<std::pair<u64, std::string_view>> result;
    for (const container::ResolvedRelocation& entry : cubin.constant4_relocations())
      result.emplace_back(entry.offset, entry.symbol_name);
    return result;
  };
  const SelectedKernel& first = kernels.front();
  return std::all_of(kernels.begin(), kernels.end(), [&](const SelectedKernel& other) {
    const Kernel& a = *first.kernel;
    const Kernel& b = *other.kernel;
    return first.architecture == other.architecture && a.name == b.name && equal(a.code, b.code) &&
           equal(a.constant2, b.constant2) && a.parameter_base == b.parameter_base &&
           a.parameter_size == b.parameter_size && a.relocations.empty() && b.relocations.empty() &&
           addresses(*first.cubin) == addresses(*other.cubin) &&
           equal(first.cubin->constant3(), other.cubin->constant3());
  });
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
  std::set<std::string> intermediate;  // PTX and LTO images, by architecture
  for (const Image& image : container.images()) {
    if (image.kind == ImageKind::kPtx) intermediate.insert(image.architecture + " (PTX)");
    if (image.kind == ImageKind::kLtoIr) intermediate.insert(image.architecture + " (LTO)");
    if (image.kind != ImageKind::kCubin) continue;
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
      selection.kernels.push_back({&kept, &candidate, image.architecture, image.linkable});
      used = true;
    }
    if (!used) selection.cubins.pop_back();
  }
  // Which machine code a driver or nvJitLink makes of these is known when they have made it.
  const std::string to_compile =
      intermediate.empty()
          ? std::string()
          : fmt::format(
                "; {} needs compiling for the device that will run it (ptxas -arch=sm_NN for "
                "PTX, nvJitLink or nvcc -dlto for LTO)",
                listed(intermediate));
  if (architectures.empty() && !intermediate.empty())
    return unsupported(fmt::format("{}: no machine code{}", container.name(), to_compile));
  if (architecture && !architectures.contains(*architecture))
    return usage_error(fmt::format("{}: no code for {}; there is code for: {}{}", container.name(),
                                   *architecture, listed(architectures), to_compile));
  const auto linkable = [](const SelectedKernel& choice) { return choice.linkable; };
  if (!std::all_of(selection.kernels.begin(), selection.kernels.end(), linkable))
    std::erase_if(selection.kernels, linkable);
  if (kernel && selection.kernels.empty())
    return usage_error(
        fmt::format("{}: no kernel {}; there are: {}", container.name(), *kernel, listed(names)));
  return selection;
}

Expected<Selection> select_one_kernel(const std::string& path, const std::string& kernel,
                                      const std::optional<std::string>& architecture) {
  Expected<Selection> selection = select_kernels(path, kernel, architecture);
  if (!selection) return selection;
  if (same_everywhere(selection->kernels)) {
    selection->kernels.resize(1);
    return selection;
  }
  std::set<std::string> architectures;
  for (const SelectedKernel& choice : selection->kernels) architectures.insert(choice.architecture);
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
