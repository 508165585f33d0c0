// A mode parameter ends the kernel early or picks between copying and accumulating.
// Idempotent if mode is 0 (nothing happens), or 1 and out does not overlap in; mode 2 accumulates.
extern "C" __global__ void earlyexit(const float* in, float* out, int mode, int n) {
  if (mode == 0) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (mode == 1)
    out[i] = in[i];
  else
    out[i] += in[i];
}
