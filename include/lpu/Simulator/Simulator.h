//===- Simulator.h - Runs machine programs --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated machine: give it a program once, then arguments as often as you
// like. Values and time are independent: either can be left out, and neither
// changes the other.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_SIMULATOR_SIMULATOR_H
#define LPU_SIMULATOR_SIMULATOR_H

#include "lpu/Simulator/Listener.h"
#include "lpu/Simulator/Report.h"
#include "lpu/Simulator/RunOptions.h"
#include "lpu/Target/Program.h"
#include "lpu/Target/Result.h"

#include <memory>
#include <string_view>
#include <vector>

namespace lpu {

class Simulator {
public:
  /// Verifies the program.
  static Result<std::unique_ptr<Simulator>> create(Program program);
  ~Simulator();
  Simulator(const Simulator &) = delete;
  Simulator &operator=(const Simulator &) = delete;

  const Program &program() const;
  /// As the last run left it.
  const Memory &memory() const;

  /// Runs the program on `arguments` (inputs, then outputs: contiguous, of the
  /// sizes in the signature). One run at a time. A fault of the program is an
  /// error with its kind, the instruction and the source location; so is a run
  /// that the listener stops.
  Result<Report> run(void *const *arguments, size_t numArguments,
                     const RunOptions &options, Listener *listener = nullptr);

private:
  struct Implementation;
  explicit Simulator(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

/// The sets of inner loops that this CPU can run, best first. The environment
/// variable LPU_SIM_ISA chooses one, and another name is an error of each run;
/// all give the same bits. `amx` is taken only like that.
std::vector<std::string_view> kernelSets();

} // namespace lpu

#endif // LPU_SIMULATOR_SIMULATOR_H
