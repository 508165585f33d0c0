// Barriers in shared memory and bulk copies, as async_test.cpp checks them. Needs sm_90.
#include <cooperative_groups.h>

#include <cstdint>

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ bool is_over(unsigned barrier, unsigned parity) {
  unsigned over;
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(over) : "r"(barrier), "r"(parity) : "memory");
  return over;
}

// One thread takes a barrier for three arrivals through its phases and notes what it says.
extern "C" __global__ void phases(unsigned* out) {
  __shared__ uint64_t word;
  unsigned barrier = shared_address(&word), pending;
  uint64_t token;
  asm volatile("mbarrier.init.shared.b64 [%0], 3;" ::"r"(barrier) : "memory");
  out[0] = is_over(barrier, 0), out[1] = is_over(barrier, 1);
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(barrier) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  out[2] = pending;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(token) : "r"(barrier) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  out[3] = pending;
  out[4] = is_over(barrier, 0), out[5] = is_over(barrier, 1);  // the second phase has begun
  asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(barrier) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(token) : "r"(barrier) : "memory");
  out[6] = is_over(barrier, 1);
  // The third expects two, and 100 bytes.
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 90;" ::"r"(barrier) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], 10;"
               : "=l"(token) : "r"(barrier) : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(barrier) : "memory");
  out[7] = is_over(barrier, 0);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 99;" ::"r"(barrier) : "memory");
  out[8] = is_over(barrier, 0);
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  out[9] = is_over(barrier, 0);
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(barrier) : "memory");
}

// Warps hand a value on, each waiting for the one before it.
extern "C" __global__ void relay(unsigned* out) {
  __shared__ uint64_t words[8];
  __shared__ unsigned value;
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    value = 1;
    for (int i = 0; i < 8; ++i)
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(shared_address(&words[i])) : "memory");
  }
  __syncthreads();
  if (warp != 7) {
    unsigned barrier = shared_address(&words[warp]), over = 0;
    while (!over)
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
          : "=r"(over) : "r"(barrier) : "memory");
  }
  if (lane == 0) value = value * 3 + warp;
  __syncwarp();
  if (warp != 0)
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(
                     shared_address(&words[warp - 1])) : "memory");
  else if (lane == 0)
    *out = value;
}

// Bulk reductions of every kind that adds, orders or masks: rows of 32 words.
extern "C" __global__ void reductions(unsigned* out, const unsigned* in) {
  __shared__ alignas(128) unsigned row[32];
  row[threadIdx.x] = in[threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned from = shared_address(row);
#define REDUCE(n, kind)                                                                        \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." kind " [%0], [%1], 128;" \
               ::"l"(out + 32 * n), "r"(from) : "memory")
  REDUCE(0, "add.u32");
  REDUCE(1, "min.s32");
  REDUCE(2, "max.u32");
  REDUCE(3, "and.b32");
  REDUCE(4, "xor.b32");
  REDUCE(5, "add.u64");
  REDUCE(6, "max.s64");
  REDUCE(7, "add.f32");
  REDUCE(8, "inc.u32");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// Across a cluster: block 0 sends its words to block 1 in bulk and one by one; block 1 hears of it
// by a barrier of its own. With `multicast`, both get words from global memory at once.
extern "C" __global__ void deliver(unsigned* out, const unsigned* in, int multicast) {
  __shared__ alignas(128) unsigned words[64], whole[64];
  __shared__ uint64_t word;
  auto cluster = cooperative_groups::this_cluster();
  unsigned t = threadIdx.x, rank = cluster.block_rank(), barrier = shared_address(&word);
  words[t] = rank * 1000 + t, whole[t] = 0;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(barrier),
                 "r"((rank == 1 ? 128 + 4 * 32 : 0) + (multicast ? 256 : 0)) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  cluster.sync();
  if (rank == 0) {
    unsigned there, tell, mine = shared_address(words);
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(mine));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(tell) : "r"(barrier));
    if (t == 0) {
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
          ::"r"(there), "r"(mine), "r"(tell) : "memory");
      unsigned short both = 3;
      if (multicast) asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
          "[%1], 256, [%2], %3;" ::"r"(shared_address(whole)), "l"(in), "r"(barrier), "h"(both)
          : "memory");
    }
    if (t >= 32)
      asm volatile(
          "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there + 4 * t),
          "r"(5000 + t), "r"(tell) : "memory");
  }
  while (!is_over(barrier, 0)) {
  }
  out[rank * 128 + t] = words[t];
  out[rank * 128 + 64 + t] = whole[t];
  cluster.sync();
}

// Waits for bytes that never come.
extern "C" __global__ void forever(unsigned* out) {
  __shared__ uint64_t word;
  unsigned barrier = shared_address(&word), over = 0;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  while (!over)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(over) : "r"(barrier) : "memory");
  *out = 1;
}
