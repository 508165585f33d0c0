// Reduction in one launch: the block that comes last, by an atomic counter, adds up the others' results.
// Idempotent only with one block, which takes neither counter nor staging; then unless total overlaps in.
extern "C" __global__ void lastblock(const float* in, float* staging, unsigned* counter, float* total,
                                     int n) {
  __shared__ float part[128];
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 64; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (gridDim.x == 1) {
    if (t == 0) *total = part[0];
    return;
  }
  if (t == 0) {
    staging[blockIdx.x] = part[0];
    __threadfence();
    last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += ((volatile float*)staging)[b];
    *total = sum;
  }
}
