// Decompression of fatbin entries with bounds on what it may cost.
#pragma once

#include <memory>

#include "container/file.hpp"
#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

enum class Compression : u8 { kNone, kLz4, kZstd, kUnknown };

// No image may be larger than this once decompressed: 1 GiB.
inline constexpr u64 kLargestImage = u64{1} << 30;

// Decompresses `stored` (an LZ4 block or one Zstandard frame) to exactly `size` bytes; kNone gives
// `stored` itself with `owner`. Memory: `size` bytes, of which no more is touched than
// decompression fills. Errors: kMalformed if the data are damaged or give another size, or `size`
// is larger than kLargestImage or than the format can make of `stored`; kUnsupported for kUnknown.
[[nodiscard]] Expected<OwnedBytes> decompress(Slice stored, Compression compression, u64 size,
                                              std::shared_ptr<const void> owner);

}  // namespace picker::container
