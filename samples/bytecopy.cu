// Copies bytes one by one.
// Idempotent unless out's n bytes overlap in's.
extern "C" __global__ void bytecopy(const unsigned char* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
