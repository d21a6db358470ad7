//===- UnitOrder.cpp - Which unit goes first ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnitOrder.h.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/UnitOrder.h"

#include <utility>

using namespace lpu;

uint64_t SplitMix64::draw() {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

UnitOrder::UnitOrder(Interleave interleave)
    : isRandom(interleave.kind == Interleave::Random), random(interleave.seed) {
  if (interleave.kind == Interleave::Prompt) {
    order = {Unit::SMA, Unit::SXE, Unit::VXE, Unit::ICP};
  }
  if (isRandom) {
    persistence = static_cast<unsigned>(random.draw() % 8);
    shuffle();
  }
}

/// Fisher and Yates.
void UnitOrder::shuffle() {
  for (size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[random.draw() % (i + 1)]);
  }
}

const UnitOrder::Order &UnitOrder::next() {
  if (isRandom && random.drawOneIn(persistence)) {
    shuffle();
  }
  return order;
}
