// printf on a path that a parameter guards.
// Idempotent if nothing is printed and out does not overlap in; a restart would print twice.
#include <cstdio>

extern "C" __global__ void printing(const float* in, float* out, int verbose, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (verbose > 0 && i % verbose == 0) printf("%d: %f\n", i, in[i]);
  out[i] = in[i] * 3;
}
