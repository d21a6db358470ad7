//===- Options.h - The command line of lpu-sim ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of options, from which both the parser and the help come.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_TOOLS_LPU_SIM_OPTIONS_H
#define LPU_TOOLS_LPU_SIM_OPTIONS_H

#include "lpu/Simulator/RunOptions.h"
#include "lpu/Target/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace lpu {

/// What the process ends with. Scripts depend on these numbers.
enum ExitCode {
  Ok = 0,
  BadUsage = 1,    ///< A wrong option, or one that does not fit the program.
  Fault = 2,       ///< The program faulted.
  Deadlocked = 3,  ///< Units wait for ever, or semaphores are left over.
  CheckFailed = 4, ///< --check found a mistake, such as a race.
  Stopped = 5,     ///< At --stop-at, or by quit.
  NotReached = 6,  ///< The program ended before --stop-at.
  BadFile = 7,     ///< A file that cannot be read, used or written.
};

struct Options {
  std::string program, out, report, trace;
  std::vector<std::string> arguments, stops, watches, dumps;
  RunOptions run;
  bool interleaveGiven = false;
  bool signature = false, step = false, help = false;
};

/// The text of --help.
std::string usage();

/// Reads the command line; an error message, or nothing.
std::optional<Error> parseOptions(int argc, const char *const *argv,
                                  Options &options);

} // namespace lpu

#endif // LPU_TOOLS_LPU_SIM_OPTIONS_H
