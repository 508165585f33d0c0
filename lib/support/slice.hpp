// A checked view of input bytes.
//
// Every parser in picker reads through `Slice`: an offset or size taken from the input is never
// added to a pointer, and every access says whether it was inside. A read outside yields nothing;
// the caller turns that into a diagnostic that names the place.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "support/types.hpp"

namespace picker {

// Does not own its bytes; valid as long as the buffer behind it. Little-endian, as every cubin is.
class Slice {
 public:
  Slice() = default;
  explicit Slice(std::span<const u8> bytes) : bytes_(bytes) {}

  [[nodiscard]] u64 size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] const u8* data() const { return bytes_.data(); }
  [[nodiscard]] std::span<const u8> bytes() const { return bytes_; }

  // The `length` bytes at `offset`, or nothing if they are not all inside.
  [[nodiscard]] std::optional<Slice> sub(u64 offset, u64 length) const {
    if (offset > size() || length > size() - offset) return std::nullopt;
    return Slice(bytes_.subspan(offset, length));
  }
  // Everything from `offset` on, or nothing if `offset` is past the end.
  [[nodiscard]] std::optional<Slice> from(u64 offset) const {
    if (offset > size()) return std::nullopt;
    return Slice(bytes_.subspan(offset));
  }

  template <typename T>
  [[nodiscard]] std::optional<T> read(u64 offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::optional<Slice> part = sub(offset, sizeof(T));
    if (!part) return std::nullopt;
    T value;
    std::memcpy(&value, part->data(), sizeof(T));
    return value;
  }

  // The NUL-terminated string at `offset`; nothing if it starts outside or has no end inside.
  [[nodiscard]] std::optional<std::string_view> c_string(u64 offset) const {
    const std::optional<Slice> rest = from(offset);
    if (!rest || rest->empty()) return std::nullopt;
    const void* end = std::memchr(rest->data(), 0, rest->size());
    if (end == nullptr) return std::nullopt;
    const char* begin = reinterpret_cast<const char*>(rest->data());
    return std::string_view(begin, static_cast<const char*>(end) - begin);
  }

 private:
  std::span<const u8> bytes_;
};

}  // namespace picker
