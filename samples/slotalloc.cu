// Slots handed out by an atomic in shared memory: which thread writes where differs from run to run.
// If every thread fills its slot, the bytes written are the same in every run, so idempotent unless they
// overlap in (though no single address is determined). If only odd threads fill theirs, it is not: a
// killed run may fill slots that the complete one leaves alone.
extern "C" __global__ void slotalloc(const float* in, float* out, int n) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int slot = atomicAdd(&next, 1);
    out[blockIdx.x * blockDim.x + slot] = in[i];
  }
}

extern "C" __global__ void slotalloc_odd(const float* in, float* out, int n) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int slot = atomicAdd(&next, 1);
    if (i & 1) out[blockIdx.x * blockDim.x + slot] = in[i];
  }
}
