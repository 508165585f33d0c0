// Strided copy whose two coordinates come from a division by a multiply and a shift (the divisor's
// magic numbers are computed on the host): q = (umulhi(i, multiplier) + i) >> shift.
// Idempotent unless out's n elements meet the strided set of in that is read.
struct Divider {
  unsigned divisor, multiplier, shift;
};

extern "C" __global__ void fastdivmod(const float* in, float* out, Divider columns,
                                      unsigned row_stride, unsigned column_stride, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = (__umulhi(i, columns.multiplier) + i) >> columns.shift;
  unsigned column = i - row * columns.divisor;
  out[i] = in[row * row_stride + column * column_stride];
}
