// The operations of atomics and reductions on memory, on plain words.
//
// Source: PTX ISA, "atom": inc is (old >= b) ? 0 : old + 1, dec is (old == 0 || old > b) ? b :
// old - 1. Float additions round to nearest even; .FTZ flushes subnormal inputs and results.
#pragma once

#include <optional>

#include "sass/instruction.hpp"
#include "support/types.hpp"

namespace picker::emulator {

struct AtomicKind {
  sass::Value operation{};
  sass::Value type{};
  u32 bytes = 0;  // 4 or 8
};

// What `in` does, or nothing if that is not modelled.
[[nodiscard]] std::optional<AtomicKind> atomic_kind(const sass::Instruction& in, u32 bytes);

// The new value; `b` and `c` are the operands (of CAS: the expected value and the new one).
[[nodiscard]] u64 apply_atomic(const AtomicKind& kind, u64 old_value, u64 b, u64 c);

}  // namespace picker::emulator
