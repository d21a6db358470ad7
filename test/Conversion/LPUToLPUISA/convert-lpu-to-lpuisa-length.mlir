// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// One block: keys, scores, mask, weights and values end where the length does.

// CHECK-LABEL: lpuisa.program @one_block
// CHECK:         lpuisa.ld r0 = <arg[3], i64, [], [], 0>
// CHECK-NEXT:    lpuisa.alu max r1 = r0, 0
// CHECK-NEXT:    lpuisa.alu min r1 = r1, 32
// CHECK-NEXT:    lpuisa.stream <arg[0], f32, [2, 32, 16], [512, 16, 1], 0, dynamic_dim = 1, size_register = r1>
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [2, 2, 32], [64, 32, 1], 0, dynamic_dim = 2, size_register = r1> =
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK-NEXT:      views [<lmu, f32, [4, 32], [32, 1], 0, dynamic_dim = 1, size_register = r1>,
// CHECK-NEXT:             <arg[2], bool, [4, 32], [0, 1], 0, dynamic_dim = 1, size_register = r1>,
// CHECK-NEXT:             <lmu, f32, [4, 32], [1, 0], 2304, dynamic_dim = 1, size_register = r1>,
// CHECK:         lpuisa.stream <arg[1], f32, [2, 16, 32], [512, 1, 16], 0, dynamic_dim = 2, size_register = r1>
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [2, 2, 16], [32, 16, 1], 2048> =
// CHECK-SAME:      <lmu, f32, [2, 2, 32], [64, 32, 1], 1024, dynamic_dim = 2, size_register = r1>
// A key that is not read adds no +0 to sums of -0, so the result has none.
// CHECK:         %[[QUOTIENT:.+]] = lpuisa.micro div_f
// CHECK-NEXT:    %[[SUM:.+]] = lpuisa.micro add_f(%[[QUOTIENT]],
// CHECK-NEXT:    lpuisa.micro select(%{{.*}}, %{{.*}}, %[[SUM]])
// CHECK-NOT:     lpuisa.loop
func.func @one_block(%k: memref<1x2x32x16xf32, #arg>, %v: memref<1x2x32x16xf32, #arg>,
                     %m: memref<1x1x1x32xi1, #arg>, %n: memref<i64, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<2496xi8, #lmu>
  %q = memref.alloc() {lpu.address = 4096 : i64} : memref<1x4x1x16xf32, #lmu>
  %o = memref.alloc() {lpu.address = 4352 : i64} : memref<1x4x1x16xf32, #lmu>
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %v, %m : memref<1x4x1x16xf32, #lmu>, memref<1x2x32x16xf32, #arg>, memref<1x2x32x16xf32, #arg>, memref<1x1x1x32xi1, #arg>)
    length(%n : memref<i64, #arg>)
    outs(%o : memref<1x4x1x16xf32, #lmu>) temporary(%t : memref<2496xi8, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// Three blocks of 256, 256 and 88 keys. The second and the third run only if
// the length reaches them. The next layer finds the sizes in registers, except
// for those that are computed where it may not have come by.

// CHECK-LABEL: lpuisa.program @blocks
// CHECK:         lpuisa.ld r0 =
// CHECK:         lpuisa.alu add r2 = r0, -256
// CHECK-NEXT:    lpuisa.alu max r2 = r2, 0
// CHECK-NEXT:    lpuisa.alu min r2 = r2, 256
// CHECK-NEXT:    lpuisa.stream <arg[0], {{.*}}, 16384, dynamic_dim = 0, size_register = r2>
// CHECK:         lpuisa.alu add r3 = r0, -256
// CHECK-NEXT:    lpuisa.alu max r3 = r3, 0
// CHECK-NEXT:    lpuisa.alu min r3 = r3, 1
// CHECK-NEXT:    lpuisa.loop r3 to 1 {
// CHECK:           lpuisa.alu min r4 = r4, 88
// CHECK:           lpuisa.mm {{.*}}size_register = r2> * {{.*}} accumulate
// CHECK:           lpuisa.loop r5 to 1 {
// CHECK:             lpuisa.mm {{.*}}size_register = r4> * {{.*}} accumulate
// CHECK-NOT:     lpuisa.ld
// CHECK:         lpuisa.loop r3 to 1 {
// CHECK:           lpuisa.alu add r4 = r0, -512
func.func @blocks(%k: memref<1x1x600x16xf32, #arg>, %v: memref<1x1x600x16xf32, #arg>, %n: memref<1xi64, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<4608xi8, #lmu>
  %q = memref.alloc() {lpu.address = 5120 : i64} : memref<1x1x1x16xf32, #lmu>
  %o = memref.alloc() {lpu.address = 5184 : i64} : memref<1x1x1x16xf32, #lmu>
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %v : memref<1x1x1x16xf32, #lmu>, memref<1x1x600x16xf32, #arg>, memref<1x1x600x16xf32, #arg>)
    length(%n : memref<1xi64, #arg>)
    outs(%o : memref<1x1x1x16xf32, #lmu>) temporary(%t : memref<4608xi8, #lmu>)
  lpu.attention {scale = 0.25 : f32}
    ins(%o, %k, %v : memref<1x1x1x16xf32, #lmu>, memref<1x1x600x16xf32, #arg>, memref<1x1x600x16xf32, #arg>)
    length(%n : memref<1xi64, #arg>)
    outs(%q : memref<1x1x1x16xf32, #lmu>) temporary(%t : memref<4608xi8, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// What is written anew is loaded anew.

// CHECK-LABEL: lpuisa.program @written
// CHECK:         lpuisa.ld r0 = <lmu, i64, [], [], 640>
// CHECK:         lpuisa.copy <lmu, i64, [], [], 640>
// CHECK:         lpuisa.ld {{.*}} = <lmu, i64, [], [], 640>
func.func @written(%q: memref<1x1x1x16xf32, #arg>, %m: memref<i64, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<512xi8, #lmu>
  %o = memref.alloc() {lpu.address = 512 : i64} : memref<1x1x1x16xf32, #lmu>
  %n = memref.alloc() {lpu.address = 640 : i64} : memref<i64, #lmu>
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %q, %q : memref<1x1x1x16xf32, #arg>, memref<1x1x1x16xf32, #arg>, memref<1x1x1x16xf32, #arg>)
    length(%n : memref<i64, #lmu>) outs(%o : memref<1x1x1x16xf32, #lmu>) temporary(%t : memref<512xi8, #lmu>)
  lpu.copy ins(%m : memref<i64, #arg>) outs(%n : memref<i64, #lmu>)
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %q, %q : memref<1x1x1x16xf32, #arg>, memref<1x1x1x16xf32, #arg>, memref<1x1x1x16xf32, #arg>)
    length(%n : memref<i64, #lmu>) outs(%o : memref<1x1x1x16xf32, #lmu>) temporary(%t : memref<512xi8, #lmu>)
  return
}
