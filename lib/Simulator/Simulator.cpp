//===- Simulator.cpp - Runs a program on the simulated machine ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator eats a binary, never IR.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"
