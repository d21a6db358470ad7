// RUN: lpu-opt %s --canonicalize -split-input-file | FileCheck %s

// An input that stands twice is loaded once; one that is not used, not at all.
// CHECK-LABEL: func.func @inputs
func.func @inputs(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // CHECK: lpu.vector ins(%arg0 : tensor<8xf32>) outs(
  // CHECK-NEXT: ^bb0(%[[A:.+]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
  // CHECK: ins(%[[A]], %[[A]] : tensor<8xf32>, tensor<8xf32>)
  %r = lpu.vector ins(%x, %y, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %o: tensor<8xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
      ins(%a, %c : tensor<8xf32>, tensor<8xf32>) outs(%o : tensor<8xf32>) {
    ^bb1(%l: f32, %r: f32, %u: f32):
      %t = arith.addf %l, %r : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    lpu.yield %s : tensor<8xf32>
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
