// What the threads of one block share: shared memory and barriers.
//
// A barrier counts threads. `BAR.SYNC id` waits for all threads of the block that have not exited;
// with a count it waits for that many (a whole warp counts as 32 even where the block has fewer).
// ARV arrives without waiting, RED combines a predicate on the way. A barrier that all threads
// passed by waiting starts a new *epoch*: what was written before it is ordered before what
// follows, for the whole block.
#pragma once

#include <array>
#include <set>
#include <vector>

#include "support/types.hpp"

namespace picker::emulator {

inline constexpr u32 kBarriers = 16;

struct BlockBarrier {
  u32 arrived = 0;      // threads, phantom ones of partial warps included where there is a count
  u32 expected = 0;     // threads; 0: all live ones
  bool subset = false;  // somebody only arrives, or there is a count of fewer than all
  u32 true_count = 0;   // of BAR.RED
  bool all_true = true;
  bool conjunction = false;  // BAR.RED.AND, else OR
  bool in_use = false;
};

struct ClusterState;

struct BlockState {
  u64 linear = 0;  // index in the grid, x fastest
  std::array<u32, 3> index{};
  u32 thread_count = 0;
  u32 live_threads = 0;
  u32 epoch = 0;
  u32 sm = 0;                       // the number of the SM that it runs on
  ClusterState* cluster = nullptr;  // never null while it runs
  u32 cluster_rank = 0;
  std::vector<u8> shared;
  std::array<BlockBarrier, kBarriers> barriers;
  std::set<u64> barrier_words;  // offsets of words that ATOMS.ARRIVE has arrived at (sm_80)
  std::array<u64, 32> group_products{};  // of a warpgroup, issued by each warp
  bool check_barriers = false;           // somebody arrived or exited since the last look
};

}  // namespace picker::emulator
