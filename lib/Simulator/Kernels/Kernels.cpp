//===- Kernels.cpp - Chooses a kernel set by what the CPU has -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment variable LPU_SIM_ISA (portable, avx2, avx512, amx) chooses
// another one, so that a difference can be pinned on a kernel set from outside.
// `amx` is chosen only like that: see docs/Rationale.md.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "lpu/Simulator/Simulator.h"

#include <cstdlib>

#if defined(LPU_HAS_AMX_KERNELS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace lpu;

#if defined(LPU_HAS_AMX_KERNELS)
/// Linux: state components that a process may ask for, and asking for one.
static constexpr long getSupportedComponents = 0x1021;
static constexpr long requestComponent = 0x1023;
static constexpr unsigned tileDataComponent = 18;

/// Whether both the CPU and the system have tiles of bf16.
static bool hasTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1u << 22, tile = 1u << 24;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & bf16) || !(d & tile)) {
    return false;
  }
  uint64_t components = 0;
  return syscall(SYS_arch_prctl, getSupportedComponents, &components) == 0 &&
         (components >> tileDataComponent & 1) != 0;
}

/// Tiles make a thread's state so large that a process has to ask for them, all
/// its threads at once.
static bool requestTiles() {
  return syscall(SYS_arch_prctl, requestComponent, tileDataComponent) == 0;
}
#else
static bool hasTiles() { return false; }
static bool requestTiles() { return false; }
const KernelSet *lpu::amxKernels() { return nullptr; }
#endif

namespace {

/// What there is on this CPU.
struct KernelList {
  const KernelSet *sets[5] = {};
  unsigned count = 0;

  void add(const KernelSet &set) { sets[count++] = &set; }

  KernelList() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                  __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    if (avx512 && hasTiles()) {
      add(*amxKernels());
    }
    if (avx512) {
      add(avx512Kernels);
    }
    if (avx2) {
      add(avx2Kernels);
    }
#endif
    add(portableKernels);
  }
};

} // namespace

static const KernelList &kernelList() {
  static const KernelList list;
  return list;
}

const KernelSet *const *lpu::availableKernels() { return kernelList().sets; }

std::vector<std::string_view> lpu::kernelSets() {
  std::vector<std::string_view> names;
  for (const KernelSet *const *set = availableKernels(); *set; ++set) {
    names.push_back((*set)->name);
  }
  return names;
}

static Result<const KernelSet *> choose(std::string_view wanted) {
  const KernelList &list = kernelList();
  std::string names;
  for (const KernelSet *const *at = list.sets; *at != nullptr; ++at) {
    const KernelSet *set = *at;
    bool isOnRequest = set == amxKernels();
    if (wanted.empty() ? !isOnRequest : wanted == set->name) {
      if (isOnRequest && !requestTiles()) {
        return Error{"LPU_SIM_ISA is 'amx', but the system does not let this "
                     "process use matrix tiles"};
      }
      return set;
    }
    names += (names.empty() ? "" : ", ") + std::string(set->name);
  }
  return Error{"LPU_SIM_ISA is '" + std::string(wanted) +
               "', expected a kernel set of this CPU: " + names};
}

const Result<const KernelSet *> &lpu::chosenKernels() {
  static const Result<const KernelSet *> chosen = [] {
    const char *wanted = std::getenv("LPU_SIM_ISA");
    return choose(wanted != nullptr ? wanted : "");
  }();
  return chosen;
}

static const KernelSet *selectedSet = nullptr;

const KernelSet &lpu::kernels() {
  if (selectedSet != nullptr) {
    return *selectedSet;
  }
  const Result<const KernelSet *> &chosen = chosenKernels();
  // A run does not begin without a chosen set.
  return chosen ? **chosen : portableKernels;
}

void lpu::selectKernels(const KernelSet *set) { selectedSet = set; }
