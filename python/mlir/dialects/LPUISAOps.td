//===- LPUISAOps.td - Python bindings of the lpuisa dialect *- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root file that the Python bindings of the lpuisa dialect are generated from.
//
//===----------------------------------------------------------------------===//

include "lpu/Dialect/LPUISA/IR/LPUISAOps.td"
