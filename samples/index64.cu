// 64-bit indices and guards, offsets beyond 2^32.
// Idempotent unless out's n elements from out_offset overlap in's from in_offset.
extern "C" __global__ void index64(const float* in, long long in_offset, float* out,
                                   long long out_offset, long long n) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[out_offset + i] = in[in_offset + i];
}
