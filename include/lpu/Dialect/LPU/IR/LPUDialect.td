//===- LPUDialect.td - The lpu dialect ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the dialect itself; its attributes are in LPUAttributes.td and its
// operations in LPUOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPUDIALECT_TD
#define LPU_DIALECT_LPU_IR_LPUDIALECT_TD

include "mlir/IR/OpBase.td"

def LPU_Dialect : Dialect {
  let name = "lpu";
  let cppNamespace = "::mlir::lpu";
  let summary = "Structured operations of the LPU";
  let description = [{
    Whole operations of the LPU, first on tensors, then on buffers: what a
    compiler fuses, tiles, bufferizes and allocates before it becomes machine
    instructions. Every operation writes to a destination that it is given
    (`outs`), so that upstream bufferization works on it.

    ```
       linalg, tm_tensor          tensors; one op per ATen op
            |  fuse, recognise
       lpu                        tensors; one op per unit of the machine
            |  tile, bufferize, place, allocate
       lpu                        buffers with a space and an address
            |  select instructions
       lpuisa                     machine instructions on views
    ```

    What computes and where: `lpu.contract` and `lpu.attention` on the matrix
    unit, `lpu.vector` on the vector unit, `lpu.gather`, `lpu.scatter` and
    `lpu.copy` on the memory unit.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Module attribute that holds the `#lpu.machine` to compile for.
    static constexpr ::llvm::StringLiteral machineAttrName = "lpu.machine";
    /// Private function attribute: which op a call to it stands for.
    static constexpr ::llvm::StringLiteral opAttrName = "lpu.op";
    /// Result attribute: the argument whose new value the result is.
    static constexpr ::llvm::StringLiteral aliasAttrName = "lpu.alias";
    /// Argument attribute: the argument is the buffer of that result.
    static constexpr ::llvm::StringLiteral outputAttrName = "lpu.output";
    /// Function attribute: what each result is, see `lpu-tie-results`.
    static constexpr ::llvm::StringLiteral resultsAttrName = "lpu.results";
    /// Argument attribute: its name for people.
    static constexpr ::llvm::StringLiteral nameAttrName = "lpu.name";
    /// Allocation attribute: byte address within its space.
    static constexpr ::llvm::StringLiteral addressAttrName = "lpu.address";
    /// Function attributes: bytes used of each space, and the most of them
    /// that hold a value at one moment.
    static constexpr ::llvm::StringLiteral lmuBytesAttrName = "lpu.lmu_bytes";
    static constexpr ::llvm::StringLiteral lmuLiveBytesAttrName =
        "lpu.lmu_live_bytes";
    static constexpr ::llvm::StringLiteral scratchBytesAttrName =
        "lpu.scratch_bytes";
    static constexpr ::llvm::StringLiteral scratchLiveBytesAttrName =
        "lpu.scratch_live_bytes";
  }];
}

#endif // LPU_DIALECT_LPU_IR_LPUDIALECT_TD
