// Arrays in local memory with a dynamic index: values, and pointers (an address spilled and reloaded).
// Idempotent unless out overlaps what is read: eight elements a thread; for the pointers, of each
// buffer only the elements whose threads pick it.
extern "C" __global__ void localarray(const float* in, float* out, int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value[8];
  for (int j = 0; j < 8; ++j) value[j] = in[8 * i + j];
  for (int j = 0; j < 8; ++j) value[(j * step) & 7] += value[j];
  out[i] = value[(i + step) & 7];
}

extern "C" __global__ void local_pointers(const float* a, const float* b, const float* c,
                                          const float* d, float* out, int shift, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* from[4] = {a, b, c, d};
  out[i] = from[(i >> shift) & 3][i];
}
