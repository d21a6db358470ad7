// RUN: lpu-opt %s --lpu-sink-scalars -split-input-file | FileCheck %s

// A scalar read from a tensor, and what is computed from it.
// CHECK-LABEL: func.func @captured
func.func @captured(%x: tensor<8xf32>, %t: tensor<f32>) -> tensor<8xf32> {
  // CHECK: linalg.generic
  // CHECK: ^bb0
  // CHECK-NEXT: %[[S:.+]] = tensor.extract %arg1[] : tensor<f32>
  // CHECK-NEXT: %[[D:.+]] = arith.addf %[[S]], %[[S]] : f32
  // CHECK-NEXT: arith.mulf %{{.*}}, %[[D]] : f32
  %s = tensor.extract %t[] : tensor<f32>
  %d = arith.addf %s, %s : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %d : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A scalar operand is captured like any other scalar.
// CHECK-LABEL: func.func @operand
func.func @operand(%t: tensor<f32>) -> tensor<8xf32> {
  // CHECK: linalg.generic {{.*}} outs(
  // CHECK-NEXT: ^bb0(%{{.*}}: f32):
  // CHECK-NEXT: %[[S:.+]] = tensor.extract %arg0[]
  // CHECK-NEXT: linalg.yield %[[S]]
  %s = tensor.extract %t[] : tensor<f32>
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : f32) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @from_elements
func.func @from_elements(%t: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: linalg.generic
  // CHECK: linalg.index 0
  // CHECK: arith.select
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %t[%c1] : tensor<2xf32>
  %b = tensor.extract %t[%c0] : tensor<2xf32>
  %r = tensor.from_elements %a, %b : tensor<2xf32>
  return %r : tensor<2xf32>
}
