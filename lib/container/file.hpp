// The bytes of an input file, mapped rather than read: libraries with kernels reach gigabytes, and
// listing one touches a small part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/diagnostic.hpp"
#include "support/slice.hpp"

namespace picker::container {

// Bytes with their owner; copying shares them.
struct OwnedBytes {
  Slice bytes;
  std::shared_ptr<const void> owner;
};

// Maps `path`, or reads standard input to its end if `path` is "-". A file that another process
// cuts while it is mapped ends this one with SIGBUS, as any mapping does. Errors: kMalformed with
// the system's reason, naming `path`.
[[nodiscard]] Expected<OwnedBytes> read_input(const std::string& path);

// Takes over a buffer.
[[nodiscard]] OwnedBytes own(std::vector<u8> bytes);

}  // namespace picker::container
