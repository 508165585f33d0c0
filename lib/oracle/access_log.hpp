// The record of a run, byte by byte: what the paper's and the strict truth need to know.
//
// Per byte: the first read and the first write in the order of execution, whether the first access
// was a read, the first read that no shield covered, and who wrote it when, as far as that can
// shield a later read: for every writing thread itself, and for its block the earliest barrier
// epoch. Most bytes have one writer, so one is kept in place and further ones in a side table.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "emulator/memory.hpp"
#include "oracle/truth.hpp"

namespace picker::oracle {

class AccessLog : public emulator::Recorder {
 public:
  void record(const emulator::Access& access) override;

  [[nodiscard]] std::optional<TruthConflict> paper_conflict() const { return paper_; }
  // The lowest byte with an unshielded read and a write, if any.
  [[nodiscard]] std::optional<TruthConflict> strict_conflict() const;
  [[nodiscard]] u64 bytes_read() const { return bytes_read_; }
  [[nodiscard]] u64 bytes_written() const { return bytes_written_; }
  // Code offsets of the reads that were ever without a shield, ascending.
  [[nodiscard]] std::vector<u32> unshielded_reads() const {
    return {unshielded_.begin(), unshielded_.end()};
  }
  // Calls visit(u64 address) for every byte written, in no particular order.
  template <class Visit>
  void for_each_written(Visit visit) const {
    for (const auto& [number, page] : pages_)
      for (u32 i = 0; i < kPageBytes; ++i)
        if ((*page)[i].written) visit(number * kPageBytes + i);
  }

 private:
  static constexpr u32 kPageBytes = 256;
  static constexpr u32 kNobody = ~u32{0};

  struct Byte {
    u64 writer_block = 0;
    u64 read_block = 0;
    u64 write_block = 0;
    u32 writer_thread = kNobody;  // the writer kept in place
    u32 writer_epoch = 0;
    u32 read_thread = 0, read_offset = 0;  // the first unshielded read
    u32 write_thread = 0, write_offset = 0;
    bool read = false;
    bool written = false;
    bool read_first = false;
    bool unshielded = false;
    bool shares = false;  // more writers in `others_`
  };
  using Page = std::array<Byte, kPageBytes>;
  struct Writer {
    u64 block = 0;
    u32 thread = 0;
    u32 epoch = 0;
  };

  Byte& byte_at(u64 address);
  [[nodiscard]] bool shielded(const Byte& byte, u64 address, u64 block, u32 thread,
                              u32 epoch) const;
  void add_writer(Byte& byte, u64 address, u64 block, u32 thread, u32 epoch);

  std::unordered_map<u64, std::unique_ptr<Page>> pages_;
  u64 last_number_ = ~u64{0};
  Page* last_page_ = nullptr;
  std::unordered_map<u64, std::vector<Writer>> others_;
  std::set<u32> unshielded_;
  std::optional<TruthConflict> paper_;
  u64 bytes_read_ = 0;
  u64 bytes_written_ = 0;
};

}  // namespace picker::oracle
