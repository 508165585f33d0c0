// Reads of what the launch itself has written: by the same thread; by its block, after a barrier;
// and where the write may not have happened.
// Same thread: shielded, so idempotent unless out overlaps in. Block: shielded while no thread looks
// beyond its block's part. Maybe: not shielded, so idempotent only if nothing is read back.
extern "C" __global__ void readback(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i] + 1;
  asm volatile("" ::: "memory");
  const unsigned short* halves = (const unsigned short*)(out + i);
  unsigned low = halves[0], high = halves[1];
  asm volatile("" ::: "memory");
  out[i] = low * high;
}

extern "C" __global__ void readback_block(const float* in, float* out, float* sums, int flip) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  sums[i] = out[blockIdx.x * 64 + (threadIdx.x ^ flip)] + 1;
}

extern "C" __global__ void readback_maybe(const float* in, float* out, float* copy, float least, int n,
                                          int again) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  if (value > least) out[i] = value;
  asm volatile("" ::: "memory");
  if (again) copy[i] = out[i];
}
