// The left neighbour by an index that is sign-extended, or zero-extended: for thread 0 of the second
// kernel it lies 2^32 - 1 elements up, not one down.
// Idempotent unless out overlaps the elements really read.
extern "C" __global__ void signext(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1];
}

extern "C" __global__ void zeroext(const float* in, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i - 1u];
}
