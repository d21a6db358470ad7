//===- NumpyFile.h - Arrays in .npy files ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes NumPy's .npy format, version 1.0, C order. NumPy has no
// bf16: such tensors are stored as uint16 with the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_NUMPYFILE_H
#define LPU_TOOLS_LPU_SIM_NUMPYFILE_H

#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <string>
#include <vector>

namespace lpu {

/// Reads the data of a file whose type and shape must be those of `tensor`.
Result<std::vector<uint8_t>> readNumpy(const std::string &path,
                                       const TensorSpec &tensor);

std::optional<Error> writeNumpy(const std::string &path,
                                const TensorSpec &tensor, const uint8_t *data);

/// The bytes of a whole file.
Result<std::vector<uint8_t>> readFile(const std::string &path);
std::optional<Error> writeFile(const std::string &path, const void *data,
                               size_t size);

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_NUMPYFILE_H
