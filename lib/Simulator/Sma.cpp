//===- Sma.cpp - What the memory unit's instructions do -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy first collapses dimensions that continue each other in both views,
// then walks the outer ones; a run that is contiguous on both sides is one
// memcpy, a transpose goes in square tiles so that each cache line is used
// whole. Where elements of the destination share bytes the last one in row-
// major order stays, so there the order is kept. Gather and scatter are one
// copy of a slice an index.
//
//===----------------------------------------------------------------------===//

#include "Sma.h"

#include <cstring>
#include <utility>

using namespace lpu;

namespace {

/// A plain strided walk over two memories; strides in elements.
struct Walk {
  uint8_t *destination;
  const uint8_t *source;
  unsigned rank;
  const int64_t *sizes, *toStrides, *fromStrides;
  bool inOrder; ///< Row-major: elements of the destination share bytes.
};

} // namespace

/// Copies a plane with `rows` along the source's unit stride.
template <typename Word>
static void copyPlane(Word *to, const Word *from, int64_t rows, int64_t columns,
                      int64_t toRow, int64_t toColumn, int64_t fromRow,
                      int64_t fromColumn) {
  constexpr int64_t tile = 32;
  for (int64_t i0 = 0; i0 < rows; i0 += tile) {
    int64_t i1 = i0 + tile < rows ? i0 + tile : rows;
    for (int64_t j0 = 0; j0 < columns; j0 += tile) {
      int64_t j1 = j0 + tile < columns ? j0 + tile : columns;
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) {
          to[i * toRow + j * toColumn] = from[i * fromRow + j * fromColumn];
        }
      }
    }
  }
}

template <typename Word>
static void copyWalk(Word *to, const Word *from, unsigned rank,
                     const int64_t *sizes, const int64_t *toStrides,
                     const int64_t *fromStrides, bool inOrder) {
  if (rank == 0) {
    *to = *from;
    return;
  }
  if (rank == 1) {
    int64_t toStride = toStrides[0], fromStride = fromStrides[0];
    if (toStride == 1 && fromStride == 1) {
      std::memcpy(to, from, sizes[0] * sizeof(Word));
      return;
    }
    if (toStride == 1 && fromStride == 0) {
      Word value = *from;
      for (int64_t i = 0; i < sizes[0]; ++i) {
        to[i] = value;
      }
      return;
    }
    for (int64_t i = 0; i < sizes[0]; ++i) {
      to[i * toStride] = from[i * fromStride];
    }
    return;
  }
  if (rank == 2 && fromStrides[1] != 1 && toStrides[1] == 1 && !inOrder) {
    copyPlane(to, from, sizes[0], sizes[1], toStrides[0], toStrides[1],
              fromStrides[0], fromStrides[1]);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i) {
    copyWalk(to + i * toStrides[0], from + i * fromStrides[0], rank - 1,
             sizes + 1, toStrides + 1, fromStrides + 1, inOrder);
  }
}

static void copyWalk(const Walk &walk, unsigned width) {
  auto run = [&](auto word) {
    using Word = decltype(word);
    copyWalk(reinterpret_cast<Word *>(walk.destination),
             reinterpret_cast<const Word *>(walk.source), walk.rank, walk.sizes,
             walk.toStrides, walk.fromStrides, walk.inOrder);
  };
  switch (width) {
  case 8:
    return run(uint64_t());
  case 4:
    return run(uint32_t());
  case 2:
    return run(uint16_t());
  default:
    return run(uint8_t());
  }
}

void lpu::copyElements(const ResolvedView &destination, uint8_t *to,
                       const ResolvedView &source, const uint8_t *from) {
  if (destination.numElements() == 0) {
    return;
  }
  ResolvedView target = destination, origin = source;
  ResolvedView *both[] = {&target, &origin};
  collapseDimensions(both, 2);
  // A dimension along which the source is contiguous goes next to the last,
  // where a plane of it and the destination's contiguous one is copied in
  // tiles.
  bool inOrder = target.rank > 1 && !target.hasDistinctElements();
  if (target.rank > 2 && origin.strides[target.rank - 1] != 1 && !inOrder) {
    for (unsigned d = 0; d + 2 < target.rank; ++d) {
      if (origin.strides[d] == 1) {
        for (auto *view : both) {
          std::swap(view->sizes[d], view->sizes[target.rank - 2]);
          std::swap(view->strides[d], view->strides[target.rank - 2]);
        }
        break;
      }
    }
  }
  copyWalk(Walk{to, from, target.rank, target.sizes, target.strides,
                origin.strides, inOrder},
           byteWidth(destination.type));
}

void lpu::copyView(const ResolvedView &destination, const ResolvedView &source,
                   const Memory &memory) {
  if (destination.numElements() == 0) {
    return;
  }
  const uint8_t *from = memory.address(source);
  std::vector<uint8_t> staging;
  ByteRange bytes = source.bounds();
  if (bytes.overlaps(destination.bounds())) {
    const uint8_t *lowest = from - (source.offset - bytes.begin);
    staging.assign(lowest, lowest + (bytes.end - bytes.begin));
    from = staging.data() + (source.offset - bytes.begin);
  }
  copyElements(destination, memory.address(destination), source, from);
}

ResolvedView lpu::sliceAt(const ResolvedView &view, unsigned axis,
                          int64_t index) {
  ResolvedView slice = view;
  slice.offset += index * view.strides[axis] * byteWidth(view.type);
  for (unsigned d = axis; d + 1 < view.rank; ++d) {
    slice.sizes[d] = view.sizes[d + 1];
    slice.strides[d] = view.strides[d + 1];
  }
  --slice.rank;
  slice.sizes[slice.rank] = 0;
  slice.strides[slice.rank] = 0;
  return slice;
}

Result<std::vector<int64_t>> lpu::readIndices(const ResolvedView &indices,
                                              int64_t limit, bool wrapNegative,
                                              const Memory &memory) {
  int64_t count = indices.numElements();
  std::vector<int64_t> rows(count);
  const uint8_t *data = memory.address(indices);
  int64_t step = indices.rank == 0
                     ? 0
                     : indices.strides[0] * int64_t(byteWidth(indices.type));
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    unsigned width = byteWidth(indices.type);
    std::memcpy(&bits, data + i * step, width);
    unsigned unused = 64 - 8 * width;
    int64_t row = static_cast<int64_t>(bits << unused) >> unused;
    int64_t wrapped = wrapNegative && row < 0 ? row + limit : row;
    if (wrapped < 0 || wrapped >= limit) { // gather_f1, scatter_f1
      return Error{"index " + std::to_string(row) +
                       " is out of bounds for dimension with size " +
                       std::to_string(limit),
                   ErrorKind::Index};
    }
    rows[i] = wrapped;
  }
  return rows;
}

void lpu::gatherRows(const ResolvedView &destination,
                     const ResolvedView &source,
                     const std::vector<int64_t> &rows, unsigned axis,
                     const Memory &memory) {
  for (size_t i = 0; i < rows.size(); ++i) {
    copyView(sliceAt(destination, axis, i), sliceAt(source, axis, rows[i]),
             memory);
  }
}

void lpu::scatterRows(const ResolvedView &destination,
                      const ResolvedView &source,
                      const std::vector<int64_t> &rows, unsigned axis,
                      const Memory &memory) {
  for (size_t i = 0; i < rows.size(); ++i) {
    copyView(sliceAt(destination, axis, rows[i]), sliceAt(source, axis, i),
             memory);
  }
}

//===----------------------------------------------------------------------===//
// Stream buffer
//===----------------------------------------------------------------------===//

void StreamQueue::push(const ResolvedView &view, uint32_t index,
                       uint32_t viewNumber, uint32_t passes,
                       const Memory &memory) {
  Entry entry;
  entry.view = view;
  entry.data = memory.address(view);
  entry.index = index;
  entry.viewNumber = viewNumber;
  entry.passes = passes;
  entries.push_back(std::move(entry));
}

std::vector<uint32_t> StreamQueue::sources() const {
  std::vector<uint32_t> result;
  for (const Entry &entry : entries) {
    result.push_back(entry.index);
  }
  return result;
}

StreamQueue::Entry StreamQueue::pop() {
  Entry entry = std::move(entries.front());
  entries.pop_front();
  copied -= entry.copy.size();
  return entry;
}

std::optional<Error> StreamQueue::detach(const ByteRange &range) {
  for (Entry &entry : entries) {
    ByteRange bytes = entry.view.bounds();
    if (!entry.copy.empty() || entry.view.numElements() == 0 ||
        !bytes.overlaps(range)) {
      continue;
    }
    copied += static_cast<uint64_t>(bytes.end - bytes.begin);
    if (copied > maxCopied) {
      return Error{"the stream buffer keeps " + std::to_string(copied) +
                       " bytes that are written before their use, more than "
                       "the limit of " +
                       std::to_string(maxCopied) +
                       "; if the program is right, raise max-host-bytes",
                   ErrorKind::Limit};
    }
    int64_t lead = entry.view.offset - bytes.begin;
    entry.copy.assign(entry.data - lead,
                      entry.data - lead + (bytes.end - bytes.begin));
    entry.data = entry.copy.data() + lead;
  }
  return std::nullopt;
}
