// C = alpha * A * B + beta * C with shared tiles; beta decides whether C is read.
// Idempotent if beta is 0 (of either sign) and C overlaps neither A nor B; with any other beta
// never, unless the grid covers no element.
constexpr int kTile = 8;

extern "C" __global__ void matmul(int m, int n, int k, float alpha, const float* a, const float* b,
                                  float beta, float* c) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    tile_a[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0;
    tile_b[y][x] = k0 + y < k && column < n ? b[(k0 + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) {
    float value = alpha * sum;
    if (beta != 0) value += beta * c[row * n + column];
    c[row * n + column] = value;
  }
}
