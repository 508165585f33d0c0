// One file with a kernel per fact of a cubin's metadata: see cubin_test.cpp, which states what
// cuobjdump and readelf report of the cubins made from it by build.sh.
#include <cassert>
#include <cstdio>

struct Structure {
  int values[8];
  float* pointer;
};
struct Large {
  char bytes[5000];
};

__constant__ int table[16];
__device__ int counter;
__device__ int initialised[4] = {1, 2, 3, 4};

__device__ __noinline__ float helper(float x, int k) {
  for (int i = 0; i < k; i++) x = x * x + 1.0f / x;
  return x;
}

__global__ void __launch_bounds__(256) bounded(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + 1;
}

__global__ void switched(int* o, int k, Structure s, char c, short h, double d) {
  __shared__ int shared[64];
  shared[threadIdx.x] = k;
  __syncthreads();
  switch (k) {
    case 0: o[0] = 1; break;
    case 1: o[1] = s.values[k]; break;
    case 2: o[5] = table[k]; break;
    case 3: atomicAdd(&counter, 1); break;
    case 4: o[2] = initialised[k & 3]; break;
    case 5: o[7] = shared[5]; break;
    case 6: o[9] = c + h; break;
    case 7: o[11] = static_cast<int>(d); break;
  }
  s.pointer[0] = helper(static_cast<float>(d / 3.0), k);
}

__global__ void asserted(int* o) {
  printf("%d\n", o[0]);
  assert(o[1] == 3);
}

__global__ void large(Large l, int* o, char c) { o[0] = l.bytes[o[1]] + c; }

__global__ void nothing() {}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clustered(int* o) { o[blockIdx.x] = 1; }
#endif
