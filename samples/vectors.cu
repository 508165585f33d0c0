// Vector accesses: four floats a thread, and two halves a thread.
// Idempotent unless out's elements overlap in's; the tail that fills no vector is left out.
#include <cuda_fp16.h>

extern "C" __global__ void vectors_float4(const float4* in, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 v = in[i];
  out[i] = make_float4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
}

extern "C" __global__ void vectors_half2(const __half2* in, __half2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) out[i] = __hadd2(in[i], in[i]);
}
