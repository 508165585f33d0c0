// One launch, as the driver receives it: everything that a verdict may depend on.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.hpp"

namespace picker::validate {

// Constant bank 0 as this launch sets it. A byte is either known (a parameter, a grid or block
// size: fields the launch itself determines) or unknown (anything that the driver owns or that
// nobody supplied). Unknown bytes make the values that read them unknown, never zero.
class ConstantBank {
 public:
  // Banks are 64 KiB at most; larger offsets are ignored, so such bytes stay unknown.
  static constexpr u32 kMaxBytes = 1u << 16;

  // Makes `bytes` the known content from `offset` on.
  void set(u32 offset, std::span<const u8> bytes) {
    if (offset > kMaxBytes || bytes.size() > kMaxBytes - offset) return;
    const size_t end = offset + bytes.size();
    if (bytes_.size() < end) {
      bytes_.resize(end, 0);
      known_.resize(end, 0);
    }
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + offset);
    std::fill(known_.begin() + offset, known_.begin() + static_cast<std::ptrdiff_t>(end), u8{1});
  }
  // Little-endian store of the low `size` bytes (1 to 8) of `value`.
  void set_value(u32 offset, u64 value, u32 size) {
    std::array<u8, 8> bytes{};
    for (u32 i = 0; i < 8; ++i) bytes[i] = static_cast<u8>(value >> (8 * i));
    set(offset, std::span(bytes).first(std::min<u32>(size, 8)));
  }

  // The little-endian value of `size` bytes (1 to 8) at `offset`; nothing unless all are known.
  [[nodiscard]] std::optional<u64> read(u64 offset, u32 size) const {
    if (size == 0 || size > 8 || offset > bytes_.size() || size > bytes_.size() - offset)
      return std::nullopt;
    u64 value = 0;
    for (u32 i = 0; i < size; ++i) {
      if (known_[offset + i] == 0) return std::nullopt;
      value |= static_cast<u64>(bytes_[offset + i]) << (8 * i);
    }
    return value;
  }

 private:
  std::vector<u8> bytes_;
  std::vector<u8> known_;  // 1 where bytes_ holds what the kernel will see
};

// A live allocation of global memory: [address, address + size) bytes.
struct Allocation {
  u64 address = 0;
  u64 size = 0;
};

// A value; owns everything. Dimensions are counts (blocks, threads), none of them zero.
struct Launch {
  std::array<u32, 3> grid = {1, 1, 1};     // blocks per axis
  std::array<u32, 3> block = {1, 1, 1};    // threads per axis
  std::array<u32, 3> cluster = {1, 1, 1};  // blocks per axis of one cluster
  u32 dynamic_shared_bytes = 0;
  ConstantBank constant_bank;
  // Where each symbol of Summary::symbols lies, by its number; missing or empty: not placed.
  std::vector<std::optional<u64>> symbols;
  std::vector<Allocation> allocations;  // used only by contracts
  std::vector<std::string> contracts;   // opt-in contracts taken, by name ("in-bounds", ...)
  bool programmatic = false;            // carries the programmatic dependent launch attribute

  [[nodiscard]] bool takes(std::string_view contract) const {
    return std::find(contracts.begin(), contracts.end(), contract) != contracts.end();
  }
  [[nodiscard]] std::optional<u64> symbol(u64 number) const {
    return number < symbols.size() ? symbols[number] : std::nullopt;
  }
};

}  // namespace picker::validate
