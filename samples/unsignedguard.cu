// A range test by one unsigned comparison: lo <= i < hi as (unsigned)(i - lo) < (unsigned)(hi - lo).
// Idempotent unless out overlaps in on that range; with hi < lo the difference is huge and nearly every
// thread passes.
extern "C" __global__ void unsignedguard(const float* in, float* out, int lo, int hi) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((unsigned)(i - lo) < (unsigned)hi - (unsigned)lo) out[i] = in[i];
}
