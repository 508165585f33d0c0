// Fused multiply-add of 32 lanes at once.
//
// A program for any x86-64 machine calls a function of the C library for every std::fma. Here the
// loop exists twice, once compiled for processors with vector FMA, and the processor is asked once.
// Both round once, to nearest even: the same bits.
#pragma once

#include "semantics/concrete.hpp"

namespace picker::semantics {

// a * b + c in single precision, with the canonical NaN; `flush`: subnormal inputs and results are
// zeros. Thread-safe.
void fused_multiply_add(const Lanes<u32>& a, const Lanes<u32>& b, const Lanes<u32>& c, bool flush,
                        Lanes<u32>& out);

}  // namespace picker::semantics
