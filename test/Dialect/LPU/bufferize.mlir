// RUN: lpu-opt %s --lpu-bufferize --canonicalize -split-input-file | FileCheck %s
// RUN: lpu-opt %s --empty-tensor-to-alloc-tensor --one-shot-bufferize=bufferize-function-boundaries -split-input-file | FileCheck %s --check-prefix=UPSTREAM

// The result gets a buffer, the region stays on tensors. Upstream's pass counts
// allocations, and asks for the effects of an operation before it has its region.
// UPSTREAM-LABEL: func.func @vector
// UPSTREAM: lpu.vector ins(%{{.*}} : memref<8xf32, {{.*}}>) outs(%{{.*}} : memref<8xf32>)
// CHECK-LABEL: func.func @vector
// CHECK-SAME: (%[[X:.+]]: memref<8xf32>) -> memref<8xf32>
func.func @vector(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[E:.+]] = memref.alloc() {{.*}}: memref<8xf32>
  // CHECK: lpu.vector ins(%[[X]] : memref<8xf32>) outs(%[[E]] : memref<8xf32>)
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK: lpu.yield %[[A]] : tensor<8xf32>
  // CHECK: return %[[E]]
  %e = tensor.empty() : tensor<8xf32>
  %r = lpu.vector ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    lpu.yield %a : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A row is written into the cache itself: the result is declared as its value.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%cache: tensor<8x4xf32>, %row: tensor<1x4xf32>, %at: tensor<1xi64>)
    -> (tensor<8x4xf32> {lpu.alias = 0 : i64}) {
  // CHECK-NOT: memref.alloc
  // CHECK-NOT: lpu.copy
  // CHECK: lpu.scatter {axis = 0 : i64} ins(%arg1, %arg2 : {{.*}}) outs(%arg0 : memref<8x4xf32>)
  // CHECK: return %arg0
  %r = lpu.scatter {axis = 0 : i64} ins(%row, %at : tensor<1x4xf32>, tensor<1xi64>)
    outs(%cache : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// Without that declaration the caller's tensor must not change.
// CHECK-LABEL: func.func @not_in_place
func.func @not_in_place(%cache: tensor<8x4xf32>, %row: tensor<1x4xf32>, %at: tensor<1xi64>) -> tensor<8x4xf32> {
  // CHECK: %[[E:.+]] = memref.alloc()
  // CHECK: lpu.copy ins(%arg0 : memref<8x4xf32>) outs(%[[E]] : memref<8x4xf32>)
  // CHECK: lpu.scatter {{.*}} outs(%[[E]] : memref<8x4xf32>)
  %r = lpu.scatter {axis = 0 : i64} ins(%row, %at : tensor<1x4xf32>, tensor<1xi64>)
    outs(%cache : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// The old value is returned as well: it is saved before the row is written.
// CHECK-LABEL: func.func @old_value
func.func @old_value(%cache: tensor<8x4xf32>, %row: tensor<1x4xf32>, %at: tensor<1xi64>)
    -> (tensor<8x4xf32>, tensor<8x4xf32> {lpu.alias = 0 : i64}) {
  // CHECK: %[[E:.+]] = memref.alloc()
  // CHECK: lpu.copy ins(%arg0 : memref<8x4xf32>) outs(%[[E]] : memref<8x4xf32>)
  // CHECK: lpu.scatter {{.*}} outs(%[[E]] : memref<8x4xf32>)
  // CHECK: return %arg0, %[[E]]
  %r = lpu.scatter {axis = 0 : i64} ins(%row, %at : tensor<1x4xf32>, tensor<1xi64>)
    outs(%cache : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %cache, %r : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// Two destinations that are one empty tensor are two buffers all the same: else
// the second program would overwrite what the first one has written.
// CHECK-LABEL: func.func @destinations
func.func @destinations(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK: %[[A:.+]] = memref.alloc() {{.*}}: memref<3xf32>
  // CHECK: lpu.vector ins(%arg0 : memref<3xf32>) outs(%[[A]] : memref<3xf32>)
  // CHECK: %[[B:.+]] = memref.alloc() {{.*}}: memref<3xf32>
  // CHECK: lpu.vector ins(%[[A]] : memref<3xf32>) outs(%[[B]] : memref<3xf32>)
  // CHECK-NOT: lpu.copy
  %e = tensor.empty() : tensor<3xf32>
  %v = lpu.vector ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: tensor<3xf32>, %o: tensor<3xf32>):
    lpu.yield %a : tensor<3xf32>
  } -> tensor<3xf32>
  %w = lpu.vector ins(%v : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: tensor<3xf32>, %o: tensor<3xf32>):
    lpu.yield %a : tensor<3xf32>
  } -> tensor<3xf32>
  return %v, %w : tensor<3xf32>, tensor<3xf32>
}
