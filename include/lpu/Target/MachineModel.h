//===- MachineModel.h - The parameters of a machine -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number of a machine, once: the compiler sizes tiles and places buffers
// by them, the simulator tells time by them. Presets, TOML files and a
// canonical text (embedded in a binary and hashed). No MLIR, no LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TARGET_MACHINEMODEL_H
#define LPU_TARGET_MACHINEMODEL_H

#include "lpu/Target/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpu {

struct MachineModel;

/// One parameter of the model: what `parameters()` lists. Exactly one of
/// `integer` and `real` is set.
struct MachineParameter {
  std::string_view name; ///< Key in TOML and in `#lpu.machine`.
  std::string_view description;
  int64_t MachineModel::*integer;
  double MachineModel::*real;
  double minimum, maximum; ///< Inclusive.
};

/// All parameters, with their units. `parameters()` lists them by name.
struct MachineModel {
  std::string name = "lpu-hbm3";
  double clockGHz = 0.8;
  int64_t trees = 32;          ///< MAC trees of the SXE.
  int64_t width = 64;          ///< Multiplies a tree does a cycle.
  int64_t rowsPerPass = 8;     ///< Rows that one weight pass serves.
  double hbmGBps = 3276.8;     ///< Nominal peak, 1e9 bytes a second.
  double hbmEfficiency = 0.91; ///< Share of the peak that streams reach.
  double hbmLatencyNs = 500;   ///< From request to first byte.
  int64_t hbmBurstBytes = 64;
  int64_t hbmCapacityBytes = int64_t(96) << 30;
  int64_t streamBufferBytes = int64_t(2) << 20;
  int64_t lmuBytes = int64_t(8) << 20;
  int64_t lmuReadPorts = 2;
  int64_t lmuWritePorts = 1;
  int64_t lmuPortBytes = 512; ///< Bytes a port moves a cycle.
  int64_t lmuLatencyCycles = 40;
  int64_t vxeLanes = 64;               ///< f32 lanes.
  int64_t vxeTranscendentalCycles = 4; ///< Cycles of exp, rsqrt, div, tanh, ...
  int64_t vxeLatencyCycles = 40;
  int64_t sxeFillCycles = 60; ///< Fill and drain together.
  int64_t issueCycles = 4;
  int64_t semaphoreCycles = 8;

  /// Bytes that the HBM streams in one clock cycle.
  double hbmBytesPerCycle() const { return hbmGBps * hbmEfficiency / clockGHz; }
  double hbmLatencyCycles() const { return hbmLatencyNs * clockGHz; }

  /// Every parameter but the name, in the order of the fields above.
  static const std::vector<MachineParameter> &parameters();
  /// What is wrong with these values, or an empty string: each value must be in
  /// its parameter's range.
  std::string validate() const;

  /// Canonical text: one `key = value` a line in the order of `parameters()`.
  std::string toText() const;
  /// FNV-1a of the canonical text.
  uint64_t hash() const;

  /// A preset by name, one of `presetNames()`, or a path that ends in `.toml`.
  /// The error names the file, line, key and what was expected.
  static Result<MachineModel> get(std::string_view nameOrPath);
  /// Parses TOML (or the canonical text, which is TOML). `base = "preset"`
  /// starts from a preset; a name that is not given is the file's, or the
  /// preset's if nothing else differs. An unknown key, a wrong type or a value
  /// out of range is an error.
  static Result<MachineModel> parse(std::string_view toml,
                                    std::string_view where);
  static const std::vector<std::string> &presetNames();

  friend bool operator==(const MachineModel &l, const MachineModel &r) {
    return l.toText() == r.toText();
  }
};

} // namespace lpu

#endif // LPU_TARGET_MACHINEMODEL_H
