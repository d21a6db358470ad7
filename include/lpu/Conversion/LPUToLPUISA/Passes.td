//===- Passes.td - Passes from lpu to lpuisa ---------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction selection, and the pass that asks for the on-chip memory that it
// will need.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_CONVERSION_LPUTOLPUISA_PASSES_TD
#define LPU_CONVERSION_LPUTOLPUISA_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileContractionsPass
    : Pass<"lpu-tile-contractions", "::mlir::func::FuncOp"> {
  let summary = "Cut contractions so that the units overlap";
  let description = [{
    Cuts the columns (or batches) of a contraction into tiles: the vector unit
    works on the prologue and epilogue of one tile while the matrix unit computes
    another. A weight that serves more rows than one pass can be brought on chip
    tile by tile and streamed from there. The number of tiles and whether to
    stage is decided by the time that the three units take (`ContractTiling.h`);
    with equal time what reads less of the HBM wins, then what has fewer tiles.

    Pre-condition: operations are on buffers, in memory spaces, without
    temporaries.

    Before:

    ```mlir
    lpu.contract {...} ins(%x, %w : ...) outs(%y : ...) epilogue {...}
    ```

    After:

    ```mlir
    lpu.contract {..., tiling = #lpu.tiling<dim = 1, size = 384>}
        ins(%x, %w : ...) outs(%y : ...) epilogue {...}
    ```
  }];
  let statistics = [
    Statistic<"numTiles", "tiles", "Tiles of contractions that are cut">,
    Statistic<"numStaged", "staged", "Contractions whose streamed operand is staged">,
  ];
  let dependentDialects = ["::mlir::lpu::LPUDialect"];
}

def MaterializeTemporariesPass
    : Pass<"lpu-materialize-temporaries", "::mlir::func::FuncOp"> {
  let summary = "Give operations the temporary buffers that they need on chip";
  let description = [{
    `lpu.attention` keeps the scores and weights of two blocks of keys and its
    running sums on chip; `lpu.contract` keeps tiles of its sums or of its
    streamed operand there. This pass makes an allocation of that size an
    operand, so that it is placed together with all other buffers.

    Pre-condition: operations are on buffers, without addresses.
    Post-condition: every operation that needs a temporary has one.

    Before:

    ```mlir
    lpu.attention {scale = 0.125 : f32} ins(%q, %k, %v : ...) outs(%o : ...)
    ```

    After:

    ```mlir
    %t = memref.alloc() : memref<17216xi8, #lpu.space<lmu>>
    lpu.attention {scale = 0.125 : f32} ins(%q, %k, %v : ...) outs(%o : ...)
        temporary(%t : memref<17216xi8, #lpu.space<lmu>>)
    ```
  }];
  let statistics = [
    Statistic<"numTemporaries", "temporaries", "Temporaries added">,
    Statistic<"numBytes", "bytes", "Bytes of temporaries">,
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ConvertLPUToLPUISAPass
    : Pass<"convert-lpu-to-lpuisa", "::mlir::ModuleOp"> {
  let summary = "Select machine instructions";
  let description = [{
    Turns the function of the module into a `lpuisa.program`: one instruction
    for a copy, a gather or a scatter; a stream and a product for a contraction;
    one micro-program for an `lpu.vector`; a sequence of them for attention.
    Instructions stand in program order and are not yet ordered between units.

    Pre-condition: buffers are arguments, globals, or allocations with a memory
    space and an `lpu.address`; views on them are static.
    Post-condition: the module holds `lpuisa.program` and nothing else.

    Before:

    ```mlir
    func.func @main(%x: memref<4x8xf32, #lpu.space<arg>>,
                    %y: memref<4x8xf32, #lpu.space<arg>> {lpu.output}) {
      lpu.copy ins(%x : ...) outs(%y : ...)
      return
    }
    ```

    After:

    ```mlir
    lpuisa.program @main
        inputs [<"x", f32, [4, 8]>]
        results [<"y", f32, [4, 8], argument = 1>]
        outputs [<"y", f32, [4, 8]>] {
      lpuisa.copy <arg[1], f32, [32], [1], 0> = <arg[0], f32, [32], [1], 0>
      lpuisa.halt
    }
    ```
  }];
  let statistics = [
    Statistic<"numInstructions", "instructions", "Instructions selected">,
    Statistic<"numConstantBytes", "constant-bytes", "Bytes of constants">,
  ];
  let dependentDialects = ["::mlir::lpuisa::LPUISADialect"];
}

#endif // LPU_CONVERSION_LPUTOLPUISA_PASSES_TD
