// RUN: lpu-opt %s --lpu-tie-results -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @output
// CHECK-SAME: %[[OUT:[^ ]+]]: memref<8xf32> {lpu.output}
// CHECK-SAME: lpu.results = [{argument = 1 : i64, type = tensor<8xf32>}]
func.func @output(%x: memref<8xf32>) -> memref<8xf32> {
  // CHECK: %[[R:.+]] = memref.alloc()
  // CHECK: lpu.copy ins(%[[R]] : memref<8xf32>) outs(%[[OUT]] : memref<8xf32>)
  // CHECK-NEXT: return
  %r = memref.alloc() : memref<8xf32>
  return %r : memref<8xf32>
}

// -----

// Already in place, seen through reshapes.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: lpu.results = [{alias, argument = 0 : i64, name = "cache", type = tensor<8xf32>}]
func.func @in_place(%x: memref<8xf32>) -> (memref<8xf32> {lpu.alias = 0 : i64, lpu.name = "cache"}) {
  // CHECK-NOT: lpu.copy
  %e = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  %c = memref.collapse_shape %e [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  return %c : memref<8xf32>
}

// -----

// A swap goes through a temporary.
// CHECK-LABEL: func.func @swap
func.func @swap(%x: memref<8xf32>, %y: memref<8xf32>)
    -> (memref<8xf32> {lpu.alias = 0 : i64}, memref<8xf32> {lpu.alias = 1 : i64}) {
  // CHECK: %[[T:.+]] = memref.alloc() : memref<8xf32>
  // CHECK-NEXT: lpu.copy ins(%arg1 : memref<8xf32>) outs(%[[T]] : memref<8xf32>)
  // CHECK-NEXT: lpu.copy ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
  // CHECK-NEXT: lpu.copy ins(%[[T]] : memref<8xf32>) outs(%arg0 : memref<8xf32>)
  // CHECK-NEXT: return
  return %y, %x : memref<8xf32>, memref<8xf32>
}

// -----

// A chain needs none, but the right order: x is read before it is overwritten.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>)
    -> (memref<8xf32> {lpu.alias = 0 : i64}, memref<8xf32> {lpu.alias = 1 : i64}) {
  // CHECK-NEXT: lpu.copy ins(%arg0 : memref<8xf32>) outs(%arg1 : memref<8xf32>)
  // CHECK-NEXT: lpu.copy ins(%arg2 : memref<8xf32>) outs(%arg0 : memref<8xf32>)
  // CHECK-NEXT: return
  return %z, %x : memref<8xf32>, memref<8xf32>
}

// -----

// The new value is a part of the old one in another order: it overlaps itself.
// CHECK-LABEL: func.func @itself
func.func @itself(%x: memref<4x4xf32>) -> (memref<4x4xf32, strided<[1, 4]>> {lpu.alias = 0 : i64}) {
  // CHECK: %[[V:.+]] = memref.transpose
  // CHECK: %[[T:.+]] = memref.alloc() : memref<4x4xf32>
  // CHECK-NEXT: lpu.copy ins(%[[V]] : {{.*}}) outs(%[[T]] : memref<4x4xf32>)
  // CHECK-NEXT: lpu.copy ins(%[[T]] : memref<4x4xf32>) outs(%arg0 : memref<4x4xf32>)
  %t = memref.transpose %x (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  return %t : memref<4x4xf32, strided<[1, 4]>>
}

// -----

// An input returned unchanged, twice, while a third result overwrites it.
// CHECK-LABEL: func.func @twice
func.func @twice(%x: memref<8xf32>, %y: memref<8xf32>)
    -> (memref<8xf32>, memref<8xf32>, memref<8xf32> {lpu.alias = 0 : i64}) {
  // CHECK-NEXT: lpu.copy ins(%arg0 : {{.*}}) outs(%arg2 :
  // CHECK-NEXT: lpu.copy ins(%arg0 : {{.*}}) outs(%arg3 :
  // CHECK-NEXT: lpu.copy ins(%arg1 : {{.*}}) outs(%arg0 :
  return %x, %x, %y : memref<8xf32>, memref<8xf32>, memref<8xf32>
}

// -----

// A constant.
// CHECK-LABEL: func.func @constant
memref.global "private" constant @c : memref<2xf32> = dense<[1.0, 2.0]>
func.func @constant() -> memref<2xf32> {
  // CHECK: %[[C:.+]] = memref.get_global @c
  // CHECK: lpu.copy ins(%[[C]] : memref<2xf32>) outs(%arg0 : memref<2xf32>)
  %c = memref.get_global @c : memref<2xf32>
  return %c : memref<2xf32>
}
