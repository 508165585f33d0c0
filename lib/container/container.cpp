#include "container/container.hpp"

#include <fmt/format.h>

namespace picker::container {

Expected<Container> Container::open(const std::string& path) {
  Expected<OwnedBytes> bytes = read_input(path);
  if (!bytes) return std::unexpected(bytes.error());
  return parse(std::move(*bytes), path == "-" ? "standard input" : path);
}

Expected<Container> Container::parse(OwnedBytes bytes, std::string name) {
  Container container;
  container.name_ = std::move(name);
  container.file_ = std::move(bytes);
  const Slice file = container.file_.bytes;
  const Expected<Cubin> cubin = Cubin::parse(file, container.name_);
  if (!cubin) return std::unexpected(cubin.error());
  Image image;
  image.sm = cubin->sm();
  image.architecture = fmt::format("sm_{}", image.sm);
  image.stored = file;
  image.size = file.size();
  container.images_.push_back(std::move(image));
  return container;
}

Expected<OwnedBytes> Container::bytes(const Image& image) const {
  return OwnedBytes{image.stored, file_.owner};
}

Expected<Cubin> Container::cubin(const Image& image) const {
  Expected<OwnedBytes> content = bytes(image);
  if (!content) return std::unexpected(content.error());
  return Cubin::parse(content->bytes,
                      image.name.empty() ? name_ : fmt::format("{}: {}", name_, image.name),
                      content->owner);
}

std::string_view to_string(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kCubin:
      return "cubin";
  }
  return "?";
}

std::string_view to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::kCubin:
      return "cubin";
    case ImageKind::kPtx:
      return "ptx";
  }
  return "?";
}

std::string_view to_string(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kLz4:
      return "lz4";
    case Compression::kZstd:
      return "zstd";
  }
  return "?";
}

}  // namespace picker::container
