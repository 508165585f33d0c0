// The clock decides where, or whether, something is written; or only what.
// A mark at a place (or on a condition) that the clock chooses is not idempotent although nothing is
// read: a killed run leaves a mark that a complete one need not make. A stored clock value is harmless.
extern "C" __global__ void clockmark(int* o) { o[clock() & 1023] = 1; }

extern "C" __global__ void clockbranch(int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (clock64() & 4)) o[i] = 1;
}

extern "C" __global__ void clockvalue(long long* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = clock64();
}
