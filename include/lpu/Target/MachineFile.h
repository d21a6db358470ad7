//===- MachineFile.h - Machines as files that explain themselves ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine file is TOML, one parameter a line, and says in the comment on that
// line where the value is from. Presets are such files too, built in. This
// reads the comments along with the values, for people; the compiler and the
// simulator need MachineModel.h alone.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_MACHINEFILE_H
#define LPU_TARGET_MACHINEFILE_H

#include "lpu/Target/MachineModel.h"
#include "lpu/Target/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lpu {

/// One parameter of a machine.
struct MachineValue {
  const MachineParameter *parameter = nullptr;
  std::string value;  ///< As in the canonical text.
  std::string source; ///< "published: ..", "derived: ..", "choice: .." or "".
};

struct MachineDescription {
  MachineModel model;
  std::string about;                ///< The comment at the top of the file.
  std::vector<MachineValue> values; ///< In the order of the parameters.
};

/// The unit of a parameter, which its name ends in: "bytes", "cycles", "GHz",
/// "GB/s", "ns", "share" (from 0 to 1), or "count".
std::string_view unitOf(const MachineParameter &parameter);

/// A preset or a file, as MachineModel::get. What a file leaves to its base has
/// the base's source.
Result<MachineDescription> describeMachine(std::string_view nameOrPath);

} // namespace lpu

#endif // LPU_TARGET_MACHINEFILE_H
