//===- Describe.h - Instructions and values as text -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How watches and step mode show what they see.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_DESCRIBE_H
#define LPU_TOOLS_LPU_SIM_DESCRIBE_H

#include "lpu/Simulator/Cost.h"
#include "lpu/Simulator/Memory.h"
#include "lpu/Target/Program.h"

#include <string>

namespace lpu {

/// "instruction 3 (mm) of fx_node at model.py:7".
std::string placeOf(const Program &program, uint32_t index);

/// "<lmu, f32, [64], [1], 512>", as in the text of the machine's dialect.
std::string describe(const ResolvedView &view);

/// One element.
std::string valueText(DType type, const uint8_t *data);

/// `count` elements that lie behind each other, separated by blanks.
std::string valuesText(DType type, const uint8_t *data, int64_t count);

/// The first `limit` elements of a view, in row-major order; "..." if there are
/// more. The memory must be present and hold the view.
std::string valuesText(const ResolvedView &view, const Memory &memory,
                       int64_t limit);

/// Bytes as pairs of hexadecimal digits.
std::string bytesText(const uint8_t *data, int64_t count);

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_DESCRIBE_H
