//===- Encoding.cpp - Instruction words, views and micro-operations -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anchors Encoding.h: the header must compile by itself.
//
//===----------------------------------------------------------------------===//

#include "lpu/Target/Encoding.h"

static_assert(lpu::numUnits == 4, "ICP, SMA, SXE, VXE");
