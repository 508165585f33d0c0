// The parts of a warp that concern its cluster (cluster.hpp).
#include "emulator/cluster.hpp"

#include <fmt/format.h>

#include "emulator/warp.hpp"

namespace picker::emulator {

using sass::Opcode;

// `offset`: rank and offset, of a rank that is not the block's own.
bool Warp::peer_bytes(u32 lane, u64 offset, u32 bytes, u8*& out) {
  const u64 rank = offset >> kSharedOffsetBits, at = offset & (kSharedOffsetSpan - 1);
  const ClusterState& cluster = *block_.cluster;
  if (rank >= cluster.blocks.size() || at + bytes > block_.shared.size()) {
    fault(MemoryFault::kOutOfBounds, lane, offset, bytes, "shared");
    return false;
  }
  // Instructions for shared memory alone reach the own block's; generic ones reach the cluster's.
  const Opcode opcode = current_->in.opcode;
  if (opcode == Opcode::kLDS || opcode == Opcode::kSTS || opcode == Opcode::kATOMS ||
      opcode == Opcode::kLDSM || opcode == Opcode::kSTSM || opcode == Opcode::kLDGSTS) {
    stop(End::kUnmodelled,
         fmt::format("{} of the shared memory of block {} of the cluster", sass::to_string(opcode),
                     rank),
         lane);
    return false;
  }
  BlockState* peer = cluster.blocks[rank];
  if (peer == nullptr) {
    stop(End::kFault,
         fmt::format("access to {} bytes at {:#x} of the shared memory of block {} of the cluster, "
                     "which has exited",
                     bytes, at, rank),
         lane);
    return false;
  }
  out = peer->shared.data() + at;
  return true;
}

// Tells the recorder of accesses to shared memory at ranks and offsets, block by block. What a
// warp does to a peer's memory counts as done, and ordered, by the peer's warp of the same number.
void Warp::record_shared(u32 lanes, const Wide& address, u32 bytes, bool read, bool write) const {
  Recorder* recorder = shared_.options.recorder;
  if (recorder == nullptr) return;
  const ClusterState& cluster = *block_.cluster;
  for (u32 rank = 0; rank < cluster.blocks.size(); ++rank) {
    const BlockState* block = cluster.blocks[rank];
    if (block == nullptr) continue;
    NarrowAccess access{.space = NarrowSpace::kShared,
                        .code_offset = static_cast<u32>(pc_),
                        .bytes = bytes,
                        .lanes = 0,
                        .read = read,
                        .write = write,
                        .block = block->linear,
                        .first_thread = first_thread_,
                        .offset = address};
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      if ((lanes >> lane & 1) == 0 || address[lane] >> kSharedOffsetBits != rank) continue;
      access.lanes |= u32{1} << lane;
      access.offset[lane] = address[lane] & (kSharedOffsetSpan - 1);
    }
    if (access.lanes == 0) continue;
    recorder->record(access);
    if (block != &block_ || (read && write)) recorder->may_order({block->linear, first_thread_});
  }
}

// Something at `address` may have ordered the accesses so far, in its block and the own one.
void Warp::order_by(u64 address) const {
  Recorder* recorder = shared_.options.recorder;
  if (recorder == nullptr) return;
  recorder->may_order(id());
  const u64 rank = address >> kSharedOffsetBits;
  const ClusterState& cluster = *block_.cluster;
  if (rank != block_.cluster_rank && rank < cluster.blocks.size() &&
      cluster.blocks[rank] != nullptr)
    recorder->may_order({cluster.blocks[rank]->linear, first_thread_});
}

void Warp::cluster_barrier(const Instruction& in) {
  ClusterState& cluster = *block_.cluster;
  if (guard_.bits != (exist_ & ~exited_))
    return stop(End::kUnmodelled, "the cluster's barrier by a part of a warp");
  const bool pending = cluster_arrived_ != 0;
  if (in.opcode == Opcode::kUCGABAR_ARV) {
    if (pending) return stop(End::kFault, "arrives twice at the cluster's barrier");
    cluster_arrived_ = guard_.bits;
    cluster_phase_ = cluster.phase;
    cluster.arrived += static_cast<u32>(__builtin_popcount(guard_.bits));
    block_.check_barriers = true;
    return;
  }
  if (!pending) return stop(End::kFault, "waits at the cluster's barrier without arriving");
  if (cluster_phase_ == cluster.phase) {
    at_cluster_barrier_ = guard_.bits;
    choose_ = true;
  } else {
    cluster_arrived_ = 0;
  }
}

void Warp::release_cluster_barrier() {
  if (at_cluster_barrier_ == 0) return;
  at_cluster_barrier_ = cluster_arrived_ = 0;
  choose_ = true;
}

void Warp::leave_cluster(u32 lanes) {
  ClusterState& cluster = *block_.cluster;
  cluster.live_threads -= static_cast<u32>(__builtin_popcount(lanes));
  if (cluster_phase_ == cluster.phase)
    cluster.arrived -= static_cast<u32>(__builtin_popcount(lanes & cluster_arrived_));
  cluster_arrived_ &= ~lanes;
}

}  // namespace picker::emulator
