// picker list: the kernels in a file.
#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <vector>

#include "container/constant_bank.hpp"
#include "container/container.hpp"
#include "support/parallel.hpp"
#include "tools/subcommands.hpp"

namespace picker::tools {
namespace {

using container::Container;
using container::Cubin;
using container::Dimensions;
using container::Image;
using container::ImageKind;
using container::Kernel;
using container::Parameter;

Json dimensions(const std::optional<Dimensions>& value) {
  if (!value) return nullptr;
  return Json::array({value->x, value->y, value->z});
}

Json kernel_json(const Kernel& kernel) {
  Json parameters = Json::array();
  for (const Parameter& parameter : kernel.parameters)
    parameters.push_back(
        {{"ordinal", parameter.ordinal}, {"offset", parameter.offset}, {"size", parameter.size}});
  return {{"name", kernel.name},
          {"demangled", container::demangle(kernel.name)},
          {"code_size", kernel.code.size()},
          {"registers", kernel.register_count},
          {"static_shared_size", kernel.static_shared_size},
          {"parameter_base", hex(kernel.parameter_base)},
          {"parameter_size", kernel.parameter_size},
          {"parameters", std::move(parameters)},
          {"required_threads", dimensions(kernel.required_threads)},
          {"max_threads", dimensions(kernel.max_threads)},
          {"blocks_per_cluster", dimensions(kernel.blocks_per_cluster)}};
}

std::string kernel_text(const Global& global, const Kernel& kernel) {
  std::string text = fmt::format("  {}\n", strong(global, printable(kernel.name)));
  const std::string demangled = container::demangle(kernel.name);
  if (demangled != kernel.name) text += fmt::format("    {}\n", printable(demangled));
  text += fmt::format("    code {} bytes, {} registers", kernel.code.size(), kernel.register_count);
  if (kernel.static_shared_size != 0)
    text += fmt::format(", shared memory {} bytes", kernel.static_shared_size);
  const auto limit = [&](std::string_view what, const std::optional<Dimensions>& value) {
    if (value) text += fmt::format(", {} {}x{}x{}", what, value->x, value->y, value->z);
  };
  limit("block must be", kernel.required_threads);
  limit("block at most", kernel.max_threads);
  limit("cluster", kernel.blocks_per_cluster);
  text += fmt::format("\n    parameters {} bytes at c[0x0][0x{:x}]", kernel.parameter_size,
                      kernel.parameter_base);
  for (const Parameter& parameter : kernel.parameters)
    text += fmt::format("{} +0x{:x} ({})", parameter.ordinal == 0 ? ":" : ",", parameter.offset,
                        parameter.size);
  return text + "\n";
}

std::string image_text(const Container& container, const Image& image) {
  std::string text =
      fmt::format("{}{}{}: {} {}", printable(container.name()), image.name.empty() ? "" : ": ",
                  printable(image.name), image.architecture, to_string(image.kind));
  if (image.compression != container::Compression::kNone)
    text += fmt::format(" ({})", to_string(image.compression));
  return text;
}

// What is said of one image.
struct Listing {
  Json json;
  std::string text;
  std::optional<Diagnostic> error;
};

Listing list_image(const Container& container, const Image& image, const Global& global) {
  Listing listing;
  Json& entry = listing.json;
  entry = {{"kind", to_string(image.kind)},
           {"arch", image.architecture},
           {"name", image.name},
           {"linkable", image.linkable},
           {"compression", to_string(image.compression)},
           {"size", image.size}};
  std::string& text = listing.text;
  text = image_text(container, image);
  if (image.kind != ImageKind::kCubin) {
    text += "\n";
    return listing;
  }
  const Expected<Cubin> cubin = container.cubin(image);
  if (!cubin) {
    listing.error = cubin.error();
    entry["error"] = cubin.error().message;
    text += ", unreadable\n";
    return listing;
  }
  const bool supported = container::constant_bank_layout(cubin->sm()) != nullptr;
  entry["relocatable"] = cubin->relocatable();
  entry["supported"] = supported;
  text += fmt::format(
      ", {} kernel{}{}{}\n", cubin->kernels().size(), cubin->kernels().size() == 1 ? "" : "s",
      image.linkable ? ", to be linked" : "", supported ? "" : ", architecture not supported");
  Json kernels = Json::array();
  for (const Kernel& kernel : cubin->kernels()) {
    if (global.format == Format::kJson)
      kernels.push_back(kernel_json(kernel));
    else
      text += kernel_text(global, kernel);
  }
  entry["kernels"] = std::move(kernels);
  return listing;
}

int list(const std::string& path, const Global& global) {
  const Expected<Container> container = Container::open(path);
  if (!container) return report(container.error());
  const std::vector<Image>& images = container->images();
  std::vector<Listing> listings(images.size());
  // Libraries hold thousands of images; most of the time goes into decompressing them.
  parallel_for(images.size(),
               [&](std::size_t i) { listings[i] = list_image(*container, images[i], global); });
  Json json = Json::array();
  std::string text;
  int status = kExitDone;
  if (images.empty()) text += printable(container->name()) + ": no device code\n";
  for (Listing& listing : listings) {
    // One damaged image does not hide the others: it is reported and the exit status says so.
    if (listing.error) status = report(*listing.error);
    text += listing.text;
    json.push_back(std::move(listing.json));
  }
  if (global.format == Format::kJson)
    return write_json(Json{{"schema", "picker.list/1"},
                           {"file", container->name()},
                           {"kind", to_string(container->kind())},
                           {"images", std::move(json)}},
                      status);
  return write_out(text, status);
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  CLI::App* subcommand = app.add_subcommand("list", "Lists the kernels in a file");
  auto path = std::make_shared<std::string>();
  subcommand->add_option("FILE", *path, "A cubin, fatbin, program, library or archive; - for stdin")
      ->required();
  subcommand->callback(
      [&action, path] { action = [path](const Global& global) { return list(*path, global); }; });
}

}  // namespace picker::tools
