//===- Translations.cpp - lpuisa to binary and back -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module to the bytes of a file and back, with verification on both
// ways, and the registration of the two translations with lpu-translate.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"
#include "lpu/InitAll.h"
#include "lpu/Target/Binary.h"
#include "lpu/Target/LPUISA/Translation.h"
#include "lpu/Target/Verifier.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::lpuisa;

FailureOr<std::vector<uint8_t>>
mlir::lpuisa::translateToBinary(ModuleOp module) {
  auto programs = llvm::to_vector(module.getOps<ProgramOp>());
  if (programs.size() != 1) {
    return module.emitError()
           << "found " << programs.size() << " lpuisa.program, expected one";
  }
  FailureOr<::lpu::Program> program = exportProgram(programs.front());
  if (failed(program)) {
    return failure();
  }
  if (std::optional<::lpu::Error> error = ::lpu::verify(*program)) {
    return programs.front().emitError() << error->message;
  }
  return ::lpu::writeBinary(*program);
}

OwningOpRef<ModuleOp> mlir::lpuisa::translateFromBinary(ArrayRef<uint8_t> bytes,
                                                        Location location) {
  ::lpu::Result<::lpu::Program> program =
      ::lpu::readBinary(bytes.data(), bytes.size());
  if (!program) {
    emitError(location) << program.message();
    return nullptr;
  }
  if (std::optional<::lpu::Error> error = ::lpu::verify(*program)) {
    emitError(location) << error->message;
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = importProgram(*program, location.getContext());
  return failed(verify(*module)) ? nullptr : std::move(module);
}

static LogicalResult writeTranslation(Operation *op, raw_ostream &os) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module) {
    return op->emitError() << "found '" << op->getName()
                           << "', expected a module";
  }
  FailureOr<std::vector<uint8_t>> bytes = translateToBinary(module);
  if (failed(bytes)) {
    return failure();
  }
  os.write(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  return success();
}

static LogicalResult readTranslation(llvm::SourceMgr &sourceMgr,
                                     raw_ostream &os, MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  Location location =
      NameLoc::get(StringAttr::get(context, buffer->getBufferIdentifier()));
  ArrayRef<uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(buffer->getBufferStart()),
      buffer->getBufferSize());
  OwningOpRef<ModuleOp> module = translateFromBinary(bytes, location);
  if (!module) {
    return failure();
  }
  module->print(os, OpPrintingFlags().enableDebugInfo());
  os << '\n';
  return success();
}

void mlir::lpu::registerAllTranslations() {
  static TranslateFromMLIRRegistration toBinary(
      "mlir-to-lpubin", "assemble an lpuisa program", writeTranslation,
      [](DialectRegistry &registry) {
        registry.insert<LPUISADialect, mlir::lpu::LPUDialect>();
      });
  static TranslateRegistration fromBinary(
      "lpubin-to-mlir", "disassemble a machine program",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr, raw_ostream &os,
         MLIRContext *context) {
        return readTranslation(*sourceMgr, os, context);
      });
}
