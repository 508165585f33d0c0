// Pointers from an array in memory (batched): each block takes its row's pointer from there.
// Idempotent only if nothing is read through them or nothing written, for they may point anywhere.
extern "C" __global__ void ptrarray(const float* const* rows, float* out, int columns) {
  const float* row = rows[blockIdx.x];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = row[i];
}
