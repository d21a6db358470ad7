//===- LPUOps.td - Operations of the lpu dialect -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the lpu dialect, and the root file that TableGen is run on.
// Each is in destination-passing style, on tensors (then it has results) or on
// memrefs (then it has none).
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPUOPS_TD
#define LPU_DIALECT_LPU_IR_LPUOPS_TD

include "lpu/Dialect/LPU/IR/LPUAttributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class LPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<LPU_Dialect, mnemonic, traits>;

/// Tensor before bufferization, memref after it.
def LPU_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef],
                           "ranked tensor or strided memref">;

/// An operation in destination-passing style. Its memory effects are those of
/// its memref operands: inputs are read, destinations written, and read first
/// unless `readsInit` says otherwise.
class LPU_DestinationOp<string mnemonic, list<Trait> traits = []>
    : LPU_Op<mnemonic, !listconcat(traits, [
        DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let hasVerifier = 1;
  code destinationDeclarations = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    /// Whether the value that destination `index` had before is read.
    bool readsInit(unsigned index);
  }];
  let extraClassDeclaration = destinationDeclarations;
}

//===----------------------------------------------------------------------===//
// Matrix unit
//===----------------------------------------------------------------------===//

def LPU_ContractOp : LPU_DestinationOp<"contract", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlock]> {
  let summary = "one contraction of two operands";
  let description = [{
    `c[C(i)] += a[A(i)] * b[B(i)]` over the domain that the iterators span,
    where the maps A, B and C are linear: matrix products, batched and
    transposed ones, and convolutions. Each dimension of the domain is one of

    * batch: in all three maps,
    * row: in A and C (`a` is resident on chip),
    * column: in B and C (`b` is streamed past it),
    * depth: a reduction, in A and B.

    With `zero_init` the old value of `c` is not read: sums start from +0.
    The operands are f32, f16 or bf16 with a result of the same type or f32, or
    i8 with an i32 result. Sums are in f32, rounded to the type of `c` once.

    The vector unit may work before and behind the matrix unit, a part of the
    columns at a time, in regions like that of `lpu.vector`: tensors in, tensors
    out, value semantics also on buffers.

    * The `prologue` gets operand `b` of the op and its own operands, and yields
      what the contraction streams; B is a map of the yielded tensor.
    * The `epilogue` gets `c`, the finished sums, and its own operands, and
      yields what is written to the destination; C is a map of its first
      argument. The destination is not `c` then: sums start from +0, or from the
      destination, if that has the shape and type of `c`.

    On buffers `tiling` says how the operation is cut, so that the units overlap,
    and `temporary` is room for what is in flight between them.

    Example:

    ```mlir
    %r = lpu.contract {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                         affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], zero_init}
      ins(%x, %w : tensor<1x64xf32>, tensor<128x64xf32>)
      outs(%e : tensor<1x128xf32>)
      epilogue(%bias : tensor<128xf32>) {
      ^bb0(%sum: tensor<1x128xf32>, %d: tensor<128xf32>):
        %0 = tensor.empty() : tensor<1x128xf32>
        %s = linalg.generic {
            indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                             affine_map<(m, n) -> (m, n)>],
            iterator_types = ["parallel", "parallel"]}
          ins(%sum, %d : tensor<1x128xf32>, tensor<128xf32>) outs(%0 : tensor<1x128xf32>) {
        ^bb1(%e: f32, %f: f32, %o: f32):
          %t = arith.addf %e, %f : f32
          linalg.yield %t : f32
        } -> tensor<1x128xf32>
        lpu.yield %s : tensor<1x128xf32>
      } -> tensor<1x128xf32>
    ```
  }];
  let arguments = (ins LPU_Shaped:$a, LPU_Shaped:$b,
                       Variadic<LPU_Shaped>:$prologue_inputs,
                       Variadic<LPU_Shaped>:$epilogue_inputs, LPU_Shaped:$outs,
                       Optional<LPU_Shaped>:$temporary,
                       AffineMapArrayAttr:$indexing_maps,
                       StrArrayAttr:$iterator_types, UnitAttr:$zero_init,
                       OptionalAttr<LPU_TilingAttr>:$tiling);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$prologue, AnyRegion:$epilogue);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    attr-dict `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $outs `:` type($outs) `)`
    (`temporary` `(` $temporary^ `:` type($temporary) `)`)?
    (`prologue` (`(` $prologue_inputs^ `:` type($prologue_inputs) `)`)?
     $prologue^)?
    (`epilogue` (`(` $epilogue_inputs^ `:` type($epilogue_inputs) `)`)?
     $epilogue^)?
    (`->` type($results)^)?
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::Value":$a,
      "::mlir::Value":$b, "::mlir::Value":$outs,
      "::mlir::ArrayAttr":$indexing_maps, "::mlir::ArrayAttr":$iterator_types,
      "bool":$zero_init)>
  ];
  let extraClassDeclaration = destinationDeclarations # [{
    ::mlir::AffineMap getMapA();
    ::mlir::AffineMap getMapB();
    ::mlir::AffineMap getMapC();
    /// Shape and element type of the streamed operand: `b`, or what the
    /// prologue makes of it.
    ::mlir::RankedTensorType getStreamedType();
    /// Shape and element type of the sums: the destination's, or what the
    /// epilogue gets.
    ::mlir::RankedTensorType getSumType();
    bool hasPrologue() { return !getPrologue().empty(); }
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// Size of each dimension of the domain.
    ::llvm::SmallVector<int64_t> getDomainSizes();
    /// Which dimensions of the domain are which; the op is verified.
    ContractDimensions classify();
  }];
}

def LPU_AttentionOp : LPU_DestinationOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "scaled dot-product attention";
  let description = [{
    `softmax(scale * q . k^T + mask) . v` per batch and head, with q of
    [B, Hq, L, D], k of [B, Hkv, S, D], v of [B, Hkv, S, Dv] and the result of
    [B, Hq, L, Dv]. Hq is a multiple of Hkv: query heads h*g .. h*g+g-1 share
    key head h. The mask broadcasts to [B, Hq, L, S]; a float mask is added to
    the scores, an i1 mask keeps the scores where it is true. With `causal`,
    row l sees the keys s <= l. On buffers `temporary` is room for the scores.

    With `length`, one i64, no row sees the keys s >= length: neither they nor
    their values are read. Below zero it counts as zero, above S as S. Where the
    mask hides those keys anyway, it saves work and changes no bit.

    Example:

    ```mlir
    %r = lpu.attention {scale = 0.125 : f32}
      ins(%q, %k, %v, %mask : tensor<1x4x1x64xf32>, tensor<1x2x32x64xf32>,
          tensor<1x2x32x64xf32>, tensor<1x1x1x32xi1>)
      length(%n : tensor<i64>)
      outs(%e : tensor<1x4x1x64xf32>) -> tensor<1x4x1x64xf32>
    ```
  }];
  let arguments = (ins LPU_Shaped:$q, LPU_Shaped:$k, LPU_Shaped:$v,
                       Optional<LPU_Shaped>:$mask, Optional<LPU_Shaped>:$length,
                       LPU_Shaped:$outs, Optional<LPU_Shaped>:$temporary,
                       F32Attr:$scale, UnitAttr:$causal);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $q `,` $k `,` $v (`,` $mask^)?
    `:` type($q) `,` type($k) `,` type($v) (`,` type($mask)^)? `)`
    (`length` `(` $length^ `:` type($length) `)`)?
    `outs` `(` $outs `:` type($outs) `)`
    (`temporary` `(` $temporary^ `:` type($temporary) `)`)?
    (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// Vector unit
//===----------------------------------------------------------------------===//

def LPU_VectorOp : LPU_DestinationOp<"vector", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::mlir::lpu::YieldOp">]> {
  let summary = "one micro-program of the vector unit";
  let description = [{
    Runs the linalg operations of its region as one program of the vector unit.
    The block arguments are the operands as tensors, inputs first, then
    destinations; the region has value semantics even when the operands are
    memrefs, for what flows through it stands for registers of the unit. The
    region ends in `lpu.yield`, one value for each destination. Operands that
    the region reads with `tensor.extract` are tables, read at computed
    positions. A `tm_tensor` scan, scatter or sort stands alone in its region.

    Example: a sum of rows.

    ```mlir
    lpu.vector ins(%x : memref<8x100xf32, #lpu.space<lmu>>)
               outs(%s : memref<8xf32, #lpu.space<lmu>>) {
    ^bb0(%a: tensor<8x100xf32>, %o: tensor<8xf32>):
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<8x100xf32>) outs(%init : tensor<8xf32>) {
      ^bb1(%e: f32, %acc: f32):
        %t = arith.addf %e, %acc : f32
        linalg.yield %t : f32
      } -> tensor<8xf32>
      lpu.yield %r : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<LPU_Shaped>:$inputs, Variadic<LPU_Shaped>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let builders = [
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outs,
      "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$bodyBuilder)>
  ];
  let extraClassDeclaration = destinationDeclarations # [{
    /// Block argument that stands for input `index`, or for destination `index`.
    ::mlir::BlockArgument getInputArgument(unsigned index);
    ::mlir::BlockArgument getOutputArgument(unsigned index);
    /// The value yielded for destination `index`.
    ::mlir::Value getYielded(unsigned index);
    /// Whether the region reads the operand of block argument `argument` at
    /// computed positions.
    static bool isTable(::mlir::BlockArgument argument);
  }];
}

def LPU_YieldOp : LPU_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["::mlir::lpu::ContractOp", "::mlir::lpu::VectorOp"]>]> {
  let summary = "values of a vector program";
  let description = [{
    Ends the region of an `lpu.vector`: one tensor for each destination. Ends
    the prologue and the epilogue of an `lpu.contract`: one tensor.

    Example: `lpu.yield %r : tensor<8xf32>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
}

//===----------------------------------------------------------------------===//
// Memory unit
//===----------------------------------------------------------------------===//

def LPU_GatherOp : LPU_DestinationOp<"gather"> {
  let summary = "rows of a source, by a vector of indices";
  let description = [{
    `out[.., i, ..] = src[.., index[i], ..]` at dimension `axis`. An index out
    of range is a fault; with `wrap_negative` one below zero counts from the end.

    Example:

    ```mlir
    %r = lpu.gather {axis = 0 : i64} ins(%table, %ids : tensor<100x64xf32>, tensor<3xi64>)
      outs(%e : tensor<3x64xf32>) -> tensor<3x64xf32>
    ```
  }];
  let arguments = (ins LPU_Shaped:$src, LPU_Shaped:$index, LPU_Shaped:$outs,
                       I64Attr:$axis, UnitAttr:$wrap_negative);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `,` $index `:` type($src) `,` type($index) `)`
    `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)?
  }];
}

def LPU_ScatterOp : LPU_DestinationOp<"scatter"> {
  let summary = "writes rows of a destination, by a vector of indices";
  let description = [{
    `out[.., index[i], ..] = src[.., i, ..]` at dimension `axis`, i ascending,
    so that of equal indices the last one stays. The rest of the destination
    keeps its value. An index out of range is a fault; with `wrap_negative` one
    below zero counts from the end.

    Example: one new row of a cache of 32.

    ```mlir
    %r = lpu.scatter {axis = 2 : i64} ins(%row, %at : tensor<1x2x1x64xf32>, tensor<1xi64>)
      outs(%cache : tensor<1x2x32x64xf32>) -> tensor<1x2x32x64xf32>
    ```
  }];
  let arguments = (ins LPU_Shaped:$src, LPU_Shaped:$index, LPU_Shaped:$outs,
                       I64Attr:$axis, UnitAttr:$wrap_negative);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `,` $index `:` type($src) `,` type($index) `)`
    `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)?
  }];
}

def LPU_CopyOp : LPU_DestinationOp<"copy"> {
  let summary = "copies a buffer";
  let description = [{
    `out = src`, of the same shape and element type.

    Example:

    ```mlir
    lpu.copy ins(%x : memref<8x64xf32, #lpu.space<arg>>)
             outs(%y : memref<8x64xf32, #lpu.space<lmu>>)
    ```
  }];
  let arguments = (ins LPU_Shaped:$src, LPU_Shaped:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)`
    `outs` `(` $outs `:` type($outs) `)` (`->` type($results)^)?
  }];
}

#endif // LPU_DIALECT_LPU_IR_LPUOPS_TD
