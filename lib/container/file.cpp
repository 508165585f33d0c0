#include "container/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace picker::container {
namespace {

constexpr u64 kLargestStandardInput = u64{8} << 30;

// A mapping that goes away with its last user.
class Mapping {
 public:
  Mapping(void* address, u64 size) : address_(address), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(address_, size_); }

 private:
  void* address_;
  u64 size_;
};

std::unexpected<Diagnostic> system_error(const std::string& path, int error) {
  return malformed(fmt::format("{}: cannot be read: {}", path, std::strerror(error)));
}

Expected<OwnedBytes> read_to_end(int descriptor, const std::string& path) {
  std::vector<u8> bytes;
  constexpr u64 kStep = u64{1} << 20;
  for (;;) {
    const u64 used = bytes.size();
    bytes.resize(used + kStep);
    const ssize_t count = ::read(descriptor, bytes.data() + used, kStep);
    if (count < 0 && errno == EINTR) {
      bytes.resize(used);
      continue;
    }
    if (count < 0) return system_error(path, errno);
    bytes.resize(used + static_cast<u64>(count));
    if (count == 0) return own(std::move(bytes));
    if (bytes.size() > kLargestStandardInput)
      return malformed(fmt::format("{}: more than {} bytes", path, kLargestStandardInput));
  }
}

}  // namespace

OwnedBytes own(std::vector<u8> bytes) {
  auto owner = std::make_shared<const std::vector<u8>>(std::move(bytes));
  const Slice slice{std::span<const u8>(*owner)};
  return {slice, owner};
}

Expected<OwnedBytes> read_input(const std::string& path) {
  if (path == "-") return read_to_end(STDIN_FILENO, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(path, errno);
  struct stat status;
  if (::fstat(descriptor, &status) != 0) {
    const int error = errno;
    ::close(descriptor);
    return system_error(path, error);
  }
  if (!S_ISREG(status.st_mode)) {  // a pipe, or a directory, whose read says so
    Expected<OwnedBytes> bytes = read_to_end(descriptor, path);
    ::close(descriptor);
    return bytes;
  }
  if (status.st_size == 0) {
    ::close(descriptor);
    return own({});
  }
  const u64 size = static_cast<u64>(status.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  ::close(descriptor);
  if (address == MAP_FAILED) return system_error(path, error);
  const Slice slice{std::span<const u8>(static_cast<const u8*>(address), size)};
  return OwnedBytes{slice, std::make_shared<const Mapping>(address, size)};
}

}  // namespace picker::container
