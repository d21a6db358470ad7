//===- Kernels.cpp - Chooses a kernel set by what the CPU has -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment variable LPU_SIM_ISA (portable, avx2, avx512) caps the
// choice, so that a difference can be pinned on a kernel set from outside.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "lpu/Simulator/Simulator.h"

#include <cstdlib>
#include <cstring>

using namespace lpu;

const KernelSet *const *lpu::availableKernels() {
  static const KernelSet *list[4] = {};
  if (list[0] != nullptr) {
    return list;
  }
  unsigned count = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  const KernelSet *found[3] = {};
  if (avx512) {
    found[count++] = &avx512Kernels;
  }
  if (avx2) {
    found[count++] = &avx2Kernels;
  }
  for (unsigned i = 0; i < count; ++i) {
    list[i + 1] = i + 1 < count ? found[i + 1] : &portableKernels;
  }
  list[0] = count > 0 ? found[0] : &portableKernels;
#else
  (void)count;
  list[0] = &portableKernels;
#endif
  return list;
}

std::vector<std::string_view> lpu::kernelSets() {
  std::vector<std::string_view> names;
  for (const KernelSet *const *set = availableKernels(); *set; ++set) {
    names.push_back((*set)->name);
  }
  return names;
}

static const KernelSet *best() {
  const KernelSet *const *sets = availableKernels();
  if (const char *wanted = std::getenv("LPU_SIM_ISA")) {
    for (const KernelSet *const *set = sets; *set != nullptr; ++set) {
      if (std::strcmp((*set)->name, wanted) == 0) {
        return *set;
      }
    }
  }
  return sets[0];
}

static const KernelSet *&selected() {
  static const KernelSet *set = best();
  return set;
}

const KernelSet &lpu::kernels() { return *selected(); }

void lpu::selectKernels(const KernelSet *set) {
  selected() = set != nullptr ? set : best();
}
