// RUN: lpu-opt %s --lpu-materialize-lengths --split-input-file | FileCheck %s

// A program for the number of keys: the last one that is kept, plus one. It
// stands behind the mask, and operations that share a mask share it.

// CHECK-LABEL: func.func @shared
// CHECK-SAME:    %[[M:.+]]: tensor<1x1x1x2048xi1>
// CHECK-NEXT:    %[[E:.+]] = tensor.empty() : tensor<i64>
// CHECK-NEXT:    %[[N:.+]] = lpu.vector ins(%[[M]] : tensor<1x1x1x2048xi1>) outs(%[[E]] : tensor<i64>) {
// CHECK-NEXT:    ^bb0(%[[KEEPS:.+]]: tensor<1x1x1x2048xi1>, %[[O:.+]]: tensor<i64>):
// CHECK-NEXT:      %[[ONE64:.+]] = arith.constant 1 : i64
// CHECK-NEXT:      %[[INIT:.+]] = linalg.fill ins(%[[ONE64]] : i64) outs(%[[O]] : tensor<i64>)
// CHECK-NEXT:      linalg.generic {{{.*}}["reduction", "reduction", "reduction", "reduction"]} ins(%[[KEEPS]] : {{.*}}) outs(%[[INIT]] :
// CHECK-NEXT:      ^bb0(%[[K:.+]]: i1, %[[ACC:.+]]: i64):
// CHECK-DAG:         %[[FLOOR:.+]] = arith.constant 1 : i64
// CHECK-DAG:         %[[S:.+]] = linalg.index 3 : index
// CHECK-NEXT:        %[[S64:.+]] = arith.index_cast %[[S]] : index to i64
// CHECK-NEXT:        %[[END:.+]] = arith.addi %[[S64]], %[[FLOOR]] : i64
// CHECK-NEXT:        %[[THIS:.+]] = arith.select %[[K]], %[[END]], %[[FLOOR]] : i64
// CHECK-NEXT:        arith.maxsi %[[THIS]], %[[ACC]] : i64
// CHECK:         lpu.attention {{.*}}, %[[M]] : {{.*}} length(%[[N]] : tensor<i64>) outs(
// CHECK:         lpu.attention {{.*}}, %[[M]] : {{.*}} length(%[[N]] : tensor<i64>) outs(
func.func @shared(%m: tensor<1x1x1x2048xi1>, %q: tensor<1x4x1x64xf32>, %k: tensor<1x2x2048x64xf32>) -> tensor<1x4x1x64xf32> {
  %0 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %k, %m : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %1 = lpu.attention {scale = 0.125 : f32}
    ins(%0, %k, %k, %m : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %1 : tensor<1x4x1x64xf32>
}

// -----

// A float mask hides a key by -inf alone: the lowest finite number keeps it.

// CHECK-LABEL: func.func @float
// CHECK:         ^bb0(%[[K:.+]]: bf16, %{{.+}}: i64):
// CHECK-NEXT:      %[[INF:.+]] = arith.constant 0xFF80 : bf16
// CHECK-NEXT:      %[[KEEPS:.+]] = arith.cmpf une, %[[K]], %[[INF]] : bf16
// CHECK:           arith.select %[[KEEPS]],
// CHECK:         lpu.attention {{.*}} length(
func.func @float(%m: tensor<2048xbf16>, %q: tensor<1x4x1x64xbf16>, %k: tensor<1x2x2048x64xbf16>) -> tensor<1x4x1x64xbf16> {
  %0 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %k, %m : tensor<1x4x1x64xbf16>, tensor<1x2x2048x64xbf16>, tensor<1x2x2048x64xbf16>, tensor<2048xbf16>)
    outs(%q : tensor<1x4x1x64xbf16>) -> tensor<1x4x1x64xbf16>
  return %0 : tensor<1x4x1x64xbf16>
}

// -----

// Nothing to gain: no mask, a mask that is the same for all keys, a constant
// one that keeps the last key, and a handful of keys.

// CHECK-LABEL: func.func @left_alone
// CHECK-NOT:     length(
func.func @left_alone(%one: tensor<1x1x1x1xi1>, %few: tensor<1x1x1x16xi1>, %q: tensor<1x4x1x64xf32>,
                      %k: tensor<1x2x2048x64xf32>, %s: tensor<1x2x16x64xf32>) -> tensor<1x4x1x64xf32> {
  %all = arith.constant dense<true> : tensor<1x1x1x2048xi1>
  %none = arith.constant dense<0.0> : tensor<1x1x1x2048xf32>
  %0 = lpu.attention {scale = 0.125 : f32, causal}
    ins(%q, %k, %k : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %1 = lpu.attention {scale = 0.125 : f32}
    ins(%0, %k, %k, %one : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x1xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %2 = lpu.attention {scale = 0.125 : f32}
    ins(%1, %k, %k, %all : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %3 = lpu.attention {scale = 0.125 : f32}
    ins(%2, %k, %k, %none : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xf32>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %4 = lpu.attention {scale = 0.125 : f32}
    ins(%3, %s, %s, %few : tensor<1x4x1x64xf32>, tensor<1x2x16x64xf32>, tensor<1x2x16x64xf32>, tensor<1x1x1x16xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %4 : tensor<1x4x1x64xf32>
}

// -----

// A length that is there stays; a constant mask may hide a tail.

// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[N:.+]]: tensor<1xi64>
// CHECK:         lpu.attention {{.*}} length(%[[N]] : tensor<1xi64>)
// CHECK:         lpu.attention {{.*}} length(%{{.+}} : tensor<i64>)
func.func @given(%n: tensor<1xi64>, %m: tensor<1x1x1x2048xi1>, %q: tensor<1x4x1x64xf32>, %k: tensor<1x2x2048x64xf32>) -> tensor<1x4x1x64xf32> {
  %none = arith.constant dense<false> : tensor<1x1x1x2048xi1>
  %0 = lpu.attention {scale = 0.125 : f32}
    ins(%q, %k, %k, %m : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xi1>)
    length(%n : tensor<1xi64>) outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  %1 = lpu.attention {scale = 0.125 : f32}
    ins(%0, %k, %k, %none : tensor<1x4x1x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x2x2048x64xf32>, tensor<1x1x1x2048xi1>)
    outs(%q : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
  return %1 : tensor<1x4x1x64xf32>
}
