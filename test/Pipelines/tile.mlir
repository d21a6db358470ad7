// RUN: lpu-opt %s --lpu-pipeline="from=lpu to=buffer" | FileCheck %s
// RUN: lpu-opt %s --lpu-pipeline="from=lpu to=buffer" | FileCheck %s --check-prefix=COPIES
// RUN: lpu-opt %s --lpu-pipeline="from=lpu to=buffer disable=tile" | FileCheck %s --check-prefix=UNTILED

// Tiles are computed where they belong in the whole: each operand is copied to
// the chip once, and the result, which fits there alone, goes out at the end.

module attributes {lpu.machine = #lpu.machine<{base = "tiny", lmu_bytes = 4096 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: %[[X:.+]]: memref<24x16xf32, #lpu.space<arg>>, %{{.+}}: memref<32x16xf32, #lpu.space<arg>>, %[[OUT:.+]]: memref<24x32xf32
  // CHECK: %[[WHOLE:.+]] = memref.alloc() {{.*}} : memref<24x32xf32, #lpu.space<lmu>>
  // CHECK: %[[X0:.+]] = memref.subview %[[X]][0, 0] [4, 16]
  // CHECK: lpu.copy ins(%[[X0]] : {{.*}}) outs(%[[S0:.+]] : memref<4x16xf32, #lpu.space<lmu>>)
  // CHECK-NEXT: lpu.contract {{.*}} ins(%[[S0]], %{{.*}}) outs(%[[H0:.+]] : memref<4x32xf32, #lpu.space<lmu>>)
  // CHECK: lpu.contract
  // CHECK: %[[R0:.+]] = memref.subview %[[WHOLE]][0, 0] [4, 32]
  // CHECK: lpu.vector ins(%[[H0]] : memref<4x32xf32, #lpu.space<lmu>>) outs(%[[R0]]
  // CHECK: lpu.copy ins(%[[WHOLE]] : {{.*}}) outs(%[[OUT]]

  // COPIES-COUNT-7: lpu.copy
  // COPIES-NOT: lpu.copy

  // UNTILED: lpu.vector ins(%{{.*}} : memref<24x32xf32, #lpu.space<{{.*}}>>)
  func.func @main(%x: tensor<24x16xf32>, %w: tensor<32x16xf32>) -> tensor<24x32xf32> {
    %e = tensor.empty() : tensor<24x32xf32>
    %h = lpu.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%x, %w : tensor<24x16xf32>, tensor<32x16xf32>) outs(%e : tensor<24x32xf32>) -> tensor<24x32xf32>
    %r = lpu.vector ins(%h : tensor<24x32xf32>) outs(%e : tensor<24x32xf32>) {
    ^bb0(%a: tensor<24x32xf32>, %o: tensor<24x32xf32>):
      %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<24x32xf32>) outs(%o : tensor<24x32xf32>) {
      ^bb1(%v: f32, %u: f32):
        %m = math.absf %v : f32
        linalg.yield %m : f32
      } -> tensor<24x32xf32>
      lpu.yield %t : tensor<24x32xf32>
    } -> tensor<24x32xf32>
    return %r : tensor<24x32xf32>
  }
}
