// Copy of 16-byte words, as memcpy does it; onto itself it changes nothing.
// Idempotent unless out overlaps in. Onto itself an overlap by definition, yet harmless in fact.
extern "C" __global__ void selfcopy(const uint4* in, uint4* out, size_t words) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words;
       i += (size_t)gridDim.x * blockDim.x)
    out[i] = in[i];
}
