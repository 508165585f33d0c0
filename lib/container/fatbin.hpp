// Fatbins: several images (cubins for different architectures, PTX) in one piece.
//
// Layout, little-endian. A header {u32 magic 0xba55ed50, u16 version 1, u16 header size, u64 size
// of what follows}, then entries back to back, each a header {u16 kind, u16 version 0x101, u32
// header size, u64 payload size, u32 compressed size, u32 offset of options, u32 version of the
// kind's own, u32 architecture, u64 name, u64 flags, u64 reserved, u64 decompressed size} and its
// payload, padded to 8 bytes. A section such as .nv_fatbin holds one fatbin after another, with
// zero bytes between at most. Nothing is decompressed here.
//
// Source: fatbins that nvcc made with each of its compression modes, compared with cuobjdump -lelf.
#pragma once

#include <string_view>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

enum class FatbinKind : u16 { kPtx = 1, kCubin = 2, kLtoIr = 8 };

// Bits of FatbinEntry::flags with a known meaning.
inline constexpr u64 kFatbinLz4 = 0x2000;
inline constexpr u64 kFatbinZstd = 0x8000;
inline constexpr u64 kFatbinOtherCompression = 0x1000;       // written before CUDA 11
inline constexpr u64 kFatbinArchitectureVariant = 0x100000;  // the "a" of sm_90a
inline constexpr u64 kFatbinFamilyVariant = 0x200000;        // the "f" of sm_100f

struct FatbinEntry {
  u16 kind = 0;          // a FatbinKind, or another
  u32 architecture = 0;  // 80 for sm_80 or compute_80
  u64 flags = 0;
  u64 offset = 0;             // of the entry's header in the parsed bytes
  Slice payload;              // without padding if compressed; with it if not
  u64 decompressed_size = 0;  // bytes; of `payload` if it is not compressed
};

[[nodiscard]] bool has_fatbin_magic(Slice bytes);

// The entries of all fatbins in `bytes`, which views them. `where` names the bytes in errors
// (kMalformed, with the offset).
[[nodiscard]] Expected<std::vector<FatbinEntry>> parse_fatbins(Slice bytes, std::string_view where);

}  // namespace picker::container
