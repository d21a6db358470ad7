// RUN: lpu-opt %s -split-input-file -verify-diagnostics

func.func @scan(%x: tensor<8xf32>, %z: tensor<f32>) {
  // expected-error @below {{has dimension 1; expected one below rank 1}}
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<8xf32>) outs(%x, %z : tensor<8xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @scatter(%x: tensor<8xf32>, %u: tensor<3xf32>, %i: tensor<3x2xi64>) {
  // expected-error @below {{has indices of 'tensor<3x2xi64>'; expected [updates, 1]}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
    ins(%u, %i : tensor<3xf32>, tensor<3x2xi64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return
}
