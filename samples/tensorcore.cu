// Matrix product on tensor cores, one tile of 16 by 16 per warp; beta decides whether C is read.
// Idempotent unless d's tiles overlap a or b, or, if beta is not 0, c.
#include <mma.h>

extern "C" __global__ void tensorcore(const __half* a, const __half* b, const float* c, float* d, int n,
                                      int k, int beta) {
  namespace wmma = nvcuda::wmma;
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  if (beta)
    wmma::load_matrix_sync(sum, c + row * n + column, n, wmma::mem_row_major);
  else
    wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
    wmma::load_matrix_sync(left, a + row * k + i, k);
    wmma::load_matrix_sync(right, b + i * n + column, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(d + row * n + column, sum, n, wmma::mem_row_major);
}
