// An index that is a 32-bit product, i * stride, and wraps: zero- or sign-extended, read or written.
// Idempotent unless a wrapped index reads what is written; with stride 0x40000000 only four different
// elements are touched, with 0x80000001 every second index comes back near 0.
extern "C" __global__ void wrapmul(const float* in, float* out, unsigned stride, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

extern "C" __global__ void wrapmul_signed(const float* in, float* out, int stride, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(int)((unsigned)i * (unsigned)stride)];
}

extern "C" __global__ void wrapmul_store(const float* in, float* out, unsigned stride, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i * stride] = in[i];
}
