// Warp shuffles: each lane takes a neighbour's element; and a warp's sum stored by lane 0.
// Idempotent unless out overlaps the elements read.
extern "C" __global__ void shuffle(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __shfl_xor_sync(0xffffffffu, in[i], 5);
}

extern "C" __global__ void shuffle_sum(const float* in, float* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0;
  for (int step = 16; step > 0; step >>= 1) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) sums[i / 32] = value;
}
