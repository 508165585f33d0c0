// y = a * x + y in place: each thread reads the element that it then writes.
// Idempotent only if no thread passes the guard (n <= 0); then with any pointers.
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
