//===- Passes.td - From linalg to lpu ----------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes between the stages `linalg` and `lpu`, in the order in which the
// pipeline runs them.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LINALGTOLPU_PASSES_TD
#define LPU_CONVERSION_LINALGTOLPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldF64Pass : Pass<"lpu-fold-f64"> {
  let summary = "Rewrite f64 that torch-mlir introduced as f32, where that is exact";
  let description = [{
    torch-mlir writes scalars as f64 constants and widens f32 values to meet
    them. The machine has no f64. This pass removes it where the value of the
    program provably stays the same:

    * a constant that is rounded at once is rounded here;
    * `+ - * /` and `sqrt` of widened values, rounded back: f64 has more than
      twice the digits of f32 plus two, so rounding twice equals rounding once;
    * minimum, maximum, negation, absolute value and select commute with
      rounding;
    * a comparison of a widened value with a constant: if f32 has no such
      constant, with its neighbour on the proper side;
    * a comparison of an integer with a constant.

    An integer that passes through f64 on its way to f32 is rounded once, and a
    rounded quotient of integers is an integer division, as in PyTorch. Any
    other f64 stays, and `lpu-verify-lpu` names it.

    Before:
    ```mlir
    %c = arith.constant 9.9999999999999995E-7 : f64
    %e = arith.truncf %c : f64 to f32
    %w = arith.extf %x : f32 to f64
    %p = arith.cmpf ogt, %w, %tenth : f64   // %tenth = 0.1
    ```
    After:
    ```mlir
    %e = arith.constant 9.99999997E-7 : f32
    %p = arith.cmpf oge, %x, %n : f32       // %n = 0.100000001, the next f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numFolded", "operations-folded", "f64 operations rewritten">
  ];
}

def DecomposeTensorOpsPass : Pass<"lpu-decompose-tensor-ops"> {
  let summary = "Write every structured operation as linalg.generic and slices";
  let description = [{
    Generalises named linalg operations and elementwise arithmetic on tensors,
    decomposes paddings into insertions of slices, and turns top-k into a sort
    of values and positions followed by a slice. What has no elements becomes an
    empty tensor.

    Before:
    ```mlir
    %p = tensor.pad %x low[0, 1] high[0, 0] {/* %zero */} : tensor<2x3xf32> to tensor<2x4xf32>
    ```
    After:
    ```mlir
    %e = tensor.empty() : tensor<2x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
    %p = tensor.insert_slice %x into %f[0, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x4xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect", "::mlir::tm_tensor::TMTensorDialect"
  ];
  let statistics = [
    Statistic<"numDecomposed", "operations-decomposed", "Operations rewritten">
  ];
}

def DecomposeArgReductionsPass : Pass<"lpu-decompose-arg-reductions"> {
  let summary = "Write argmax and argmin as two reductions";
  let description = [{
    A reduction that carries a maximum and its position depends on itself from
    element to element, so that it would run on one lane. It becomes two: the
    maximum, then the first position that holds it (or a NaN, which is the
    maximum if there is one).

    Before:
    ```mlir
    %r:2 = linalg.generic ... ins(%x) outs(%lowest, %zero) {
    ^bb0(%in: f32, %max: f32, %at: i64):
      %m = arith.maximumf %in, %max : f32
      %c = arith.cmpf ogt, %in, %max : f32
      %i = arith.select %c, %here, %at : i64
      linalg.yield %m, %i : f32, i64
    }
    ```
    After:
    ```mlir
    %m = linalg.generic ... ins(%x) outs(%lowest) {/* maximumf */}
    %i = linalg.generic ... ins(%x, %m) outs(%none) {
    ^bb0(%in: f32, %max: f32, %at: i64):
      %h = ... // in equals max, or is a NaN
      %p = arith.select %h, %here, %none : i64
      %f = arith.minsi %p, %at : i64
      linalg.yield %f : i64
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numDecomposed", "reductions-decomposed", "Reductions taken apart">
  ];
}

def SinkScalarsPass : Pass<"lpu-sink-scalars"> {
  let summary = "Move scalar computations into the tensor operations that use them";
  let description = [{
    The machine computes on buffers; a scalar between operations has no place.
    A scalar that a linalg operation uses, computed from elements of tensors, is
    computed again inside the operation; a tensor made of scalars becomes a
    linalg.generic.

    Before:
    ```mlir
    %s = tensor.extract %t[] : tensor<f32>
    %r = linalg.generic ... ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %s : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    ```
    After:
    ```mlir
    %r = linalg.generic ... ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = tensor.extract %t[] : tensor<f32>
      %m = arith.mulf %a, %s : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numSunk", "scalars-sunk", "Scalar operations copied into users">
  ];
}

def FoldRoundingsPass : Pass<"lpu-fold-roundings"> {
  let summary = "Give contractions whose results are rounded at once the narrow type";
  let description = [{
    A contraction of bf16 or f16 with sums in f32 that start from zero, whose
    one user rounds them, becomes a contraction with a narrow result: the matrix
    unit sums in f32 whatever the type of its result, and rounds once at the end.

    Before:
    ```mlir
    %c = linalg.generic {/* contraction */} ins(%x, %w : tensor<1x64xbf16>, tensor<64x8xbf16>)
      outs(%zero : tensor<1x8xf32>) ...
    %r = linalg.generic {/* arith.truncf */} ins(%c : tensor<1x8xf32>) outs(%e : tensor<1x8xbf16>) ...
    ```
    After:
    ```mlir
    %r = linalg.generic {/* contraction */} ins(%x, %w : tensor<1x64xbf16>, tensor<64x8xbf16>)
      outs(%zero : tensor<1x8xbf16>) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFolded", "roundings-folded", "Roundings that became part of a contraction">
  ];
}

def FuseElementwisePass : Pass<"lpu-fuse-elementwise"> {
  let summary = "Fuse data movement and elementwise operations into their users";
  let description = [{
    Elementwise fusion with the machine's own rule of what pays:

    * an operation that only moves data (a transposition or a broadcast) is
      folded into any user, contractions included: it becomes an indexing map;
    * an elementwise operation with one user is fused into it, unless it reads
      at computed positions, may fault, or would be computed more often;
    * nothing that computes is fused into a contraction, which would no longer
      be one, and nothing becomes one, which would no longer round its products;
    * a transposition of a result is folded into the map of its producer, so a
      contraction writes in the order that is read;
    * a reshape that adds or drops dimensions of size 1 is folded into the map
      that reads it;
    * an element that a body extracts at a fixed position, or at that of its
      loops, becomes an input;
    * what is left of data movement that only concerns dimensions of size 1 is
      written as the reshape that it is.

    Before:
    ```mlir
    %t = linalg.generic {indexing_maps = [(n, k) -> (k, n), (n, k) -> (n, k)]} ins(%w) ...
    %c = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), ...]} ins(%x, %t) ...
    ```
    After:
    ```mlir
    %c = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (k, n), ...]} ins(%x, %w) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numFused", "operations-fused", "Operations that became part of another">
  ];
}

def SinkConcatsPass : Pass<"lpu-sink-concats"> {
  let summary = "Move concatenations behind the elementwise operations that read them";
  let description = [{
    An elementwise operation that reads a concatenation is split into one
    operation a part; the other operands are sliced, and the results are
    concatenated. So a concatenation whose users are all elementwise is never
    made: where its values end, each part is written in place. The rotation of
    halves in a rotary embedding becomes two operations that read both halves.
    A slice of a concatenation becomes a slice of its part.

    Before:
    ```mlir
    %h = tensor.concat dim(0) %n, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %r = linalg.generic {/* multiply */} ins(%h, %s : tensor<8xf32>, tensor<8xf32>) ...
    ```
    After:
    ```mlir
    %s0 = tensor.extract_slice %s[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %r0 = linalg.generic {/* multiply */} ins(%n, %s0 : tensor<4xf32>, tensor<4xf32>) ...
    %s1 = tensor.extract_slice %s[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %r1 = linalg.generic {/* multiply */} ins(%a, %s1 : tensor<4xf32>, tensor<4xf32>) ...
    %r = tensor.concat dim(0) %r0, %r1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let statistics = [
    Statistic<"numSunk", "operations-split", "Operations split at a concatenation">
  ];
}

def ExpandMathPass : Pass<"lpu-expand-math"> {
  let summary = "Expand the functions that the vector unit has no operation for";
  let description = [{
    Rewrites the math operations without a micro-operation as arithmetic that
    has one, by upstream's expansions where there is one.

    Before: `%r = math.fpowi %x, %c2 : f32, i64`

    After:  `%r = arith.mulf %x, %x : f32`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"numExpanded", "operations-expanded", "Operations rewritten as arithmetic">
  ];
}

def ConvertLinalgToLPUPass : Pass<"convert-linalg-to-lpu", "::mlir::ModuleOp"> {
  let summary = "Convert linalg on tensors to the lpu dialect";
  let description = [{
    * A contraction becomes an `lpu.contract`. Its streamed operand is a weight
      (a function argument or constant) if one of the two is, else the one
      whose streaming costs less.
    * A call to a private function with attribute `lpu.op` becomes the operation
      that it stands for, as does `tm_tensor.attention`.
    * A concatenation becomes insertions of slices.
    * Everything else becomes an `lpu.vector` of its own: the general road.

    Before:
    ```mlir
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x128xf32>) -> tensor<1x128xf32>
    %r = linalg.generic {indexing_maps = [(m, n, k) -> (m, k), (m, n, k) -> (n, k), (m, n, k) -> (m, n)],
                         iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x64xf32>, tensor<128x64xf32>) outs(%z : tensor<1x128xf32>) {...}
    ```
    After:
    ```mlir
    %r = lpu.contract {indexing_maps = [...], iterator_types = [...], zero_init}
      ins(%x, %w : tensor<1x64xf32>, tensor<128x64xf32>)
      outs(%e : tensor<1x128xf32>) -> tensor<1x128xf32>
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numContracts", "contracts", "Operations for the matrix unit">,
    Statistic<"numVectors", "vectors", "Programs for the vector unit">
  ];
}

def FuseVectorsPass : Pass<"lpu-fuse-vectors", "::mlir::func::FuncOp"> {
  let summary = "Merge vector programs";
  let description = [{
    Merges an `lpu.vector` into the one that uses its results, and two that read
    the same operand, where the machine can run the result as one micro-program
    and where that does not repeat more work than it saves. A softmax or a norm
    becomes one program; an intermediate value that others need as well becomes
    one more result.

    Before:
    ```mlir
    %m = lpu.vector ins(%x) outs(%e0) {/* maximum of a row */}
    %p = lpu.vector ins(%x, %m) outs(%e1) {/* exp(x - m) */}
    %s = lpu.vector ins(%p) outs(%e0) {/* sum of a row */}
    %r = lpu.vector ins(%p, %s) outs(%e1) {/* p / s */}
    ```
    After:
    ```mlir
    %r = lpu.vector ins(%x) outs(%e1) {/* all four */}
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numMerged", "programs-merged", "Vector programs merged into another">
  ];
}

def FuseEpiloguesPass : Pass<"lpu-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Move elementwise programs into the contractions before them";
  let description = [{
    An `lpu.vector` that computes one element for each element of a contraction,
    of which it is the only user, becomes its epilogue: bias, activation, product
    with another projection, residual, rounding. Of several contractions the last
    one takes it. Programs that reduce (a norm, a softmax) need whole rows and
    stay.

    Before:
    ```mlir
    %c = lpu.contract {...} ins(%x, %w) outs(%e0) -> tensor<1x128xf32>
    %r = lpu.vector ins(%c, %bias) outs(%e1) {/* c + bias, rounded */} -> tensor<1x128xbf16>
    ```
    After:
    ```mlir
    %r = lpu.contract {...} ins(%x, %w) outs(%e1) epilogue(%bias) {/* c + bias, rounded */} -> tensor<1x128xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "programs-fused", "Vector programs that became epilogues">
  ];
}

def FuseProloguesPass : Pass<"lpu-fuse-prologues", "::mlir::func::FuncOp"> {
  let summary = "Move the making of weights into the contractions that stream them";
  let description = [{
    An elementwise `lpu.vector` that makes the streamed operand of one
    contraction from a stored tensor (an argument or a constant) and small ones
    becomes its prologue: a weight converted to bf16, integers times a scale.

    Before:
    ```mlir
    %b = lpu.vector ins(%w) outs(%e0) {/* truncf */} -> tensor<128x64xbf16>
    %r = lpu.contract {...} ins(%x, %b) outs(%e1) -> tensor<1x128xbf16>
    ```
    After:
    ```mlir
    %r = lpu.contract {...} ins(%x, %w) outs(%e1) prologue {/* truncf */} -> tensor<1x128xbf16>
    ```
  }];
  let dependentDialects = ["::mlir::lpu::LPUDialect", "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numFused", "programs-fused", "Vector programs that became prologues">
  ];
}

#endif // LPU_CONVERSION_LINALGTOLPU_PASSES_TD
