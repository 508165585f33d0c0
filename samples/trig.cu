// Sine and power: the sine's slow path, for large arguments, loops over a table in module memory.
// Idempotent unless out's n elements overlap in's, or that table of six words.
extern "C" __global__ void trig(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(in[i]) + powf(in[i], 1.7f);
}
