// A store through a pointer that is shared for some threads and global for others (generic address).
// Idempotent unless out's elements from `kept` on in each block overlap in, or sums does.
extern "C" __global__ void genericstore(const float* in, float* out, float* sums, int kept) {
  __shared__ float part[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  part[t] = 0;
  float* to = t < kept ? &part[t] : &out[i];
  *to = in[i] + 1;
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += part[j];
    sums[blockIdx.x] = sum;
  }
}
