// Module globals without a pointer parameter to them: read, written, and updated.
// The reader is idempotent unless out overlaps the part of `table` read; the writer unless in overlaps
// the part of `state` written; the updater only if it touches nothing.
__device__ float table[256];
__device__ float state[256];

extern "C" __global__ void global_reader(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[i];
}

extern "C" __global__ void global_writer(const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) state[i] = in[i];
}

extern "C" __global__ void global_updater(float step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) state[i] += step * table[i];
}
