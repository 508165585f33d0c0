// A cluster of blocks: who belongs to it, its barrier, and shared memory across blocks.
//
// Every block is in a cluster; without a cluster launch in one of its own. Blocks of one cluster
// run at the same time. Shared addresses are 24 bits of offset below the block's rank in its
// cluster (what mapa makes: a byte put into the top of a 32-bit address), in the registers of
// shared instructions as in the generic window; so a peer's memory is a matter of bits 24 and up.
//
// The barrier of a cluster (UCGABAR_ARV, UCGABAR_WAIT; barrier.cluster in PTX) has no number:
// it completes when all threads of the cluster that have not exited have arrived since it last
// did. A warp arrives as a whole. Source: PTX ISA, "barrier.cluster", "mapa".
#pragma once

#include <array>
#include <vector>

#include "emulator/block.hpp"
#include "support/types.hpp"

namespace picker::emulator {

inline constexpr u32 kSharedOffsetBits = 24;  // of a shared address; the rank lies above
inline constexpr u32 kMaxClusterBlocks = 16;

struct ClusterState {
  std::array<u32, 3> size = {1, 1, 1};  // blocks per axis
  std::vector<BlockState*> blocks;      // by rank; null once it has exited
  u32 live_threads = 0;
  u32 arrived = 0;          // threads, in this phase
  u64 phase = 0;            // how often the barrier has completed
  bool phase_over = false;  // of a barrier in shared memory, since the last look

  // Whether the barrier is complete now; then the next phase has begun.
  [[nodiscard]] bool complete() {
    if (arrived < live_threads || arrived == 0) return false;
    arrived = 0;
    ++phase;
    return true;
  }
};

}  // namespace picker::emulator
