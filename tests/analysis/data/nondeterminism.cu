// Ways by which something that differs from run to run reaches the place of a store. None of these
// kernels reads global memory that it writes; each marks another place when it is run again.
// Built with: nvcc -arch=sm_80 -cubin -o nondeterminism.sm_80.cubin nondeterminism.cu
extern "C" __global__ void through_local(int* o, int n) {
  int table[32];
  for (int i = 0; i < n; ++i) table[i & 31] = i;
  o[table[clock() & 31] & 1023] = 1;
}

extern "C" __global__ void through_local_value(int* o, int n) {
  int table[32];
  for (int i = 0; i < n; ++i) table[i & 31] = clock() & 1023;
  o[table[n & 31] & 1023] = 1;
}

extern "C" __global__ void through_shared(int* o) {
  __shared__ int table[32];
  table[threadIdx.x & 31] = clock() & 1023;
  __syncthreads();
  o[table[(threadIdx.x + 1) & 31] & 1023] = 1;
}

extern "C" __global__ void through_shared_place(int* o) {
  __shared__ int table[32];
  table[threadIdx.x & 31] = 0;
  __syncthreads();
  table[clock() & 31] = 7;
  __syncthreads();
  o[table[threadIdx.x & 31]] = 1;
}

extern "C" __global__ void through_branch(int* o) {
  int at = 5;
  if (clock() & 1) at = 6;
  o[at] = 1;
}

extern "C" __global__ void through_count(int* o) {
  int at = 0;
#pragma unroll 1
  while ((clock() & 7) != 0) ++at;
  o[at & 1023] = 1;
}

extern "C" __global__ void through_guarded_load(int* o, const int* in) {
  int x = 0;
  if (clock() & 1) x = in[0];
  o[x & 1023] = 1;
}

extern "C" __global__ void through_predicates(int* o, int n) {
  long long t = clock64();
  bool a = t & 1, b = t & 2, c = t & 4;
  int at = 0;
  if (a && !b) at = 1;
  if (b || c) at += 2;
  o[at * n & 1023] = 1;
}

extern "C" __global__ void through_atomic(int* o, int* counter) {
  o[atomicAdd(counter, 1) & 1023] = 1;
}

extern "C" __global__ void through_exit(int* o) {
  if (clock() & 1) return;
  o[threadIdx.x] = 1;
}

extern "C" __global__ void through_shuffle(int* o) {
  int lane = __shfl_sync(~0u, static_cast<int>(clock() & 31), 3);
  o[lane] = 1;
}

__device__ __noinline__ int pick(int x) { return x & 31 ? x : 3; }
extern "C" __global__ void through_call(int* o) { o[pick(clock() & 1023)] = 1; }

// The sibling of them all: the clock is only stored.
extern "C" __global__ void only_stored(int* o, int n) {
  int table[32];
  for (int i = 0; i < n; ++i) table[i & 31] = clock();
  o[threadIdx.x] = table[n & 31];
}
