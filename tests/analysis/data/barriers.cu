// Reads of what other threads of the block store, with and without a barrier that orders them.
// Built with: nvcc -arch=sm_80 -cubin -o barriers.sm_80.cubin barriers.cu
// `flip` below 64 keeps every read within the block's own 64 elements.

extern "C" __global__ void behind(unsigned* out, unsigned* sums, int flip) {
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  sums[blockIdx.x * 64 + threadIdx.x] = out[blockIdx.x * 64 + (threadIdx.x ^ flip)];
}

// The same read, ahead of the barrier.
extern "C" __global__ void ahead(unsigned* out, unsigned* sums, int flip) {
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  asm volatile("" ::: "memory");
  unsigned read = out[blockIdx.x * 64 + (threadIdx.x ^ flip)];
  __syncthreads();
  sums[blockIdx.x * 64 + threadIdx.x] = read;
}

// Half of the block has left before the barrier.
extern "C" __global__ void left(unsigned* out, unsigned* sums, int flip) {
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 32) return;
  __syncthreads();
  sums[blockIdx.x * 64 + threadIdx.x] = out[blockIdx.x * 64 + (threadIdx.x ^ flip)];
}

// A barrier with a number and a count: not known to be for all.
extern "C" __global__ void numbered(unsigned* out, unsigned* sums, int flip) {
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  sums[blockIdx.x * 64 + threadIdx.x] = out[blockIdx.x * 64 + (threadIdx.x ^ flip)];
}

// Store and read between the same two barriers.
extern "C" __global__ void between(unsigned* out, unsigned* sums, int flip) {
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
  asm volatile("" ::: "memory");
  unsigned read = out[blockIdx.x * 64 + (threadIdx.x ^ flip)];
  __syncthreads();
  sums[blockIdx.x * 64 + threadIdx.x] = read;
}
