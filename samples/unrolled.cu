// One thread sums a row; the compiler unrolls the loop and adds one for the remainder.
// Idempotent unless one of the sums lies in the rows read.
extern "C" __global__ void unrolled(const float* in, float* sums, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const float* row = in + (long long)i * columns;
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += row[j];
  sums[i] = sum;
}
