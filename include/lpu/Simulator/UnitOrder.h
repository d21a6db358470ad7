//===- UnitOrder.h - Which unit goes first --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores leave open in which order units go on. A run decides it by an
// order of the units: whenever one may do an instruction, it is the first in
// the order that can.
//
// A fixed order misses programs that lack a wait: a unit that waits for another
// one lets the third go first. `random` draws new orders as it goes. How often
// is drawn as well, once a run: a missing wait shows in some programs only if a
// unit falls far behind, in others only if it goes first for a moment (after
// the random priorities of Burckhardt et al., "A randomized scheduler with
// probabilistic guarantees of finding bugs", 2010).
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_UNITORDER_H
#define LPU_SIMULATOR_UNITORDER_H

#include "lpu/Simulator/RunOptions.h"
#include "lpu/Target/Encoding.h"

#include <array>
#include <cstdint>

namespace lpu {

/// Random numbers that are the same on every host, which those of the standard
/// library are not: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}
  uint64_t draw();
  /// True once in 2^`rarity` times, for a rarity of at most 8.
  bool drawOneIn(unsigned rarity) { return draw() >> 56 < (256u >> rarity); }

private:
  uint64_t state;
};

/// The sequence of orders of one run.
class UnitOrder {
public:
  using Order = std::array<Unit, numUnits>;

  explicit UnitOrder(Interleave interleave);

  /// The order for the next instruction.
  const Order &next();

private:
  void shuffle();

  Order order = {Unit::ICP, Unit::SMA, Unit::SXE, Unit::VXE};
  bool isRandom;
  SplitMix64 random;
  /// An order is kept for 2^persistence instructions on average.
  unsigned persistence = 0;
};

} // namespace lpu

#endif // LPU_SIMULATOR_UNITORDER_H
