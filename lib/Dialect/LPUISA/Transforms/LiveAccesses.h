//===- LiveAccesses.h - What later accesses can conflict with ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of one memory that were not superseded, by pages of addresses.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_TRANSFORMS_LIVEACCESSES_H
#define LPU_LIB_DIALECT_LPUISA_TRANSFORMS_LIVEACCESSES_H

#include "lpu/Dialect/LPUISA/Transforms/HazardItems.h"

#include <algorithm>
#include <map>
#include <vector>

namespace mlir::lpuisa {

/// An access that later ones can conflict with.
struct LiveAccess {
  int64_t position;
  ::lpu::Unit unit;
  const HazardAccess *access;
};

/// The live accesses of one memory, by pages of its addresses, so that a long
/// program does not compare each access with all.
class LiveAccesses {
public:
  /// Calls `visit` with every access that may meet `range`, some twice.
  template <typename Visit>
  void forEachNear(const ByteRange &range, Visit visit) {
    forEachList(range, [&](std::vector<LiveAccess> &list) {
      for (const LiveAccess &access : list) {
        visit(access);
      }
    });
  }

  /// Removes what `isSuperseded` says, among the accesses within `range`.
  template <typename Predicate>
  void removeWithin(const ByteRange &range, Predicate isSuperseded) {
    forEachList(range, [&](std::vector<LiveAccess> &list) {
      list.erase(std::remove_if(list.begin(), list.end(), isSuperseded),
                 list.end());
    });
  }

  void add(const LiveAccess &access) {
    int64_t first = firstPage(access.access->range);
    int64_t last = lastPage(access.access->range);
    if (last - first >= maxPages) {
      wide.push_back(access);
      return;
    }
    for (int64_t page = first; page <= last; ++page) {
      pages[page].push_back(access);
    }
  }

private:
  static constexpr int64_t pageBytes = 4096;
  /// An access to more pages than this is kept apart.
  static constexpr int64_t maxPages = 64;

  static int64_t firstPage(const ByteRange &range) {
    return range.getLow() / pageBytes;
  }
  static int64_t lastPage(const ByteRange &range) {
    return range.getHigh() / pageBytes;
  }

  template <typename Visit>
  void forEachList(const ByteRange &range, Visit visit) {
    auto end = pages.upper_bound(lastPage(range));
    for (auto page = pages.lower_bound(firstPage(range)); page != end; ++page) {
      visit(page->second);
    }
    visit(wide);
  }

  std::map<int64_t, std::vector<LiveAccess>> pages;
  std::vector<LiveAccess> wide;
};

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_TRANSFORMS_LIVEACCESSES_H
