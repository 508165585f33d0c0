// Every second element: real and imaginary parts lie interleaved.
// Idempotent if the elements read and written alternate (out one element behind in), though their
// ranges overlap; not if out is an even number of elements from in and within reach.
extern "C" __global__ void interleaved(const float* in, float* out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[2 * i] = factor * in[2 * i];
}
