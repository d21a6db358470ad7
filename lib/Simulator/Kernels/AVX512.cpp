//===- AVX512.cpp - Kernels for x86-64 with AVX-512 (F, BW, DQ, VL) -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with the flags that CMakeLists.txt gives this file.
//
//===----------------------------------------------------------------------===//

#define LPU_KERNEL_SET avx512Kernels
#define LPU_KERNEL_NAME "avx512"
#include "KernelSet.inc"
