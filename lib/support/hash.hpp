// Hashing of small keys for in-memory tables. Not stable across versions; never written to disk.
#pragma once

#include "support/types.hpp"

namespace picker {

// Mixes `value` into `seed` (finaliser of splitmix64, Steele et al., OOPSLA 2014).
[[nodiscard]] inline u64 hash_combine(u64 seed, u64 value) {
  u64 x = seed + 0x9e3779b97f4a7c15u + value;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace picker
