// A loop that ends when its counter equals the bound (!=), up and down.
// Idempotent unless out overlaps in; the step must divide the distance, else the loop runs on.
extern "C" __global__ void notequal(const float* in, float* out, int first, int last, int step) {
  for (int i = first; i != last; i += step) {
    int at = i * 64 + threadIdx.x;
    out[at] = in[at] + 1;
  }
}
