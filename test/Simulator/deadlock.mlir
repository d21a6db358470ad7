// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'lpu-sim %t.lpubin; test $? -eq 3' 2>&1 | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --timing-only; test $? -eq 3' 2>&1 | FileCheck %s

// Two units wait for each other: status 3, and each is named with what it waits
// for. Counts balance, so nothing is wrong with the program before it runs.
// CHECK: deadlock
// CHECK-SAME: sma waits for {{.*}}semaphore 0
// CHECK-SAME: vxe waits for {{.*}}semaphore 1
lpuisa.program @main {
  lpuisa.wait sma, 0, 1
  lpuisa.post sma, 1, 1
  lpuisa.wait vxe, 1, 1
  lpuisa.post vxe, 0, 1
  lpuisa.halt
}
