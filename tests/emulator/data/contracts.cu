// Kernels that break contracts of their own, each beside one that does not. Built like
// instructions.cu, one cubin per architecture.

// Reverses 64 numbers through shared memory: the second warp reads what the first one wrote.
template <bool kWaits>
__device__ void reverse(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (kWaits) __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" __global__ void reverse_waits(const int* in, int* out) { reverse<true>(in, out); }
extern "C" __global__ void reverse_races(const int* in, int* out) { reverse<false>(in, out); }

// Writes again what others may still read.
template <bool kWaits>
__device__ void twice(const int* in, int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const int first = tile[63 - threadIdx.x];
  if (kWaits) __syncthreads();
  tile[threadIdx.x] = first + 1;
  __syncthreads();
  out[threadIdx.x] = first + tile[63 - threadIdx.x];
}
extern "C" __global__ void twice_waits(const int* in, int* out) { twice<true>(in, out); }
extern "C" __global__ void twice_races(const int* in, int* out) { twice<false>(in, out); }

// The first warp produces, the second consumes behind a named barrier; `kWaits`: the producer does
// not overwrite before the consumer has arrived at the other barrier.
template <bool kWaits>
__device__ void handover(const int* in, int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x % 32;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 32) {
      if (kWaits && round != 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      tile[lane] = in[lane] + round;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[round * 32 + lane] = tile[31 - lane];
      if (kWaits && round != 2) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}
extern "C" __global__ void handover_waits(const int* in, int* out) { handover<true>(in, out); }

// The producer overwrites behind its arrival.
extern "C" __global__ void handover_races(const int* in, int* out) {
  __shared__ int tile[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    tile[lane] = in[lane];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    *(volatile int*)&tile[lane] = 0;
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[lane] = tile[31 - lane];
  }
}

// A lock: atomics order what it guards.
extern "C" __global__ void locked(const int* in, int* out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = 0, sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    *(volatile int*)&sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}

// Reads one element of shared memory that nobody wrote if `count` is below the block's size.
extern "C" __global__ void part_of_shared(const int* in, int* out, int count) {
  __shared__ int tile[64];
  if (threadIdx.x < count) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// The same with a thread's own array.
extern "C" __global__ void part_of_local(const int* in, int* out, int count, int which) {
  int own[16];
  for (int i = 0; i < count; ++i) own[i] = in[i] * 3;
  out[threadIdx.x] = own[(which + threadIdx.x) % 16];
}
