//===- LPUISAUnitOps.td - Instructions of SMA and SXE ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and matrix instructions, whose operands are views.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAUNITOPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAUNITOPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISABase.td"

//===----------------------------------------------------------------------===//
// SMA: memory
//===----------------------------------------------------------------------===//

def LPUISA_CopyOp : LPUISA_UnitInstruction<"copy"> {
  let summary = "Copies one view to another";
  let description = [{
    Both views have the same sizes and element type; they may lie anywhere.

    Example:

    ```mlir
    lpuisa.copy <lmu, f32, [4, 8], [8, 1], 0> = <arg[0], f32, [4, 8], [1, 4], 0>
    ```
  }];
  let arguments = (ins
    LPUISA_ViewAttr:$destination,
    LPUISA_ViewAttr:$source);
  let assemblyFormat = "$destination `=` $source attr-dict";
  let hasVerifier = 1;
}

def LPUISA_GatherOp : LPUISA_UnitInstruction<"gather"> {
  let summary = "Copies the slices that an index vector names";
  let description = [{
    `destination[.., i, ..] = source[.., index[i], ..]` at the axis. An index
    outside the source's size faults; with `wrap_negative`, one below zero
    counts from the end.

    Example:

    ```mlir
    lpuisa.gather <lmu, f32, [4, 8], [8, 1], 0>
        = <arg[0], f32, [100, 8], [8, 1], 0>[<arg[1], i64, [4], [1], 0>] axis 0
    ```
  }];
  let arguments = (ins
    LPUISA_ViewAttr:$destination,
    LPUISA_ViewAttr:$source,
    LPUISA_ViewAttr:$index,
    LPUISA_AxisAttr:$axis,
    UnitAttr:$wrap_negative);
  let assemblyFormat = [{
    $destination `=` $source `[` $index `]` `axis` $axis
    (`wrap_negative` $wrap_negative^)? attr-dict
  }];
  let hasVerifier = 1;
}

def LPUISA_ScatterOp : LPUISA_UnitInstruction<"scatter"> {
  let summary = "Writes the slices that an index vector names";
  let description = [{
    `destination[.., index[i], ..] = source[.., i, ..]` at the axis, with i
    ascending, so the last of equal indices wins.

    Example:

    ```mlir
    lpuisa.scatter <arg[0], f32, [100, 8], [8, 1], 0>[<arg[1], i64, [4], [1], 0>]
        = <lmu, f32, [4, 8], [8, 1], 0> axis 0
    ```
  }];
  let arguments = (ins
    LPUISA_ViewAttr:$destination,
    LPUISA_ViewAttr:$source,
    LPUISA_ViewAttr:$index,
    LPUISA_AxisAttr:$axis,
    UnitAttr:$wrap_negative);
  let assemblyFormat = [{
    $destination `[` $index `]` `=` $source `axis` $axis
    (`wrap_negative` $wrap_negative^)? attr-dict
  }];
  let hasVerifier = 1;
}

def LPUISA_StreamOp : LPUISA_UnitInstruction<"stream"> {
  let summary = "Pushes a view into the stream buffer";
  let description = [{
    Pushes the view `passes` times into the buffer from which the next `mm`
    that has no entry yet takes its second operand.

    Example:

    ```mlir
    lpuisa.stream <arg[1], bf16, [768, 768], [768, 1], 0> passes 1
    ```
  }];
  let arguments = (ins
    LPUISA_ViewAttr:$source,
    LPUISA_PositiveAttr:$passes);
  let assemblyFormat = "$source `passes` $passes attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// SXE: matrix
//===----------------------------------------------------------------------===//

def LPUISA_MmOp : LPUISA_UnitInstruction<"mm"> {
  let summary = "Multiplies a view with a stream entry";
  let description = [{
    `output (+)= lhs * entry`, where the entry is the oldest one in the stream
    buffer and `streamed` is the view that its `stream` pushed. The dimensions
    of `lhs` are (batch.., rows.., depth..), those of `streamed` (batch..,
    cols.., depth..) and those of `output` (batch.., rows.., cols..), each in
    the numbers that the attributes say. With `accumulate` a chain starts from
    the old output, else from +0.

    Example:

    ```mlir
    lpuisa.stream <arg[1], f32, [16, 64], [64, 1], 0> passes 1
    lpuisa.mm <lmu, f32, [4, 16], [16, 1], 0>
        = <lmu, f32, [4, 64], [64, 1], 256>
        * <arg[1], f32, [16, 64], [64, 1], 0> batch 0 rows 1 cols 1 depth 1
    ```
  }];
  let arguments = (ins
    LPUISA_ViewAttr:$output,
    LPUISA_ViewAttr:$lhs,
    LPUISA_ViewAttr:$streamed,
    LPUISA_RankAttr:$batch,
    LPUISA_RankAttr:$rows,
    LPUISA_RankAttr:$cols,
    LPUISA_RankAttr:$depth,
    UnitAttr:$accumulate);
  let assemblyFormat = [{
    $output `=` $lhs `*` $streamed
    `batch` $batch `rows` $rows `cols` $cols `depth` $depth
    (`accumulate` $accumulate^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAUNITOPS_TD
