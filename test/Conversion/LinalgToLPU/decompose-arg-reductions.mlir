// RUN: lpu-opt %s --lpu-decompose-arg-reductions -split-input-file | FileCheck %s

#in = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The maximum, then the first position that holds it.
// CHECK-LABEL: func.func @argmax
func.func @argmax(%x: tensor<8x100xf32>, %e: tensor<8xf32>, %p: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>) {
  // CHECK: %[[M:.+]] = linalg.generic {{.*}} ins(%arg0 : tensor<8x100xf32>)
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: arith.maximumf
  // CHECK: %[[I:.+]] = linalg.generic {{.*}} ins(%arg0, %[[M]] : tensor<8x100xf32>, tensor<8xf32>)
  // CHECK-DAG: linalg.index 1
  // CHECK-DAG: arith.cmpf oeq
  // CHECK-DAG: arith.cmpf uno
  // CHECK: arith.minsi
  // CHECK: return %[[M]], %[[I]]
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %m0 = linalg.fill ins(%lowest : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p0 = linalg.fill ins(%zero : i64) outs(%p : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [#in, #row, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<8x100xf32>) outs(%m0, %p0 : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %max : f32
    %c = arith.cmpf ogt, %in, %max : f32
    %i = arith.select %c, %here, %at : i64
    linalg.yield %m, %i : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xi64>
}

// -----

#in = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The last position (`oge`) is another function: it stays as it is.
// CHECK-LABEL: func.func @last
func.func @last(%x: tensor<8x100xf32>, %e: tensor<8xf32>, %p: tensor<8xi64>) -> tensor<8xi64> {
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.generic
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %m0 = linalg.fill ins(%lowest : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p0 = linalg.fill ins(%zero : i64) outs(%p : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [#in, #row, #row], iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<8x100xf32>) outs(%m0, %p0 : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %max: f32, %at: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %max : f32
    %c = arith.cmpf oge, %in, %max : f32
    %i = arith.select %c, %here, %at : i64
    linalg.yield %m, %i : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#1 : tensor<8xi64>
}
