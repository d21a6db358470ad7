// RUN: lpu-opt %s --lpu-verify-tiled -split-input-file -verify-diagnostics

// What is legal is what is legal at stage 'lpu'; the message names this one.
func.func @other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'arith.addf' is illegal at stage 'tiled': expected lpu operations, slices and reshapes of tensors, and constants}}
  %c = arith.addf %x, %x : tensor<4xf32>
  return %c : tensor<4xf32>
}
