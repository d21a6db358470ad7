// RUN: lpu-opt %s --lpu-verify-lpu -split-input-file -verify-diagnostics

// expected-error @below {{'func.func' is illegal at stage 'lpu': the machine takes no 'tensor<4xf64>'}}
func.func @argument(%x: tensor<4xf64>) -> tensor<4xf64> {
  return %x : tensor<4xf64>
}

// -----

// expected-error @below {{'func.func' is illegal at stage 'lpu': the machine takes no 'i64'}}
func.func @scalar(%x: i64) {
  return
}

// -----

// expected-error @below {{the machine takes no 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) {
  return
}

// -----

func.func @complex(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.empty' is illegal at stage 'lpu': the machine has no type 'complex<f32>'}}
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  return %x : tensor<4xf32>
}

// -----

func.func @f64_inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = lpu.vector outs(%x : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{'arith.constant' is illegal at stage 'lpu': the machine has no type 'f64'}}
    %c = arith.constant 0.1 : f64
    lpu.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @other_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tensor.pad' is illegal at stage 'lpu': expected lpu operations, slices and reshapes of tensors, and constants}}
  %p = tensor.pad %x low[0] high[0] {
  ^bb0(%i: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %p : tensor<4xf32>
}

// -----

func.func @inside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = lpu.vector outs(%x : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    // expected-error @below {{'tensor.cast' is illegal at stage 'lpu': expected linalg, tm_tensor, arith or math operations inside 'lpu.vector'}}
    %c = tensor.cast %o : tensor<4xf32> to tensor<4xf32>
    lpu.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' is illegal at stage 'lpu': no call to 'f' can be compiled; functions that stand for an operation carry 'lpu.op'}}
func.func private @f(tensor<4xf32>)

// -----

func.func @size(%x: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.constant 4 : index
  // expected-error @below {{'tensor.empty' is illegal at stage 'lpu': 'tensor<?xf32>' has no static shape}}
  %e = tensor.empty(%n) : tensor<?xf32>
  return %x : tensor<4xf32>
}

// -----

// Tiles come a stage later.
func.func @whole() -> tensor<4xf32> {
  // expected-error @below {{'bufferization.alloc_tensor' is illegal at stage 'lpu': expected lpu operations, slices and reshapes of tensors, and constants}}
  %e = bufferization.alloc_tensor() : tensor<4xf32>
  return %e : tensor<4xf32>
}
