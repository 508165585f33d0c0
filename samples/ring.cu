// Ring buffer: the place written is masked to a power of two.
// Idempotent unless the part of the ring that is written overlaps in; it may wrap round.
extern "C" __global__ void ring(const float* in, float* ring, unsigned start, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ring[(start + i) & mask] = in[i];
}
