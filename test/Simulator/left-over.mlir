// RUN: lpu-translate --mlir-to-lpubin %s -o %t.lpubin
// RUN: sh -c 'lpu-sim %t.lpubin; test $? -eq 3' 2>&1 | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --timing-only; test $? -eq 3' 2>&1 | FileCheck %s
// RUN: sh -c 'lpu-sim %t.lpubin --timing-only --check standard; test $? -eq 3' 2>&1 | FileCheck %s

// Nobody waits for these posts, and no mm takes the second stream. After a branch
// this is found when the program ends, also where only time is counted.
// CHECK: left over at the end of the program, expected a wait for every post and an mm for every stream:
// CHECK-NEXT: semaphore 5 holds 3, posted last by instruction 5 (post)
// CHECK-NEXT: the stream buffer holds what instruction 4 (stream) at {{.*}} pushed
// CHECK-NOT: semaphore
module attributes {lpu.machine = #lpu.machine<{base = "tiny", name = "tiny"}>} {
lpuisa.program @main lmu 48 inputs [<"x", f32, [2, 4]>] results [] outputs [] {
  lpuisa.branch zero r0, begin
  lpuisa.label begin
  lpuisa.post sma, 5, 1
  lpuisa.mm <lmu, f32, [1, 2], [2, 1], 16> = <arg[0], f32, [1, 4], [4, 1], 0> * <arg[0], f32, [2, 4], [4, 1], 0> batch 0 rows 1 cols 1 depth 1
  lpuisa.stream <arg[0], f32, [2, 4], [4, 1], 0> passes 1
  lpuisa.stream <arg[0], f32, [2, 4], [4, 1], 0> passes 1
  lpuisa.post sma, 5, 2
  lpuisa.halt
}
}
