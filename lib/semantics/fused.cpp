#include "semantics/fused.hpp"

#include <bit>

#include "semantics/host_float.hpp"

namespace picker::semantics {
namespace {

using Operation = void (*)(const Lanes<u32>&, const Lanes<u32>&, const Lanes<u32>&, bool,
                           Lanes<u32>&);

[[gnu::always_inline]] inline void all_lanes(const Lanes<u32>& a, const Lanes<u32>& b,
                                             const Lanes<u32>& c, bool flush, Lanes<u32>& out) {
  for (u32 i = 0; i < kWarpSize; ++i)
    out[i] = host::finish(__builtin_fmaf(host::start(a[i], flush), host::start(b[i], flush),
                                         host::start(c[i], flush)),
                          flush);
}

void for_any(const Lanes<u32>& a, const Lanes<u32>& b, const Lanes<u32>& c, bool flush,
             Lanes<u32>& out) {
  all_lanes(a, b, c, flush, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void for_vector(const Lanes<u32>& a, const Lanes<u32>& b,
                                            const Lanes<u32>& c, bool flush, Lanes<u32>& out) {
  all_lanes(a, b, c, flush, out);
}
Operation choose() {
  return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? for_vector : for_any;
}
#else
Operation choose() { return for_any; }
#endif

}  // namespace

void fused_multiply_add(const Lanes<u32>& a, const Lanes<u32>& b, const Lanes<u32>& c, bool flush,
                        Lanes<u32>& out) {
  static const Operation operation = choose();
  operation(a, b, c, flush, out);
}

}  // namespace picker::semantics
