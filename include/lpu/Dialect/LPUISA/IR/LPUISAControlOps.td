//===- LPUISAControlOps.td - Instructions of the ICP -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers, branches, loops, semaphores: one operation an opcode.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISACONTROLOPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISACONTROLOPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISABase.td"

def LPUISA_HaltOp : LPUISA_Instruction<"halt"> {
  let summary = "Ends the program";
  let description = [{
    Ends the program once every unit has drained its queue.

    Example:

    ```mlir
    lpuisa.halt
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def LPUISA_LiOp : LPUISA_Instruction<"li"> {
  let summary = "Sets a register to a constant";
  let description = [{
    Example:

    ```mlir
    lpuisa.li r3 = 4096
    ```
  }];
  let arguments = (ins LPUISA_RegisterAttr:$rd, I64Attr:$value);
  let assemblyFormat = "custom<Register>($rd) `=` $value attr-dict";
}

def LPUISA_LdOp
    : LPUISA_Instruction<"ld", [], ["getAccesses"]> {
  let summary = "Loads a register from memory";
  let description = [{
    Sets a register to the sign-extended integer at a view of one element. The ICP
    stops until the value is there, so the instruction is ordered against the
    writer of that memory by a wait of unit `icp`.

    Example:

    ```mlir
    lpuisa.ld r0 = <arg[3], i64, [], [], 0>
    ```
  }];
  let arguments = (ins LPUISA_RegisterAttr:$rd, LPUISA_ViewAttr:$source);
  let assemblyFormat = "custom<Register>($rd) `=` $source attr-dict";
  let hasVerifier = 1;
}

def LPUISA_AluOp : LPUISA_Instruction<"alu"> {
  let summary = "Computes a register from two";
  let description = [{
    The second source is a register or a 32-bit immediate, sign-extended.
    Arithmetic wraps at 64 bits; comparisons are signed and give 1 or 0.

    Example:

    ```mlir
    lpuisa.alu mul r4 = r3, 128
    lpuisa.alu cmp_lt r5 = r4, r0
    ```
  }];
  let arguments = (ins
    LPUISA_AluFunctionAttr:$function,
    LPUISA_RegisterAttr:$rd,
    LPUISA_RegisterAttr:$rs,
    OptionalAttr<LPUISA_RegisterAttr>:$rt,
    OptionalAttr<I32Attr>:$immediate);
  let assemblyFormat = [{
    custom<Keyword>($function) custom<Register>($rd) `=` custom<Register>($rs) `,`
    custom<RegisterOrImmediate>($rt, $immediate) attr-dict
  }];
  let builders = [
    OpBuilder<(ins "::lpu::AluFunction":$function, "unsigned":$rd,
                   "unsigned":$rs, "unsigned":$rt), [{
      build($_builder, $_state, function, rd, rs,
            $_builder.getI32IntegerAttr(rt), /*immediate=*/IntegerAttr());
    }]>,
  ];
  let extraClassDeclaration = [{
    /// Builds the form whose second source is an immediate.
    static AluOp createImmediate(OpBuilder &builder, Location loc,
                                 ::lpu::AluFunction function, unsigned rd,
                                 unsigned rs, int32_t immediate);
  }];
  let hasVerifier = 1;
}

def LPUISA_LabelOp
    : LPUISA_Op<"label", [ParentOneOf<["ProgramOp", "LoopOp"]>]> {
  let summary = "Names the next instruction";
  let description = [{
    The target of branches of the same block. A label is no instruction.

    Example:

    ```mlir
    lpuisa.label L12
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let assemblyFormat = "custom<LabelName>($label) attr-dict";
}

def LPUISA_BranchOp : LPUISA_Instruction<"branch"> {
  let summary = "Continues at a label";
  let description = [{
    Continues at a label if the condition holds for the register. The label
    stands in the same block, for a branch neither enters nor leaves a loop,
    and before an instruction of it.

    Example:

    ```mlir
    lpuisa.branch always L12
    lpuisa.branch zero r5, L12
    ```
  }];
  let arguments = (ins
    LPUISA_BranchConditionAttr:$condition,
    OptionalAttr<LPUISA_RegisterAttr>:$rs,
    StrAttr:$target);
  let assemblyFormat = [{
    custom<Keyword>($condition) custom<BranchTarget>($rs, $target) attr-dict
  }];
  let hasVerifier = 1;
}

def LPUISA_LoopOp : LPUISA_Instruction<"loop", [
    NoRegionArguments, NoTerminator, SingleBlock]> {
  let summary = "Repeats its body";
  let description = [{
    A hardware loop. The number of trips is an immediate, or a register read at
    entry under a static bound (a value outside [0, bound] faults). The level
    of a loop, which selects the increment of a view, is the number of loops
    around it; at most four loops nest.

    Example:

    ```mlir
    lpuisa.loop 4 {
      lpuisa.copy <lmu, f32, [16], [1], 0, loop_increments = [64]>
          = <arg[0], f32, [16], [1], 0, loop_increments = [64]>
    }
    lpuisa.loop r2 to 128 {
      lpuisa.alu add r3 = r3, 1
    }
    ```
  }];
  let arguments = (ins
    LPUISA_NonNegativeAttr:$trips,
    OptionalAttr<LPUISA_RegisterAttr>:$trips_register);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Trips>($trips, $trips_register) attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    // `trips` times; with a register, as often as it says and at most `trips`.
    // The body is empty and the builder is not moved into it.
    OpBuilder<(ins "uint32_t":$trips,
                   CArg<"std::optional<unsigned>", "std::nullopt">:$tripsRegister)>,
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    Block *getBodyBlock() { return &getBody().front(); }
    /// Number of loops around this one.
    unsigned getLevel();
  }];
}

def LPUISA_WaitOp
    : LPUISA_Instruction<"wait", [], ["getExecutingUnit"]> {
  let summary = "Stops a queue until a semaphore has a count";
  let description = [{
    The unit's queue stops until the count of the semaphore is at least
    `count`, then takes it off.

    Example:

    ```mlir
    lpuisa.wait sxe, 5, 1
    ```
  }];
  let arguments = (ins
    LPUISA_QueueAttr:$unit,
    LPUISA_SemaphoreAttr:$semaphore,
    LPUISA_PositiveAttr:$count);
  let assemblyFormat = "custom<Keyword>($unit) `,` $semaphore `,` $count attr-dict";
}

def LPUISA_PostOp
    : LPUISA_Instruction<"post", [], ["getExecutingUnit"]> {
  let summary = "Adds to a semaphore when a queue has come so far";
  let description = [{
    Adds `count` to the semaphore when every earlier instruction of the unit's
    queue has completed.

    Example:

    ```mlir
    lpuisa.post sma, 5, 1
    ```
  }];
  let arguments = (ins
    LPUISA_QueueAttr:$unit,
    LPUISA_SemaphoreAttr:$semaphore,
    LPUISA_PositiveAttr:$count);
  let assemblyFormat = "custom<Keyword>($unit) `,` $semaphore `,` $count attr-dict";
}

def LPUISA_TraceOp : LPUISA_Instruction<"trace"> {
  let summary = "Reports a mark to whoever listens";
  let description = [{
    Example:

    ```mlir
    lpuisa.trace "layer 3"
    ```
  }];
  let arguments = (ins StrAttr:$message);
  let assemblyFormat = "$message attr-dict";
}

def LPUISA_FaultOp : LPUISA_Instruction<"fault"> {
  let summary = "Ends the run with an error";
  let description = [{
    Example:

    ```mlir
    lpuisa.fault index, "position exceeds the cache"
    ```
  }];
  let arguments = (ins LPUISA_FaultKindAttr:$kind, StrAttr:$message);
  let assemblyFormat = "custom<Keyword>($kind) `,` $message attr-dict";
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISACONTROLOPS_TD
