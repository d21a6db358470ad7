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
#include "lpu/Pipelines/Pipelines.h"
#include "lpu/Target/LPUISA/Translation.h"

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
#include <string>
#include <vector>

using namespace mlir;

void lpuRegisterAllDialects(MlirDialectRegistry registry) {
  mlir::lpu::registerAllDialects(*unwrap(registry));
}

void lpuRegisterAllPasses() {
  static std::once_flag once;
  std::call_once(once, [] { mlir::lpu::registerAllPasses(); });
}

void lpuForEachOptimization(LpuOptimizationCallback callback, void *userData) {
  for (const mlir::lpu::Optimization &optimization :
       mlir::lpu::getOptimizations()) {
    callback(wrap(optimization.name), wrap(optimization.stage), userData);
  }
}

namespace {
/// What one call owns: a context, the text that it parses and the diagnostics.
class Session {
public:
  explicit Session(StringRef text)
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        stream(diagnostics), sourceHandler(sourceMgr, &context, stream),
        nameHandler(&context, [this](Diagnostic &diagnostic) {
          return printWithName(diagnostic);
        }) {
    // The operation of an error can be a whole module.
    context.printOpOnDiagnostic(false);
    sourceMgr.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(text, "input",
                                         /*RequiresNullTerminator=*/false),
        SMLoc());
  }

  OwningOpRef<ModuleOp> parse() {
    return parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(&context));
  }
  MLIRContext *getContext() { return &context; }
  raw_ostream &getStream() { return stream; }

  /// Hands over `result`, or the diagnostics if there is none.
  bool finish(FailureOr<std::string> result, MlirStringCallback output,
              void *userData) {
    const std::string &text = succeeded(result) ? *result : diagnostics;
    output(mlirStringRefCreate(text.data(), text.size()), userData);
    return succeeded(result);
  }

private:
  /// Prints an error at a place that is no position in the text: its name, such
  /// as that of an FX node, would be lost in the handler for sources.
  LogicalResult printWithName(Diagnostic &diagnostic) {
    if (isa<FileLineColLoc>(diagnostic.getLocation())) {
      return failure();
    }
    auto print = [&](Diagnostic &part, StringRef kind) {
      stream << part.getLocation() << ": " << kind << ": " << part << '\n';
    };
    bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
    print(diagnostic, isError ? "error" : "warning");
    for (Diagnostic &note : diagnostic.getNotes()) {
      print(note, "note");
    }
    return success();
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    mlir::lpu::registerAllDialects(registry);
    return registry;
  }

  // A pool of threads per call costs more than it gives on one module.
  MLIRContext context;
  llvm::SourceMgr sourceMgr;
  std::string diagnostics;
  llvm::raw_string_ostream stream;
  SourceMgrDiagnosticHandler sourceHandler;
  ScopedDiagnosticHandler nameHandler;
};
} // namespace

static std::string printWithLocations(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

static FailureOr<std::string> runPipeline(Session &session,
                                          StringRef pipeline) {
  lpuRegisterAllPasses();
  OwningOpRef<ModuleOp> module = session.parse();
  if (!module) {
    return failure();
  }
  // The text names its anchor. Adding it to a pass manager would nest it in
  // another module, which there is not.
  FailureOr<OpPassManager> passes =
      parsePassPipeline(pipeline, session.getStream());
  if (failed(passes)) {
    return failure();
  }
  PassManager passManager(session.getContext());
  static_cast<OpPassManager &>(passManager) = std::move(*passes);
  if (failed(passManager.run(*module))) {
    return failure();
  }
  return printWithLocations(*module);
}

bool lpuRunPipeline(MlirStringRef ir, MlirStringRef pipeline,
                    MlirStringCallback output, void *userData) {
  Session session(unwrap(ir));
  return session.finish(runPipeline(session, unwrap(pipeline)), output,
                        userData);
}

static FailureOr<std::string> translateToBinary(Session &session) {
  OwningOpRef<ModuleOp> module = session.parse();
  if (!module) {
    return failure();
  }
  FailureOr<std::vector<uint8_t>> bytes =
      mlir::lpuisa::translateToBinary(*module);
  if (failed(bytes)) {
    return failure();
  }
  return std::string(bytes->begin(), bytes->end());
}

bool lpuTranslateToBinary(MlirStringRef ir, MlirStringCallback output,
                          void *userData) {
  Session session(unwrap(ir));
  return session.finish(translateToBinary(session), output, userData);
}

static FailureOr<std::string> translateFromBinary(Session &session,
                                                  StringRef binary) {
  ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(binary.data()),
                          binary.size());
  OwningOpRef<ModuleOp> module = mlir::lpuisa::translateFromBinary(
      bytes, UnknownLoc::get(session.getContext()));
  if (!module) {
    return failure();
  }
  return printWithLocations(*module);
}

bool lpuTranslateFromBinary(MlirStringRef binary, MlirStringCallback output,
                            void *userData) {
  Session session("");
  return session.finish(translateFromBinary(session, unwrap(binary)), output,
                        userData);
}
