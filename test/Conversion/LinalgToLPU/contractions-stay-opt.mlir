// RUN: lpu-opt %s --lpu-pipeline="to=lpu" | FileCheck %s \
// RUN:   --implicit-check-not=lpu.contract \
// RUN:   --implicit-check-not='linalg.generic{{.*}}"reduction"{{.*}} ins(%{{[^ :]+}}, '

// A layer of OPT as torch-mlir writes it, over three positions. Whatever is
// fused, each of its contractions is one lpu.contract: q, k, v, that of the
// heads, two of the MLP and the head. None is inside a vector program, where
// only norms reduce, one operand each.

// CHECK-COUNT-7: lpu.contract

#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<1x3xi64> {lpu.name = "ids"}, %arg1: tensor<10x8xf32> {lpu.name = "model.model.decoder.embed_tokens.weight"}, %arg2: tensor<18x8xf32> {lpu.name = "model.model.decoder.embed_positions.weight"}, %arg3: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn_layer_norm.weight"}, %arg4: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn_layer_norm.bias"}, %arg5: tensor<8x8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.q_proj.weight"}, %arg6: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.q_proj.bias"}, %arg7: tensor<8x8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.k_proj.weight"}, %arg8: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.k_proj.bias"}, %arg9: tensor<8x8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.v_proj.weight"}, %arg10: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.v_proj.bias"}, %arg11: tensor<8x8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.out_proj.weight"}, %arg12: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.self_attn.out_proj.bias"}, %arg13: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.final_layer_norm.weight"}, %arg14: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.final_layer_norm.bias"}, %arg15: tensor<12x8xf32> {lpu.name = "model.model.decoder.layers.0.fc1.weight"}, %arg16: tensor<12xf32> {lpu.name = "model.model.decoder.layers.0.fc1.bias"}, %arg17: tensor<8x12xf32> {lpu.name = "model.model.decoder.layers.0.fc2.weight"}, %arg18: tensor<8xf32> {lpu.name = "model.model.decoder.layers.0.fc2.bias"}, %arg19: tensor<8xf32> {lpu.name = "model.model.decoder.final_layer_norm.weight"}, %arg20: tensor<8xf32> {lpu.name = "model.model.decoder.final_layer_norm.bias"}) -> (tensor<1x3x10xf32> {lpu.name = "view_17"}) {
    %cst = arith.constant 0.000000e+00 : f32
    %c2_i64 = arith.constant 2 : i64
    %cst_0 = arith.constant dense<1.000000e+00> : tensor<1x3xf32>
    %c10 = arith.constant 10 : index
    %c0_i64 = arith.constant 0 : i64
    %c18 = arith.constant 18 : index
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 8.000000e+00 : f32
    %cst_4 = arith.constant 5.000000e-01 : f32
    %0 = tensor.empty() : tensor<1x3x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3xi64>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %87 = arith.index_cast %in : i64 to index
      %88 = linalg.index 2 : index
      %89 = arith.cmpi slt, %87, %c10 : index
      cf.assert %89, "index must be smaller than dim size"
      %90 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %90, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%87, %88] : tensor<10x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x3x8xf32>
    %2 = tensor.empty() : tensor<1x3xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %4 = tensor.empty() : tensor<1xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<1xf32>) -> tensor<1xf32>
    %6:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%cst_0 : tensor<1x3xf32>) outs(%3, %5 : tensor<1x3xf32>, tensor<1xf32>) {
    ^bb0(%arg21: f32, %arg22: f32):
      %87 = arith.addf %arg21, %arg22 : f32
      tm_tensor.yield %87 : f32
    } -> tensor<1x3xf32>, tensor<1xf32>
    %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%6#0, %cst_0 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%2 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<1x3xf32>) outs(%2 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.subf %in, %cst_2 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3xf32>
    %9 = tensor.empty() : tensor<1x3xi64>
    %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<1x3xf32>) outs(%9 : tensor<1x3xi64>) {
    ^bb0(%in: f32, %out: i64):
      %87 = arith.fptosi %in : f32 to i64
      linalg.yield %87 : i64
    } -> tensor<1x3xi64>
    %11 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<1x3xi64>) outs(%9 : tensor<1x3xi64>) {
    ^bb0(%in: i64, %out: i64):
      %87 = arith.addi %in, %c2_i64 : i64
      linalg.yield %87 : i64
    } -> tensor<1x3xi64>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<1x3xi64>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %87 = arith.index_cast %in : i64 to index
      %88 = linalg.index 2 : index
      %89 = arith.cmpi slt, %87, %c18 : index
      cf.assert %89, "index must be smaller than dim size"
      %90 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %90, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg2[%87, %88] : tensor<18x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x3x8xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %12 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %14 = tensor.empty() : tensor<1x3x1xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<1x3x8xf32>) outs(%15 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %collapsed = tensor.collapse_shape %17 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %18 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.subf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %19 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %21 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<1x3x8xf32>) outs(%15 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %22 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_1 : f64 to f32
      %88 = arith.addf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<1x3x1xf32>
    %24 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%23 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.rsqrt %in : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_5 = tensor.collapse_shape %24 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_5 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %25 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%26, %arg3 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%27, %arg4 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %collapsed_6 = tensor.collapse_shape %28 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %29 = tensor.empty() : tensor<8x8xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<8x8xf32>) outs(%29 : tensor<8x8xf32>) permutation = [1, 0] 
    %30 = tensor.empty() : tensor<3x8xf32>
    %31 = linalg.fill ins(%cst : f32) outs(%30 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %32 = linalg.matmul ins(%collapsed_6, %transposed : tensor<3x8xf32>, tensor<8x8xf32>) outs(%31 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg6, %32 : tensor<8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %expanded = tensor.expand_shape %33 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.mulf %in, %cst_4 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %expanded_7 = tensor.expand_shape %34 [[0], [1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<1x3x8xf32> into tensor<1x3x2x4xf32>
    %35 = tensor.empty() : tensor<1x2x3x4xf32>
    %transposed_8 = linalg.transpose ins(%expanded_7 : tensor<1x3x2x4xf32>) outs(%35 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %transposed_9 = linalg.transpose ins(%arg7 : tensor<8x8xf32>) outs(%29 : tensor<8x8xf32>) permutation = [1, 0] 
    %36 = linalg.matmul ins(%collapsed_6, %transposed_9 : tensor<3x8xf32>, tensor<8x8xf32>) outs(%31 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %37 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg8, %36 : tensor<8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %transposed_10 = linalg.transpose ins(%arg9 : tensor<8x8xf32>) outs(%29 : tensor<8x8xf32>) permutation = [1, 0] 
    %38 = linalg.matmul ins(%collapsed_6, %transposed_10 : tensor<3x8xf32>, tensor<8x8xf32>) outs(%31 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %39 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg10, %38 : tensor<8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %expanded_11 = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<3x8xf32> into tensor<1x3x2x4xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<1x3x2x4xf32>) outs(%35 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_13 = tensor.expand_shape %39 [[0, 1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<3x8xf32> into tensor<1x3x2x4xf32>
    %transposed_14 = linalg.transpose ins(%expanded_13 : tensor<1x3x2x4xf32>) outs(%35 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %40 = call @lpu.attention_0(%transposed_8, %transposed_12, %transposed_14) : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    %41 = tensor.empty() : tensor<1x3x2x4xf32>
    %transposed_15 = linalg.transpose ins(%40 : tensor<1x2x3x4xf32>) outs(%41 : tensor<1x3x2x4xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_16 = tensor.collapse_shape %transposed_15 [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %transposed_17 = linalg.transpose ins(%arg11 : tensor<8x8xf32>) outs(%29 : tensor<8x8xf32>) permutation = [1, 0] 
    %42 = linalg.matmul ins(%collapsed_16, %transposed_17 : tensor<3x8xf32>, tensor<8x8xf32>) outs(%31 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %43 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg12, %42 : tensor<8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %expanded_18 = tensor.expand_shape %43 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %expanded_18 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %collapsed_19 = tensor.collapse_shape %44 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %45 = tensor.empty() : tensor<3x1xf32>
    %46 = linalg.fill ins(%cst : f32) outs(%45 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map6], iterator_types = ["parallel", "reduction"]} ins(%collapsed_19 : tensor<3x8xf32>) outs(%46 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<3x1xf32>
    %48 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%47 : tensor<3x1xf32>) outs(%45 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<3x1xf32>
    %collapsed_20 = tensor.collapse_shape %48 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %49 = linalg.generic {indexing_maps = [#map7, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_20 : tensor<3xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x8xf32>
    %50 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_19, %49 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.subf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %51 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%50, %50 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map6], iterator_types = ["parallel", "reduction"]} ins(%51 : tensor<3x8xf32>) outs(%46 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<3x1xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%52 : tensor<3x1xf32>) outs(%45 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<3x1xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%53 : tensor<3x1xf32>) outs(%45 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_1 : f64 to f32
      %88 = arith.addf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<3x1xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%54 : tensor<3x1xf32>) outs(%45 : tensor<3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.rsqrt %in : f32
      linalg.yield %87 : f32
    } -> tensor<3x1xf32>
    %collapsed_21 = tensor.collapse_shape %55 [[0, 1]] : tensor<3x1xf32> into tensor<3xf32>
    %56 = linalg.generic {indexing_maps = [#map7, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_21 : tensor<3xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x8xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%50, %56 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %58 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%57, %arg13 : tensor<3x8xf32>, tensor<8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %59 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel"]} ins(%58, %arg14 : tensor<3x8xf32>, tensor<8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %60 = tensor.empty() : tensor<8x12xf32>
    %transposed_22 = linalg.transpose ins(%arg15 : tensor<12x8xf32>) outs(%60 : tensor<8x12xf32>) permutation = [1, 0] 
    %61 = tensor.empty() : tensor<3x12xf32>
    %62 = linalg.fill ins(%cst : f32) outs(%61 : tensor<3x12xf32>) -> tensor<3x12xf32>
    %63 = linalg.matmul ins(%59, %transposed_22 : tensor<3x8xf32>, tensor<8x12xf32>) outs(%62 : tensor<3x12xf32>) -> tensor<3x12xf32>
    %64 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg16, %63 : tensor<12xf32>, tensor<3x12xf32>) outs(%61 : tensor<3x12xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x12xf32>
    %65 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%64 : tensor<3x12xf32>) outs(%61 : tensor<3x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.cmpf ugt, %in, %cst : f32
      %88 = arith.select %87, %in, %cst : f32
      linalg.yield %88 : f32
    } -> tensor<3x12xf32>
    %66 = tensor.empty() : tensor<12x8xf32>
    %transposed_23 = linalg.transpose ins(%arg17 : tensor<8x12xf32>) outs(%66 : tensor<12x8xf32>) permutation = [1, 0] 
    %67 = linalg.matmul ins(%65, %transposed_23 : tensor<3x12xf32>, tensor<12x8xf32>) outs(%31 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %68 = linalg.generic {indexing_maps = [#map5, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%arg18, %67 : tensor<8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %69 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed_19, %68 : tensor<3x8xf32>, tensor<3x8xf32>) outs(%30 : tensor<3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<3x8xf32>
    %expanded_24 = tensor.expand_shape %69 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded_24 : tensor<1x3x8xf32>) outs(%15 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_25 = tensor.collapse_shape %71 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_25 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %73 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_24, %72 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.subf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %74 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %73 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %75 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%74 : tensor<1x3x8xf32>) outs(%15 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.addf %in, %out : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %76 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.divf %in, %cst_3 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %77 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = arith.truncf %cst_1 : f64 to f32
      %88 = arith.addf %in, %87 : f32
      linalg.yield %88 : f32
    } -> tensor<1x3x1xf32>
    %78 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<1x3x1xf32>) outs(%14 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %87 = math.rsqrt %in : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x1xf32>
    %collapsed_26 = tensor.collapse_shape %78 [[0], [1, 2]] : tensor<1x3x1xf32> into tensor<1x3xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed_26 : tensor<1x3xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3x8xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %79 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %81 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %arg19 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.mulf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %arg20 : tensor<1x3x8xf32>, tensor<8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_30: f32, %out: f32):
      %87 = arith.addf %in, %in_30 : f32
      linalg.yield %87 : f32
    } -> tensor<1x3x8xf32>
    %83 = tensor.empty() : tensor<8x10xf32>
    %transposed_27 = linalg.transpose ins(%arg1 : tensor<10x8xf32>) outs(%83 : tensor<8x10xf32>) permutation = [1, 0] 
    %collapsed_28 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %84 = tensor.empty() : tensor<3x10xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %86 = linalg.matmul ins(%collapsed_28, %transposed_27 : tensor<3x8xf32>, tensor<8x10xf32>) outs(%85 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %expanded_29 = tensor.expand_shape %86 [[0, 1], [2]] output_shape [1, 3, 10] : tensor<3x10xf32> into tensor<1x3x10xf32>
    return %expanded_29 : tensor<1x3x10xf32>
  }
  func.func private @lpu.attention_0(tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> attributes {lpu.causal = true, lpu.op = "attention", lpu.scale = 1.000000e+00 : f64}
}

