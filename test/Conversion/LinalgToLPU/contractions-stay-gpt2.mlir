// RUN: lpu-opt %s --lpu-pipeline="to=lpu" | FileCheck %s \
// RUN:   --implicit-check-not=lpu.contract \
// RUN:   --implicit-check-not='linalg.generic{{.*}}"reduction"{{.*}} ins(%{{[^ :]+}}, '

// A layer of GPT-2 as torch-mlir writes it, over three positions. Whatever is
// fused, each of its contractions is one lpu.contract: the projection to q, k
// and v, that of the heads, two of the MLP and the head. None is inside a
// vector program, where only norms reduce, one operand each.

// CHECK-COUNT-5: lpu.contract

#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, 0)>
#map5 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, 0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, 0, 0, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map12 = affine_map<(d0, d1, d2) -> (d2)>
#map13 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<1x3xi64> {lpu.name = "ids"}, %arg1: tensor<10x8xf32> {lpu.name = "model.transformer.wte.weight"}, %arg2: tensor<16x8xf32> {lpu.name = "model.transformer.wpe.weight"}, %arg3: tensor<8xf32> {lpu.name = "model.transformer.h.0.ln_1.weight"}, %arg4: tensor<8xf32> {lpu.name = "model.transformer.h.0.ln_1.bias"}, %arg5: tensor<24xf32> {lpu.name = "model.transformer.h.0.attn.c_attn.bias"}, %arg6: tensor<8x24xf32> {lpu.name = "model.transformer.h.0.attn.c_attn.weight"}, %arg7: tensor<8xf32> {lpu.name = "model.transformer.h.0.attn.c_proj.bias"}, %arg8: tensor<8x8xf32> {lpu.name = "model.transformer.h.0.attn.c_proj.weight"}, %arg9: tensor<8xf32> {lpu.name = "model.transformer.h.0.ln_2.weight"}, %arg10: tensor<8xf32> {lpu.name = "model.transformer.h.0.ln_2.bias"}, %arg11: tensor<32xf32> {lpu.name = "model.transformer.h.0.mlp.c_fc.bias"}, %arg12: tensor<8x32xf32> {lpu.name = "model.transformer.h.0.mlp.c_fc.weight"}, %arg13: tensor<8xf32> {lpu.name = "model.transformer.h.0.mlp.c_proj.bias"}, %arg14: tensor<32x8xf32> {lpu.name = "model.transformer.h.0.mlp.c_proj.weight"}, %arg15: tensor<8xf32> {lpu.name = "model.transformer.ln_f.weight"}, %arg16: tensor<8xf32> {lpu.name = "model.transformer.ln_f.bias"}) -> (tensor<1x3x10xf32> {lpu.name = "view_16"}) {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c3_i64 = arith.constant 3 : i64
    %c10 = arith.constant 10 : index
    %c16 = arith.constant 16 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<true> : tensor<i1>
    %cst_1 = arith.constant 0.79788456080286541 : f64
    %cst_2 = arith.constant 4.471500e-02 : f64
    %cst_3 = arith.constant 1.000000e-05 : f64
    %cst_4 = arith.constant 8.000000e+00 : f32
    %cst_5 = arith.constant 5.000000e-01 : f32
    %cst_6 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x3x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3xi64>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %103 = arith.index_cast %in : i64 to index
      %104 = linalg.index 2 : index
      %105 = arith.cmpi slt, %103, %c10 : index
      cf.assert %105, "index must be smaller than dim size"
      %106 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %106, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%103, %104] : tensor<10x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x3x8xf32>
    %2 = tensor.empty() : tensor<3xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %103 = linalg.index 0 : index
      %104 = arith.index_cast %103 : index to i64
      linalg.yield %104 : i64
    } -> tensor<3xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [1, 3] : tensor<3xi64> into tensor<1x3xi64>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x3xi64>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %103 = arith.index_cast %in : i64 to index
      %104 = linalg.index 2 : index
      %105 = arith.cmpi slt, %103, %c16 : index
      cf.assert %105, "index must be smaller than dim size"
      %106 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %106, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%103, %104] : tensor<16x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x3x8xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %4 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0] [1, 1] [1, 1] : tensor<1x3xi64> to tensor<1x1xi64>
    %6 = tensor.empty() : tensor<1x1xi64>
    %7 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<1x1xi64>) outs(%6 : tensor<1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %103 = arith.subi %in, %c1_i64 : i64
      linalg.yield %103 : i64
    } -> tensor<1x1xi64>
    %concat = tensor.concat dim(1) %7, %expanded : (tensor<1x1xi64>, tensor<1x3xi64>) -> tensor<1x4xi64>
    %extracted_slice_7 = tensor.extract_slice %concat[0, 0] [1, 3] [1, 1] : tensor<1x4xi64> to tensor<1x3xi64>
    %extracted_slice_8 = tensor.extract_slice %concat[0, 1] [1, 3] [1, 1] : tensor<1x4xi64> to tensor<1x3xi64>
    %8 = tensor.empty() : tensor<1x3xi64>
    %9 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_8, %extracted_slice_7 : tensor<1x3xi64>, tensor<1x3xi64>) outs(%8 : tensor<1x3xi64>) {
    ^bb0(%in: i64, %in_37: i64, %out: i64):
      %103 = arith.subi %in, %in_37 : i64
      linalg.yield %103 : i64
    } -> tensor<1x3xi64>
    %10 = tensor.empty() : tensor<1x3xi1>
    %11 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<1x3xi64>) outs(%10 : tensor<1x3xi1>) {
    ^bb0(%in: i64, %out: i1):
      %103 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %103 : i1
    } -> tensor<1x3xi1>
    %12 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<1x3xi1>) outs(%8 : tensor<1x3xi64>) {
    ^bb0(%in: i1, %out: i64):
      %103 = arith.extui %in : i1 to i64
      linalg.yield %103 : i64
    } -> tensor<1x3xi64>
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%8 : tensor<1x3xi64>) -> tensor<1x3xi64>
    %14 = tensor.empty() : tensor<1xi64>
    %15 = linalg.fill ins(%c0_i64 : i64) outs(%14 : tensor<1xi64>) -> tensor<1xi64>
    %16:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%12 : tensor<1x3xi64>) outs(%13, %15 : tensor<1x3xi64>, tensor<1xi64>) {
    ^bb0(%arg17: i64, %arg18: i64):
      %103 = arith.addi %arg17, %arg18 : i64
      tm_tensor.yield %103 : i64
    } -> tensor<1x3xi64>, tensor<1xi64>
    %17 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%14 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_9 = tensor.expand_shape %17 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %expanded_10 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 3, 1] : tensor<3xi64> into tensor<1x1x3x1xi64>
    %expanded_11 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 3] : tensor<3xi64> into tensor<1x1x1x3xi64>
    %18 = tensor.empty() : tensor<1x1x3x1xi64>
    %19 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %expanded_10 : tensor<1x1x1x1xi64>, tensor<1x1x3x1xi64>) outs(%18 : tensor<1x1x3x1xi64>) {
    ^bb0(%in: i64, %in_37: i64, %out: i64):
      %103 = arith.cmpi slt, %in, %c0_i64 : i64
      %104 = arith.addi %in, %c1_i64 : i64
      %105 = arith.select %103, %104, %in : i64
      %106 = arith.index_cast %105 : i64 to index
      %107 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %108 = arith.addi %in_37, %c3_i64 : i64
      %109 = arith.select %107, %108, %in_37 : i64
      %110 = arith.index_cast %109 : i64 to index
      %extracted = tensor.extract %expanded[%106, %110] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x3x1xi64>
    %20 = tensor.empty() : tensor<1x1x1x3xi64>
    %21 = linalg.generic {indexing_maps = [#map4, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %expanded_11 : tensor<1x1x1x1xi64>, tensor<1x1x1x3xi64>) outs(%20 : tensor<1x1x1x3xi64>) {
    ^bb0(%in: i64, %in_37: i64, %out: i64):
      %103 = arith.cmpi slt, %in, %c0_i64 : i64
      %104 = arith.addi %in, %c1_i64 : i64
      %105 = arith.select %103, %104, %in : i64
      %106 = arith.index_cast %105 : i64 to index
      %107 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %108 = arith.addi %in_37, %c3_i64 : i64
      %109 = arith.select %107, %108, %in_37 : i64
      %110 = arith.index_cast %109 : i64 to index
      %extracted = tensor.extract %expanded[%106, %110] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x3xi64>
    %22 = tensor.empty() : tensor<1x1x3x3xi1>
    %23 = linalg.generic {indexing_maps = [#map8, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %19 : tensor<1x1x1x3xi64>, tensor<1x1x3x1xi64>) outs(%22 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i64, %in_37: i64, %out: i1):
      %103 = arith.cmpi sle, %in, %in_37 : i64
      linalg.yield %103 : i1
    } -> tensor<1x1x3x3xi1>
    %24 = linalg.generic {indexing_maps = [#map10, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_0, %23 : tensor<i1>, tensor<1x1x3x3xi1>) outs(%22 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i1, %in_37: i1, %out: i1):
      %103 = arith.andi %in, %in_37 : i1
      linalg.yield %103 : i1
    } -> tensor<1x1x3x3xi1>
    %25 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %expanded_10 : tensor<1x1x1x1xi64>, tensor<1x1x3x1xi64>) outs(%18 : tensor<1x1x3x1xi64>) {
    ^bb0(%in: i64, %in_37: i64, %out: i64):
      %103 = arith.cmpi slt, %in, %c0_i64 : i64
      %104 = arith.addi %in, %c1_i64 : i64
      %105 = arith.select %103, %104, %in : i64
      %106 = arith.index_cast %105 : i64 to index
      %107 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %108 = arith.addi %in_37, %c3_i64 : i64
      %109 = arith.select %107, %108, %in_37 : i64
      %110 = arith.index_cast %109 : i64 to index
      %extracted = tensor.extract %16#0[%106, %110] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x3x1xi64>
    %26 = linalg.generic {indexing_maps = [#map4, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_9, %expanded_11 : tensor<1x1x1x1xi64>, tensor<1x1x1x3xi64>) outs(%20 : tensor<1x1x1x3xi64>) {
    ^bb0(%in: i64, %in_37: i64, %out: i64):
      %103 = arith.cmpi slt, %in, %c0_i64 : i64
      %104 = arith.addi %in, %c1_i64 : i64
      %105 = arith.select %103, %104, %in : i64
      %106 = arith.index_cast %105 : i64 to index
      %107 = arith.cmpi slt, %in_37, %c0_i64 : i64
      %108 = arith.addi %in_37, %c3_i64 : i64
      %109 = arith.select %107, %108, %in_37 : i64
      %110 = arith.index_cast %109 : i64 to index
      %extracted = tensor.extract %16#0[%106, %110] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x3xi64>
    %27 = linalg.generic {indexing_maps = [#map9, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %26 : tensor<1x1x3x1xi64>, tensor<1x1x1x3xi64>) outs(%22 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i64, %in_37: i64, %out: i1):
      %103 = arith.cmpi eq, %in, %in_37 : i64
      linalg.yield %103 : i1
    } -> tensor<1x1x3x3xi1>
    %28 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<1x1x3x3xi1>, tensor<1x1x3x3xi1>) outs(%22 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i1, %in_37: i1, %out: i1):
      %103 = arith.andi %in, %in_37 : i1
      linalg.yield %103 : i1
    } -> tensor<1x1x3x3xi1>
    %29 = tensor.empty() : tensor<1x3x1xf32>
    %30 = linalg.fill ins(%cst : f32) outs(%29 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %31 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed = tensor.collapse_shape %32 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %33 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.subf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %35 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %34 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%35 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.truncf %cst_3 : f64 to f32
      %104 = arith.addf %in, %103 : f32
      linalg.yield %104 : f32
    } -> tensor<1x3x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = math.rsqrt %in : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_12 = tensor.collapse_shape %39 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %40 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_12 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%34, %40 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %arg3 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42, %arg4 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %collapsed_13 = tensor.collapse_shape %43 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %44 = tensor.empty() : tensor<3x24xf32>
    %45 = linalg.fill ins(%cst : f32) outs(%44 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %46 = linalg.matmul ins(%collapsed_13, %arg6 : tensor<3x8xf32>, tensor<8x24xf32>) outs(%45 : tensor<3x24xf32>) -> tensor<3x24xf32>
    %47 = linalg.generic {indexing_maps = [#map13, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg5, %46 : tensor<24xf32>, tensor<3x24xf32>) outs(%44 : tensor<3x24xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<3x24xf32>
    %expanded_14 = tensor.expand_shape %47 [[0, 1], [2]] output_shape [1, 3, 24] : tensor<3x24xf32> into tensor<1x3x24xf32>
    %extracted_slice_15 = tensor.extract_slice %expanded_14[0, 0, 0] [1, 3, 8] [1, 1, 1] : tensor<1x3x24xf32> to tensor<1x3x8xf32>
    %extracted_slice_16 = tensor.extract_slice %expanded_14[0, 0, 8] [1, 3, 8] [1, 1, 1] : tensor<1x3x24xf32> to tensor<1x3x8xf32>
    %extracted_slice_17 = tensor.extract_slice %expanded_14[0, 0, 16] [1, 3, 8] [1, 1, 1] : tensor<1x3x24xf32> to tensor<1x3x8xf32>
    %expanded_18 = tensor.expand_shape %extracted_slice_16 [[0], [1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<1x3x8xf32> into tensor<1x3x2x4xf32>
    %48 = tensor.empty() : tensor<1x2x3x4xf32>
    %transposed = linalg.transpose ins(%expanded_18 : tensor<1x3x2x4xf32>) outs(%48 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_19 = tensor.expand_shape %extracted_slice_17 [[0], [1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<1x3x8xf32> into tensor<1x3x2x4xf32>
    %transposed_20 = linalg.transpose ins(%expanded_19 : tensor<1x3x2x4xf32>) outs(%48 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_21 = tensor.expand_shape %extracted_slice_15 [[0], [1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<1x3x8xf32> into tensor<1x3x2x4xf32>
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<1x3x2x4xf32>) outs(%48 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %49 = call @lpu.attention_0(%transposed_22, %transposed, %transposed_20, %28) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x3x3xi1>) -> tensor<1x2x3x4xf32>
    %50 = tensor.empty() : tensor<1x3x2x4xf32>
    %transposed_23 = linalg.transpose ins(%49 : tensor<1x2x3x4xf32>) outs(%50 : tensor<1x3x2x4xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_24 = tensor.collapse_shape %transposed_23 [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %51 = tensor.empty() : tensor<3x8xf32>
    %52 = linalg.fill ins(%cst : f32) outs(%51 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %53 = linalg.matmul ins(%collapsed_24, %arg8 : tensor<3x8xf32>, tensor<8x8xf32>) outs(%52 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %54 = linalg.generic {indexing_maps = [#map13, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg7, %53 : tensor<8xf32>, tensor<3x8xf32>) outs(%51 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<3x8xf32>
    %expanded_25 = tensor.expand_shape %54 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %55 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_25, %5 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %56 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %57 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_26 = tensor.collapse_shape %57 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_26 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %59 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %58 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.subf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %60 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %59 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %61 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%60 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %62 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %63 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.truncf %cst_3 : f64 to f32
      %104 = arith.addf %in, %103 : f32
      linalg.yield %104 : f32
    } -> tensor<1x3x1xf32>
    %64 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = math.rsqrt %in : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_27 = tensor.collapse_shape %64 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_27 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %65 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %arg9 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67, %arg10 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %collapsed_28 = tensor.collapse_shape %68 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %69 = tensor.empty() : tensor<3x32xf32>
    %70 = linalg.fill ins(%cst : f32) outs(%69 : tensor<3x32xf32>) -> tensor<3x32xf32>
    %71 = linalg.matmul ins(%collapsed_28, %arg12 : tensor<3x8xf32>, tensor<8x32xf32>) outs(%70 : tensor<3x32xf32>) -> tensor<3x32xf32>
    %72 = linalg.generic {indexing_maps = [#map13, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg11, %71 : tensor<32xf32>, tensor<3x32xf32>) outs(%69 : tensor<3x32xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<3x32xf32>
    %expanded_29 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [1, 3, 32] : tensor<3x32xf32> into tensor<1x3x32xf32>
    %73 = tensor.empty() : tensor<1x3x32xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29 : tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.mulf %in, %cst_5 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29, %expanded_29 : tensor<1x3x32xf32>, tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %expanded_29 : tensor<1x3x32xf32>, tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.truncf %cst_2 : f64 to f32
      %104 = arith.mulf %in, %103 : f32
      linalg.yield %104 : f32
    } -> tensor<1x3x32xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_29, %77 : tensor<1x3x32xf32>, tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.truncf %cst_1 : f64 to f32
      %104 = arith.mulf %in, %103 : f32
      linalg.yield %104 : f32
    } -> tensor<1x3x32xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = math.tanh %in : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %cst_6 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %81 : tensor<1x3x32xf32>, tensor<1x3x32xf32>) outs(%73 : tensor<1x3x32xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x32xf32>
    %collapsed_30 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<1x3x32xf32> into tensor<3x32xf32>
    %83 = linalg.matmul ins(%collapsed_30, %arg14 : tensor<3x32xf32>, tensor<32x8xf32>) outs(%52 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %84 = linalg.generic {indexing_maps = [#map13, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg13, %83 : tensor<8xf32>, tensor<3x8xf32>) outs(%51 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<3x8xf32>
    %expanded_31 = tensor.expand_shape %84 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %expanded_31 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%85 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_32 = tensor.collapse_shape %87 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %88 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_32 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %88 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.subf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %90 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %89 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%90 : tensor<1x3x8xf32>) outs(%30 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.addf %in, %out : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %92 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%91 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.divf %in, %cst_4 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %93 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = arith.truncf %cst_3 : f64 to f32
      %104 = arith.addf %in, %103 : f32
      linalg.yield %104 : f32
    } -> tensor<1x3x1xf32>
    %94 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%93 : tensor<1x3x1xf32>) outs(%29 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %103 = math.rsqrt %in : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_33 = tensor.collapse_shape %94 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %95 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_33 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %96 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %95 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %97 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96, %arg15 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.mulf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %98 = linalg.generic {indexing_maps = [#map1, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %arg16 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %103 = arith.addf %in, %in_37 : f32
      linalg.yield %103 : f32
    } -> tensor<1x3x8xf32>
    %99 = tensor.empty() : tensor<8x10xf32>
    %transposed_34 = linalg.transpose ins(%arg1 : tensor<10x8xf32>) outs(%99 : tensor<8x10xf32>) permutation = [1, 0] 
    %collapsed_35 = tensor.collapse_shape %98 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %100 = tensor.empty() : tensor<3x10xf32>
    %101 = linalg.fill ins(%cst : f32) outs(%100 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %102 = linalg.matmul ins(%collapsed_35, %transposed_34 : tensor<3x8xf32>, tensor<8x10xf32>) outs(%101 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %expanded_36 = tensor.expand_shape %102 [[0, 1], [2]] output_shape [1, 3, 10] : tensor<3x10xf32> into tensor<1x3x10xf32>
    return %expanded_36 : tensor<1x3x10xf32>
  }
  func.func private @lpu.attention_0(tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x1x3x3xi1>) -> tensor<1x2x3x4xf32> attributes {lpu.causal = false, lpu.op = "attention", lpu.scale = 5.000000e-01 : f64}
}

