//===- LPUISAOps.td - Operations of lpuisa -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program, and the root file that TableGen is run on. There is one operation
// for each opcode of lpu/Target/Encoding.h, by unit.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISABase.td"
include "lpu/Dialect/LPUISA/IR/LPUISAControlOps.td"
include "lpu/Dialect/LPUISA/IR/LPUISAUnitOps.td"
include "lpu/Dialect/LPUISA/IR/LPUISAVectorOps.td"
include "mlir/IR/SymbolInterfaces.td"

def LPUISA_ProgramOp : LPUISA_Op<"program", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol]> {
  let summary = "A machine program";
  let description = [{
    Holds the instructions in the order of the binary's text, the signature and
    the sizes of what the program occupies. Arguments are numbered with the
    `inputs` first and the `outputs` after them; an output is the buffer of a
    result that is no input's new value. `rodata` are the bytes of the space
    `constant`. The machine is that of the attribute `lpu.machine` on the
    program or around it.

    Example:

    ```mlir
    lpuisa.program @load lmu 64
        inputs [<"x", f32, [16]>]
        results [<"y", f32, [16], argument = 1>]
        outputs [<"y", f32, [16]>] {
      lpuisa.copy <lmu, f32, [16], [1], 0> = <arg[0], f32, [16], [1], 0>
      lpuisa.halt
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    LPUISA_TensorArrayAttr:$inputs,
    LPUISA_TensorArrayAttr:$result_tensors,
    LPUISA_TensorArrayAttr:$outputs,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$scratch_bytes,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$lmu_bytes,
    OptionalAttr<LPUISA_BytesAttr>:$rodata);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`scratch` $scratch_bytes^)? (`lmu` $lmu_bytes^)? ``
    custom<Signature>($inputs, $result_tensors, $outputs)
    (`rodata` $rodata^)? attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    // A program with an empty body, to which the builder is not moved.
    OpBuilder<(ins "StringRef":$name,
                   "ArrayRef<TensorSpecAttr>":$inputs,
                   "ArrayRef<TensorSpecAttr>":$results,
                   "ArrayRef<TensorSpecAttr>":$outputs,
                   CArg<"int64_t", "0">:$scratchBytes,
                   CArg<"int64_t", "0">:$lmuBytes,
                   CArg<"ArrayRef<uint8_t>", "{}">:$rodata)>,
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Block *getBodyBlock() { return &getBody().front(); }
    /// Number of arguments: inputs and outputs.
    unsigned getNumArguments() {
      return getInputs().size() + getOutputs().size();
    }
    /// The signature entry of argument `number`.
    TensorSpecAttr getArgument(unsigned number);
  }];
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD
