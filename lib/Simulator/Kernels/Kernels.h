//===- Kernels.h - Inner loops by instruction set ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops in which a simulated program spends its time are compiled several
// times from the same source, once for each set of vector instructions, and
// chosen when the program starts by what the CPU has. All sets give the same
// bits. Such code takes plain pointers and calls nothing that another
// translation unit could also instantiate, because the linker would keep only
// one of the two and it could be the one the CPU cannot run.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_KERNELS_KERNELS_H
#define LPU_LIB_SIMULATOR_KERNELS_KERNELS_H

#include "lpu/Target/Encoding.h"
#include "lpu/Target/Result.h"

#include <cstdint>

namespace lpu {

struct MicroStep;
struct MicroFrame;

/// A panel is a block of the streamed matrix as the multiply kernels want it:
/// depth-major, `width` columns, f32 (or i32 for integers). `width` is the
/// number of columns rounded up to a multiple of `columnStep`; the columns past
/// the end hold zeros.
struct KernelSet {
  const char *name;
  unsigned columnStep;   ///< Columns in one vector register.
  unsigned panelColumns; ///< Most columns of a panel.
  unsigned directRows;   ///< Most rows of multiplyDirect.

  /// Packs columns that are contiguous along depth: column j starts at
  /// data + j * columnStride elements. `prefetch` is a distance in bytes at
  /// which the next panel's columns lie, or 0.
  void (*packAlongDepth)(float *panel, const void *data, DType type,
                         int64_t columnStride, int64_t depth, unsigned columns,
                         int64_t prefetch);
  /// Packs rows of columns that are contiguous: element k of column j is at
  /// data + k * depthStride + j.
  void (*packAlongColumns)(float *panel, const void *data, DType type,
                           int64_t depthStride, int64_t depth,
                           unsigned columns);

  /// Continues the chains sums[row][column] over `depth` steps. `a` holds f32
  /// rows, `aStride` apart; `sums` rows are panelColumns apart.
  void (*multiplyF32)(float *sums, const float *a, int64_t aStride,
                      const float *panel, unsigned width, int64_t depth,
                      int64_t rows);
  /// The same in the order of bf16: blocks of 32 steps, each with a chain over
  /// even and one over odd steps. All but the last call for a chain have a
  /// `depth` that is a multiple of 32.
  void (*multiplyBF16)(float *sums, const float *a, int64_t aStride,
                       const float *panel, unsigned width, int64_t depth,
                       int64_t rows);
  /// The chains of few rows (at most directRows) without a panel: columns are
  /// contiguous along depth, `columns` is a multiple of columnStep and `depth`
  /// one of 32. In the order of the type.
  void (*multiplyDirect)(float *sums, const float *a, int64_t aStride,
                         const void *data, DType type, int64_t columnStride,
                         int64_t depth, unsigned columns, int64_t rows);
  /// bf16 on matrix tiles; null in a set without. Rows of activations, f32 that
  /// are exactly bf16, are packed once: ceil(rows / 16) * ceil(depth / 32)
  /// tiles of 512 elements.
  void (*packTileRows)(uint16_t *packed, const float *a, int64_t aStride,
                       int64_t depth, int64_t rows);
  /// Continues the chains of these rows and any number of columns, which are
  /// contiguous along depth, in the order of bf16. `sums` rows are `sumStride`
  /// apart.
  void (*multiplyTiles)(float *sums, int64_t sumStride,
                        const uint16_t *packedRows, const void *data,
                        int64_t columnStride, int64_t depth, int64_t columns,
                        int64_t rows);
  /// Exact in 32 bits, wrapping.
  void (*multiplyI32)(int32_t *sums, const int32_t *a, int64_t aStride,
                      const int32_t *panel, unsigned width, int64_t depth,
                      int64_t rows);

  /// Runs micro-operations on the lanes of a chunk. See MicroInterpreter.h.
  void (*runSteps)(const MicroStep *steps, unsigned count, MicroFrame &frame);
  /// Set up and conclude the Reduce operations among the steps of a section.
  void (*startReductions)(const MicroStep *steps, unsigned count,
                          MicroFrame &frame);
  void (*finishReductions)(const MicroStep *steps, unsigned count,
                           MicroFrame &frame);
};

extern const KernelSet portableKernels;
extern const KernelSet avx2Kernels;
extern const KernelSet avx512Kernels;
/// avx512Kernels with products of bf16 on tiles; null if this build has none.
const KernelSet *amxKernels();

/// Every set that this CPU can run, best first; ends with null.
const KernelSet *const *availableKernels();

/// The set that the environment variable LPU_SIM_ISA names, else the best one
/// that is not on request only; an error if the CPU has no such set. Found
/// once.
const Result<const KernelSet *> &chosenKernels();

/// The set in use: the chosen one, unless a test selected another.
const KernelSet &kernels();
/// For tests: makes `kernels()` return this set (null: the chosen one).
void selectKernels(const KernelSet *set);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_KERNELS_KERNELS_H
