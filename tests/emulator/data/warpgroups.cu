// Matrix products of a warpgroup from images of shared memory that the test lays out. Only sm_90a.
#include <cstdint>

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

constexpr int kWords = 4096;  // 16 KiB for each factor

__device__ void fill(unsigned* to, const unsigned* from) {
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) to[i] = from[i];
}
__device__ void begin() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define PRODUCT(kind, scale_a, rest)                                                              \
  asm volatile("wgmma.mma_async.sync.aligned." kind " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, " \
               "1, " scale_a ", 1" rest ";"                                                       \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) \
               : "l"(left), "l"(right))

// d (64 by 16, singles, by rows) += a * b over two steps of 16: `shape_a`, `shape_b` are the
// descriptors without their starts, `step_a`, `step_b` how far the next 16 of k lie, in 16 bytes.
#define KERNEL(name, kind, scale_a, rest)                                                        \
  extern "C" __global__ void name(const unsigned* a, const unsigned* b, float* out, uint64_t shape_a, \
                                  uint64_t shape_b, int step_a, int step_b) {                    \
    __shared__ alignas(1024) unsigned sa[kWords], sb[kWords];                                    \
    fill(sa, a);                                                                                 \
    fill(sb, b);                                                                                 \
    uint64_t left = shape_a | shared_address(sa) >> 4, right = shape_b | shared_address(sb) >> 4; \
    int t = threadIdx.x, warp = t / 32, lane = t % 32;                                           \
    float d[8];                                                                                  \
    for (int i = 0; i < 8; ++i)                                                                  \
      d[i] = out[(16 * warp + lane / 4 + 8 * (i / 2 % 2)) * 16 + lane % 4 * 2 + i % 2 + i / 4 * 8]; \
    begin();                                                                                     \
    PRODUCT(kind, scale_a, rest);                                                                \
    left += step_a, right += step_b;                                                             \
    PRODUCT(kind, scale_a, rest);                                                                \
    finish();                                                                                    \
    for (int i = 0; i < 8; ++i)                                                                  \
      out[(16 * warp + lane / 4 + 8 * (i / 2 % 2)) * 16 + lane % 4 * 2 + i % 2 + i / 4 * 8] = d[i]; \
  }

KERNEL(along_along, "m64n16k16.f32.f16.f16", "1", ", 0, 0")
KERNEL(across_along, "m64n16k16.f32.f16.f16", "1", ", 1, 0")
KERNEL(along_across, "m64n16k16.f32.f16.f16", "1", ", 0, 1")
KERNEL(across_across, "m64n16k16.f32.bf16.bf16", "-1", ", 1, 1")

// A in registers, by rows in memory; half sums, by rows; one step.
extern "C" __global__ void registers(const unsigned* a, const unsigned* b, unsigned* out, uint64_t shape_b) {
  __shared__ alignas(1024) unsigned sb[kWords];
  fill(sb, b);
  uint64_t right = shape_b | shared_address(sb) >> 4;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row = 16 * warp + lane / 4;
  unsigned x[4], d[2] = {7, 8};  // not read
  for (int i = 0; i < 4; ++i) x[i] = a[(row + 8 * (i % 2)) * 8 + lane % 4 + 4 * (i / 2)];
  begin();
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, %6, 0, 1, 1, 0;"
      : "+r"(d[0]), "+r"(d[1]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(right));
  finish();
  for (int i = 0; i < 2; ++i) out[(row + 8 * i) * 4 + lane % 4] = d[i];
}

// Bytes, 64 by 8 by 32, by rows.
extern "C" __global__ void bytes(const unsigned* a, const unsigned* b, int* out, uint64_t shape_a,
                                 uint64_t shape_b) {
  __shared__ alignas(1024) unsigned sa[kWords], sb[kWords];
  fill(sa, a);
  fill(sb, b);
  uint64_t left = shape_a | shared_address(sa) >> 4, right = shape_b | shared_address(sb) >> 4;
  int t = threadIdx.x, warp = t / 32, lane = t % 32, row = 16 * warp + lane / 4;
  int d[4];
  for (int i = 0; i < 4; ++i) d[i] = out[(row + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2];
  begin();
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0, %1, %2, %3}, %4, %5, 1;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(left), "l"(right));
  finish();
  for (int i = 0; i < 4; ++i) out[(row + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
