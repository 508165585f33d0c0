// Functions of the system: printf with conversions of every kind, an assertion, the heap.
#include <cassert>
#include <cstdio>

extern "C" __global__ void messages(int n, double x, long long wide) {
  int t = threadIdx.x;
  if (t >= n) return;
  int count = printf("%d|%5u|%-6x|%#o|%c|%%|%s\n", t - 1, 42u, 0xbeefu, 8, 'a' + t, "text");
  printf("%.3f|%8.2e|%+g|%lld|%llx|%*d|%.*f\n", x, x * 1000, x, wide, wide, 4, t, 1, x);
  printf("plain, %d\n", count);
}

extern "C" __global__ void claim(int limit) { assert((int)threadIdx.x < limit); }

extern "C" __global__ void heap(int** out) { *out = (int*)malloc(64); }
