//===- Sxe.h - What the matrix unit's instruction does --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mm as a function of resolved views.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_SIMULATOR_SXE_H
#define LPU_LIB_SIMULATOR_SXE_H

#include "ThreadPool.h"
#include "lpu/Simulator/Memory.h"

namespace lpu {

/// A view and where its element at index 0 is: in its memory, in the stream
/// buffer, or staged.
struct PlacedView {
  const ResolvedView &view;
  uint8_t *data;
};

/// output (+)= activations x streamed. The output overlaps neither.
void multiply(const PlacedView &activations, const PlacedView &streamed,
              const PlacedView &output, MmFields shape, bool accumulate,
              ThreadPool &pool);

} // namespace lpu

#endif // LPU_LIB_SIMULATOR_SXE_H
