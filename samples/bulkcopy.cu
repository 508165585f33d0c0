// Bulk copies: whole tiles go to shared memory and back by single instructions, and the arrival is
// waited for at a barrier in shared memory; and a bulk reduction into global memory. Needs sm_90.
// The copy is idempotent unless out's tiles overlap in's; the reduction, which reads what it
// writes, only if it is left out.
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern "C" __global__ void bulkcopy(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t arrived;
  int t = threadIdx.x;
  if (t == 0) ptx::mbarrier_init(&arrived, 1);
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  int turn = 0;
  for (int i = blockIdx.x; i < tiles; i += gridDim.x, ++turn) {
    if (t == 0) {
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + 64 * i, sizeof(tile), &arrived);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                     sizeof(tile));
    }
    while (!ptx::mbarrier_try_wait_parity(&arrived, turn & 1)) {
    }
    int mirrored = tile[63 - t];
    __syncthreads();
    tile[t] = mirrored + 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 64 * i, tile, sizeof(tile));
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    __syncthreads();
  }
}

extern "C" __global__ void bulkreduce(const int* in, int* sums, int n) {
  __shared__ alignas(128) int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  tile[t] = i < n ? in[i] : 0;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0 && blockIdx.x * 64 < n) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
}
