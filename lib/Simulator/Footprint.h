//===- Footprint.h - Which bytes of the arguments a run touches -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For every argument the union of the bytes read and the union of the bytes
// written, whatever instruction and however often: the bytes that no schedule
// of the program can avoid.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_FOOTPRINT_H
#define LPU_LIB_SIMULATOR_FOOTPRINT_H

#include "lpu/Simulator/ResolvedView.h"

#include <map>
#include <vector>

namespace lpu {

/// A union of ranges [begin, end).
class IntervalSet {
public:
  void insert(int64_t begin, int64_t end);
  int64_t size() const { return covered; }

private:
  std::map<int64_t, int64_t> ranges; ///< Begin to end, disjoint, not adjacent.
  int64_t covered = 0;
};

class Footprint {
public:
  explicit Footprint(size_t numArguments)
      : read(numArguments), written(numArguments) {}

  /// Notes a view that is read or written whole; memories other than the
  /// arguments do not count.
  void add(const ResolvedView &view, bool write);
  /// Notes elements [first, last] of a table (a view of rank 1).
  void addElements(const ResolvedView &table, int64_t first, int64_t last,
                   bool write);

  int64_t readBytes() const { return total(read); }
  int64_t writtenBytes() const { return total(written); }

private:
  static int64_t total(const std::vector<IntervalSet> &sets);

  std::vector<IntervalSet> read, written;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_FOOTPRINT_H
