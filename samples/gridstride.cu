// Grid-stride loop: every thread takes elements one grid apart until n is reached.
// Idempotent unless out's n elements overlap in's; all n are covered whatever the grid.
extern "C" __global__ void gridstride(const float* in, float* out, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = factor * in[i];
}
