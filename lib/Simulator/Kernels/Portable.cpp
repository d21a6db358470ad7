//===- Portable.cpp - Kernels for any CPU ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built with the flags that CMakeLists.txt gives this file.
//
//===----------------------------------------------------------------------===//

#define LPU_KERNEL_SET portableKernels
#define LPU_KERNEL_NAME "portable"
#include "KernelSet.inc"
