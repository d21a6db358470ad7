//===- UnitOrder.cpp - Which unit goes first ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnitOrder.h. Random numbers are SplitMix64 (Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014), since what the standard
// library draws from a seed differs between implementations.
//
//===----------------------------------------------------------------------===//

#include "lpu/Simulator/UnitOrder.h"

#include <charconv>

using namespace lpu;

static constexpr UnitOrder::Order earlyOrder = {Unit::SMA, Unit::SXE,
                                                Unit::VXE};
static constexpr UnitOrder::Order lateOrder = {Unit::VXE, Unit::SXE, Unit::SMA};

Result<Dma> Dma::parse(std::string_view text) {
  if (text == "early") {
    return Dma(Early);
  }
  if (text == "late") {
    return Dma(Late);
  }
  constexpr std::string_view prefix = "random:";
  if (text.substr(0, prefix.size()) == prefix) {
    const char *end = text.data() + text.size();
    uint64_t seed = 0;
    auto parsed = std::from_chars(text.data() + prefix.size(), end, seed);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      return Dma(Random, seed);
    }
  }
  return Error{"dma '" + std::string(text) +
               "', expected early, late or random:SEED with a seed from 0 to "
               "2^64 - 1"};
}

UnitOrder::UnitOrder(Dma dma)
    : order(dma.kind == Dma::Late ? lateOrder : earlyOrder),
      isRandom(dma.kind == Dma::Random), state(dma.seed) {
  if (isRandom) {
    persistence = static_cast<unsigned>(draw() % 8);
    shuffle();
  }
}

uint64_t UnitOrder::draw() {
  state += 0x9e3779b97f4a7c15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Fisher and Yates.
void UnitOrder::shuffle() {
  for (size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[draw() % (i + 1)]);
  }
}

const UnitOrder::Order &UnitOrder::next() {
  if (isRandom && draw() >> (64 - 8) < (256u >> persistence)) {
    shuffle();
  }
  return order;
}
