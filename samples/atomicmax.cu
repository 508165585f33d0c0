// Integer maximum by atomics, result unused and result used.
// Not idempotent once an atomic is executed (unused: only with the contract on idempotent atomics).
extern "C" __global__ void atomicmax(const int* in, int* greatest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&greatest[i & 7], in[i]);
}

extern "C" __global__ void atomicmax_used(const int* in, int* greatest, int* old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) old[i] = atomicMax(greatest, in[i]);
}
