//===- InitAll.h - Registers every dialect and pass in use ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single registration point: the tools, the C API and with it the Python
// bindings register through these functions, so that a program that parses in
// one of them parses in all.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_INITALL_H
#define LPU_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::lpu {

/// Adds our dialects, the upstream dialects that they meet, and the interface
/// models (bufferization, tiling, value bounds) that our passes rely on.
void registerAllDialects(DialectRegistry &registry);

/// Registers our passes and pipelines, and the upstream passes used with them.
/// Must be called at most once per process.
void registerAllPasses();

/// Registers the translations between lpuisa and the binary format.
void registerAllTranslations();

} // namespace mlir::lpu

#endif // LPU_INITALL_H
