// RUN: lpu-opt %s --lpu-stamp-layers --mlir-print-debuginfo --mlir-print-local-scope -split-input-file | FileCheck %s

// Each call becomes a copy of the body, and each copy has the names of its own
// layer: those at the same place of the call's location.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8xf32>
// CHECK-SAME:    %[[A:[^:]+]]: tensor<8xf32>
// CHECK-SAME:    %[[B:[^:]+]]: tensor<8xf32>
func.func @main(%x: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[FIRST:.+]] = lpu.vector ins(%[[X]], %[[A]] :
  // CHECK:   arith.mulf {{.*}} loc("mul"("model.py":3:0))
  // CHECK:   arith.addf {{.*}} loc("add"("model.py":4:0))
  // CHECK: } -> tensor<8xf32> loc(fused["mul"("model.py":3:0), "add"("model.py":4:0)])
  %0 = call @layer_0(%x, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc(fused["mul"("model.py":3:0), "add"("model.py":4:0)])
  // CHECK: %[[SECOND:.+]] = lpu.vector ins(%[[FIRST]], %[[B]] :
  // CHECK:   arith.mulf {{.*}} loc("mul_1"("model.py":7:0))
  // CHECK:   arith.addf {{.*}} loc("add_1"("model.py":8:0))
  // CHECK: } -> tensor<8xf32> loc(fused["mul_1"("model.py":7:0), "add_1"("model.py":8:0)])
  %1 = call @layer_0(%0, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc(fused["mul_1"("model.py":7:0), "add_1"("model.py":8:0)])
  // CHECK: return %[[SECOND]]
  return %1 : tensor<8xf32>
}
// CHECK-NOT: @layer_0
func.func private @layer_0(%x: tensor<8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = lpu.vector ins(%x, %w : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: tensor<8xf32>, %v: tensor<8xf32>, %out: tensor<8xf32>):
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%in, %v : tensor<8xf32>, tensor<8xf32>) outs(%out : tensor<8xf32>) {
    ^bb0(%s: f32, %t: f32, %o: f32):
      %m = arith.mulf %s, %t : f32 loc("mul"("model.py":3:0))
      %p = arith.addf %m, %s : f32 loc("add"("model.py":4:0))
      linalg.yield %p : f32
    } -> tensor<8xf32>
    lpu.yield %0 : tensor<8xf32>
  } -> tensor<8xf32> loc(fused["mul"("model.py":3:0), "add"("model.py":4:0)])
  return %r : tensor<8xf32>
} loc(fused["mul"("model.py":3:0), "add"("model.py":4:0)])

// -----

// A result may be an operand as it is; what is not used is not returned.

// CHECK-LABEL: func.func @passing(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4xf32>
func.func @passing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0:2 = call @layer(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = call @layer(%0#1) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: return %[[X]]
  return %1#1 : tensor<4xf32>
}
func.func private @layer(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  return %e, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// A layer inside a layer; a public function stays. The locations that do not
// correspond say where the call is.

// CHECK-LABEL: func.func @nested(
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.+]] = tensor.empty() : tensor<4xf32> loc(callsite(callsite("inner" at "middle") at "first"))
  // CHECK: %[[B:.+]] = tensor.empty() : tensor<4xf32> loc(callsite(callsite("inner" at "middle") at "second"))
  %0 = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("first")
  %1 = call @outer(%0) : (tensor<4xf32>) -> tensor<4xf32> loc("second")
  // CHECK: return %[[B]]
  return %1 : tensor<4xf32>
}
// CHECK: func.func @outer
// CHECK-NOT: @inner
func.func @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("middle")
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32> loc("inner")
  return %e : tensor<4xf32>
}

// -----

// A slice of what was concatenated outside is one of the part.

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[A:[^:]+]]: tensor<4xf32>
// CHECK-SAME:    %[[B:[^:]+]]: tensor<4xf32>
func.func @parts(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[E:.+]] = tensor.empty() : tensor<8xf32>
  // CHECK: %[[LOW:.+]] = tensor.insert_slice %[[A]] into %[[E]][0]
  // CHECK: %[[BOTH:.+]] = tensor.insert_slice %[[B]] into %[[LOW]][4]
  %e = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %a into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %b into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  // CHECK: tensor.extract_slice %[[LOW]][0] [4] [1]
  // CHECK: tensor.extract_slice %[[BOTH]][2] [4] [1]
  %2:2 = call @split(%1) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %2#0, %2#1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @split(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What has no body is not a layer.

// CHECK-LABEL: func.func @declared(
func.func @declared(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: call @elsewhere
  %0 = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func.func private @elsewhere
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
