//===- Arguments.h - The tensors that a program is run on -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments from .npy files, or zero; results into files.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_ARGUMENTS_H
#define LPU_TOOLS_LPU_SIM_ARGUMENTS_H

#include "lpu/Simulator/Memory.h"
#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <string>
#include <vector>

namespace lpu {

/// Prints the program's name, inputs, outputs and results.
void printSignature(const Program &program);

class Arguments {
public:
  /// Reads the files. What has no file is zero, or null without values: a
  /// program whose weights fit into no host can be timed.
  static Result<Arguments> read(const Program &program,
                                const std::vector<std::string> &files,
                                bool hasValues);

  void *const *pointers() const { return addresses.data(); }
  size_t size() const { return addresses.size(); }

  /// Writes each result to `folder`.
  std::optional<Error> writeResults(const Program &program,
                                    const std::string &folder) const;

private:
  std::vector<std::vector<uint8_t>> given;
  std::vector<PagedRegion> zero;
  std::vector<void *> addresses;
};

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_ARGUMENTS_H
