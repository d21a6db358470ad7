//===- TilingInterfaceImpl.h - How lpu ops are tiled ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the models by which upstream's tiling interface handles lpu
// operations.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_TRANSFORMS_TILINGINTERFACEIMPL_H
#define LPU_DIALECT_LPU_TRANSFORMS_TILINGINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::lpu {

void registerTilingInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::lpu

#endif // LPU_DIALECT_LPU_TRANSFORMS_TILINGINTERFACEIMPL_H
