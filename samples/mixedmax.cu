// Signed and unsigned maximum over one word, as float maxima are often made.
// Not idempotent once two kinds meet on a word, even with the contract on idempotent atomics; idempotent
// if no atomic is executed.
extern "C" __global__ void mixedmax(const int* in, int* greatest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] >= 0)
    atomicMax(greatest, in[i]);
  else
    atomicMax((unsigned*)greatest, (unsigned)in[i]);
}
