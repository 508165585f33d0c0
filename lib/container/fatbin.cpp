#include "container/fatbin.hpp"

#include <fmt/format.h>

namespace picker::container {
namespace {

constexpr u32 kMagic = 0xba55ed50;
constexpr u16 kVersion = 1;
constexpr u16 kEntryVersion = 0x101;
constexpr u32 kSmallestHeader = 16;
constexpr u32 kSmallestEntryHeader = 64;

Expected<void> parse_entries(Slice bytes, u64 offset, u64 end, std::string_view where,
                             std::vector<FatbinEntry>& entries) {
  while (offset < end) {
    const auto fail = [&](std::string_view what) {
      return malformed(fmt::format("{}: fatbin entry at offset 0x{:x}: {}", where, offset, what));
    };
    const std::optional<Slice> rest = bytes.sub(offset, end - offset);
    if (!rest || rest->size() < kSmallestEntryHeader) return fail("header is cut short");
    const u32 header_size = *rest->read<u32>(4);
    const u64 size = *rest->read<u64>(8);
    const u32 compressed_size = *rest->read<u32>(16);
    if (*rest->read<u16>(2) != kEntryVersion)
      return fail(
          fmt::format("version 0x{:x}, expected 0x{:x}", *rest->read<u16>(2), kEntryVersion));
    const std::optional<Slice> payload =
        header_size >= kSmallestEntryHeader ? rest->sub(header_size, size) : std::nullopt;
    if (!payload)
      return fail(
          fmt::format("header of {} and payload of {} bytes exceed the fatbin", header_size, size));
    FatbinEntry entry;
    entry.kind = *rest->read<u16>(0);
    entry.architecture = *rest->read<u32>(28);
    entry.flags = *rest->read<u64>(40);
    entry.offset = offset;
    entry.payload = *payload;
    entry.decompressed_size = payload->size();
    if ((entry.flags & (kFatbinLz4 | kFatbinZstd | kFatbinOtherCompression)) != 0) {
      const std::optional<Slice> compressed = payload->sub(0, compressed_size);
      if (!compressed)
        return fail(fmt::format("compressed size {} exceeds the payload of {} bytes",
                                compressed_size, size));
      entry.payload = *compressed;
      entry.decompressed_size = *rest->read<u64>(56);
    }
    entries.push_back(entry);
    offset += u64{header_size} + size;
  }
  return {};
}

}  // namespace

bool has_fatbin_magic(Slice bytes) { return bytes.read<u32>(0) == std::optional<u32>(kMagic); }

Expected<std::vector<FatbinEntry>> parse_fatbins(Slice bytes, std::string_view where) {
  std::vector<FatbinEntry> entries;
  u64 offset = 0;
  while (offset < bytes.size()) {
    if (*bytes.read<u8>(offset) == 0) {  // padding
      ++offset;
      continue;
    }
    const auto fail = [&](std::string_view what) {
      return malformed(fmt::format("{}: fatbin at offset 0x{:x}: {}", where, offset, what));
    };
    const Slice rest = *bytes.from(offset);
    if (!has_fatbin_magic(rest)) return fail("no fatbin magic");
    const std::optional<u16> version = rest.read<u16>(4);
    const std::optional<u16> header_size = rest.read<u16>(6);
    const std::optional<u64> size = rest.read<u64>(8);
    if (!version || !header_size || !size) return fail("header is cut short");
    if (*version != kVersion)
      return fail(fmt::format("version {}, expected {}", *version, kVersion));
    if (*header_size < kSmallestHeader || !rest.sub(*header_size, *size))
      return fail(fmt::format("header of {} and content of {} bytes exceed the {} bytes there are",
                              *header_size, *size, rest.size()));
    const u64 begin = offset + *header_size;
    if (Expected<void> done = parse_entries(bytes, begin, begin + *size, where, entries); !done)
      return std::unexpected(done.error());
    offset = begin + *size;
  }
  return entries;
}

}  // namespace picker::container
