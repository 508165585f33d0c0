// Three-dimensional grid and block: copies a box out of a volume.
// Idempotent unless a row of the box written overlaps a row read.
extern "C" __global__ void grid3d(const float* in, int in_row, int in_slice, float* out, int out_row,
                                  int out_slice, int3 size) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < size.x && y < size.y && z < size.z)
    out[z * out_slice + y * out_row + x] = in[z * in_slice + y * in_row + x];
}
