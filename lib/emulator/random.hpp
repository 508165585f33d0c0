// The generator behind everything that a launch leaves open: splitmix64 (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", 2014).
#pragma once

#include "support/types.hpp"

namespace picker::emulator {

class Random {
 public:
  explicit Random(u64 seed) : state_(seed) {}

  u64 next() {
    u64 z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, n); n is not 0. Not exactly uniform for large n.
  u64 below(u64 n) { return next() % n; }

 private:
  u64 state_;
};

// A generator for one purpose, independent of how much others were used.
[[nodiscard]] inline Random random_for(u64 seed, u64 purpose, u64 index = 0) {
  Random r(seed ^ (purpose * 0xd6e8feb86659fd93u));
  return Random(r.next() ^ (index * 0xa0761d6478bd642fu));
}

}  // namespace picker::emulator
