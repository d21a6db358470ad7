// RUN: lpu-opt %s --lpu-pipeline="to=lpu" | FileCheck %s \
// RUN:   --implicit-check-not=lpu.contract \
// RUN:   --implicit-check-not='linalg.generic{{.*}}"reduction"{{.*}} ins(%{{[^ :]+}}, '

// A layer of Llama as torch-mlir writes it, over three positions. Whatever is
// fused, each of its contractions is one lpu.contract: q, k, v, that of the
// heads, three of the MLP and the head. None is inside a vector program, where
// only norms reduce, one operand each.

// CHECK-COUNT-8: lpu.contract

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
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>
module {
  func.func @main(%arg0: tensor<1x3xi64> {lpu.name = "ids"}, %arg1: tensor<10x8xf32> {lpu.name = "model.model.embed_tokens.weight"}, %arg2: tensor<2xf32> {lpu.name = "model.model.rotary_emb.inv_freq"}, %arg3: tensor<8xf32> {lpu.name = "model.model.layers.0.input_layernorm.weight"}, %arg4: tensor<8x8xf32> {lpu.name = "model.model.layers.0.self_attn.q_proj.weight"}, %arg5: tensor<4x8xf32> {lpu.name = "model.model.layers.0.self_attn.k_proj.weight"}, %arg6: tensor<4x8xf32> {lpu.name = "model.model.layers.0.self_attn.v_proj.weight"}, %arg7: tensor<8x8xf32> {lpu.name = "model.model.layers.0.self_attn.o_proj.weight"}, %arg8: tensor<8xf32> {lpu.name = "model.model.layers.0.post_attention_layernorm.weight"}, %arg9: tensor<12x8xf32> {lpu.name = "model.model.layers.0.mlp.gate_proj.weight"}, %arg10: tensor<12x8xf32> {lpu.name = "model.model.layers.0.mlp.up_proj.weight"}, %arg11: tensor<8x12xf32> {lpu.name = "model.model.layers.0.mlp.down_proj.weight"}, %arg12: tensor<8xf32> {lpu.name = "model.model.norm.weight"}, %arg13: tensor<10x8xf32> {lpu.name = "model.lm_head.weight"}) -> (tensor<1x3x10xf32> {lpu.name = "view_22"}) {
    %c0_i64 = arith.constant 0 : i64
    %c1_i64 = arith.constant 1 : i64
    %c3_i64 = arith.constant 3 : i64
    %c10 = arith.constant 10 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant dense<true> : tensor<i1>
    %cst_2 = arith.constant 9.9999999999999995E-7 : f64
    %cst_3 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x3x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3xi64>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %97 = arith.index_cast %in : i64 to index
      %98 = linalg.index 2 : index
      %99 = arith.cmpi slt, %97, %c10 : index
      cf.assert %99, "index must be smaller than dim size"
      %100 = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %100, "index must be larger or equal to 0"
      %extracted = tensor.extract %arg1[%97, %98] : tensor<10x8xf32>
      linalg.yield %extracted : f32
    } -> tensor<1x3x8xf32>
    %2 = tensor.empty() : tensor<3xi64>
    %3 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%2 : tensor<3xi64>) {
    ^bb0(%out: i64):
      %97 = linalg.index 0 : index
      %98 = arith.index_cast %97 : index to i64
      linalg.yield %98 : i64
    } -> tensor<3xi64>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [1, 3] : tensor<3xi64> into tensor<1x3xi64>
    %extracted_slice = tensor.extract_slice %expanded[0, 0] [1, 1] [1, 1] : tensor<1x3xi64> to tensor<1x1xi64>
    %4 = tensor.empty() : tensor<1x1xi64>
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<1x1xi64>) outs(%4 : tensor<1x1xi64>) {
    ^bb0(%in: i64, %out: i64):
      %97 = arith.subi %in, %c1_i64 : i64
      linalg.yield %97 : i64
    } -> tensor<1x1xi64>
    %concat = tensor.concat dim(1) %5, %expanded : (tensor<1x1xi64>, tensor<1x3xi64>) -> tensor<1x4xi64>
    %extracted_slice_4 = tensor.extract_slice %concat[0, 0] [1, 3] [1, 1] : tensor<1x4xi64> to tensor<1x3xi64>
    %extracted_slice_5 = tensor.extract_slice %concat[0, 1] [1, 3] [1, 1] : tensor<1x4xi64> to tensor<1x3xi64>
    %6 = tensor.empty() : tensor<1x3xi64>
    %7 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_5, %extracted_slice_4 : tensor<1x3xi64>, tensor<1x3xi64>) outs(%6 : tensor<1x3xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %97 = arith.subi %in, %in_42 : i64
      linalg.yield %97 : i64
    } -> tensor<1x3xi64>
    %8 = tensor.empty() : tensor<1x3xi1>
    %9 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<1x3xi64>) outs(%8 : tensor<1x3xi1>) {
    ^bb0(%in: i64, %out: i1):
      %97 = arith.cmpi ne, %in, %c1_i64 : i64
      linalg.yield %97 : i1
    } -> tensor<1x3xi1>
    %10 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<1x3xi1>) outs(%6 : tensor<1x3xi64>) {
    ^bb0(%in: i1, %out: i64):
      %97 = arith.extui %in : i1 to i64
      linalg.yield %97 : i64
    } -> tensor<1x3xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<1x3xi64>) -> tensor<1x3xi64>
    %12 = tensor.empty() : tensor<1xi64>
    %13 = linalg.fill ins(%c0_i64 : i64) outs(%12 : tensor<1xi64>) -> tensor<1xi64>
    %14:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%10 : tensor<1x3xi64>) outs(%11, %13 : tensor<1x3xi64>, tensor<1xi64>) {
    ^bb0(%arg14: i64, %arg15: i64):
      %97 = arith.addi %arg14, %arg15 : i64
      tm_tensor.yield %97 : i64
    } -> tensor<1x3xi64>, tensor<1xi64>
    %15 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%12 : tensor<1xi64>) {
    ^bb0(%out: i64):
      linalg.yield %c0_i64 : i64
    } -> tensor<1xi64>
    %expanded_6 = tensor.expand_shape %15 [[0, 1, 2, 3]] output_shape [1, 1, 1, 1] : tensor<1xi64> into tensor<1x1x1x1xi64>
    %expanded_7 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 3, 1] : tensor<3xi64> into tensor<1x1x3x1xi64>
    %expanded_8 = tensor.expand_shape %3 [[0, 1, 2, 3]] output_shape [1, 1, 1, 3] : tensor<3xi64> into tensor<1x1x1x3xi64>
    %16 = tensor.empty() : tensor<1x1x3x1xi64>
    %17 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6, %expanded_7 : tensor<1x1x1x1xi64>, tensor<1x1x3x1xi64>) outs(%16 : tensor<1x1x3x1xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %97 = arith.cmpi slt, %in, %c0_i64 : i64
      %98 = arith.addi %in, %c1_i64 : i64
      %99 = arith.select %97, %98, %in : i64
      %100 = arith.index_cast %99 : i64 to index
      %101 = arith.cmpi slt, %in_42, %c0_i64 : i64
      %102 = arith.addi %in_42, %c3_i64 : i64
      %103 = arith.select %101, %102, %in_42 : i64
      %104 = arith.index_cast %103 : i64 to index
      %extracted = tensor.extract %expanded[%100, %104] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x3x1xi64>
    %18 = tensor.empty() : tensor<1x1x1x3xi64>
    %19 = linalg.generic {indexing_maps = [#map4, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6, %expanded_8 : tensor<1x1x1x1xi64>, tensor<1x1x1x3xi64>) outs(%18 : tensor<1x1x1x3xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %97 = arith.cmpi slt, %in, %c0_i64 : i64
      %98 = arith.addi %in, %c1_i64 : i64
      %99 = arith.select %97, %98, %in : i64
      %100 = arith.index_cast %99 : i64 to index
      %101 = arith.cmpi slt, %in_42, %c0_i64 : i64
      %102 = arith.addi %in_42, %c3_i64 : i64
      %103 = arith.select %101, %102, %in_42 : i64
      %104 = arith.index_cast %103 : i64 to index
      %extracted = tensor.extract %expanded[%100, %104] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x3xi64>
    %20 = tensor.empty() : tensor<1x1x3x3xi1>
    %21 = linalg.generic {indexing_maps = [#map8, #map9, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%19, %17 : tensor<1x1x1x3xi64>, tensor<1x1x3x1xi64>) outs(%20 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i64, %in_42: i64, %out: i1):
      %97 = arith.cmpi sle, %in, %in_42 : i64
      linalg.yield %97 : i1
    } -> tensor<1x1x3x3xi1>
    %22 = linalg.generic {indexing_maps = [#map10, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1, %21 : tensor<i1>, tensor<1x1x3x3xi1>) outs(%20 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i1, %in_42: i1, %out: i1):
      %97 = arith.andi %in, %in_42 : i1
      linalg.yield %97 : i1
    } -> tensor<1x1x3x3xi1>
    %23 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6, %expanded_7 : tensor<1x1x1x1xi64>, tensor<1x1x3x1xi64>) outs(%16 : tensor<1x1x3x1xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %97 = arith.cmpi slt, %in, %c0_i64 : i64
      %98 = arith.addi %in, %c1_i64 : i64
      %99 = arith.select %97, %98, %in : i64
      %100 = arith.index_cast %99 : i64 to index
      %101 = arith.cmpi slt, %in_42, %c0_i64 : i64
      %102 = arith.addi %in_42, %c3_i64 : i64
      %103 = arith.select %101, %102, %in_42 : i64
      %104 = arith.index_cast %103 : i64 to index
      %extracted = tensor.extract %14#0[%100, %104] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x3x1xi64>
    %24 = linalg.generic {indexing_maps = [#map4, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_6, %expanded_8 : tensor<1x1x1x1xi64>, tensor<1x1x1x3xi64>) outs(%18 : tensor<1x1x1x3xi64>) {
    ^bb0(%in: i64, %in_42: i64, %out: i64):
      %97 = arith.cmpi slt, %in, %c0_i64 : i64
      %98 = arith.addi %in, %c1_i64 : i64
      %99 = arith.select %97, %98, %in : i64
      %100 = arith.index_cast %99 : i64 to index
      %101 = arith.cmpi slt, %in_42, %c0_i64 : i64
      %102 = arith.addi %in_42, %c3_i64 : i64
      %103 = arith.select %101, %102, %in_42 : i64
      %104 = arith.index_cast %103 : i64 to index
      %extracted = tensor.extract %14#0[%100, %104] : tensor<1x3xi64>
      linalg.yield %extracted : i64
    } -> tensor<1x1x1x3xi64>
    %25 = linalg.generic {indexing_maps = [#map9, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %24 : tensor<1x1x3x1xi64>, tensor<1x1x1x3xi64>) outs(%20 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i64, %in_42: i64, %out: i1):
      %97 = arith.cmpi eq, %in, %in_42 : i64
      linalg.yield %97 : i1
    } -> tensor<1x1x3x3xi1>
    %26 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22, %25 : tensor<1x1x3x3xi1>, tensor<1x1x3x3xi1>) outs(%20 : tensor<1x1x3x3xi1>) {
    ^bb0(%in: i1, %in_42: i1, %out: i1):
      %97 = arith.andi %in, %in_42 : i1
      linalg.yield %97 : i1
    } -> tensor<1x1x3x3xi1>
    %expanded_9 = tensor.expand_shape %3 [[0, 1, 2]] output_shape [1, 3, 1] : tensor<3xi64> into tensor<1x3x1xi64>
    %27 = tensor.empty() : tensor<1x3x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_9 : tensor<1x3x1xi64>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %97 = arith.sitofp %in : i64 to f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %29 = tensor.empty() : tensor<1x3x2xf32>
    %30 = linalg.generic {indexing_maps = [#map11, #map12, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %arg2 : tensor<1x3x1xf32>, tensor<2xf32>) outs(%29 : tensor<1x3x2xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x2xf32>
    %concat_10 = tensor.concat dim(2) %30, %30 : (tensor<1x3x2xf32>, tensor<1x3x2xf32>) -> tensor<1x3x4xf32>
    %31 = tensor.empty() : tensor<1x3x4xf32>
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_10 : tensor<1x3x4xf32>) outs(%31 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = math.cos %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x4xf32>
    %33 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%concat_10 : tensor<1x3x4xf32>) outs(%31 : tensor<1x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = math.sin %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x4xf32>
    %34 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %35 = linalg.fill ins(%cst : f32) outs(%27 : tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%34 : tensor<1x3x8xf32>) outs(%35 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.addf %in, %out : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.divf %in, %cst_3 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%37 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.truncf %cst_2 : f64 to f32
      %98 = arith.addf %in, %97 : f32
      linalg.yield %98 : f32
    } -> tensor<1x3x1xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = math.rsqrt %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map11, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %39 : tensor<1x3x8xf32>, tensor<1x3x1xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %41 = linalg.generic {indexing_maps = [#map12, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg3, %40 : tensor<8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %42 = tensor.empty() : tensor<8x8xf32>
    %transposed = linalg.transpose ins(%arg4 : tensor<8x8xf32>) outs(%42 : tensor<8x8xf32>) permutation = [1, 0] 
    %collapsed = tensor.collapse_shape %41 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %43 = tensor.empty() : tensor<3x8xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %45 = linalg.matmul ins(%collapsed, %transposed : tensor<3x8xf32>, tensor<8x8xf32>) outs(%44 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %expanded_11 = tensor.expand_shape %45 [[0, 1], [2, 3]] output_shape [1, 3, 2, 4] : tensor<3x8xf32> into tensor<1x3x2x4xf32>
    %46 = tensor.empty() : tensor<1x2x3x4xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<1x3x2x4xf32>) outs(%46 : tensor<1x2x3x4xf32>) permutation = [0, 2, 1, 3] 
    %47 = tensor.empty() : tensor<8x4xf32>
    %transposed_13 = linalg.transpose ins(%arg5 : tensor<4x8xf32>) outs(%47 : tensor<8x4xf32>) permutation = [1, 0] 
    %48 = tensor.empty() : tensor<3x4xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %50 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<3x8xf32>, tensor<8x4xf32>) outs(%49 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %expanded_14 = tensor.expand_shape %50 [[0, 1], [2, 3]] output_shape [1, 3, 1, 4] : tensor<3x4xf32> into tensor<1x3x1x4xf32>
    %51 = tensor.empty() : tensor<1x1x3x4xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<1x3x1x4xf32>) outs(%51 : tensor<1x1x3x4xf32>) permutation = [0, 2, 1, 3] 
    %transposed_16 = linalg.transpose ins(%arg6 : tensor<4x8xf32>) outs(%47 : tensor<8x4xf32>) permutation = [1, 0] 
    %52 = linalg.matmul ins(%collapsed, %transposed_16 : tensor<3x8xf32>, tensor<8x4xf32>) outs(%49 : tensor<3x4xf32>) -> tensor<3x4xf32>
    %expanded_17 = tensor.expand_shape %52 [[0, 1], [2, 3]] output_shape [1, 3, 1, 4] : tensor<3x4xf32> into tensor<1x3x1x4xf32>
    %transposed_18 = linalg.transpose ins(%expanded_17 : tensor<1x3x1x4xf32>) outs(%51 : tensor<1x1x3x4xf32>) permutation = [0, 2, 1, 3] 
    %expanded_19 = tensor.expand_shape %32 [[0], [1, 2], [3]] output_shape [1, 1, 3, 4] : tensor<1x3x4xf32> into tensor<1x1x3x4xf32>
    %expanded_20 = tensor.expand_shape %33 [[0], [1, 2], [3]] output_shape [1, 1, 3, 4] : tensor<1x3x4xf32> into tensor<1x1x3x4xf32>
    %53 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_12, %expanded_19 : tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) outs(%46 : tensor<1x2x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x2x3x4xf32>
    %extracted_slice_21 = tensor.extract_slice %transposed_12[0, 0, 0, 0] [1, 2, 3, 2] [1, 1, 1, 1] : tensor<1x2x3x4xf32> to tensor<1x2x3x2xf32>
    %extracted_slice_22 = tensor.extract_slice %transposed_12[0, 0, 0, 2] [1, 2, 3, 2] [1, 1, 1, 1] : tensor<1x2x3x4xf32> to tensor<1x2x3x2xf32>
    %54 = tensor.empty() : tensor<1x2x3x2xf32>
    %55 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_22 : tensor<1x2x3x2xf32>) outs(%54 : tensor<1x2x3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.negf %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x2x3x2xf32>
    %concat_23 = tensor.concat dim(3) %55, %extracted_slice_21 : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x4xf32>
    %56 = linalg.generic {indexing_maps = [#map6, #map13, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_23, %expanded_20 : tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>) outs(%46 : tensor<1x2x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x2x3x4xf32>
    %57 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %56 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) outs(%46 : tensor<1x2x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.addf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x2x3x4xf32>
    %58 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15, %expanded_19 : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) outs(%51 : tensor<1x1x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x1x3x4xf32>
    %extracted_slice_24 = tensor.extract_slice %transposed_15[0, 0, 0, 0] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x2xf32>
    %extracted_slice_25 = tensor.extract_slice %transposed_15[0, 0, 0, 2] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<1x1x3x4xf32> to tensor<1x1x3x2xf32>
    %59 = tensor.empty() : tensor<1x1x3x2xf32>
    %60 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_25 : tensor<1x1x3x2xf32>) outs(%59 : tensor<1x1x3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.negf %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x1x3x2xf32>
    %concat_26 = tensor.concat dim(3) %60, %extracted_slice_24 : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>) -> tensor<1x1x3x4xf32>
    %61 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_26, %expanded_20 : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) outs(%51 : tensor<1x1x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x1x3x4xf32>
    %62 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %61 : tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) outs(%51 : tensor<1x1x3x4xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.addf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x1x3x4xf32>
    %63 = call @lpu.attention_0(%57, %62, %transposed_18, %26) : (tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x3xi1>) -> tensor<1x2x3x4xf32>
    %64 = tensor.empty() : tensor<1x3x2x4xf32>
    %transposed_27 = linalg.transpose ins(%63 : tensor<1x2x3x4xf32>) outs(%64 : tensor<1x3x2x4xf32>) permutation = [0, 2, 1, 3] 
    %transposed_28 = linalg.transpose ins(%arg7 : tensor<8x8xf32>) outs(%42 : tensor<8x8xf32>) permutation = [1, 0] 
    %collapsed_29 = tensor.collapse_shape %transposed_27 [[0, 1], [2, 3]] : tensor<1x3x2x4xf32> into tensor<3x8xf32>
    %65 = linalg.matmul ins(%collapsed_29, %transposed_28 : tensor<3x8xf32>, tensor<8x8xf32>) outs(%44 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %expanded_30 = tensor.expand_shape %65 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %66 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %expanded_30 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.addf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %67 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %66 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %68 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%67 : tensor<1x3x8xf32>) outs(%35 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.addf %in, %out : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %69 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.divf %in, %cst_3 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %70 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.truncf %cst_2 : f64 to f32
      %98 = arith.addf %in, %97 : f32
      linalg.yield %98 : f32
    } -> tensor<1x3x1xf32>
    %71 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = math.rsqrt %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %72 = linalg.generic {indexing_maps = [#map1, #map11, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %71 : tensor<1x3x8xf32>, tensor<1x3x1xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %73 = linalg.generic {indexing_maps = [#map12, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg8, %72 : tensor<8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %74 = tensor.empty() : tensor<8x12xf32>
    %transposed_31 = linalg.transpose ins(%arg9 : tensor<12x8xf32>) outs(%74 : tensor<8x12xf32>) permutation = [1, 0] 
    %collapsed_32 = tensor.collapse_shape %73 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %75 = tensor.empty() : tensor<3x12xf32>
    %76 = linalg.fill ins(%cst : f32) outs(%75 : tensor<3x12xf32>) -> tensor<3x12xf32>
    %77 = linalg.matmul ins(%collapsed_32, %transposed_31 : tensor<3x8xf32>, tensor<8x12xf32>) outs(%76 : tensor<3x12xf32>) -> tensor<3x12xf32>
    %expanded_33 = tensor.expand_shape %77 [[0, 1], [2]] output_shape [1, 3, 12] : tensor<3x12xf32> into tensor<1x3x12xf32>
    %78 = tensor.empty() : tensor<1x3x12xf32>
    %79 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33 : tensor<1x3x12xf32>) outs(%78 : tensor<1x3x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.negf %in : f32
      %98 = math.exp %97 : f32
      %99 = arith.addf %98, %cst_0 : f32
      %100 = arith.divf %cst_0, %99 : f32
      linalg.yield %100 : f32
    } -> tensor<1x3x12xf32>
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_33, %79 : tensor<1x3x12xf32>, tensor<1x3x12xf32>) outs(%78 : tensor<1x3x12xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x12xf32>
    %transposed_34 = linalg.transpose ins(%arg10 : tensor<12x8xf32>) outs(%74 : tensor<8x12xf32>) permutation = [1, 0] 
    %81 = linalg.matmul ins(%collapsed_32, %transposed_34 : tensor<3x8xf32>, tensor<8x12xf32>) outs(%76 : tensor<3x12xf32>) -> tensor<3x12xf32>
    %expanded_35 = tensor.expand_shape %81 [[0, 1], [2]] output_shape [1, 3, 12] : tensor<3x12xf32> into tensor<1x3x12xf32>
    %82 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80, %expanded_35 : tensor<1x3x12xf32>, tensor<1x3x12xf32>) outs(%78 : tensor<1x3x12xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x12xf32>
    %83 = tensor.empty() : tensor<12x8xf32>
    %transposed_36 = linalg.transpose ins(%arg11 : tensor<8x12xf32>) outs(%83 : tensor<12x8xf32>) permutation = [1, 0] 
    %collapsed_37 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<1x3x12xf32> into tensor<3x12xf32>
    %84 = linalg.matmul ins(%collapsed_37, %transposed_36 : tensor<3x12xf32>, tensor<12x8xf32>) outs(%44 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %expanded_38 = tensor.expand_shape %84 [[0, 1], [2]] output_shape [1, 3, 8] : tensor<3x8xf32> into tensor<1x3x8xf32>
    %85 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %expanded_38 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.addf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %86 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %85 : tensor<1x3x8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %87 = linalg.generic {indexing_maps = [#map1, #map11], iterator_types = ["parallel", "parallel", "reduction"]} ins(%86 : tensor<1x3x8xf32>) outs(%35 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.addf %in, %out : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %88 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.divf %in, %cst_3 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %89 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = arith.truncf %cst_2 : f64 to f32
      %98 = arith.addf %in, %97 : f32
      linalg.yield %98 : f32
    } -> tensor<1x3x1xf32>
    %90 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<1x3x1xf32>) outs(%27 : tensor<1x3x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %97 = math.rsqrt %in : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x1xf32>
    %91 = linalg.generic {indexing_maps = [#map1, #map11, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85, %90 : tensor<1x3x8xf32>, tensor<1x3x1xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %92 = linalg.generic {indexing_maps = [#map12, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg12, %91 : tensor<8xf32>, tensor<1x3x8xf32>) outs(%0 : tensor<1x3x8xf32>) {
    ^bb0(%in: f32, %in_42: f32, %out: f32):
      %97 = arith.mulf %in, %in_42 : f32
      linalg.yield %97 : f32
    } -> tensor<1x3x8xf32>
    %93 = tensor.empty() : tensor<8x10xf32>
    %transposed_39 = linalg.transpose ins(%arg13 : tensor<10x8xf32>) outs(%93 : tensor<8x10xf32>) permutation = [1, 0] 
    %collapsed_40 = tensor.collapse_shape %92 [[0, 1], [2]] : tensor<1x3x8xf32> into tensor<3x8xf32>
    %94 = tensor.empty() : tensor<3x10xf32>
    %95 = linalg.fill ins(%cst : f32) outs(%94 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %96 = linalg.matmul ins(%collapsed_40, %transposed_39 : tensor<3x8xf32>, tensor<8x10xf32>) outs(%95 : tensor<3x10xf32>) -> tensor<3x10xf32>
    %expanded_41 = tensor.expand_shape %96 [[0, 1], [2]] output_shape [1, 3, 10] : tensor<3x10xf32> into tensor<1x3x10xf32>
    return %expanded_41 : tensor<1x3x10xf32>
  }
  func.func private @lpu.attention_0(tensor<1x2x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>, tensor<1x1x3x3xi1>) -> tensor<1x2x3x4xf32> attributes {lpu.causal = false, lpu.op = "attention", lpu.scale = 5.000000e-01 : f64}
}

