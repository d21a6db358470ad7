// RUN: lpu-opt %s --pass-pipeline='builtin.module(func.func(lpu-tile))' | FileCheck %s

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // 2 * 2048 * 4 bytes are 16384; the on-chip memory holds 4096.
  // CHECK: lpu.vector {lpu.exceeds_lmu = 12288 : i64} ins(%arg0
  // CHECK: lpu.vector ins(%arg1
  func.func @main(%x: tensor<2048xf32>, %y: tensor<16xf32>) -> (tensor<2048xf32>, tensor<16xf32>) {
    %e = tensor.empty() : tensor<2048xf32>
    %r = lpu.vector ins(%x : tensor<2048xf32>) outs(%e : tensor<2048xf32>) {
    ^bb0(%a: tensor<2048xf32>, %o: tensor<2048xf32>):
      lpu.yield %a : tensor<2048xf32>
    } -> tensor<2048xf32>
    %f = tensor.empty() : tensor<16xf32>
    %s = lpu.vector ins(%y : tensor<16xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%a: tensor<16xf32>, %o: tensor<16xf32>):
      lpu.yield %a : tensor<16xf32>
    } -> tensor<16xf32>
    return %r, %s : tensor<2048xf32>, tensor<16xf32>
  }
}
