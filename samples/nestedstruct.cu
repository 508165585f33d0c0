// Parameters in nested structs: views with pointer, stride and size.
// Idempotent unless the elements written overlap those read, each with its own stride; bias is read
// only if its pointer is not null.
struct View {
  float* data;
  int stride, size;
};

struct Problem {
  int flags;
  struct {
    View in, out;
  } views;
  const float* bias;
};

extern "C" __global__ void nestedstruct(Problem problem, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const View &in = problem.views.in, &out = problem.views.out;
  if (i >= in.size || i >= out.size) return;
  float value = in.data[(long long)i * in.stride] * factor;
  if (problem.bias) value += problem.bias[i];
  if (problem.flags & 4) value += out.data[(long long)i * out.stride];
  out.data[(long long)i * out.stride] = value;
}
