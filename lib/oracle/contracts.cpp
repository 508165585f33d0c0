#include "oracle/contracts.hpp"

#include <algorithm>

namespace picker::oracle {

using emulator::kWarpSize;
using emulator::NarrowAccess;
using emulator::NarrowSpace;
using emulator::WarpId;

namespace {

// More than any block has; an access beyond ends the run as a fault.
constexpr u64 kMostShared = u64{1} << 18;
constexpr u64 kLocalTop = u64{1} << 24;
constexpr u64 kMostLocal = u64{1} << 18;

template <class Clock>
void join(Clock& to, const Clock& from) {
  for (size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

}  // namespace

ContractCheck::Block& ContractCheck::block_of(u64 linear) {
  std::unique_ptr<Block>& block = blocks_[linear];
  if (!block) {
    block = std::make_unique<Block>();
    for (u32 warp = 0; warp < kWarps; ++warp) {
      block->clocks[warp].fill(0);
      block->clocks[warp][warp] = 1;
    }
  }
  return *block;
}

void ContractCheck::report(Breach breach) {
  const u32 earlier = breach.kind == BreachKind::kRace ? breach.earlier.code_offset : 0;
  if (seen_.insert({breach.kind, breach.touch.code_offset, earlier}).second)
    breaches_.push_back(breach);
}

void ContractCheck::touch_shared(Block& block, const NarrowAccess& access, u32 lane, u64 offset) {
  if (offset >= kMostShared) return;
  if (offset >= block.shared.size()) block.shared.resize(offset + 1);
  Byte& byte = block.shared[offset];
  const u32 thread = access.first_thread + lane;
  const u32 warp = access.first_thread / kWarpSize;
  const Clock& clock = block.clocks[warp];
  const bool atomic = access.read && access.write;
  const auto ordered = [&](const Event& event) {
    return event.warp == kNobody || event.warp == warp || event.time <= clock[event.warp] ||
           (event.atomic && atomic);
  };
  const auto race_with = [&](const Event& event, bool wrote) {
    report({BreachKind::kRace,
            offset,
            {access.code_offset, access.block, thread},
            access.write,
            {event.code_offset, access.block, event.thread},
            wrote});
  };
  const Event now{.time = clock[warp],
                  .code_offset = access.code_offset,
                  .thread = static_cast<u16>(thread),
                  .warp = static_cast<u8>(warp),
                  .atomic = atomic};
  if (!ordered(byte.write)) race_with(byte.write, true);
  if (access.read && byte.write.warp == kNobody)
    report({BreachKind::kUninitialisedShared,
            offset,
            {access.code_offset, access.block, thread},
            false,
            {},
            false});
  if (access.write) {
    if (!ordered(byte.read)) race_with(byte.read, false);
    if (byte.many_readers) {
      for (const Event& reader : block.readers[offset])
        if (!ordered(reader)) race_with(reader, false);
      block.readers.erase(offset);
      byte.many_readers = false;
    }
    byte.write = now;
    byte.read = {};
  } else if (byte.read.warp == kNobody || byte.read.warp == warp) {
    byte.read = now;
  } else {
    std::vector<Event>& readers = block.readers[offset];
    byte.many_readers = true;
    const auto same = std::find_if(readers.begin(), readers.end(),
                                   [&](const Event& event) { return event.warp == warp; });
    if (same == readers.end())
      readers.push_back(now);
    else
      *same = now;
  }
}

void ContractCheck::touch_local(Block& block, const NarrowAccess& access, u32 lane, u64 offset) {
  const u64 from_top = kLocalTop - 1 - offset;
  if (offset >= kLocalTop || from_top >= kMostLocal) return;
  const u32 thread = access.first_thread + lane;
  std::vector<bool>& written = block.written[thread];
  if (from_top >= written.size()) written.resize(from_top + 1);
  if (access.read && !written[from_top])
    report({BreachKind::kUninitialisedLocal,
            offset,
            {access.code_offset, access.block, thread},
            false,
            {},
            false});
  if (access.write) written[from_top] = true;
}

void ContractCheck::record(const emulator::Access&) {}

void ContractCheck::record(const NarrowAccess& access) {
  Block& block = block_of(access.block);
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    if (((access.lanes >> lane) & 1) == 0) continue;
    for (u32 i = 0; i < access.bytes; ++i)
      if (access.space == NarrowSpace::kShared)
        touch_shared(block, access, lane, access.offset[lane] + i);
      else
        touch_local(block, access, lane, access.offset[lane] + i);
  }
}

void ContractCheck::arrive(const WarpId& id, u32 barrier) {
  Block& block = block_of(id.block);
  const u32 warp = id.first_thread / kWarpSize;
  join(block.barriers[barrier], block.clocks[warp]);
  ++block.clocks[warp][warp];
}

void ContractCheck::release(const WarpId& id, u32 barrier, bool for_all) {
  Block& block = block_of(id.block);
  Clock& clock = block.clocks[id.first_thread / kWarpSize];
  join(clock, block.barriers[barrier]);
  if (for_all) join(clock, block.exited);  // who has exited is not waited for
}

void ContractCheck::barrier_done(u64 linear, u32 barrier) {
  block_of(linear).barriers[barrier].fill(0);
}

void ContractCheck::may_order(const WarpId& id) {
  Block& block = block_of(id.block);
  const u32 warp = id.first_thread / kWarpSize;
  join(block.ordered, block.clocks[warp]);
  join(block.clocks[warp], block.ordered);
  ++block.clocks[warp][warp];
}

void ContractCheck::exit(const WarpId& id) {
  Block& block = block_of(id.block);
  const u32 warp = id.first_thread / kWarpSize;
  join(block.exited, block.clocks[warp]);
  ++block.clocks[warp][warp];
}

void ContractCheck::block_end(u64 linear) { blocks_.erase(linear); }

}  // namespace picker::oracle
