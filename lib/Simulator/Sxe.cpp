//===- Sxe.cpp - What the matrix unit's instruction does ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each output is one chain over depth (Numerics in docs/ISA.md), so blocks are
// cut across rows and columns freely and along depth only where the running
// sums stay in f32:
//
//   for each (batch, block of rows, group of columns)     a host thread's task
//     for each panel of columns
//       for each block of depth: pack the panel; sums += rows x panel
//       round the sums into the output
//
// Where the host has matrix tiles for bf16, weights with depth contiguous are
// not packed, the rows are.
//
// Views can be any strides (convolutions, transposes, heads apart): each view's
// dimensions that continue each other are merged, and what then is still
// irregular is addressed through a table of offsets and packed element by
// element.
//
//===----------------------------------------------------------------------===//

#include "Sxe.h"

#include "Kernels/Kernels.h"
#include "lpu/Simulator/Numerics.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace lpu;

namespace {

/// Steps of depth that a packed panel covers: a multiple of the bf16 block that
/// keeps the panel in the first-level cache.
constexpr int64_t panelDepth = 64;
/// Steps in one block of the bf16 order.
constexpr int64_t blockDepth = 32;
/// Rows of one task: packed activations stay in the second-level cache.
constexpr int64_t taskRows = 192;
/// Multiply-adds below which a second thread does not pay.
constexpr int64_t parallelWork = 1 << 19;

/// How one view steps through the dimensions of a role (rows, say).
struct Steps {
  /// One step in elements, or a table of offsets if the steps are not even.
  bool isEven = true;
  int64_t step = 0;
  std::vector<int64_t> offsets;

  Steps(const ResolvedView &view, unsigned firstDim, unsigned rank) {
    ResolvedView part;
    part.rank = static_cast<uint8_t>(rank);
    std::copy_n(view.sizes + firstDim, rank, part.sizes);
    std::copy_n(view.strides + firstDim, rank, part.strides);
    ResolvedView *one[] = {&part};
    collapseDimensions(one, 1);
    isEven = part.rank <= 1;
    if (isEven) {
      step = part.rank == 1 ? part.strides[0] : 0;
      return;
    }
    offsets.resize(part.numElements());
    int64_t index[maxRank] = {};
    int64_t at = 0;
    for (int64_t &offset : offsets) {
      offset = at;
      for (unsigned d = part.rank; d-- > 0;) {
        at += part.strides[d];
        if (++index[d] < part.sizes[d]) {
          break;
        }
        at -= index[d] * part.strides[d];
        index[d] = 0;
      }
    }
  }

  int64_t operator[](int64_t i) const { return isEven ? i * step : offsets[i]; }
  bool isContiguous(int64_t count) const {
    return isEven && (step == 1 || count == 1);
  }
};

/// The number of elements of a role.
int64_t countOf(const ResolvedView &view, unsigned firstDim, unsigned rank) {
  int64_t count = 1;
  for (unsigned d = firstDim; d < firstDim + rank; ++d) {
    count *= view.sizes[d];
  }
  return count;
}

/// An element as the SXE reads it: a float as f32 (a bf16 subnormal as zero),
/// an integer as i32 in the bits of an f32.
float readOperand(const uint8_t *data, DType type, int64_t element) {
  switch (type) {
  case DType::F32: {
    float value;
    std::memcpy(&value, data + 4 * element, 4);
    return value;
  }
  case DType::BF16: {
    uint16_t bits;
    std::memcpy(&bits, data + 2 * element, 2);
    bool tiny = (bits & 0x7f80u) == 0;
    return numerics::bf16ToF32(
        static_cast<uint16_t>(tiny ? bits & 0x8000u : bits));
  }
  case DType::F16: {
    uint16_t bits;
    std::memcpy(&bits, data + 2 * element, 2);
    return numerics::f16ToF32(bits);
  }
  default:
    return numerics::floatOf(
        static_cast<uint32_t>(static_cast<int8_t>(data[element])));
  }
}

/// An output as the start of a chain.
float readSum(const uint8_t *data, DType type, int64_t element) {
  if (type == DType::I32) {
    return readOperand(data, DType::F32, element); // The bits.
  }
  if (type == DType::BF16) {
    uint16_t bits;
    std::memcpy(&bits, data + 2 * element, 2);
    return numerics::bf16ToF32(bits);
  }
  return readOperand(data, type, element);
}

void writeSum(uint8_t *data, DType type, int64_t element, float sum) {
  uint16_t half;
  switch (type) {
  case DType::BF16:
    half = numerics::f32ToBF16(sum);
    std::memcpy(data + 2 * element, &half, 2);
    return;
  case DType::F16:
    half = numerics::f32ToF16(sum);
    std::memcpy(data + 2 * element, &half, 2);
    return;
  default:
    std::memcpy(data + 4 * element, &sum, 4);
    return;
  }
}

/// What one host thread works with.
struct Workspace {
  std::unique_ptr<float[]> storage;
  size_t capacity = 0;

  /// At least `count` floats, aligned to a cache line.
  float *reserve(size_t count) {
    if (capacity < count) {
      storage.reset(new float[count + 16]);
      capacity = count;
    }
    uintptr_t start = reinterpret_cast<uintptr_t>(storage.get());
    return storage.get() + (64 - start % 64) % 64 / sizeof(float);
  }
};

/// The size of rows packed for tiles, 16 rows of 32 steps each, in floats.
int64_t tileFloats(int64_t rows, int64_t depth) {
  return (rows + 15) / 16 * 16 * ((depth + 31) / 32 * 32) / 2;
}

class Multiplication {
public:
  Multiplication(const PlacedView &activations, const PlacedView &streamed,
                 const PlacedView &output, MmFields shape, bool accumulate)
      : a(activations.view), b(streamed.view), c(output.view),
        aData(activations.data), bData(streamed.data), cData(output.data),
        accumulate(accumulate), batches(countOf(c, 0, shape.batch)),
        rows(countOf(c, shape.batch, shape.rows)),
        columns(countOf(c, shape.batch + shape.rows, shape.cols)),
        depth(countOf(a, shape.batch + shape.rows, shape.depth)),
        aBatch(a, 0, shape.batch), aRow(a, shape.batch, shape.rows),
        aDepth(a, shape.batch + shape.rows, shape.depth),
        bBatch(b, 0, shape.batch), bColumn(b, shape.batch, shape.cols),
        bDepth(b, shape.batch + shape.cols, shape.depth),
        cBatch(c, 0, shape.batch), cRow(c, shape.batch, shape.rows),
        cColumn(c, shape.batch + shape.rows, shape.cols) {}

  void run(ThreadPool &pool);

private:
  void runTask(int64_t batch, int64_t firstRow, int64_t lastRow,
               int64_t firstColumn, int64_t lastColumn);
  const float *packRows(float *packed, const uint8_t *data, int64_t firstRow,
                        int64_t numRows, int64_t &stride) const;
  void packPanel(float *panel, const uint8_t *data, int64_t firstDepth,
                 int64_t steps, int64_t firstColumn, unsigned count) const;
  void loadSums(float *sums, const uint8_t *data, int64_t firstRow,
                int64_t numRows, int64_t firstColumn, unsigned count) const;
  void storeSums(const float *sums, uint8_t *data, int64_t firstRow,
                 int64_t numRows, int64_t firstColumn, unsigned count) const;

  const ResolvedView &a, &b, &c;
  const uint8_t *aData, *bData;
  uint8_t *cData;
  bool accumulate;
  int64_t batches, rows, columns, depth;
  Steps aBatch, aRow, aDepth, bBatch, bColumn, bDepth, cBatch, cRow, cColumn;
  const KernelSet &kernel = kernels();
};

} // namespace

/// The rows of a block as f32 with depth contiguous; in place if they are so.
const float *Multiplication::packRows(float *packed, const uint8_t *data,
                                      int64_t firstRow, int64_t numRows,
                                      int64_t &stride) const {
  if (a.type == DType::F32 && aDepth.isContiguous(depth) && aRow.isEven) {
    stride = aRow.step;
    return reinterpret_cast<const float *>(data) + aRow[firstRow];
  }
  stride = depth;
  for (int64_t r = 0; r < numRows; ++r) {
    int64_t row = aRow[firstRow + r];
    float *to = packed + r * depth;
    if (a.type == DType::F32) {
      const float *from = reinterpret_cast<const float *>(data) + row;
      for (int64_t k = 0; k < depth; ++k) {
        to[k] = from[aDepth[k]];
      }
      continue;
    }
    for (int64_t k = 0; k < depth; ++k) {
      to[k] = readOperand(data, a.type, row + aDepth[k]);
    }
  }
  return packed;
}

void Multiplication::packPanel(float *panel, const uint8_t *data,
                               int64_t firstDepth, int64_t steps,
                               int64_t firstColumn, unsigned count) const {
  unsigned width = byteWidth(b.type);
  const uint8_t *start =
      data + width * (bColumn[firstColumn] + bDepth[firstDepth]);
  if (bColumn.isEven && bDepth.isEven && bDepth.step == 1) {
    kernel.packAlongDepth(panel, start, b.type, bColumn.step, steps, count,
                          int64_t(kernel.panelColumns) * bColumn.step * width);
    return;
  }
  if (bColumn.isEven && bDepth.isEven && bColumn.step == 1) {
    kernel.packAlongColumns(panel, start, b.type, bDepth.step, steps, count);
    return;
  }
  unsigned padded =
      (count + kernel.columnStep - 1) / kernel.columnStep * kernel.columnStep;
  for (int64_t k = 0; k < steps; ++k) {
    int64_t base = bDepth[firstDepth + k];
    for (unsigned j = 0; j < padded; ++j) {
      panel[k * padded + j] =
          j < count ? readOperand(data, b.type, base + bColumn[firstColumn + j])
                    : 0.0f;
    }
  }
}

void Multiplication::loadSums(float *sums, const uint8_t *data,
                              int64_t firstRow, int64_t numRows,
                              int64_t firstColumn, unsigned count) const {
  for (int64_t r = 0; r < numRows; ++r) {
    float *to = sums + r * kernel.panelColumns;
    // Zeros past the last column too; as an i32, +0 is 0.
    std::fill(to, to + kernel.panelColumns, 0.0f);
    if (!accumulate) {
      continue;
    }
    int64_t row = cRow[firstRow + r];
    for (unsigned j = 0; j < count; ++j) {
      to[j] = readSum(data, c.type, row + cColumn[firstColumn + j]);
    }
  }
}

void Multiplication::storeSums(const float *sums, uint8_t *data,
                               int64_t firstRow, int64_t numRows,
                               int64_t firstColumn, unsigned count) const {
  for (int64_t r = 0; r < numRows; ++r) {
    const float *from = sums + r * kernel.panelColumns;
    int64_t row = cRow[firstRow + r];
    if (byteWidth(c.type) == 4 && cColumn.isContiguous(columns)) {
      std::memcpy(data + 4 * (row + cColumn[firstColumn]), from, 4 * count);
      continue;
    }
    for (unsigned j = 0; j < count; ++j) {
      writeSum(data, c.type, row + cColumn[firstColumn + j], from[j]);
    }
  }
}

void Multiplication::runTask(int64_t batch, int64_t firstRow, int64_t lastRow,
                             int64_t firstColumn, int64_t lastColumn) {
  static thread_local Workspace packedRows, packedPanel, runningSums,
      packedTiles;
  int64_t numRows = lastRow - firstRow;
  const uint8_t *left = aData + aBatch[batch] * byteWidth(a.type);
  const uint8_t *right = bData + bBatch[batch] * byteWidth(b.type);
  uint8_t *output = cData + cBatch[batch] * byteWidth(c.type);

  float *panel = packedPanel.reserve(panelDepth * kernel.panelColumns);
  float *sums = runningSums.reserve(numRows * kernel.panelColumns);
  int64_t stride = 0;
  const float *activations = packRows(packedRows.reserve(numRows * depth), left,
                                      firstRow, numRows, stride);
  bool isAlongDepth = bColumn.isEven && bDepth.isContiguous(depth);
  bool isOnTiles =
      kernel.multiplyTiles && b.type == DType::BF16 && isAlongDepth;
  bool isDirect = numRows <= kernel.directRows && bColumn.isEven &&
                  bDepth.isEven && bDepth.step == 1 && b.type != DType::I8;
  uint16_t *tiles = nullptr;
  if (isOnTiles) {
    tiles = reinterpret_cast<uint16_t *>(
        packedTiles.reserve(tileFloats(numRows, depth)));
    kernel.packTileRows(tiles, activations, stride, depth, numRows);
  }
  for (int64_t column = firstColumn; column < lastColumn;
       column += kernel.panelColumns) {
    unsigned count = static_cast<unsigned>(
        std::min<int64_t>(kernel.panelColumns, lastColumn - column));
    unsigned width =
        (count + kernel.columnStep - 1) / kernel.columnStep * kernel.columnStep;
    loadSums(sums, output, firstRow, numRows, column, count);
    if (isOnTiles) {
      kernel.multiplyTiles(sums, kernel.panelColumns, tiles,
                           right + bColumn[column] * byteWidth(b.type),
                           bColumn.step, depth, count, numRows);
      storeSums(sums, output, firstRow, numRows, column, count);
      continue;
    }
    int64_t done = 0;
    if (isDirect && count == width) {
      done = depth / blockDepth * blockDepth;
      kernel.multiplyDirect(sums, activations, stride,
                            right + bColumn[column] * byteWidth(b.type), b.type,
                            bColumn.step, done, count, numRows);
    }
    for (int64_t k = done; k < depth; k += panelDepth) {
      int64_t steps = std::min(panelDepth, depth - k);
      packPanel(panel, right, k, steps, column, count);
      if (b.type == DType::I8) {
        kernel.multiplyI32(reinterpret_cast<int32_t *>(sums),
                           reinterpret_cast<const int32_t *>(activations + k),
                           stride, reinterpret_cast<const int32_t *>(panel),
                           width, steps, numRows);
      } else if (b.type == DType::BF16) {
        kernel.multiplyBF16(sums, activations + k, stride, panel, width, steps,
                            numRows);
      } else {
        kernel.multiplyF32(sums, activations + k, stride, panel, width, steps,
                           numRows);
      }
    }
    storeSums(sums, output, firstRow, numRows, column, count);
  }
}

void Multiplication::run(ThreadPool &pool) {
  if (batches == 0 || rows == 0 || columns == 0) {
    return;
  }
  int64_t panels = (columns + kernel.panelColumns - 1) / kernel.panelColumns;
  int64_t rowBlocks = (rows + taskRows - 1) / taskRows;
  int64_t columnGroups = 1;
  int64_t work = batches * rows * columns * depth;
  if (pool.size() > 1 && work >= parallelWork) {
    // A few tasks a thread, so that a late one does not leave the others idle.
    int64_t wanted = int64_t(pool.size()) * 4;
    columnGroups =
        std::clamp<int64_t>(wanted / (batches * rowBlocks), 1, panels);
  }
  int64_t tasks = batches * rowBlocks * columnGroups;
  auto runOne = [&](int64_t task, unsigned) {
    int64_t group = task % columnGroups;
    int64_t block = task / columnGroups % rowBlocks;
    int64_t batch = task / columnGroups / rowBlocks;
    int64_t firstPanel = panels * group / columnGroups;
    int64_t lastPanel = panels * (group + 1) / columnGroups;
    runTask(batch, rows * block / rowBlocks, rows * (block + 1) / rowBlocks,
            firstPanel * kernel.panelColumns,
            std::min<int64_t>(columns, lastPanel * kernel.panelColumns));
  };
  if (work < parallelWork) {
    for (int64_t task = 0; task < tasks; ++task) {
      runOne(task, 0);
    }
    return;
  }
  pool.run(tasks, runOne);
}

void lpu::multiply(const PlacedView &activations, const PlacedView &streamed,
                   const PlacedView &output, MmFields shape, bool accumulate,
                   ThreadPool &pool) {
  Multiplication(activations, streamed, output, shape, accumulate).run(pool);
}
