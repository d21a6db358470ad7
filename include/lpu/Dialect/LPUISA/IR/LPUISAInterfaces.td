//===- LPUISAInterfaces.td - What instructions have in common -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface through which passes see an instruction: the unit that runs it
// and the memory that it touches.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAINTERFACES_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAINTERFACES_TD

include "mlir/IR/OpBase.td"

def LPUISA_InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::mlir::lpuisa";
  let description = [{
    An operation that is one machine instruction.
  }];
  let methods = [
    InterfaceMethod<
      "The unit whose queue the instruction enters.",
      "::lpu::Unit", "getExecutingUnit", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::lpu::Unit::ICP;">,
    InterfaceMethod<
      "Appends the views that the instruction reads and writes.",
      "void", "getAccesses",
      (ins "::llvm::SmallVectorImpl<::mlir::lpuisa::Access> &":$accesses),
      /*methodBody=*/"", /*defaultImplementation=*/"(void)accesses;">,
  ];
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAINTERFACES_TD
