// A pointer goes through shared memory: one thread computes it, all threads of the block use it.
// Idempotent unless out's rows overlap the rows of in that the blocks pick.
extern "C" __global__ void sharedpointer(const float* in, float* out, int pitch, int columns) {
  __shared__ const float* row;
  if (threadIdx.x == 0) row = in + (gridDim.x - 1 - blockIdx.x) * (long long)pitch;
  __syncthreads();
  int i = threadIdx.x;
  if (i < columns) out[blockIdx.x * columns + i] = row[i];
}
