// Row and column by division by a parameter (unsigned, signed and 64-bit): rows of in lie `pitch`
// elements apart.
// Idempotent unless out's n elements meet the rows read.
extern "C" __global__ void paramdiv(const float* in, float* out, unsigned columns, unsigned pitch,
                                    unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / columns * pitch + i % columns];
}

extern "C" __global__ void paramdiv_signed(const float* in, float* out, int columns, int pitch,
                                           int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / columns * pitch + i % columns];
}

extern "C" __global__ void paramdiv_wide(const float* in, float* out, long long columns,
                                         long long pitch, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i / columns * pitch + i % columns];
}
