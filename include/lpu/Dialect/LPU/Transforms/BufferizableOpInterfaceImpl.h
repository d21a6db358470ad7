//===- BufferizableOpInterfaceImpl.h - How lpu ops bufferize ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the models by which one-shot bufferization handles lpu operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define LPU_DIALECT_LPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::lpu {

void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
