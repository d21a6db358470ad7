//===- MachinePresets.h - The machine files that are built in -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of Machines/*.toml, by name. CMake writes the table.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_TARGET_MACHINEPRESETS_H
#define LPU_LIB_TARGET_MACHINEPRESETS_H

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace lpu {

/// Name and text of every preset, the default first.
const std::vector<std::pair<std::string_view, std::string_view>> &presetFiles();

/// The text of one preset.
std::optional<std::string_view> presetText(std::string_view name);

} // namespace lpu

#endif // LPU_LIB_TARGET_MACHINEPRESETS_H
