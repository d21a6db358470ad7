//===- lpu-lsp-server.cpp - Editor support for textual IR -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speaks the language server protocol: an editor that runs it on .mlir files
// shows errors, definitions, uses and documentation of our dialects.
//
//===----------------------------------------------------------------------===//

#include "lpu/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::lpu::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
