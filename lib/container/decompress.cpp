#include "container/decompress.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <limits>

namespace picker::container {
namespace {

// The most either format makes of one byte: LZ4 encodes 255 more bytes of a match per byte; a
// Zstandard block of four bytes can stand for 128 KiB.
constexpr u64 kLz4Expansion = 255;
constexpr u64 kZstdExpansion = (u64{128} << 10) / 4 + 1;

std::unexpected<Diagnostic> damaged(std::string_view what) {
  return malformed(fmt::format("compressed data: {}", what));
}

}  // namespace

Expected<OwnedBytes> decompress(Slice stored, Compression compression, u64 size,
                                std::shared_ptr<const void> owner) {
  if (compression == Compression::kNone) return OwnedBytes{stored, std::move(owner)};
  if (compression == Compression::kUnknown)
    return unsupported("compressed in a way that is not known");
  const u64 expansion = compression == Compression::kLz4 ? kLz4Expansion : kZstdExpansion;
  if (size > kLargestImage || size / expansion > stored.size())
    return damaged(fmt::format("{} bytes cannot stand for {} (at most {} are accepted)",
                               stored.size(), size, kLargestImage));
  static_assert(kLargestImage <= std::numeric_limits<int>::max());
  if (compression == Compression::kLz4 && stored.size() > kLargestImage)
    return damaged(fmt::format("{} bytes are too many", stored.size()));
  if (compression == Compression::kZstd) {
    const unsigned long long stated = ZSTD_getFrameContentSize(stored.data(), stored.size());
    if (stated == ZSTD_CONTENTSIZE_ERROR) return damaged("no Zstandard frame");
    if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != size)
      return damaged(fmt::format("the frame says {} bytes, the fatbin {}", stated, size));
  }

  std::shared_ptr<u8[]> buffer = std::make_shared_for_overwrite<u8[]>(size);
  u64 produced = 0;
  if (compression == Compression::kLz4) {
    const int result = LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()),
                                           reinterpret_cast<char*>(buffer.get()),
                                           static_cast<int>(stored.size()), static_cast<int>(size));
    if (result < 0) return damaged(fmt::format("damaged LZ4 block near byte {}", -i64{result}));
    produced = static_cast<u64>(result);
  } else {
    const size_t result = ZSTD_decompress(buffer.get(), size, stored.data(), stored.size());
    if (ZSTD_isError(result) != 0) return damaged(ZSTD_getErrorName(result));
    produced = result;
  }
  if (produced != size)
    return damaged(fmt::format("gives {} bytes, the fatbin says {}", produced, size));
  const Slice bytes{std::span<const u8>(buffer.get(), size)};
  return OwnedBytes{bytes, std::move(buffer)};
}

}  // namespace picker::container
