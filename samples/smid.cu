// The number of the SM that a block happens to run on, as an address and as a value.
// As an address not idempotent, unless nothing is stored: the restart may run elsewhere. As a value it is.
__device__ unsigned sm_number() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

extern "C" __global__ void smid_mark(int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[sm_number()] = 1;
}

extern "C" __global__ void smid_value(unsigned* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = sm_number();
}
