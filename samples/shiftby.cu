// An index shifted by a parameter: left by more than 31 gives 0, right by more than 31 gives the sign.
// Idempotent unless a shifted index reads what is written.
extern "C" __global__ void shiftleft(const float* in, float* out, unsigned by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned index;
  asm("shl.b32 %0, %1, %2;" : "=r"(index) : "r"(i), "r"(by));
  if (i < n) out[i] = in[index];
}

extern "C" __global__ void shiftright(const float* in, float* out, int bias, unsigned by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, index;
  asm("shr.s32 %0, %1, %2;" : "=r"(index) : "r"(i - bias), "r"(by));
  if (i < n) out[i] = in[index];
}
