//===- UnitOrder.h - Which unit goes first --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Semaphores leave open in which order instructions of different units take
// effect. A run decides it by an order of the units: whenever one may do an
// instruction, it is the first in the order that can.
//
// `early` and `late` keep one order, SMA first or last. Together they turn
// around every pair of units, but a unit that waits for another one lets the
// third go first in both, so they miss some programs that lack a wait. `random`
// draws new orders as it goes. How often is drawn as well, once a run: a
// missing wait shows in some programs only if a unit falls far behind, in
// others only if it goes first for a moment (after the random priorities of
// Burckhardt et al., "A randomized scheduler with probabilistic guarantees of
// finding bugs", 2010).
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_UNITORDER_H
#define LPU_SIMULATOR_UNITORDER_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/Result.h"

#include <array>
#include <string_view>

namespace lpu {

/// In which order instructions of different units take effect, as far as the
/// semaphores leave it open. A program that waits for everything it should has
/// the same result in all.
struct Dma {
  enum Kind : uint8_t {
    Early,  ///< The SMA as early, the VXE as late as possible.
    Late,   ///< The SMA as late, the VXE as early as possible.
    Random, ///< As the seed says, the same on every host.
  };
  Dma(Kind kind, uint64_t seed = 0) : kind(kind), seed(seed) {}

  /// Reads "early", "late" or "random:SEED".
  static Result<Dma> parse(std::string_view text);

  Kind kind;
  uint64_t seed;
};

/// The sequence of orders of one run.
class UnitOrder {
public:
  using Order = std::array<Unit, 3>; ///< Of SMA, SXE and VXE.

  explicit UnitOrder(Dma dma);

  /// The order for the next instruction.
  const Order &next();

private:
  uint64_t draw();
  void shuffle();

  Order order;
  bool isRandom;
  uint64_t state;
  /// An order is kept for 2^persistence instructions on average.
  unsigned persistence = 0;
};

} // namespace lpu

#endif // LPU_SIMULATOR_UNITORDER_H
