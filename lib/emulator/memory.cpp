#include "emulator/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace picker::emulator {

static_assert(std::endian::native == std::endian::little);

GlobalMemory::GlobalMemory(const GlobalMemory& other)
    : allocations_(other.allocations_), extra_(other.extra_) {
  pages_.reserve(other.pages_.size());
  for (const auto& [number, page] : other.pages_)
    pages_.emplace(number, std::make_unique<Page>(*page));
}

GlobalMemory& GlobalMemory::operator=(const GlobalMemory& other) {
  if (this != &other) *this = GlobalMemory(other);
  return *this;
}

void GlobalMemory::allocate(u64 address, u64 size) {
  if (size != 0) allocations_.push_back({address, address + (size - 1)});
}

void GlobalMemory::allocate_extra(u64 address, u64 size) {
  if (size != 0) extra_.push_back({address, address + (size - 1)});
}

bool GlobalMemory::accessible(u64 address, u64 size) const {
  if (size == 0) return true;
  if (address > ~u64{0} - (size - 1)) return false;
  if (allocations_.empty()) return true;
  // Adjacent allocations count as one: walk from the first byte to the last.
  const u64 last = address + (size - 1);
  u64 at = address;
  for (;;) {
    bool moved = false;
    for (const std::vector<Range>* ranges : {&allocations_, &extra_})
      for (const Range& range : *ranges) {
        if (at < range.first || at > range.last) continue;
        if (last <= range.last) return true;
        at = range.last + 1;
        moved = true;
      }
    if (!moved) return false;
  }
}

GlobalMemory::Page* GlobalMemory::page_for_writing(u64 number) {
  if (number == last_number_ && last_page_ != nullptr) return last_page_;
  auto it = pages_.find(number);
  if (it == pages_.end()) {
    if (pages_.size() >= kMaxPages) return nullptr;
    it = pages_.emplace(number, std::make_unique<Page>()).first;
    it->second->fill(0);
  }
  last_number_ = number;
  last_page_ = it->second.get();
  return last_page_;
}

const GlobalMemory::Page* GlobalMemory::page_for_reading(u64 number) const {
  if (number == last_number_ && last_page_ != nullptr) return last_page_;
  const auto it = pages_.find(number);
  if (it == pages_.end()) return nullptr;
  last_number_ = number;
  last_page_ = it->second.get();
  return last_page_;
}

void GlobalMemory::get(u64 address, u8* to, u32 bytes) const {
  while (bytes != 0) {
    const u32 offset = static_cast<u32>(address % kPageBytes);
    const u32 part = std::min(bytes, kPageBytes - offset);
    if (const Page* page = page_for_reading(address / kPageBytes))
      std::memcpy(to, page->data() + offset, part);
    else
      std::memset(to, 0, part);
    address += part;
    to += part;
    bytes -= part;
  }
}

bool GlobalMemory::put(u64 address, const u8* from, u32 bytes) {
  while (bytes != 0) {
    const u32 offset = static_cast<u32>(address % kPageBytes);
    const u32 part = std::min(bytes, kPageBytes - offset);
    Page* page = page_for_writing(address / kPageBytes);
    if (page == nullptr) return false;
    std::memcpy(page->data() + offset, from, part);
    address += part;
    from += part;
    bytes -= part;
  }
  return true;
}

void GlobalMemory::write(u64 address, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const size_t part = std::min<size_t>(bytes.size(), kPageBytes);
    if (!put(address, bytes.data(), static_cast<u32>(part))) return;
    address += part;
    bytes = bytes.subspan(part);
  }
}

void GlobalMemory::read(u64 address, std::span<u8> bytes) const {
  while (!bytes.empty()) {
    const size_t part = std::min<size_t>(bytes.size(), kPageBytes);
    get(address, bytes.data(), static_cast<u32>(part));
    address += part;
    bytes = bytes.subspan(part);
  }
}

bool GlobalMemory::read_whole(const Access& access, u64 first, u64 last, AccessData& data) const {
  const u64 number = first / kPageBytes;
  if (access.bytes % 4 != 0 || (last + (access.bytes - 1)) / kPageBytes != number) return false;
  const Page* const page = page_for_reading(number);
  if (page == nullptr) return false;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (((access.lanes >> lane) & 1) == 0) continue;
    const u8* const from = page->data() + (access.address[lane] - number * kPageBytes);
    for (u32 w = 0; w < access.bytes / 4; ++w)
      std::memcpy(&data.words[w][lane], from + size_t{w} * 4, 4);
  }
  return true;
}

FaultPlace GlobalMemory::access(const Access& access, AccessData& data, const Update* update,
                                u32 first_lane, Recorder* recorder) {
  u64 first = ~u64{0}, last = 0, bits = 0;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (((access.lanes >> lane) & 1) == 0) continue;
    first = std::min(first, access.address[lane]);
    last = std::max(last, access.address[lane]);
    bits |= access.address[lane];
  }
  // All between the lowest and the highest byte at once, as a rule; else lane by lane.
  const bool is_power = (access.bytes & (access.bytes - 1)) == 0;
  const bool whole = is_power && (bits & (access.bytes - 1)) == 0 && last - first < kPageBytes &&
                     accessible(first, last - first + access.bytes);
  if (!whole)
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      if (((access.lanes >> lane) & 1) == 0) continue;
      const u64 address = access.address[lane];
      if (address % access.bytes != 0) return {MemoryFault::kMisaligned, lane, address};
      if (!accessible(address, access.bytes)) return {MemoryFault::kOutOfBounds, lane, address};
    }
  if (recorder != nullptr) recorder->record(access);
  if (whole && access.read && !access.write && read_whole(access, first, last, data)) return {};
  const u32 words = (access.bytes + 3) / 4;
  for (u32 i = 0; i < kWarpSize; ++i) {
    const u32 lane = (first_lane + i) % kWarpSize;
    if (((access.lanes >> lane) & 1) == 0) continue;
    const u64 address = access.address[lane];
    std::array<u32, kMaxAccessBytes / 4> buffer{};
    u8* bytes = reinterpret_cast<u8*>(buffer.data());
    if (!access.read) {
      for (u32 w = 0; w < words; ++w) buffer[w] = data.words[w][lane];
      if (!put(address, bytes, access.bytes)) return {MemoryFault::kTooMuch, lane, address};
      continue;
    }
    get(address, bytes, access.bytes);
    if (access.write && update != nullptr) {
      std::array<u8, kMaxAccessBytes> fresh{};
      if ((*update)(lane, std::span<const u8>(bytes, access.bytes),
                    std::span<u8>(fresh.data(), access.bytes)) &&
          !put(address, fresh.data(), access.bytes))
        return {MemoryFault::kTooMuch, lane, address};
    }
    for (u32 w = 0; w < words; ++w) data.words[w][lane] = buffer[w];
  }
  return {};
}

std::optional<u64> GlobalMemory::first_difference(const GlobalMemory& other) const {
  std::optional<u64> first;
  const auto compare = [&](u64 address, const Page* a, const Page* b) {
    if (first && *first < address) return;
    for (u32 i = 0; i < kPageBytes; ++i)
      if ((a == nullptr ? 0 : (*a)[i]) != (b == nullptr ? 0 : (*b)[i])) {
        if (!first || address + i < *first) first = address + i;
        return;
      }
  };
  for (const auto& [number, page] : pages_) {
    const auto it = other.pages_.find(number);
    compare(number * kPageBytes, page.get(), it == other.pages_.end() ? nullptr : it->second.get());
  }
  for (const auto& [number, page] : other.pages_)
    if (!pages_.contains(number)) compare(number * kPageBytes, nullptr, page.get());
  return first;
}

}  // namespace picker::emulator
