// RUN: lpu-opt %s --lpu-decompose-tensor-ops -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<3xf32>) -> tensor<5xf32> {
  // CHECK: %[[F:.+]] = linalg.fill
  // CHECK: tensor.insert_slice %arg0 into %[[F]][1] [3] [1]
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<5xf32>
  return %p : tensor<5xf32>
}

// -----

// Named operations become generics, fills stay.
// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.fill
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.matmul
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.matmul ins(%x, %w : tensor<2x4xf32>, tensor<4x3xf32>) outs(%f : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// Top-k: values and positions are sorted together, the first k are kept.
// CHECK-LABEL: func.func @topk
func.func @topk(%x: tensor<8xf32>, %v: tensor<3xf32>, %p: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xi64>) {
  // CHECK: %[[POSITIONS:.+]] = linalg.generic
  // CHECK: linalg.index 0
  // CHECK: %[[S:.+]]:2 = tm_tensor.sort dimension(0) outs(%arg0, %[[POSITIONS]] : tensor<8xf32>, tensor<8xi64>)
  // CHECK-NEXT: ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: i64, %{{.+}}: i64):
  // CHECK-NEXT: arith.cmpf ogt, %[[A]], %[[B]] : f32
  // CHECK: tensor.extract_slice %[[S]]#0[0] [3] [1]
  // CHECK: tensor.extract_slice %[[S]]#1[0] [3] [1]
  %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<8xf32>) outs(%v, %p : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi64>
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi64>
}

// -----

// Nothing to compute.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0x2xf32>) -> tensor<0xf32> {
  // CHECK-NEXT: %[[E:.+]] = tensor.empty() : tensor<0xf32>
  // CHECK-NEXT: return %[[E]]
  %e = tensor.empty() : tensor<0xf32>
  %r = linalg.reduce ins(%x : tensor<0x2xf32>) outs(%e : tensor<0xf32>) dimensions = [1]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r : tensor<0xf32>
}

// -----

// Bits that are read as another type.
func.func private @lpu.bitcast_0(tensor<4xf32>) -> tensor<4xi32> attributes {lpu.op = "bitcast"}
// CHECK-LABEL: func.func @bitcast
func.func @bitcast(%x: tensor<4xf32>) -> tensor<4xi32> {
  // CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
  // CHECK: arith.bitcast %{{.+}} : f32 to i32
  %r = call @lpu.bitcast_0(%x) : (tensor<4xf32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

// Of another size it is left to the verifier of the stage.
func.func private @lpu.bitcast_0(tensor<4xf32>) -> tensor<4xi16> attributes {lpu.op = "bitcast"}
// CHECK-LABEL: func.func @bitcast_narrower
func.func @bitcast_narrower(%x: tensor<4xf32>) -> tensor<4xi16> {
  // CHECK: call @lpu.bitcast_0
  %r = call @lpu.bitcast_0(%x) : (tensor<4xf32>) -> tensor<4xi16>
  return %r : tensor<4xi16>
}

// -----

#window = affine_map<(i, j) -> (2 * i + j)>
#id = affine_map<(i, j) -> (i, j)>

// A window that has one place is a slice.
// CHECK-LABEL: func.func @onePlace
func.func @onePlace(%x: tensor<5xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[SLICE:.+]] = tensor.extract_slice %arg0[0] [4] [1] : tensor<5xf32> to tensor<4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SLICE]] : tensor<4xf32>)
  %e = tensor.empty() : tensor<1x4xf32>
  %r = linalg.generic {indexing_maps = [#window, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<5xf32>) outs(%e : tensor<1x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %n = arith.negf %i : f32
    linalg.yield %n : f32
  } -> tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}
