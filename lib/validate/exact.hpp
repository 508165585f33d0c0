// The exact tier: every thread of the launch is followed, and the sets of bytes are compared.
//
// Where ranges overlap and neither strides nor dimensions tell the sets apart, the addresses are
// still functions of the arguments in most launches. Following each thread with memory unknown
// (thread_walk.hpp) gives them exactly, if no thread's path or address turns out to depend on
// memory or on anything that may differ between runs. Then
//   premise 1  R and W are the unions over all threads; a read is left out only where the same
//              thread surely wrote the byte before, synchronously, and the load is a coherent one;
//   premise 2  holds, for every address, guard and branch was computed from the arguments alone.
// One thread that cannot be followed to its end leaves the question open.
//
// Cost: all instructions of all threads, within the walk's counted budget; off the launch path.
#pragma once

#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker::validate {

// The verdict of all tiers. `walk` must belong to `summary` and `launch`. Never fails.
[[nodiscard]] Verdict validate_exactly(const analysis::Summary& summary, const Launch& launch,
                                       ThreadWalk& walk);

}  // namespace picker::validate
