// Fetches of one, two and three dimensions, and surfaces.
#include <cuda_runtime.h>

extern "C" __global__ void fetch(cudaTextureObject_t image, float* out, int first) {
  out[threadIdx.x] = tex1Dfetch<float>(image, first + (int)threadIdx.x);
}
extern "C" __global__ void fetch_words(cudaTextureObject_t image, int4* out) {
  out[threadIdx.x] = tex1Dfetch<int4>(image, threadIdx.x);
}
extern "C" __global__ void line(cudaTextureObject_t image, const float* at, float* out) {
  int t = threadIdx.x;
  out[t] = tex1D<float>(image, at[t]);
}
// Two coordinates a thread.
extern "C" __global__ void plane(cudaTextureObject_t image, const float2* at, float2* out) {
  int t = threadIdx.x;
  out[t] = tex2D<float2>(image, at[t].x, at[t].y);
}
extern "C" __global__ void plane_bytes(cudaTextureObject_t image, const float2* at, uchar4* out) {
  int t = threadIdx.x;
  out[t] = tex2D<uchar4>(image, at[t].x, at[t].y);
}
// Three coordinates a thread, of which every fourth word is left out.
extern "C" __global__ void space(cudaTextureObject_t image, const float4* at, float4* out) {
  int t = threadIdx.x;
  out[t] = tex3D<float4>(image, at[t].x, at[t].y, at[t].z);
}
// Moves an element up a row and counts; rows outside are dropped if `zero`, else they trap.
extern "C" __global__ void raise(cudaSurfaceObject_t image, int row, int zero) {
  int t = threadIdx.x;
  if (zero)
    surf2Dwrite(surf2Dread<int>(image, 4 * t, row, cudaBoundaryModeZero) + 1, image, 4 * t, row + 1,
                cudaBoundaryModeZero);
  else
    surf2Dwrite(surf2Dread<int>(image, 4 * t, row, cudaBoundaryModeTrap) + 1, image, 4 * t, row + 1,
                cudaBoundaryModeTrap);
}
extern "C" __global__ void pairs(cudaSurfaceObject_t image) {
  short2 x = surf1Dread<short2>(image, 4 * threadIdx.x, cudaBoundaryModeTrap);
  surf1Dwrite((unsigned char)(x.x + x.y), image, 4 * threadIdx.x + 3, cudaBoundaryModeTrap);
}
