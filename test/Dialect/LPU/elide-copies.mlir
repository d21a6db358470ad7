// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-elide-copies))' -split-input-file | FileCheck %s

!arg = memref<8xf32, #lpu.space<arg>>
!lmu = memref<8xf32, #lpu.space<lmu>>
!scratch = memref<8xf32, #lpu.space<scratch>>

// The second load of the same source uses the first one.
// CHECK-LABEL: func.func @repeated
func.func @repeated(%x: !arg, %y: !arg, %z: !arg) {
  // CHECK: %[[A:.+]] = memref.alloc()
  // CHECK-NEXT: lpu.copy ins(%arg0 : {{.*}}) outs(%[[A]] :
  // CHECK-NEXT: lpu.copy ins(%[[A]] : {{.*}}) outs(%arg1 :
  // CHECK-NEXT: lpu.copy ins(%[[A]] : {{.*}}) outs(%arg2 :
  %a = memref.alloc() : !lmu
  lpu.copy ins(%x : !arg) outs(%a : !lmu)
  lpu.copy ins(%a : !lmu) outs(%y : !arg)
  %b = memref.alloc() : !lmu
  lpu.copy ins(%x : !arg) outs(%b : !lmu)
  lpu.copy ins(%b : !lmu) outs(%z : !arg)
  return
}

// -----

!arg = memref<8xf32, #lpu.space<arg>>
!lmu = memref<8xf32, #lpu.space<lmu>>

// Not if the source is written in between.
// CHECK-LABEL: func.func @written
func.func @written(%x: !arg, %y: !arg, %z: !arg) {
  // CHECK-COUNT-5: lpu.copy
  %a = memref.alloc() : !lmu
  lpu.copy ins(%x : !arg) outs(%a : !lmu)
  lpu.copy ins(%a : !lmu) outs(%y : !arg)
  lpu.copy ins(%z : !arg) outs(%x : !arg)
  %b = memref.alloc() : !lmu
  lpu.copy ins(%x : !arg) outs(%b : !lmu)
  lpu.copy ins(%b : !lmu) outs(%z : !arg)
  return
}

// -----

!arg = memref<8xf32, #lpu.space<arg>>
!lmu = memref<8xf32, #lpu.space<lmu>>
!scratch = memref<8xf32, #lpu.space<scratch>>

// A buffer in scratch that ends as an output is that output, reshaped.
// CHECK-LABEL: func.func @output
func.func @output(%x: !lmu, %out: memref<2x4xf32, #lpu.space<arg>> {lpu.output}) {
  // CHECK: %[[O:.+]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [8], strides: [1]
  // CHECK: lpu.copy ins(%arg0 : {{.*}}) outs(%[[O]] : memref<8xf32, #lpu.space<arg>>)
  // CHECK-NOT: lpu.copy
  %a = memref.alloc() : !scratch
  lpu.copy ins(%x : !lmu) outs(%a : !scratch)
  %e = memref.expand_shape %a [[0, 1]] output_shape [2, 4] : !scratch into memref<2x4xf32, #lpu.space<scratch>>
  lpu.copy ins(%e : memref<2x4xf32, #lpu.space<scratch>>) outs(%out : memref<2x4xf32, #lpu.space<arg>>)
  return
}

// -----

!arg = memref<8xf32, #lpu.space<arg>>
!lmu = memref<8xf32, #lpu.space<lmu>>
!scratch = memref<8xf32, #lpu.space<scratch>>

// A copy from HBM to HBM of what stays as it is.
// CHECK-LABEL: func.func @forward
func.func @forward(%x: !arg, %y: !lmu) {
  // CHECK-NEXT: lpu.copy ins(%arg0 : {{.*}}) outs(%arg1 :
  // CHECK-NEXT: return
  %a = memref.alloc() : !scratch
  lpu.copy ins(%x : !arg) outs(%a : !scratch)
  lpu.copy ins(%a : !scratch) outs(%y : !lmu)
  return
}

// -----

// The last user of the copy overwrites what was copied while it reads.
// CHECK-LABEL: func.func @overwrite
func.func @overwrite(%x: memref<8x4xf32, #lpu.space<arg>>, %i: memref<8xi64, #lpu.space<arg>>) {
  // CHECK: lpu.copy ins(%arg0 : {{.*}}) outs(%[[T:.+]] :
  // CHECK-NEXT: lpu.scatter {{.*}} ins(%[[T]], %arg1 : {{.*}}) outs(%arg0 :
  %t = memref.alloc() : memref<8x4xf32, #lpu.space<scratch>>
  lpu.copy ins(%x : memref<8x4xf32, #lpu.space<arg>>) outs(%t : memref<8x4xf32, #lpu.space<scratch>>)
  lpu.scatter {axis = 0 : i64} ins(%t, %i : memref<8x4xf32, #lpu.space<scratch>>, memref<8xi64, #lpu.space<arg>>)
    outs(%x : memref<8x4xf32, #lpu.space<arg>>)
  return
}
