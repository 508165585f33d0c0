#include "container/container.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "container/archive.hpp"
#include "container/fatbin.hpp"

namespace picker::container {
namespace {

constexpr u64 kMachineOffset = 18;  // of e_machine in an ELF header

}  // namespace

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
  const auto named = [&](const Diagnostic& error) {
    return std::unexpected(error.in(container.name_));
  };
  if (has_archive_magic(file)) {
    container.kind_ = ContainerKind::kArchive;
    const Expected<std::vector<ArchiveMember>> members = parse_archive(file);
    if (!members) return named(members.error());
    for (const ArchiveMember& member : *members) {
      // Archives hold all sorts of things: only what can hold device code is looked into.
      if (!Elf::has_magic(member.content) && !has_fatbin_magic(member.content)) continue;
      if (Expected<void> done = container.add_images(member.content, member.name + ": "); !done)
        return named(done.error().in(member.name));
    }
    return container;
  }
  if (has_fatbin_magic(file))
    container.kind_ = ContainerKind::kFatbin;
  else if (!Elf::has_magic(file))
    return named(Diagnostic{ErrorKind::kMalformed,
                            "neither ELF, fatbin nor archive: no such magic at offset 0x0"});
  else if (file.read<u16>(kMachineOffset) == kMachineCuda)
    container.kind_ = ContainerKind::kCubin;
  else
    container.kind_ = ContainerKind::kHost;
  if (Expected<void> done = container.add_images(file, ""); !done) return named(done.error());
  return container;
}

// Adds what `file` (a cubin, fatbin or host ELF) holds; `place` goes in front of the images' names.
Expected<void> Container::add_images(Slice file, std::string_view place) {
  if (has_fatbin_magic(file)) return add_fatbins(file, place, false);
  const Expected<Elf> elf = Elf::parse(file);
  if (!elf) return std::unexpected(elf.error());
  if (elf->machine() == kMachineCuda) {
    // The header tells the architecture; whether the rest is well-formed is found out on use, but
    // a lone cubin has no other image to go on with.
    const Expected<Cubin> cubin = Cubin::parse(file, "cubin");
    Image image;
    if (cubin) {
      image.sm = cubin->sm();
      image.architecture = fmt::format("sm_{}", image.sm);
      image.linkable =
          cubin->relocatable() &&
          std::any_of(cubin->kernels().begin(), cubin->kernels().end(),
                      [](const Kernel& kernel) { return !kernel.relocations.empty(); });
    } else if (place.empty()) {
      return std::unexpected(cubin.error());
    }
    image.name = place;
    image.stored = file;
    image.size = file.size();
    images_.push_back(std::move(image));
    return {};
  }
  if (elf->machine() != kMachineX86_64 && elf->machine() != kMachineAArch64)
    return unsupported(
        fmt::format("ELF for machine {}, expected a cubin ({}), x86-64 ({}) or AArch64 ({})",
                    elf->machine(), kMachineCuda, kMachineX86_64, kMachineAArch64));
  for (const Section& section : elf->sections()) {
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    if (Expected<void> done = add_fatbins(section.content, fmt::format("{}{}", place, section.name),
                                          section.name == "__nv_relfatbin");
        !done)
      return done;
  }
  return {};
}

Expected<void> Container::add_fatbins(Slice bytes, std::string_view place, bool linkable) {
  const Expected<std::vector<FatbinEntry>> entries =
      parse_fatbins(bytes, place.empty() ? "fatbin" : place);
  if (!entries) return std::unexpected(entries.error());
  for (const FatbinEntry& entry : *entries) {
    Image image;
    std::string_view prefix;
    switch (static_cast<FatbinKind>(entry.kind)) {
      case FatbinKind::kCubin:
        prefix = "sm";
        break;
      case FatbinKind::kPtx:
        image.kind = ImageKind::kPtx, prefix = "compute";
        break;
      case FatbinKind::kLtoIr:
        image.kind = ImageKind::kLtoIr, prefix = "lto";
        break;
      default:
        image.kind = ImageKind::kOther, prefix = "kind";
        break;
    }
    image.sm = entry.architecture;
    image.architecture = fmt::format("{}_{}{}", prefix, entry.architecture,
                                     (entry.flags & kFatbinArchitectureVariant) != 0 ? "a"
                                     : (entry.flags & kFatbinFamilyVariant) != 0     ? "f"
                                                                                     : "");
    image.linkable = linkable;
    image.name = fmt::format("{}+0x{:x}", place.empty() ? "fatbin" : place, entry.offset);
    image.stored = entry.payload;
    image.size = entry.decompressed_size;
    switch (entry.flags & (kFatbinLz4 | kFatbinZstd | kFatbinOtherCompression)) {
      case 0:
        image.compression = Compression::kNone;
        break;
      case kFatbinLz4:
        image.compression = Compression::kLz4;
        break;
      case kFatbinZstd:
        image.compression = Compression::kZstd;
        break;
      default:
        image.compression = Compression::kUnknown;
        break;
    }
    images_.push_back(std::move(image));
  }
  return {};
}

Expected<OwnedBytes> Container::bytes(const Image& image) const {
  Expected<OwnedBytes> content =
      decompress(image.stored, image.compression, image.size, file_.owner);
  if (!content) return std::unexpected(content.error().in(image_name(image)));
  return content;
}

std::string Container::image_name(const Image& image) const {
  return image.name.empty() ? name_ : fmt::format("{}: {}", name_, image.name);
}

Expected<Cubin> Container::cubin(const Image& image) const {
  Expected<OwnedBytes> content = bytes(image);
  if (!content) return std::unexpected(content.error());
  return Cubin::parse(content->bytes, image_name(image), content->owner);
}

std::string_view to_string(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kCubin:
      return "cubin";
    case ContainerKind::kFatbin:
      return "fatbin";
    case ContainerKind::kHost:
      return "host";
    case ContainerKind::kArchive:
      return "archive";
  }
  return "?";
}

std::string_view to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::kCubin:
      return "cubin";
    case ImageKind::kPtx:
      return "ptx";
    case ImageKind::kLtoIr:
      return "lto-ir";
    case ImageKind::kOther:
      return "other";
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
    case Compression::kUnknown:
      return "unknown";
  }
  return "?";
}

}  // namespace picker::container
