//===- Pipelines.cpp - The road from linalg to machine code ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the named pipelines. Read top to bottom, this file is the
// architecture of the compiler.
//
//===----------------------------------------------------------------------===//

#include "lpu/Pipelines/Pipelines.h"

void mlir::lpu::registerPipelines() {}
