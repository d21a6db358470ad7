// The set of inner loops by name, and what is said of a name that is none.
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: env LPU_SIM_ISA=portable lpu-sim %t.lpubin | FileCheck %s
// RUN: env LPU_SIM_ISA= lpu-sim %t.lpubin | FileCheck %s
// RUN: sh -c 'LPU_SIM_ISA=AVX2 lpu-sim %t.lpubin; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: sh -c 'LPU_SIM_ISA=port lpu-sim %t.lpubin --timing-only; test $? -eq 1' 2>&1 | FileCheck %s --check-prefix=PART

// CHECK: 1 instructions: halt 1
// NONE: lpu-sim: LPU_SIM_ISA is 'AVX2', expected a kernel set of this CPU: {{(amx, )?(avx512, )?(avx2, )?}}portable{{$}}
// PART: lpu-sim: LPU_SIM_ISA is 'port', expected a kernel set of this CPU:
lpuisa.program @main lmu 16 {
  lpuisa.halt
}
