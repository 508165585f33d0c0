// Scatter: out[index[i]] = in[i], the address written comes from memory.
// Idempotent for all contents only if in and index lie beyond the reach of any 32-bit index from out
// (which thread wins a shared place changes a value, not which bytes are written).
extern "C" __global__ void scatter(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i]] = in[i];
}

// A mask keeps the index below 64 whatever memory holds.
extern "C" __global__ void scatter_mask(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[index[i] & 63] = in[i];
}
