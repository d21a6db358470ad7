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

// -----

func.func @scan_operands(%x: tensor<8xf32>) {
  // expected-error @below {{expected one input, an output and an accumulator}}
  %0 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @scan_output(%x: tensor<8xf32>, %y: tensor<7xf32>, %z: tensor<f32>) {
  // expected-error @below {{has an output of another type than its input}}
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<8xf32>) outs(%y, %z : tensor<7xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<7xf32>, tensor<f32>
  return
}

// -----

func.func @scatter_operands(%x: tensor<8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{expected updates, indices and one output}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
    ins(%i : tensor<3x1xi64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @scatter_updates(%x: tensor<8xf32>, %u: tensor<3x8x8xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{has updates of 'tensor<3x8x8xf32>' for 'tensor<8xf32>'}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true)
    ins(%u, %i : tensor<3x8x8xf32>, tensor<3x1xi64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @scatter_map(%x: tensor<8xf32>, %u: tensor<3xf32>, %i: tensor<3x1xi64>) {
  // expected-error @below {{has dimension_map entry 1; expected one below rank 1}}
  %0 = tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(true)
    ins(%u, %i : tensor<3xf32>, tensor<3x1xi64>) outs(%x : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<8xf32>
  return
}

// -----

func.func @sort() {
  // expected-error @below {{has no operand}}
  "tm_tensor.sort"() <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
    tm_tensor.yield
  }) : () -> ()
  return
}

// -----

func.func @topk(%x: tensor<8xf32>, %v: tensor<3xf32>) {
  // expected-error @below {{expected outputs for values and positions}}
  %0 = tm_tensor.topk dimension(0) ins(%x : tensor<8xf32>) outs(%v : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>
  return
}

// -----

func.func @attention(%q: tensor<4x1x16xf32>) {
  // expected-error @below {{expected q, k, v, an optional mask, and one output}}
  %0 = tm_tensor.attention ins(%q, %q : tensor<4x1x16xf32>, tensor<4x1x16xf32>) outs(%q : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
  return
}
