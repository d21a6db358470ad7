// RUN: lpu-opt %s --lpu-schedule-positions --split-input-file | FileCheck %s

// What makes the mask and its length comes first, in its old order.

// CHECK-LABEL: func.func @early
// CHECK-NEXT:    tensor.empty() : tensor<1xi64>
// CHECK-NEXT:    lpu.gather
// CHECK-NEXT:    lpu.copy
// CHECK-NEXT:    lpu.contract
// CHECK-NEXT:    lpu.attention
func.func @early(%at: tensor<1xi64>, %table: tensor<8xi64>, %x: tensor<1x4x1x64xf32>, %w: tensor<64x64xf32>,
                 %k: tensor<1x4x2048x64xf32>) -> tensor<1x4x1x64xf32> {
  %q = lpu.contract {indexing_maps = [affine_map<(h, n, k) -> (0, h, 0, k)>, affine_map<(h, n, k) -> (n, k)>,
                                      affine_map<(h, n, k) -> (0, h, 0, n)>],
                     iterator_types = ["parallel", "parallel", "reduction"], zero_init}
    ins(%x, %w : tensor<1x4x1x64xf32>, tensor<64x64xf32>) outs(%x : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %e = tensor.empty() : tensor<1xi64>
  %i = lpu.gather {axis = 0 : i64} ins(%table, %at : tensor<8xi64>, tensor<1xi64>) outs(%at : tensor<1xi64>) -> tensor<1xi64>
  %n = lpu.copy ins(%i : tensor<1xi64>) outs(%e : tensor<1xi64>) -> tensor<1xi64>
  %0 = lpu.attention {scale = 0.125 : f32} ins(%q, %k, %k : tensor<1x4x1x64xf32>, tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>)
    length(%n : tensor<1xi64>) outs(%x : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %0 : tensor<1x4x1x64xf32>
}

// -----

// A length that waits for the matrix unit stays where it is.

// CHECK-LABEL: func.func @late
// CHECK-NEXT:    lpu.copy
// CHECK-NEXT:    lpu.attention
// CHECK-NEXT:    lpu.vector
// CHECK:         lpu.attention
func.func @late(%m: tensor<1xi64>, %c: tensor<1xi64>, %q: tensor<1x4x1x64xf32>, %k: tensor<1x4x2048x64xf32>) -> tensor<1x4x1x64xf32> {
  %0 = lpu.copy ins(%m : tensor<1xi64>) outs(%c : tensor<1xi64>) -> tensor<1xi64>
  %1 = lpu.attention {scale = 0.125 : f32} ins(%q, %k, %k : tensor<1x4x1x64xf32>, tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %n = lpu.vector ins(%1, %0 : tensor<1x4x1x64xf32>, tensor<1xi64>) outs(%c : tensor<1xi64>) {
  ^bb0(%a: tensor<1x4x1x64xf32>, %i: tensor<1xi64>, %o: tensor<1xi64>):
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (0, 0, 0, 0)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %i : tensor<1x4x1x64xf32>, tensor<1xi64>) outs(%o : tensor<1xi64>) {
    ^bb1(%f: f32, %j: i64, %old: i64):
      %t = arith.fptosi %f : f32 to i64
      %s = arith.addi %t, %j : i64
      linalg.yield %s : i64
    } -> tensor<1xi64>
    lpu.yield %r : tensor<1xi64>
  } -> tensor<1xi64>
  %2 = lpu.attention {scale = 0.125 : f32} ins(%1, %k, %k : tensor<1x4x1x64xf32>, tensor<1x4x2048x64xf32>, tensor<1x4x2048x64xf32>)
    length(%n : tensor<1xi64>) outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %2 : tensor<1x4x1x64xf32>
}

// -----

// An index goes along, unless it is large: a machine of 16 KiB gives 1 KiB.

// CHECK-LABEL: func.func @index
// CHECK-NEXT:    lpu.copy ins(%{{.+}} : tensor<2xi64>)
// CHECK-NEXT:    lpu.copy ins(%{{.+}} : tensor<8x16xf32>)
// CHECK-NEXT:    lpu.scatter
// CHECK-NEXT:    lpu.copy ins(%{{.+}} : tensor<200xi64>)
// CHECK-NEXT:    lpu.gather
module attributes {lpu.machine = #lpu.machine<{base = "tiny"}>} {
  func.func @index(%at: tensor<2xi64>, %many: tensor<200xi64>, %x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %rows: tensor<2x16xf32>,
                   %out: tensor<200x16xf32>) -> tensor<200x16xf32> {
    %0 = lpu.copy ins(%x : tensor<8x16xf32>) outs(%y : tensor<8x16xf32>) -> tensor<8x16xf32>
    %i = lpu.copy ins(%at : tensor<2xi64>) outs(%at : tensor<2xi64>) -> tensor<2xi64>
    %1 = lpu.scatter {axis = 0 : i64} ins(%rows, %i : tensor<2x16xf32>, tensor<2xi64>) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
    %j = lpu.copy ins(%many : tensor<200xi64>) outs(%many : tensor<200xi64>) -> tensor<200xi64>
    %2 = lpu.gather {axis = 0 : i64} ins(%1, %j : tensor<8x16xf32>, tensor<200xi64>) outs(%out : tensor<200x16xf32>) -> tensor<200x16xf32>
    return %2 : tensor<200x16xf32>
  }
}
