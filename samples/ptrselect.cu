// One of two pointers is selected, per thread or by a parameter (a predicated move, or SEL).
// Idempotent unless out overlaps the elements taken from the pointer selected for them.
extern "C" __global__ void ptrselect(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* from = i & 1 ? a : b;
  out[i] = from[i];
}

extern "C" __global__ void ptrselect_parameter(const float* a, const float* b, float* out, int which,
                                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* from = which > 3 ? a : b;
  out[i] = from[i];
}
