// Clusters of blocks: their registers, their barrier and shared memory across blocks. Needs sm_90.
#include <cooperative_groups.h>

#define REGISTER(name)                                  \
  ({                                                    \
    unsigned x;                                         \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(x)); \
    x;                                                  \
  })

// 15 numbers per block, as thread 0 sees them.
extern "C" __global__ void places(unsigned* out) {
  if (threadIdx.x != 0) return;
  unsigned* o = out + 15 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  o[0] = REGISTER("clusterid.x"), o[1] = REGISTER("clusterid.y"), o[2] = REGISTER("clusterid.z");
  o[3] = REGISTER("nclusterid.x"), o[4] = REGISTER("nclusterid.y"), o[5] = REGISTER("nclusterid.z");
  o[6] = REGISTER("cluster_ctaid.x"), o[7] = REGISTER("cluster_ctaid.y");
  o[8] = REGISTER("cluster_ctaid.z");
  o[9] = REGISTER("cluster_nctaid.x"), o[10] = REGISTER("cluster_nctaid.y");
  o[11] = REGISTER("cluster_nctaid.z");
  o[12] = REGISTER("cluster_ctarank"), o[13] = REGISTER("cluster_nctarank");
  unsigned explicit_cluster;
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
               : "=r"(explicit_cluster));
  o[14] = explicit_cluster;
}

__device__ unsigned map_shared(unsigned address, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

// Each block reads and changes its successor's words: by loads, a sum by reductions, stores and
// exchanges, through addresses of both kinds. Rows of blockDim.x: what was read, the own sum, what
// the exchange found, what the own word holds at the end, the successor's rank three times over.
extern "C" __global__ void exchange(unsigned* out) {
  __shared__ unsigned words[128], sum;
  auto cluster = cooperative_groups::this_cluster();
  unsigned t = threadIdx.x, next = (cluster.block_rank() + 1) % cluster.num_blocks();
  words[t] = blockIdx.x * 1000 + t;
  if (t == 0) sum = blockIdx.x;
  cluster.sync();
  unsigned mine = (unsigned)__cvta_generic_to_shared(&words[t]), there = map_shared(mine, next);
  unsigned read, found, rank;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(read) : "r"(there) : "memory");
  atomicAdd(cluster.map_shared_rank(&sum, next), t);
  cluster.sync();
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(read + 7) : "memory");
  asm volatile("atom.shared::cluster.exch.b32 %0, [%1], %2;"
               : "=r"(found) : "r"(there), "r"(read + 9) : "memory");
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
  unsigned other_rank = cluster.query_shared_rank(cluster.map_shared_rank(words, next));
  cluster.sync();
  unsigned* o = out + blockIdx.x * 5 * blockDim.x + t;
  o[0] = read;
  o[blockDim.x] = sum;
  o[2 * blockDim.x] = found;
  o[3 * blockDim.x] = words[t];
  o[4 * blockDim.x] = rank * 100 + other_rank;
}

// The first block of each cluster leaves at once; the others read its memory if `late`.
extern "C" __global__ void leave(unsigned* out, int late) {
  __shared__ unsigned word;
  auto cluster = cooperative_groups::this_cluster();
  word = 5;
  cluster.sync();
  if (cluster.block_rank() == 0) return;
  cluster.sync();  // waits for those who are still there
  out[blockIdx.x] = late ? *cluster.map_shared_rank(&word, 0) : 1;
}
