// A loop whose trip count comes from memory: out receives `*count` copies of in, one after another.
// Idempotent for all contents only if in and count lie below out, as copies grow upward from there.
extern "C" __global__ void whilecount(const int* count, const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = *count;
  float value = in[i];
  float* at = out + i;
  while (left > 0) {
    *at = value;
    at += n;
    --left;
  }
}
