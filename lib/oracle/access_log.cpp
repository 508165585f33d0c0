#include "oracle/access_log.hpp"

#include <algorithm>

namespace picker::oracle {

using emulator::Access;
using emulator::kWarpSize;

AccessLog::Byte& AccessLog::byte_at(u64 address) {
  const u64 number = address / kPageBytes;
  if (number != last_number_ || last_page_ == nullptr) {
    std::unique_ptr<Page>& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    last_number_ = number;
    last_page_ = page.get();
  }
  return (*last_page_)[address % kPageBytes];
}

bool AccessLog::shielded(const Byte& byte, u64 address, u64 block, u32 thread, u32 epoch) const {
  const auto covers = [&](u64 b, u32 t, u32 e) { return b == block && (t == thread || e < epoch); };
  if (byte.writer_thread != kNobody &&
      covers(byte.writer_block, byte.writer_thread, byte.writer_epoch))
    return true;
  if (!byte.shares) return false;
  const auto it = others_.find(address);
  if (it == others_.end()) return false;
  return std::any_of(it->second.begin(), it->second.end(),
                     [&](const Writer& w) { return covers(w.block, w.thread, w.epoch); });
}

void AccessLog::add_writer(Byte& byte, u64 address, u64 block, u32 thread, u32 epoch) {
  if (byte.writer_thread == kNobody) {
    byte.writer_block = block;
    byte.writer_thread = thread;
    byte.writer_epoch = epoch;
    return;
  }
  if (byte.writer_block == block && byte.writer_thread == thread) return;
  std::vector<Writer>& writers = others_[address];
  byte.shares = true;
  for (const Writer& w : writers)
    if (w.block == block && w.thread == thread) return;
  writers.push_back({block, thread, epoch});
}

void AccessLog::record(const Access& access) {
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (((access.lanes >> lane) & 1) == 0) continue;
    const u32 thread = access.first_thread + lane;
    for (u32 i = 0; i < access.bytes; ++i) {
      const u64 address = access.address[lane] + i;
      Byte& byte = byte_at(address);
      if (access.read) {
        if (!byte.read) ++bytes_read_;
        byte.read = true;
        if (!byte.written) byte.read_first = true;
        const bool safe = !access.non_coherent &&
                          shielded(byte, address, access.block, thread, access.barrier_epoch);
        if (!safe && !byte.unshielded) {
          byte.unshielded = true;
          byte.read_block = access.block;
          byte.read_thread = thread;
          byte.read_offset = access.code_offset;
        }
        if (!safe) unshielded_.insert(access.code_offset);
      }
      if (access.write) {
        if (byte.read_first && !paper_)
          paper_ = TruthConflict{address,
                                 address + 1,
                                 {byte.read_offset, byte.read_block, byte.read_thread},
                                 {access.code_offset, access.block, thread}};
        if (!byte.written) {
          ++bytes_written_;
          byte.written = true;
          byte.write_block = access.block;
          byte.write_thread = thread;
          byte.write_offset = access.code_offset;
        }
        // Only plain synchronous stores shield.
        if (!access.read && !access.asynchronous && !access.discards)
          add_writer(byte, address, access.block, thread, access.barrier_epoch);
      }
    }
  }
}

std::optional<TruthConflict> AccessLog::strict_conflict() const {
  std::optional<u64> lowest;
  for (const auto& [number, page] : pages_)
    for (u32 i = 0; i < kPageBytes; ++i)
      if ((*page)[i].unshielded && (*page)[i].written) {
        const u64 address = number * kPageBytes + i;
        if (!lowest || address < *lowest) lowest = address;
        break;
      }
  if (!lowest) return std::nullopt;
  const auto find = [&](u64 address) -> const Byte* {
    const auto it = pages_.find(address / kPageBytes);
    return it == pages_.end() ? nullptr : &(*it->second)[address % kPageBytes];
  };
  const Byte& first = *find(*lowest);
  TruthConflict conflict{*lowest,
                         *lowest + 1,
                         {first.read_offset, first.read_block, first.read_thread},
                         {first.write_offset, first.write_block, first.write_thread}};
  for (const Byte* next = find(conflict.hi); next != nullptr && next->unshielded && next->written;
       next = find(conflict.hi))
    ++conflict.hi;
  return conflict;
}

}  // namespace picker::oracle
