// do-while: the body runs once for every thread even if n is 0.
// Idempotent unless the elements written overlap those read.
extern "C" __global__ void dowhile(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  do {
    out[i] = in[i] + 1;
    i += gridDim.x * blockDim.x;
  } while (i < n);
}
