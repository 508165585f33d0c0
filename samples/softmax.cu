// Softmax of one row per block, three passes over the row, warp shuffles for the reductions.
// Idempotent unless out overlaps in; in place it is not.
__device__ float block_reduce(float value, bool maximum, float* scratch) {
  for (int step = 16; step > 0; step >>= 1) {
    float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float result = scratch[0];
  for (int i = 1; i < blockDim.x / 32; ++i)
    result = maximum ? fmaxf(result, scratch[i]) : result + scratch[i];
  return result;
}

extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float scratch[32];
  const float* row = in + (size_t)blockIdx.x * columns;
  float* result = out + (size_t)blockIdx.x * columns;
  float greatest = -3.4e38f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) greatest = fmaxf(greatest, row[i]);
  greatest = block_reduce(greatest, true, scratch);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += __expf(row[i] - greatest);
  sum = block_reduce(sum, false, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    result[i] = __expf(row[i] - greatest) / sum;
}
