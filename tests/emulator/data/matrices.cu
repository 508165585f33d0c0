// Matrix products of 16 by 16 by 16 by the wmma interface, in all layouts, one warp each: the
// instructions behind it differ from family to family, the result must not.
#include <mma.h>

namespace wmma = nvcuda::wmma;

// d = a * b + c, each a square of 16 by 16 stored by rows or columns; d and c by rows.
template <class A, class B, class Sum>
__device__ void product(const __half* a, const __half* b, const Sum* c, Sum* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, A> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, B> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

#define KERNEL(name, A, B, Sum)                                                            \
  extern "C" __global__ void name(const __half* a, const __half* b, const Sum* c, Sum* d) { \
    product<wmma::A, wmma::B, Sum>(a, b, c, d);                                             \
  }
KERNEL(single_row_row, row_major, row_major, float)
KERNEL(single_row_col, row_major, col_major, float)
KERNEL(single_col_row, col_major, row_major, float)
KERNEL(single_col_col, col_major, col_major, float)
KERNEL(half_row_row, row_major, row_major, __half)
KERNEL(half_row_col, row_major, col_major, __half)
KERNEL(half_col_row, col_major, row_major, __half)
KERNEL(half_col_col, col_major, col_major, __half)

// Single sums from half addends.
extern "C" __global__ void mixed_row_col(const __half* a, const __half* b, const __half* c, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> addend;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::load_matrix_sync(addend, c, 16, wmma::mem_row_major);
  wmma::mma_sync(sum, left, right, addend);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}
