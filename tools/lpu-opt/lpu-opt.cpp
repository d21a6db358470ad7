//===- lpu-opt.cpp - Runs passes on textual IR ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mlir-opt of this project: parses IR, runs the passes named on the command
// line, prints the result.
//
//===----------------------------------------------------------------------===//

#include "lpu/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::lpu::registerAllDialects(registry);
  mlir::lpu::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "LPU optimizer driver\n", registry));
}
