//===- LPUISABase.td - Base classes of operations ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations of the lpuisa dialect are made from.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISABASE_TD
#define LPU_DIALECT_LPUISA_IR_LPUISABASE_TD

include "lpu/Dialect/LPUISA/IR/LPUISAAttrs.td"
include "lpu/Dialect/LPUISA/IR/LPUISAInterfaces.td"

class LPUISA_Op<string mnemonic, list<Trait> traits = []>
    : Op<LPUISA_Dialect, mnemonic, traits>;

/// One machine instruction: stands in a program or in the body of a loop.
class LPUISA_Instruction<string mnemonic, list<Trait> traits = [],
                         list<string> overridden = []>
    : LPUISA_Op<mnemonic, traits # [
        ParentOneOf<["ProgramOp", "LoopOp"]>,
        DeclareOpInterfaceMethods<LPUISA_InstructionOpInterface, overridden>]>;

/// An instruction of SMA, SXE or VXE, whose operands are views.
class LPUISA_UnitInstruction<string mnemonic, list<Trait> traits = []>
    : LPUISA_Instruction<mnemonic, traits,
                         ["getExecutingUnit", "getAccesses"]>;

#endif // LPU_DIALECT_LPUISA_IR_LPUISABASE_TD
