// Histograms of bytes in three ways: global atomics; shared atomics added to the global bins; shared
// atomics stored to a row of bins of the block's own.
// The first two read and write the bins, so are idempotent only if they count nothing (for the
// second: if no block runs its last loop). The third is, unless the rows overlap the data: what
// shared atomics leave behind is stored as a value only.
extern "C" __global__ void histogram_global(const unsigned char* data, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

extern "C" __global__ void histogram_shared(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&count[data[i]], 1u);
  __syncthreads();
  if (count[threadIdx.x]) atomicAdd(&bins[threadIdx.x], count[threadIdx.x]);
}

extern "C" __global__ void histogram_rows(const unsigned char* data, unsigned* rows, int n) {
  __shared__ unsigned count[256];
  count[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&count[data[i]], 1u);
  __syncthreads();
  rows[blockIdx.x * 256 + threadIdx.x] = count[threadIdx.x];
}
