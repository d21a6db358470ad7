//===- RunOptions.h - How a program is run --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that a caller chooses for one run. No choice changes the results
// of a program that breaks no rule of docs/ISA.md: `dma` and `interleave` take
// the liberties that a chip has, `checks` looks for programs that rely on what
// a chip does not promise.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_RUNOPTIONS_H
#define LPU_SIMULATOR_RUNOPTIONS_H

#include "lpu/Target/Result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace lpu {

/// What is looked for beside faults and accesses out of bounds, which always
/// are.
enum class Checks : uint8_t {
  None,
  /// Accesses of two units to the same bytes, one of them writing, that nothing
  /// orders, even if this run got them in the right order; and whether
  /// everything that was asked for was done exactly once.
  Standard,
  /// Also the use of memory that nothing has written. LMU and scratch begin
  /// with a pattern: NaN, or a large number.
  All,
};

/// Reads "none", "standard" or "all".
Result<Checks> parseChecks(std::string_view text);

/// When the SMA's transfers take effect: their reads, their writes and the
/// posts behind them.
struct Dma {
  enum Kind : uint8_t {
    Early,  ///< As soon as they begin.
    Late,   ///< Not before all units stand still for want of them.
    Random, ///< In between, as the seed says, the same on every host.
  };
  Dma(Kind kind, uint64_t seed = 0) : kind(kind), seed(seed) {}

  /// Reads "early", "late" or "random:SEED".
  static Result<Dma> parse(std::string_view text);

  Kind kind;
  uint64_t seed;
};

/// Which unit goes next when semaphores let several.
struct Interleave {
  enum Kind : uint8_t {
    Fixed,  ///< The first of ICP, SMA, SXE and VXE that can.
    Prompt, ///< The ICP last: values change in the order of the program, as
            ///< far as semaphores allow.
    Random, ///< As the seed says, the same on every host.
  };
  Interleave(Kind kind, uint64_t seed = 0) : kind(kind), seed(seed) {}

  /// Reads "fixed", "prompt" or "random:SEED".
  static Result<Interleave> parse(std::string_view text);

  Kind kind;
  uint64_t seed;
};

struct RunOptions {
  bool values = true; ///< Compute; else arguments may be null.
  bool timing = true; ///< Count cycles.
  /// With timing: find what determines the total (Report::criticalPath).
  bool criticalPath = true;
  Dma dma = Dma::Early;
  Interleave interleave = Interleave::Fixed;
  Checks checks = Checks::None;
  /// Waits and posts that are left out, by their number in .text: what a
  /// program without them would do, and whether checks notice.
  std::vector<uint32_t> omit;
  /// Host threads; 0 means one a hardware thread.
  unsigned threads = 0;
  /// Limits that no real program reaches, against one that loops for ever or
  /// asks for the absurd. Past one of them the run is an error of kind Limit,
  /// which names it as lpu-sim does; in Python it is max_instructions and so
  /// on.
  uint64_t maxInstructions = uint64_t(1) << 30;
  /// Steps of the host: elements times operations, multiply-adds, transfers
  /// told apart by the clock. The default is days of computing.
  uint64_t maxWork = uint64_t(1) << 50;
  /// Host memory for scratch and LMU, and likewise for what one instruction
  /// sets aside; 0 means the host's physical memory.
  uint64_t maxHostBytes = 0;
  /// Instructions, posts and stream entries that wait at one time: in the order
  /// of values, of the clock or of the race check, whichever holds most. Some 2
  /// GB.
  uint64_t maxQueued = uint64_t(1) << 22;
};

} // namespace lpu

#endif // LPU_SIMULATOR_RUNOPTIONS_H
