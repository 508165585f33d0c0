// Device code wherever it is kept: as a cubin, in a fatbin, in a program or library, in an archive.
//
// A `Container` is an index: it says which images (cubins, PTX) a file holds and where, without
// decompressing any of them; the bytes of one image are produced on request. In host ELF files
// images are in the sections .nv_fatbin (what the driver loads) and __nv_relfatbin (what the device
// linker links; after linking, it stays behind in programs, unused).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "container/cubin.hpp"
#include "container/decompress.hpp"
#include "container/file.hpp"
#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

enum class ContainerKind : u8 {
  kCubin,
  kFatbin,   // one or more fatbins and nothing else
  kHost,     // a program, shared library or object file: ELF for x86-64 or AArch64
  kArchive,  // a static library of the former
};
enum class ImageKind : u8 {
  kCubin,
  kPtx,
  kLtoIr,  // intermediate code for link-time optimisation: runs only after linking
  kOther,
};

// One image. Views the container's bytes.
struct Image {
  ImageKind kind = ImageKind::kCubin;
  u32 sm = 0;                // 80 for sm_80 or compute_80
  std::string architecture;  // "sm_80", "compute_90a"
  bool linkable = false;     // input of the device linker: the driver does not load it as it is
  std::string name;          // where in the file, for display; may be empty
  Compression compression = Compression::kNone;
  Slice stored;  // as it is in the file, possibly compressed
  u64 size = 0;  // bytes once decompressed, as the file states it
};

// Views or shares the bytes it was opened on. Immutable, so safe to share between threads.
class Container {
 public:
  // Opens a file, or standard input for "-". Errors: kMalformed or kUnsupported, naming the file.
  [[nodiscard]] static Expected<Container> open(const std::string& path);
  // The same for bytes in memory; `name` is for display.
  [[nodiscard]] static Expected<Container> parse(OwnedBytes bytes, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] ContainerKind kind() const { return kind_; }
  // In file order.
  [[nodiscard]] const std::vector<Image>& images() const { return images_; }

  // The bytes of `image`, decompressed if need be. Errors name the image.
  [[nodiscard]] Expected<OwnedBytes> bytes(const Image& image) const;
  // `image` (of kind kCubin) parsed; the result shares what it needs.
  [[nodiscard]] Expected<Cubin> cubin(const Image& image) const;

 private:
  [[nodiscard]] std::string image_name(const Image& image) const;
  Expected<void> add_images(Slice file, std::string_view place);
  Expected<void> add_fatbins(Slice bytes, std::string_view place, bool linkable);

  std::string name_;
  ContainerKind kind_ = ContainerKind::kCubin;
  OwnedBytes file_;
  std::vector<Image> images_;
};

// The words for people: "cubin", "ptx"; "none", "lz4", "zstd".
[[nodiscard]] std::string_view to_string(ContainerKind kind);
[[nodiscard]] std::string_view to_string(ImageKind kind);
[[nodiscard]] std::string_view to_string(Compression compression);

}  // namespace picker::container
