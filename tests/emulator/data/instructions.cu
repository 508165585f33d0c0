// One result per row: each exercises instructions whose meaning the test computes again in C++.
// Built with: nvcc -arch=sm_NN -cubin -o instructions.sm_NN.cubin instructions.cu; for sm_70 as
// samples/build_cubins.py does it.
#include <cuda_fp16.h>

#define ROW(n) out[(n) * count + i]

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800  // no reductions across lanes yet
template <class T, class F>
__device__ T reduce(T x, F f) {
  for (int step = 16; step != 0; step /= 2) x = f(x, __shfl_xor_sync(~0u, x, step));
  return x;
}
__device__ unsigned __reduce_add_sync(unsigned, unsigned x) {
  return reduce(x, [](unsigned a, unsigned b) { return a + b; });
}
__device__ int __reduce_max_sync(unsigned, int x) {
  return reduce(x, [](int a, int b) { return a > b ? a : b; });
}
__device__ unsigned __reduce_xor_sync(unsigned, unsigned x) {
  return reduce(x, [](unsigned a, unsigned b) { return a ^ b; });
}
#endif

extern "C" __global__ void integers(const unsigned* in, unsigned* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned a = in[i], b = in[(i + 1) % count], c = in[(i + 2) % count];
  unsigned long long w = (unsigned long long)a << 32 | b, v = (unsigned long long)b << 32 | c;
  ROW(0) = __umulhi(a, b);
  ROW(1) = __mulhi((int)a, (int)b);
  ROW(2) = (w + v) >> 32;
  ROW(3) = (w - v) >> 32;
  ROW(4) = (w * v) >> 32;
  ROW(5) = __funnelshift_l(a, b, c);
  ROW(6) = __funnelshift_rc(a, b, c);
  unsigned permuted;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(permuted) : "r"(a), "r"(b), "r"(c));
  ROW(7) = permuted;
  ROW(8) = __clz(a) | __clzll(w) << 8;
  ROW(9) = __ffs(a >> (c & 31)) | __popc(b) << 8 | __popcll(v) << 16;
  ROW(10) = __brev(a);
  ROW(11) = b ? a / b : 0;
  ROW(12) = b ? (int)a % (int)(b | 1) : 0;
  ROW(13) = (unsigned)(w / (v | 1));
  ROW(14) = (unsigned)((long long)w % (long long)(v | 1));
  ROW(15) = __dp4a((int)a, (int)b, (int)c);
  ROW(16) = __dp2a_hi(a, b, c);
  ROW(17) = __sad((int)a, (int)b, c);
  ROW(18) = a >> (c & 63) | ((int)b >> (c & 63)) << 1 | b << (c & 63);
  ROW(19) = (unsigned)((long long)w >> (c & 63)) ^ (unsigned)(v << (c & 63));
  ROW(20) = min(a, b) ^ max((int)b, (int)c);
  ROW(21) = (w < v) | ((long long)w < (long long)v) << 1 | (a <= b) << 2 | ((int)a >= (int)c) << 3;
  unsigned field;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(a), "r"(b & 31), "r"(c & 31));
  ROW(22) = field;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(field) : "r"(a), "r"(b), "r"(c & 31), "r"(a & 31));
  ROW(23) = field;
}

extern "C" __global__ void singles(const float* in, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float a = in[i], b = in[(i + 1) % count], c = in[(i + 2) % count];
  ROW(0) = __fadd_rn(a, b);
  ROW(1) = __fadd_rz(a, b);
  ROW(2) = __fmul_ru(a, b);
  ROW(3) = __fmul_rd(a, b);
  ROW(4) = __fmaf_rn(a, b, c);
  ROW(5) = __fmaf_rd(a, b, c);
  ROW(6) = __fdiv_rn(a, b);
  ROW(7) = __fsqrt_rn(fabsf(a));
  ROW(8) = fminf(a, b);
  ROW(9) = fmaxf(b, c);
  ROW(10) = rintf(a);
  ROW(11) = floorf(b);
  ROW(12) = __int_as_float(__float2int_rz(a));
  ROW(13) = __int_as_float(__float2uint_ru(b));
  ROW(14) = __int2float_rd(__float_as_int(a));
  ROW(15) = __uint2float_rn(__float_as_uint(b));
  ROW(16) = __int_as_float((a < b) | (a <= c) << 1 | (b == c) << 2 | !(a >= c) << 3 | isnan(a) << 4);
  ROW(17) = __half2float(__float2half_rn(a));
  ROW(18) = __frcp_rn(c);
  ROW(19) = truncf(c);
}

extern "C" __global__ void doubles(const double* in, double* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  double a = in[i], b = in[(i + 1) % count], c = in[(i + 2) % count];
  ROW(0) = a + b;
  ROW(1) = __dmul_ru(a, b);
  ROW(2) = __fma_rn(a, b, c);
  ROW(3) = __ddiv_rn(a, b);
  ROW(4) = __dsqrt_rn(fabs(c));
  ROW(5) = __double2float_rz(a);
  ROW(6) = __longlong_as_double(__double2ll_rn(b));
  ROW(7) = __ll2double_rn(__double_as_longlong(c));
  ROW(8) = (a < b) + 2 * (b <= c) + 4 * (a != c);
  ROW(9) = fmin(a, b) + fmax(b, c);
  ROW(10) = floor(a);
}

extern "C" __global__ void exchanges(const unsigned* in, unsigned* out, int count) {
  int i = threadIdx.x;
  unsigned a = in[i];
  ROW(0) = __shfl_sync(~0u, a, i * 7);
  ROW(1) = __shfl_up_sync(~0u, a, 3);
  ROW(2) = __shfl_down_sync(~0u, a, 5, 16);
  ROW(3) = __shfl_xor_sync(~0u, a, 9);
  ROW(4) = __ballot_sync(~0u, a & 1);
  ROW(5) = __any_sync(~0u, a == 12345) | __all_sync(~0u, a != 12345) << 1;
  ROW(6) = __match_any_sync(~0u, a & 3);
  ROW(7) = __reduce_add_sync(~0u, a);
  ROW(8) = __reduce_max_sync(~0u, (int)a);
  ROW(9) = __reduce_xor_sync(~0u, a);
  __shared__ unsigned total, least;
  if (i == 0) total = 0, least = ~0u;
  __syncthreads();
  atomicAdd(&total, a);
  atomicMin(&least, a);
  int odd = __syncthreads_count(a & 1);
  ROW(10) = total;
  ROW(11) = least;
  ROW(12) = odd;
  unsigned mine = 0;
  if (a & 1) {
    for (unsigned k = 0; k < (a & 7); ++k) mine += __popc(__activemask()) > 0 ? k : 0;
  } else {
    mine = a * 3;
  }
  ROW(13) = mine + __shfl_xor_sync(~0u, mine, 1);
}

extern "C" __global__ void halves(const __half2* in, __half2* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  __half2 a = in[i], b = in[(i + 1) % count], c = in[(i + 2) % count];
  ROW(0) = __hadd2(a, b);
  ROW(1) = __hmul2(a, b);
  ROW(2) = __hfma2(a, b, c);
  ROW(3) = __hmin2(a, b);
  ROW(4) = __hlt2(a, b);
  ROW(5) = __hsub2(__low2half2(a), __high2half2(b));
}
