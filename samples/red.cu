// Atomics whose result is unused become reductions (RED), which still read what they write.
// Idempotent only if none is executed (n <= 0, or for the guarded one no block but the first).
extern "C" __global__ void red_add(const float* in, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, in[i]);
}

extern "C" __global__ void red_or(const unsigned* in, unsigned* bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr(&bits[i / 32], in[i]);
}

extern "C" __global__ void red_guarded(const float* in, float* out, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i];
  if (gridDim.x > 1) atomicAdd(total, 1.0f);
}
