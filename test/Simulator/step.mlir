// REQUIRES: python
// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: %python -c "import numpy as np; np.save(r'%t.npy', np.arange(1, 5, dtype=np.float32))"
// RUN: printf 'p\nstep\np registers\np semaphores\np queues\ns\np semaphores\nbreak store\nc\np registers\np semaphores\nwatch arg1:0\np view 1\np memory lmu:0:8 f32\np memory lmu:4:4\nc\n' | lpu-sim %t.lpubin --arg %t.npy --step | FileCheck %s
// RUN: sh -c 'printf "# all wrong\nfly\ns 0\nb nowhere\nw lmu:64\np colours\np view 9\np memory lmu:0\np memory lmu:0:6 f32\nhelp\nquit\n" | lpu-sim %t.lpubin --step; test $? -eq 5' | FileCheck %s --check-prefix=WRONG
// RUN: sh -c 'lpu-sim %t.lpubin --step < /dev/null; test $? -eq 5' | FileCheck %s --check-prefix=EOF
// RUN: sh -c 'echo c | lpu-sim %t.lpubin --step --stop-at store; test $? -eq 0' | FileCheck %s --check-prefix=STOP
// RUN: sh -c 'printf "w lmu:0\np memory lmu:0\np view 0\nc\n" | lpu-sim %t.lpubin --step --timing-only; test $? -eq 0' | FileCheck %s --check-prefix=TIMING

// CHECK: => instruction 0 (copy) of load at model.py:3, at cycle 0
// CHECK-NEXT: instruction 0 (copy) of load at model.py:3, unit sma
// CHECK-NEXT:   operand 0: <lmu, f32, [4], [1], 0>
// CHECK-NEXT:   operand 1: <arg[0], f32, [4], [1], 0>
// CHECK-NEXT: => instruction 1 (post) of ready, at cycle 4
// CHECK-NEXT: all registers are 0
// CHECK-NEXT: all semaphores are 0
// CHECK-NEXT: sma: 1, first instruction 1 (post) of ready
// CHECK-NEXT: sxe: empty
// CHECK-NEXT: vxe: empty
// CHECK-NEXT: => instruction 2 (wait) of there
// CHECK-NEXT: semaphore 4 = 1
// CHECK-NEXT: => instruction 4 (copy) of store
// CHECK-NEXT: r1 = 7
// CHECK-NEXT: all semaphores are 0
// CHECK-NEXT: <arg[0], f32, [4], [1], 0>
// CHECK-NEXT: 1 2 3 4
// CHECK-NEXT: 1 2
// CHECK-NEXT: 00 00 00 40
// CHECK-NEXT: watch arg1:0x0:4: instruction 4 (copy) of store writes 00 00 00 00 (0) -> 00 00 80 3f (1)
// CHECK-NEXT: main on tiny

// WRONG: unknown command 'fly', expected step, continue, break, watch, print, quit or help
// WRONG-NEXT: step [N]: expected a number from 1
// WRONG-NEXT: b nowhere: no instruction comes from there
// WRONG-NEXT: w lmu:64: 4 bytes at 0x40, expected to be inside of lmu, which has 32 bytes
// WRONG-NEXT: print 'colours', expected instruction, registers, view, memory, semaphores or queues
// WRONG-NEXT: print view N: expected a number below
// WRONG-NEXT: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
// WRONG-NEXT: print memory: 6 bytes of 'f32', expected whole elements of a type
// WRONG-NEXT: step [N]
// WRONG-NOT: main on tiny

// EOF: => instruction 0
// EOF-NOT: main on tiny

// STOP-NOT: => instruction 0
// STOP: => instruction 4 (copy) of store
// STOP-NEXT: main on tiny

// TIMING: w lmu:0: --timing-only computes no values
// TIMING-NEXT: print memory: --timing-only computes no values
// TIMING-NEXT: <
// TIMING-NEXT: main on tiny
module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "tiny"}>} {
lpuisa.program @main lmu 32 inputs [<"x", f32, [4]>] results [<"y", f32, [4], argument = 1>] outputs [<"y", f32, [4]>] {
  lpuisa.copy <lmu, f32, [4], [1], 0> = <arg[0], f32, [4], [1], 0> loc("load"("model.py":3:0))
  lpuisa.post sma, 4, 1 loc("ready")
  lpuisa.wait icp, 4, 1 loc("there")
  lpuisa.li r1 = 7 loc("seven")
  lpuisa.copy <arg[1], f32, [4], [1], 0> = <lmu, f32, [4], [1], 0> loc("store")
  lpuisa.halt
}
}
