//===- LPU.cpp - C API of the LPU compiler --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements lpu-c/LPU.h. Each call owns its MLIRContext, so calls from several
// threads are independent. Diagnostics are collected as text in the order in
// which they were emitted.
//
//===----------------------------------------------------------------------===//

#include "lpu-c/LPU.h"

#include "lpu/InitAll.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;

void lpuRegisterAllDialects(MlirDialectRegistry registry) {
  mlir::lpu::registerAllDialects(*unwrap(registry));
}

void lpuRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] { mlir::lpu::registerAllPasses(); });
}

/// Runs `pipeline` on `ir` and appends either the result or nothing to
/// `result`; errors go to `diagnostics`.
static LogicalResult runPipeline(StringRef ir, StringRef pipeline,
                                 std::string &result,
                                 std::string &diagnostics) {
  DialectRegistry registry;
  mlir::lpu::registerAllDialects(registry);
  lpuRegisterAllPasses();
  // A pool of threads per call costs more than it gives on one module.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  llvm::raw_string_ostream diagnosticStream(diagnostics);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(ir, "input",
                                       /*RequiresNullTerminator=*/false),
      SMLoc());
  SourceMgrDiagnosticHandler handler(sourceMgr, &context, diagnosticStream);

  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(&context));
  if (!module) {
    return failure();
  }
  PassManager passManager(&context);
  if (failed(parsePassPipeline(pipeline, passManager, diagnosticStream)) ||
      failed(passManager.run(*module))) {
    return failure();
  }
  llvm::raw_string_ostream resultStream(result);
  module->print(resultStream, OpPrintingFlags().enableDebugInfo());
  return success();
}

bool lpuRunPipeline(MlirStringRef ir, MlirStringRef pipeline,
                    MlirStringCallback output, void *userData) {
  std::string result, diagnostics;
  bool succeeded =
      mlir::succeeded(runPipeline(unwrap(ir), unwrap(pipeline), result,
                                  diagnostics));
  const std::string &text = succeeded ? result : diagnostics;
  output(mlirStringRefCreate(text.data(), text.size()), userData);
  return succeeded;
}
