//===- ScheduleClock.cpp - Time as the scheduler sees it ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScheduleClock.h; docs/ISA.md, "Timing", for the rules that it follows.
//
//===----------------------------------------------------------------------===//

#include "ScheduleClock.h"

#include <algorithm>
#include <cmath>

using namespace mlir::lpuisa;

using ::lpu::Unit;
using Kind = ScheduleNode::Kind;

int64_t ScheduleClock::firstArrival() const {
  // The first chunk of the entry after those with a product.
  for (size_t i = consumed; i < requested; ++i) {
    if (chunks[i].entry >= products.size()) {
      return chunks[i].arrival;
    }
  }
  return freeAt(Unit::SMA) + machine.hbmLatency;
}

int64_t ScheduleClock::startOf(unsigned node) const {
  const ScheduleNode &what = nodes[node];
  int64_t start = freeAt(what.unit);
  if (what.unit != Unit::ICP) {
    start = std::max(start, freeAt(Unit::ICP) + machine.issueCycles);
  }
  for (unsigned before : what.after) {
    start = std::max(start, readyAfter(before, what.unit));
  }
  if (what.kind == Kind::Mm) {
    start = std::max(start, firstArrival());
  }
  return start;
}

void ScheduleClock::complete(unsigned node, int64_t time) {
  int64_t &all = lastDone[static_cast<unsigned>(nodes[node].unit)];
  done[node] = time;
  announced[node] = all = std::max(all, time);
  last = std::max(last, time);
}

void ScheduleClock::add(unsigned node) {
  const ScheduleNode &what = nodes[node];
  int64_t start = startOf(node);
  isAdded[node] = true;
  if (what.unit != Unit::ICP) {
    freeOf(Unit::ICP) += machine.issueCycles;
  }
  if (what.kind == Kind::Stream) {
    addStream(node, start);
  } else if (what.kind == Kind::Mm) {
    products.push_back(node);
    freeOf(Unit::SXE) = start;
  } else {
    addTransfer(node, start);
  }
  advanceStreams();
}

void ScheduleClock::addTransfer(unsigned node, int64_t start) {
  const ScheduleNode &what = nodes[node];
  int64_t occupied = start + what.cycles;
  if (what.hbmBytes != 0) {
    hbmFree = std::max(hbmFree, static_cast<double>(start)) +
              static_cast<double>(what.hbmBytes) / machine.hbmBytesPerCycle;
    occupied = std::max(occupied, static_cast<int64_t>(std::ceil(hbmFree)));
  }
  complete(node, occupied + what.latency);
  // The ICP waits for what it loads.
  freeOf(what.unit) = what.unit == Unit::ICP ? done[node] : occupied;
}

void ScheduleClock::addStream(unsigned node, int64_t start) {
  auto entry = static_cast<unsigned>(streams.size());
  streams.push_back(node);
  freeOf(Unit::SMA) = start;
  int64_t left = nodes[node].streamBytes;
  do {
    int64_t bytes =
        std::min({left, machine.chunkBytes, machine.streamBufferBytes});
    left -= bytes;
    chunks.push_back({entry, bytes, /*isLast=*/left == 0});
  } while (left > 0);
}

void ScheduleClock::advanceStreams() {
  while (requestChunk() || consumeChunk()) {
  }
}

bool ScheduleClock::requestChunk() {
  if (requested == chunks.size()) {
    return false;
  }
  Chunk &chunk = chunks[requested];
  while (bufferUsed + chunk.bytes > machine.streamBufferBytes) {
    if (released == consumed) {
      return false;
    }
    bufferUsed -= chunks[released].bytes;
    lastRelease = chunks[released].consumed;
    ++released;
  }
  unsigned node = streams[chunk.entry];
  int64_t start = std::max(freeAt(Unit::SMA), lastRelease);
  double end;
  if (nodes[node].hbmBytes != 0) {
    hbmFree = std::max(hbmFree, static_cast<double>(start)) +
              static_cast<double>(chunk.bytes) / machine.hbmBytesPerCycle;
    end = hbmFree;
  } else {
    end = static_cast<double>(start) +
          static_cast<double>(chunk.bytes) / machine.lmuBytesPerCycle;
  }
  chunk.arrival = static_cast<int64_t>(std::ceil(end)) + nodes[node].latency;
  freeOf(Unit::SMA) = std::max(start, static_cast<int64_t>(end));
  bufferUsed += chunk.bytes;
  ++requested;
  if (chunk.isLast) {
    freeOf(Unit::SMA) += freeAt(Unit::SMA) == start;
    complete(node, chunk.arrival);
  }
  return true;
}

bool ScheduleClock::consumeChunk() {
  if (consumed == requested || chunks[consumed].entry >= products.size()) {
    return false;
  }
  Chunk &chunk = chunks[consumed++];
  const ScheduleNode &mm = nodes[products[chunk.entry]];
  int64_t total = std::max<int64_t>(1, nodes[streams[chunk.entry]].streamBytes);
  double share = static_cast<double>(chunk.bytes) / static_cast<double>(total);
  int64_t cycles = chunk.bytes == 0
                       ? mm.cycles
                       : static_cast<int64_t>(
                             std::ceil(static_cast<double>(mm.cycles) * share));
  int64_t start = std::max(freeAt(Unit::SXE), chunk.arrival);
  chunk.consumed = start + cycles;
  freeOf(Unit::SXE) = chunk.consumed;
  if (chunk.isLast) {
    // Operands and results in HBM take their time before and after.
    auto transfer = static_cast<int64_t>(
        std::ceil(static_cast<double>(mm.hbmBytes) / machine.hbmBytesPerCycle));
    freeOf(Unit::SXE) += transfer;
    complete(products[chunk.entry], freeAt(Unit::SXE) + mm.latency);
  }
  return true;
}
