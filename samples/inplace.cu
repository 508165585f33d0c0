// In place, one pointer: each element is scaled where it lies.
// Idempotent only if nothing is touched (n <= 0, or an empty range).
extern "C" __global__ void inplace(float* p, float factor, int first, int n) {
  int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= factor;
}
