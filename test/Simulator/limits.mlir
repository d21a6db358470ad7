// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: lpu-sim %t.lpubin | FileCheck %s
// RUN: lpu-sim %t.lpubin --max-instructions 2 --max-work 1000000 --max-host-bytes 64 --max-queued 2 | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --max-instructions 1; test $? -eq 2' 2>&1 | FileCheck %s --check-prefix=INSTRUCTIONS
// RUN: sh -c 'lpu-sim %t.lpubin --max-work 1; test $? -eq 2' 2>&1 | FileCheck %s --check-prefix=WORK
// RUN: sh -c 'lpu-sim %t.lpubin --max-host-bytes 15; test $? -eq 2' 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: sh -c 'lpu-sim %t.lpubin --max-queued 0; test $? -eq 2' 2>&1 | FileCheck %s --check-prefix=QUEUED

// CHECK: 2 instructions: halt 1, copy 1
// INSTRUCTIONS: lpu-sim: the run issued 2 instructions, more than the limit of 1; if the program is right, raise max-instructions [instruction 1 (halt)
// WORK: lpu-sim: the run takes up to {{[0-9]+}} steps of the host, more than the limit of 1; if the program is right, raise max-work [instruction 0 (copy)
// BYTES: lpu-sim: scratch and LMU take 16 bytes of the host, more than the limit of 15; if the program is right, raise max-host-bytes, or run without values
// QUEUED: lpu-sim: 1 instructions, posts and stream entries wait at once, more than the limit of 0; if the program is right, raise max-queued [instruction 0 (copy)
lpuisa.program @main lmu 16 inputs [<"x", f32, [4]>] {
  lpuisa.copy <lmu, f32, [4], [1], 0> = <arg[0], f32, [4], [1], 0>
  lpuisa.halt
}
