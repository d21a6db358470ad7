//===- LPU.h - C API of the LPU compiler ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the Python bindings see of the compiler. Functions return false on
// failure and hand the collected diagnostics to a string callback; no exception
// ever crosses this boundary.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_C_LPU_H
#define LPU_C_LPU_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds every dialect and interface model in use to `registry`.
MLIR_CAPI_EXPORTED void lpuRegisterAllDialects(MlirDialectRegistry registry);

/// Registers every pass and pipeline in use. May be called repeatedly.
MLIR_CAPI_EXPORTED void lpuRegisterAllPasses(void);

/// Takes the name of an optimisation and the stage that it belongs to.
typedef void (*LpuOptimizationCallback)(MlirStringRef name, MlirStringRef stage,
                                        void *userData);

/// Calls `callback` for each optimisation that the pipeline's option `disable`
/// takes.
MLIR_CAPI_EXPORTED void lpuForEachOptimization(LpuOptimizationCallback callback,
                                               void *userData);

/// Parses `ir`, runs the textual pass `pipeline` on it and hands the resulting
/// module to `output`, with locations. On failure hands the diagnostics to
/// `output` instead and returns false.
MLIR_CAPI_EXPORTED bool lpuRunPipeline(MlirStringRef ir, MlirStringRef pipeline,
                                       MlirStringCallback output,
                                       void *userData);

/// Assembles the one `lpuisa.program` of `ir` and hands the bytes of the binary
/// to `output`. On failure hands the diagnostics to `output` instead and
/// returns false.
MLIR_CAPI_EXPORTED bool lpuTranslateToBinary(MlirStringRef ir,
                                             MlirStringCallback output,
                                             void *userData);

/// Disassembles a binary and hands the module to `output`, with locations. On
/// failure hands the diagnostics to `output` instead and returns false.
MLIR_CAPI_EXPORTED bool lpuTranslateFromBinary(MlirStringRef binary,
                                               MlirStringCallback output,
                                               void *userData);

#ifdef __cplusplus
}
#endif

#endif // LPU_C_LPU_H
