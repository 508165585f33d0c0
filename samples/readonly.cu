// Launch bounds, restrict and the non-coherent read-only path (LDG.CONSTANT).
// The first is idempotent unless out overlaps in. The second reads `again` after writing out: a
// non-coherent read is never shielded by the write, so it must not overlap out.
extern "C" __global__ void __launch_bounds__(128, 4)
    readonly(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

extern "C" __global__ void readonly_again(const float* in, float* out, const float* again, float* copy,
                                          int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i];
  copy[i] = __ldg(again + i);
}
