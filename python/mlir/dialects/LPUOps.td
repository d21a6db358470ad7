//===- LPUOps.td - Python bindings of the lpu dialect ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The root file that the Python bindings of the lpu dialect are generated from.
//
//===----------------------------------------------------------------------===//

include "lpu/Dialect/LPU/IR/LPUOps.td"
