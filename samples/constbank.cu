// A filter whose weights lie in constant memory (a module symbol).
// Idempotent unless out's n elements overlap in's n + 3 or the weights' own bytes.
__constant__ float weights[4];

extern "C" __global__ void constbank(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int j = 0; j < 4; ++j) sum += weights[j] * in[i + j];
  out[i] = sum;
}
