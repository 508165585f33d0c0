// Conversion copies as frameworks have them, as templates: four elements a thread by one vector access
// while four are left, the tail one by one.
// Idempotent unless out's n elements of two bytes overlap in's n of four.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ void store(__half& to, float value) { to = __float2half(value); }
__device__ void store(__nv_bfloat16& to, float value) { to = __float2bfloat16(value); }

template <typename T>
__global__ void convert(const float* in, T* out, int n) {
  struct alignas(8) Four {
    T element[4];
  };
  int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x), left = n - first;
  if (left >= 4) {
    float4 v = *(const float4*)(in + first);
    Four four;
    store(four.element[0], v.x);
    store(four.element[1], v.y);
    store(four.element[2], v.z);
    store(four.element[3], v.w);
    *(Four*)(out + first) = four;
  } else {
    for (int j = 0; j < left; ++j) store(out[first + j], in[first + j]);
  }
}

template __global__ void convert<__half>(const float*, __half*, int);
template __global__ void convert<__nv_bfloat16>(const float*, __nv_bfloat16*, int);
