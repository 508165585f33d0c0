// Results, a system-wide fence, and a flag for somebody outside: by a volatile (system-scope) store or
// by a plain one.
// With the volatile store not idempotent once the flag is raised, for another party may act on it at
// once. With the plain store idempotent under the privacy contract, unless the flag or out overlaps in.
extern "C" __global__ void flagraise(const float* in, float* out, volatile int* flag, int raise, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
  __threadfence_system();
  if (raise && i == 0) *flag = 1;
}

extern "C" __global__ void flagraise_plain(const float* in, float* out, int* flag, int raise, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1;
  __threadfence_system();
  if (raise && i == 0) *flag = 1;
}
