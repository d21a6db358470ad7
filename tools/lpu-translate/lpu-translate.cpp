//===- lpu-translate.cpp - Assembler and disassembler ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates between the lpuisa dialect, which is the textual assembly, and the
// binary that the simulator loads.
//
//===----------------------------------------------------------------------===//

#include "lpu/InitAll.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::lpu::registerAllTranslations();
  return failed(mlir::mlirTranslateMain(argc, argv, "LPU translation driver"));
}
