// RUN: lpu-opt %s --lpu-verify-tiled -split-input-file -verify-diagnostics

// The same is legal as at stage 'lpu'; the message names this one.
func.func @other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.cast' is illegal at stage 'tiled': expected lpu operations, slices and reshapes of tensors, and constants}}
  %c = tensor.cast %x : tensor<4xf32> to tensor<4xf32>
  return %c : tensor<4xf32>
}
