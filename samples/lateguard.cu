// The guard comes after the loads, which run over the end of the data.
// Idempotent unless out's n elements overlap those that the whole grid reads.
extern "C" __global__ void lateguard(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i];
  value += __shfl_xor_sync(0xffffffffu, value, 1);
  if (i < n) out[i] = value;
}
