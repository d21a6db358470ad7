//===- Random.h - Random numbers from a seed ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014): the same numbers on every host.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TEST_FUZZ_RANDOM_H
#define LPU_TEST_FUZZ_RANDOM_H

#include <cstddef>
#include <cstdint>

namespace lpu::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t bits() {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// A number below `limit`, which is not zero.
  size_t below(size_t limit) { return static_cast<size_t>(bits() % limit); }
  bool oneIn(size_t n) { return below(n) == 0; }

private:
  uint64_t state;
};

} // namespace lpu::fuzz

#endif // LPU_TEST_FUZZ_RANDOM_H
