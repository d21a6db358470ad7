//===- TMTensorOps.td - Operations of the tm_tensor dialect *- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the tm_tensor dialect, and the root file that TableGen is run
// on. The textual forms are torch-mlir's; the operations carry no more than the
// passes here need: they are on tensors and in destination-passing style.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
#define LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD

include "lpu/Dialect/TMTensor/IR/TMTensorDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// An operation on tensors whose region, if it has one, is pure arithmetic.
class TMTensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<TMTensor_Dialect, mnemonic, !listconcat(traits, [
        AttrSizedOperandSegments, DestinationStyleOpInterface, Pure])> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

class TMTensor_RegionOp<string mnemonic, list<Trait> traits = []>
    : TMTensor_Op<mnemonic, !listconcat(traits, [
        SingleBlockImplicitTerminator<"::mlir::tm_tensor::YieldOp">])> {
  let regions = (region SizedRegion<1>:$region);
}

def TMTensor_ScanOp : TMTensor_RegionOp<"scan"> {
  let summary = "running combination along a dimension";
  let description = [{
    `out[i] = combine(out[i-1], in[i])` along `dimension`. If not `inclusive`,
    `out[0]` is the initial value of the accumulator and `out[i]` excludes
    `in[i]`. The second result is the last value.

    Example:

    ```mlir
    %r:2 = tm_tensor.scan dimension(1) inclusive(true)
      ins(%x : tensor<8x100xf32>) outs(%e, %z : tensor<8x100xf32>, tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tm_tensor.yield %s : f32
    } -> tensor<8x100xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_ScatterOp : TMTensor_RegionOp<"scatter"> {
  let summary = "combines slices into a tensor at given positions";
  let description = [{
    For each row n of `indices` (of [N, depth]): `out[.., indices[n], ..]` is
    combined with `updates[n]`, where column c of `indices` is a position in
    dimension `dimension_map[c]`. The first argument of the region is the
    update, the second the current value.

    Example:

    ```mlir
    %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
      ins(%updates, %indices : tensor<3xf32>, tensor<3x1xi32>) outs(%x : tensor<8xf32>) {
    ^bb0(%new: f32, %old: f32):
      %s = arith.addf %new, %old : f32
      tm_tensor.yield %s : f32
    } -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_SortOp : TMTensor_RegionOp<"sort"> {
  let summary = "sorts tensors together along a dimension";
  let description = [{
    Sorts the outputs by a comparator that yields whether the first of two
    elements stands before the second.

    Example:

    ```mlir
    %r:2 = tm_tensor.sort dimension(0) outs(%x, %i : tensor<8xf32>, tensor<8xi64>) {
    ^bb0(%a: f32, %b: f32, %ai: i64, %bi: i64):
      %c = arith.cmpf ole, %a, %b : f32
      tm_tensor.yield %c : i1
    } -> tensor<8xf32>, tensor<8xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_TopkOp : TMTensor_RegionOp<"topk"> {
  let summary = "the first k elements in an order, and their positions";
  let description = [{
    Along `dimension`, the k elements that stand first by a comparator that
    yields whether a new element replaces an old one; k is the size of the
    outputs there.

    Example:

    ```mlir
    %r:2 = tm_tensor.topk dimension(0) ins(%x : tensor<8xf32>)
      outs(%v, %i : tensor<3xf32>, tensor<3xi64>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf ogt, %a, %b : f32
      tm_tensor.yield %c : i1
    } -> tensor<3xf32>, tensor<3xi64>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs, I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TMTensor_AttentionOp : TMTensor_Op<"attention"> {
  let summary = "scaled dot-product attention on three-dimensional operands";
  let description = [{
    `softmax(scale * q . k^T + mask) . v` with q of [.., L, D], k of [.., S, D],
    v of [.., S, Dv] and an optional mask of [.., L, S].

    Example:

    ```mlir
    %r = tm_tensor.attention {scale = 2.5e-01 : f64}
      ins(%q, %k, %v : tensor<4x1x16xf32>, tensor<4x32x16xf32>, tensor<4x32x16xf32>)
      outs(%z : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` (`->` type($results)^)?
  }];
}

def TMTensor_YieldOp : Op<TMTensor_Dialect, "yield",
                          [Pure, ReturnLike, Terminator]> {
  let summary = "value of a tm_tensor region";
  let description = [{
    Ends the region of a tm_tensor operation.

    Example: `tm_tensor.yield %s : f32`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

#endif // LPU_DIALECT_TMTENSOR_IR_TMTENSOROPS_TD
