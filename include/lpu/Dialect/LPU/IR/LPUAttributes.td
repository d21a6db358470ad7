//===- LPUAttributes.td - Attributes of the lpu dialect ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine to compile for, and the memory that a buffer lies in.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPU_IR_LPUATTRIBUTES_TD
#define LPU_DIALECT_LPU_IR_LPUATTRIBUTES_TD

include "lpu/Dialect/LPU/IR/LPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def LPU_Space : I32EnumAttr<"Space", "memory that a buffer lies in", [
    I32EnumAttrCase<"Arg", 0, "arg">,
    I32EnumAttrCase<"Scratch", 1, "scratch">,
    I32EnumAttrCase<"Constant", 2, "constant">,
    I32EnumAttrCase<"LMU", 3, "lmu">]> {
  let cppNamespace = "::mlir::lpu";
  let genSpecializedAttr = 0;
}

def LPU_SpaceAttr : EnumAttr<LPU_Dialect, LPU_Space, "space"> {
  let summary = "the memory that a buffer lies in";
  let description = [{
    Memory space of a memref. `arg`, `scratch` and `constant` are regions of the
    HBM; `lmu` is the on-chip memory.

    Example: `memref<8x64xf32, #lpu.space<lmu>>`
  }];
  let assemblyFormat = "`<` $value `>`";
}

def LPU_MachineAttr : AttrDef<LPU_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "the parameters of the machine to compile for";
  let description = [{
    Parameters by name, as in a machine file; one that is absent has the value
    of the default machine, or of the preset that `base` names. An unknown name
    or a value out of range is an error.

    Example: `#lpu.machine<{base = "tiny", lmu_bytes = 4096}>`
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$parameters);
  let assemblyFormat = "`<` $parameters `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// All parameters of `model`.
    static MachineAttr fromModel(::mlir::MLIRContext *context,
                                 const ::lpu::MachineModel &model);
    /// The machine described; a verified attribute always describes one.
    ::lpu::MachineModel toModel() const;
  }];
}

def LPU_TilingAttr : AttrDef<LPU_Dialect, "Tiling"> {
  let mnemonic = "tiling";
  let summary = "how a contraction is cut between the units";
  let description = [{
    Dimension `dim` of the domain, one of columns or batches, is cut into tiles
    of `size`; the last may have less. With `staged`, tiles of the streamed
    operand are brought on chip and streamed from there for every pass over the
    rows. With `own_sums`, sums lie in the temporary until the epilogue has them,
    else in the destination.

    Example: `#lpu.tiling<dim = 1, size = 384, staged = true>`
  }];
  let parameters = (ins "int64_t":$dim, "int64_t":$size,
                        DefaultValuedParameter<"bool", "false">:$staged,
                        DefaultValuedParameter<"bool", "false">:$own_sums);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // LPU_DIALECT_LPU_IR_LPUATTRIBUTES_TD
