// Gather: out[i] = in[index[i]], the address read comes from memory.
// Idempotent for all contents only if out lies beyond the reach of any 32-bit index, and apart from
// the n elements of index; with known contents, if out overlaps nothing that is read.
extern "C" __global__ void gather(const float* in, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}

// The index is a byte, so no more than 256 elements of in are within reach.
extern "C" __global__ void gather_byte(const float* in, const unsigned char* index, float* out,
                                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}
