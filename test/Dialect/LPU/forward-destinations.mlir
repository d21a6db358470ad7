// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-forward-destinations))' -split-input-file | FileCheck %s

!half = memref<4xf32>
!left = memref<4xf32, strided<[1]>>
!right = memref<4xf32, strided<[1], offset: 4>>

// Both results of a program go into one buffer: they are computed there.
// CHECK-LABEL: func.func @concat
func.func @concat(%x: !half) -> memref<8xf32> {
  // CHECK: %[[C:.+]] = memref.alloc() : memref<8xf32>
  // CHECK-DAG: %[[L:.+]] = memref.subview %[[C]][0] [4] [1]
  // CHECK-DAG: %[[R:.+]] = memref.subview %[[C]][4] [4] [1]
  // CHECK-NOT: memref.alloc
  // CHECK: lpu.vector ins(%arg0 : memref<4xf32>) outs(%[[L]], %[[R]] :
  // CHECK-NOT: lpu.copy
  // CHECK: return %[[C]]
  %a = memref.alloc() : !half
  %b = memref.alloc() : !half
  lpu.vector ins(%x : !half) outs(%a, %b : !half, !half) {
  ^bb0(%i: tensor<4xf32>, %o: tensor<4xf32>, %p: tensor<4xf32>):
    lpu.yield %i, %i : tensor<4xf32>, tensor<4xf32>
  }
  %c = memref.alloc() : memref<8xf32>
  %s = memref.subview %c[0] [4] [1] : memref<8xf32> to !left
  lpu.copy ins(%a : !half) outs(%s : !left)
  %t = memref.subview %c[4] [4] [1] : memref<8xf32> to !right
  lpu.copy ins(%b : !half) outs(%t : !right)
  return %c : memref<8xf32>
}

// -----

!half = memref<4xf32>
!even = memref<4xf32, strided<[2]>>
!odd = memref<4xf32, strided<[2], offset: 1>>

// Slices that interleave have nothing in common either, and the copy is used
// after it as well.
// CHECK-LABEL: func.func @interleaved
func.func @interleaved(%x: !half, %y: memref<4xf32>) -> memref<8xf32> {
  // CHECK-DAG: %[[E:.+]] = memref.subview %{{.+}}[0] [4] [2]
  // CHECK-DAG: %[[O:.+]] = memref.subview %{{.+}}[1] [4] [2]
  // CHECK: lpu.copy ins(%arg0 : memref<4xf32>) outs(%[[E]] :
  // CHECK: lpu.copy ins(%arg0 : memref<4xf32>) outs(%[[O]] :
  // CHECK: lpu.copy ins(%[[O]] : {{.*}}) outs(%arg1 :
  // CHECK-NOT: lpu.copy
  %c = memref.alloc() : memref<8xf32>
  %a = memref.alloc() : !half
  lpu.copy ins(%x : !half) outs(%a : !half)
  %s = memref.subview %c[0] [4] [2] : memref<8xf32> to !even
  lpu.copy ins(%a : !half) outs(%s : !even)
  %b = memref.alloc() : !half
  lpu.copy ins(%x : !half) outs(%b : !half)
  %t = memref.subview %c[1] [4] [2] : memref<8xf32> to !odd
  lpu.copy ins(%b : !half) outs(%t : !odd)
  lpu.copy ins(%b : !half) outs(%y : !half)
  return %c : memref<8xf32>
}

// -----

!half = memref<4xf32>
!left = memref<4xf32, strided<[1]>>

// The slice is written in between: the copy decides which value stays.
// CHECK-LABEL: func.func @overwritten
func.func @overwritten(%x: !half, %y: memref<8xf32>) -> memref<8xf32> {
  // CHECK-COUNT-3: lpu.copy
  %c = memref.alloc() : memref<8xf32>
  %a = memref.alloc() : !half
  lpu.copy ins(%x : !half) outs(%a : !half)
  lpu.copy ins(%y : memref<8xf32>) outs(%c : memref<8xf32>)
  %s = memref.subview %c[0] [4] [1] : memref<8xf32> to !left
  lpu.copy ins(%a : !half) outs(%s : !left)
  return %c : memref<8xf32>
}

// -----

!half = memref<4xf32>
!left = memref<4xf32, strided<[1]>>

// The source is written again after the copy.
// CHECK-LABEL: func.func @written_later
func.func @written_later(%x: !half, %y: !half) -> (memref<8xf32>, !half) {
  // CHECK-COUNT-4: lpu.copy
  %c = memref.alloc() : memref<8xf32>
  %a = memref.alloc() : !half
  lpu.copy ins(%x : !half) outs(%a : !half)
  %s = memref.subview %c[0] [4] [1] : memref<8xf32> to !left
  lpu.copy ins(%a : !half) outs(%s : !left)
  lpu.copy ins(%y : !half) outs(%a : !half)
  lpu.copy ins(%a : !half) outs(%x : !half)
  return %c, %x : memref<8xf32>, !half
}

// -----

// A copy onto itself.
// CHECK-LABEL: func.func @itself
func.func @itself(%x: memref<4xf32>) {
  // CHECK-NEXT: return
  lpu.copy ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}
