// RUN: lpu-opt %s --convert-lpu-to-lpuisa --split-input-file | FileCheck %s

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// One block of keys: scores, softmax, values, division. Keys and values are
// streamed from the HBM; two query heads share a key head by stride.

// CHECK-LABEL: lpuisa.program @decode
// CHECK:         lpuisa.stream <arg[0], f32, [2, 32, 16], [512, 16, 1], 0> passes 1
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [2, 2, 32], [64, 32, 1], 0>
// CHECK-SAME:      = <lmu, f32, [2, 2, 16], [32, 16, 1], 4096>
// CHECK-SAME:      batch 1 rows 1 cols 1 depth 1
// CHECK:         lpuisa.vec rank 2 parallel 1
// CHECK:           reduce<maximum_f>
// CHECK:           reduce<add_f>
// CHECK:         lpuisa.stream <arg[1], f32, [2, 16, 32], [512, 1, 16], 0> passes 1
// CHECK-NEXT:    lpuisa.mm <lmu, f32, [2, 2, 16], [32, 16, 1], 2048>
// CHECK-SAME:      = <lmu, f32, [2, 2, 32], [64, 32, 1], 1024>
// CHECK-NOT:       accumulate
// CHECK:         lpuisa.vec
// CHECK:           div_f
// CHECK-NOT:     lpuisa.mm
// CHECK:         lpuisa.halt
func.func @decode(%k: memref<1x2x32x16xf32, #arg>, %v: memref<1x2x32x16xf32, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<2496xi8, #lmu>
  %q = memref.alloc() {lpu.address = 4096 : i64} : memref<1x4x1x16xf32, #lmu>
  %o = memref.alloc() {lpu.address = 4352 : i64} : memref<1x4x1x16xf32, #lmu>
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %v : memref<1x4x1x16xf32, #lmu>, memref<1x2x32x16xf32, #arg>, memref<1x2x32x16xf32, #arg>)
    outs(%o : memref<1x4x1x16xf32, #lmu>) temporary(%t : memref<2496xi8, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// Two blocks, the second of 44 keys: its scores are asked for before the values
// of the first; the sums are corrected in between and then accumulated.

// CHECK-LABEL: lpuisa.program @blocks
// CHECK:         lpuisa.stream <arg[0], bf16, [256, 16], [16, 1], 0>
// CHECK:         lpuisa.stream <arg[0], bf16, [44, 16], [16, 1], 8192>
// CHECK:         reduce<maximum_f>
// CHECK:         lpuisa.stream <arg[1], bf16, [16, 256], [1, 16], 0>
// CHECK:         lpuisa.mm
// CHECK-NOT:       accumulate
// CHECK:         reduce<maximum_f>
// CHECK:         round_bf16
// CHECK:         mul_f
// CHECK:         lpuisa.stream <arg[1], bf16, [16, 44], [1, 16], 8192>
// CHECK-NEXT:    lpuisa.mm {{.*}} accumulate
// CHECK:         div_f
func.func @blocks(%k: memref<1x1x300x16xbf16, #arg>, %v: memref<1x1x300x16xbf16, #arg>,
                  %m: memref<1x1x1x300xbf16, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<4096xi8, #lmu>
  %q = memref.alloc() {lpu.address = 4096 : i64} : memref<1x1x1x16xbf16, #lmu>
  %o = memref.alloc() {lpu.address = 4352 : i64} : memref<1x1x1x16xbf16, #lmu>
  lpu.attention {scale = 0.25 : f32}
    ins(%q, %k, %v, %m : memref<1x1x1x16xbf16, #lmu>, memref<1x1x300x16xbf16, #arg>, memref<1x1x300x16xbf16, #arg>, memref<1x1x1x300xbf16, #arg>)
    outs(%o : memref<1x1x1x16xbf16, #lmu>) temporary(%t : memref<4096xi8, #lmu>)
  return
}

// -----

#arg = #lpu.space<arg>
#lmu = #lpu.space<lmu>

// Causal: 5 rows see no key behind the fifth, so one block of 256 keys of 512 is
// enough; within it the columns are compared with the rows.

// CHECK-LABEL: lpuisa.program @causal
// CHECK:         lpuisa.stream <arg[0], f32, [256, 16], [16, 1], 0>
// CHECK:         %[[SEES:.+]] = lpuisa.micro cmp_i<sle>
// CHECK-NEXT:    lpuisa.micro select(%[[SEES]],
// CHECK-NOT:     lpuisa.stream <arg[0]
// CHECK:         lpuisa.halt
func.func @causal(%k: memref<1x1x512x16xf32, #arg>, %v: memref<1x1x512x16xf32, #arg>) {
  %t = memref.alloc() {lpu.address = 0 : i64} : memref<32768xi8, #lmu>
  %q = memref.alloc() {lpu.address = 32768 : i64} : memref<1x1x5x16xf32, #lmu>
  %o = memref.alloc() {lpu.address = 65536 : i64} : memref<1x1x5x16xf32, #lmu>
  lpu.attention {scale = 0.25 : f32, causal}
    ins(%q, %k, %v : memref<1x1x5x16xf32, #lmu>, memref<1x1x512x16xf32, #arg>, memref<1x1x512x16xf32, #arg>)
    outs(%o : memref<1x1x5x16xf32, #lmu>) temporary(%t : memref<32768xi8, #lmu>)
  return
}
