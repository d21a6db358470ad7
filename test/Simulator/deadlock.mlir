// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'lpu-sim %t.lpubin; test $? -eq 3' 2>&1 | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --timing-only --check standard; test $? -eq 3' 2>&1 | FileCheck %s

// Two units wait for each other: status 3, and each is named with what it waits
// for and who would post it. Counts balance, so nothing is wrong with the program
// before it runs.
// CHECK: deadlock: no unit can go on
// CHECK-NEXT: sma waits at instruction 0 (wait) of load at model.py:3 for 1 on semaphore 0, which holds 0;
// CHECK-SAME: instruction 3 (post) of relu at model.py:4 would post it, number 2 in the queue of vxe
// CHECK-NEXT: vxe waits at instruction 2 (wait) of relu at model.py:4 for 1 on semaphore 1, which holds 0;
// CHECK-SAME: instruction 1 (post) of load at model.py:3 would post it, number 2 in the queue of sma
lpuisa.program @main {
  lpuisa.wait sma, 0, 1 loc("load"("model.py":3:1))
  lpuisa.post sma, 1, 1 loc("load"("model.py":3:1))
  lpuisa.wait vxe, 1, 1 loc("relu"("model.py":4:1))
  lpuisa.post vxe, 0, 1 loc("relu"("model.py":4:1))
  lpuisa.halt
}
