//===- AVX2.cpp - Kernels for x86-64 with AVX2 and FMA --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with the flags that CMakeLists.txt gives this file.
//
//===----------------------------------------------------------------------===//

#define LPU_KERNEL_SET avx2Kernels
#define LPU_KERNEL_NAME "avx2"
#include "KernelSet.inc"
