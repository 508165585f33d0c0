// Arithmetic on parameters alone before a loop, which sm_120 leaves to uniform instructions: UFADD,
// UFMUL and UFFMA. Built with: nvcc -arch=sm_120 -cubin -o uniform.sm_120.cubin uniform.cu
extern "C" __global__ void uniform_floats(const float* in, float* out, float a, float b, int n) {
  float sum = 0, shift = (a - b) * b, scale = fmaf(a, -b, 7.0f), start = a + b;
  for (int k = 0; k < n; ++k) sum = fmaf(in[32 * k + threadIdx.x] + start, scale, sum) * shift;
  out[threadIdx.x] = sum;
}
