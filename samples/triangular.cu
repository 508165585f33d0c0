// Triangular loop: row i reads its first i (with diagonal: i + 1) elements and writes the mirrored
// ones. The trip count differs from thread to thread.
// Idempotent even in place without the diagonal, since the triangles share nothing; with the
// diagonal, in place, not.
extern "C" __global__ void triangular(const float* in, float* out, int n, int diagonal) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < i + diagonal; ++j) out[j * n + i] = in[i * n + j];
}
