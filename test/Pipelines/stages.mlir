// RUN: lpu-opt %s --lpu-pipeline="to=lpu machine=tiny" -o %t.lpu.mlir
// RUN: FileCheck %s --check-prefix=LPU < %t.lpu.mlir
// RUN: lpu-opt %t.lpu.mlir --lpu-pipeline="from=lpu to=alloc" -o %t.alloc.mlir
// RUN: FileCheck %s --check-prefix=ALLOC < %t.alloc.mlir
// RUN: lpu-opt %t.alloc.mlir --lpu-pipeline="from=alloc to=isa" | FileCheck %s --check-prefix=ISA
// RUN: lpu-opt %s --lpu-pipeline="from=linalg to=isa machine=tiny" | FileCheck %s --check-prefix=ISA

// A linear layer and an activation, stage by stage; a pipeline may stop at any
// stage and go on from there.

#map = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>
#tr = affine_map<(i, j) -> (j, i)>

// LPU: lpu.contract {{.*}} zero_init} ins(%arg0, %arg1 : tensor<2x8xf32>, tensor<4x8xf32>)
// LPU-SAME: epilogue(%arg2
// LPU: arith.addf
// LPU: arith.maximumf

// ALLOC: func.func @main({{.*}}memref<2x4xf32, #lpu.space<arg>> {lpu.output}
// ALLOC: memref.alloc() {{.*}}lpu.address
// ALLOC: lpu.copy ins(%arg0
// ALLOC: lpu.contract {{.*}} memref<4x8xf32, #lpu.space<arg>>) {{.*}} epilogue
// ALLOC: lpu.copy ins(%{{.*}}) outs(%arg3

// ISA: lpuisa.program @main
// ISA: lpuisa.stream
// ISA: lpuisa.mm
// ISA: lpuisa.vec
// ISA: lpuisa.halt
func.func @main(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e0 : tensor<8x4xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<2x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %m = linalg.matmul ins(%x, %t : tensor<2x8xf32>, tensor<8x4xf32>) outs(%z : tensor<2x4xf32>) -> tensor<2x4xf32>
  %a = linalg.generic {indexing_maps = [#map, #bias, #map], iterator_types = ["parallel", "parallel"]}
    ins(%m, %b : tensor<2x4xf32>, tensor<4xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.maximumf %i, %zero : f32
    linalg.yield %s : f32
  } -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
