// Inclusive prefix sum of one block through shared memory (Hillis and Steele).
// Idempotent unless out's n elements overlap in's; in place it is not.
extern "C" __global__ void scan(const int* in, int* out, int n) {
  __shared__ int part[2][256];
  int t = threadIdx.x, from = 0;
  part[0][t] = t < n ? in[t] : 0;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    part[1 - from][t] = part[from][t] + (t >= step ? part[from][t - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (t < n) out[t] = part[from][t];
}
