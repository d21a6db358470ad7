//===- Sma.h - What the memory unit's instructions do ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copy, gather, scatter and stream as functions of resolved views. What a
// stream pushes waits in a StreamQueue until the SXE takes it.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_SMA_H
#define LPU_LIB_SIMULATOR_SMA_H

#include "lpu/Simulator/Memory.h"

#include <deque>
#include <optional>
#include <vector>

namespace lpu {

/// Copies the elements of one view to another one of the same sizes and element
/// width, given where those at index 0 are. Memories do not overlap. Where
/// elements of the destination share bytes the last one in row-major order
/// stays.
void copyElements(const ResolvedView &destination, uint8_t *to,
                  const ResolvedView &source, const uint8_t *from);

/// destination = source; same sizes and element width. Overlap is allowed: all
/// is read before anything is written.
void copyView(const ResolvedView &destination, const ResolvedView &source,
              const Memory &memory);

/// Reads an index vector and checks it against the `limit` rows that it selects
/// from.
Result<std::vector<int64_t>> readIndices(const ResolvedView &indices,
                                         int64_t limit, bool wrapNegative,
                                         const Memory &memory);

void gatherRows(const ResolvedView &destination, const ResolvedView &source,
                const std::vector<int64_t> &rows, unsigned axis,
                const Memory &memory);
void scatterRows(const ResolvedView &destination, const ResolvedView &source,
                 const std::vector<int64_t> &rows, unsigned axis,
                 const Memory &memory);

/// One slice of a view: `axis` fixed at `index` and dropped.
ResolvedView sliceAt(const ResolvedView &view, unsigned axis, int64_t index);

/// The stream buffer. An entry points to its source until somebody is about to
/// write there, and only then becomes a copy (of the bytes between the lowest
/// and the highest element, so that the strides stay).
class StreamQueue {
public:
  struct Entry {
    ResolvedView view;
    const uint8_t *data = nullptr; ///< The element at index 0.
    uint32_t index = 0;            ///< Of the Stream in .text.
    uint32_t viewNumber = 0;       ///< In Program::views.
    uint32_t passes = 0;
    std::vector<uint8_t> copy;
  };

  void push(const ResolvedView &view, uint32_t index, uint32_t viewNumber,
            uint32_t passes, const Memory &memory);
  bool empty() const { return entries.empty(); }
  Entry pop();
  /// The Streams whose entries are in the buffer.
  std::vector<uint32_t> sources() const;
  size_t size() const { return entries.size(); }

  /// Keeps the pushed values of `range`, which is about to change. An error if
  /// all copies together would take more than `limitCopies` has said.
  std::optional<Error> detach(const ByteRange &range);
  void limitCopies(uint64_t bytes) { maxCopied = bytes; }

private:
  std::deque<Entry> entries;
  uint64_t copied = 0, maxCopied = UINT64_MAX;
};

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_SMA_H
