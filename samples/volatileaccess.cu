// Volatile accesses are system-wide in scope: loads, and stores.
// Loads do no harm: idempotent unless out overlaps in. Stores may talk to others: not idempotent once
// one is executed.
extern "C" __global__ void volatile_load(const volatile float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i];
}

extern "C" __global__ void volatile_store(const float* in, volatile float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
