//===- SimulatorModule.cpp - Python view of the simulator -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module torch_lpu._simulator. It is independent of MLIR and of
// the compiler's extension module: it loads binaries and runs them.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"

#include <nanobind/nanobind.h>

NB_MODULE(_simulator, m) {
  m.doc() = "The LPU simulator.";
  m.def(
      "isa_version", [] { return lpu::isaVersion; },
      "Version of the instruction set that the simulator executes.");
}
