// Device memory: sparse, with allocations, and the one place where global bytes move.
//
// Memory is a hash table of 4 KiB pages keyed by address, so a launch may name buffers terabytes
// apart; a page exists once something wrote to it, and until then reads as zero. Allocations are
// ranges that the host stated; if there are any, an access outside all of them is a fault, as it
// is on a device (a device has coarser pages: this is stricter on purpose).
//
// `GlobalMemory::access` is the only function that reads or writes bytes on behalf of the kernel,
// and it is the function that reports to the recorder: what is not recorded did not happen. Host
// side helpers (`read`, `write`) are for setting up and comparing memory and are not recorded.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/recorder.hpp"
#include "semantics/concrete.hpp"
#include "support/types.hpp"

namespace picker::emulator {

// The bytes of one access, by lane, zero-extended little-endian words.
struct AccessData {
  std::array<Lanes<u32>, kMaxAccessBytes / 4> words;
};

// A new value of `bytes` bytes from the old one, for lane `lane`; false: leave it as it is.
using Update =
    std::function<bool(u32 lane, std::span<const u8> old_bytes, std::span<u8> new_bytes)>;

enum class MemoryFault : u8 { kNone, kOutOfBounds, kMisaligned, kTooMuch };

struct FaultPlace {
  MemoryFault fault = MemoryFault::kNone;
  u32 lane = 0;
  u64 address = 0;
};

// Owns its pages; copies are deep. Not thread-safe.
class GlobalMemory {
 public:
  static constexpr u32 kPageBytes = 4096;
  // Pages that may exist (1 GiB); beyond: kTooMuch.
  static constexpr size_t kMaxPages = size_t{1} << 18;
  using Page = std::array<u8, kPageBytes>;

  GlobalMemory() = default;
  GlobalMemory(const GlobalMemory& other);
  GlobalMemory& operator=(const GlobalMemory& other);
  GlobalMemory(GlobalMemory&&) noexcept = default;
  GlobalMemory& operator=(GlobalMemory&&) noexcept = default;
  ~GlobalMemory() = default;

  // Makes [address, address + size) accessible; without any allocation every address is.
  void allocate(u64 address, u64 size);
  // Makes the range accessible only if some range is stated at all (module variables).
  void allocate_extra(u64 address, u64 size);
  [[nodiscard]] bool accessible(u64 address, u64 size) const;

  // Host access, unrecorded. Ranges may not pass the end of the address space.
  void write(u64 address, std::span<const u8> bytes);
  void read(u64 address, std::span<u8> bytes) const;

  // One warp's access. `data`: what loads return and stores bring; `update`: the operation of an
  // atomic, null otherwise (an atomic returns the old bytes in `data`). Lanes act one after
  // another, from lane `first_lane` on, wrapping round: where several write one byte, the last one
  // wins. Nothing happens if any lane faults.
  [[nodiscard]] FaultPlace access(const Access& access, AccessData& data, const Update* update,
                                  u32 first_lane, Recorder* recorder);

  // Calls visit(u64 address of the page, const Page&) for every page that exists, in any order.
  template <class Visit>
  void for_each_page(Visit visit) const {
    for (const auto& [number, page] : pages_) visit(number * kPageBytes, *page);
  }
  // The first address at which the two differ, or nothing.
  [[nodiscard]] std::optional<u64> first_difference(const GlobalMemory& other) const;

 private:
  struct Range {
    u64 first = 0;
    u64 last = 0;  // inclusive
  };
  [[nodiscard]] Page* page_for_writing(u64 number);
  [[nodiscard]] const Page* page_for_reading(u64 number) const;
  void get(u64 address, u8* to, u32 bytes) const;
  // A load of whole words whose bytes [first, last + access.bytes) lie in one page that exists;
  // false, and nothing done, for any other.
  [[nodiscard]] bool read_whole(const Access& access, u64 first, u64 last, AccessData& data) const;
  [[nodiscard]] bool put(u64 address, const u8* from, u32 bytes);

  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  mutable u64 last_number_ = ~u64{0};
  mutable Page* last_page_ = nullptr;
  std::vector<Range> allocations_;  // as stated
  std::vector<Range> extra_;
};

}  // namespace picker::emulator
