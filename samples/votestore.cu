// Stores guarded by a warp vote: over the whole warp, and over the lanes that happen to be active.
// The full vote hangs on loaded values only: idempotent unless out overlaps in. Which lanes run together
// is the machine's choice: the second is not, unless no thread gets there.
extern "C" __global__ void votestore(const int* in, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
  if (__all_sync(0xffffffffu, value < 1000)) out[i] = value;
}

extern "C" __global__ void votestore_active(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  for (int j = 0; j < (value & 3); ++j) value = value * 3 + j;
  if (__popc(__activemask()) > 7) out[i] = value;
}
