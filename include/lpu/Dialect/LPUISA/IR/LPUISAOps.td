//===- LPUISAOps.td - Operations of the lpuisa dialect -----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation per opcode of lpu/Target/Encoding.h, by unit, and the program
// that holds them. This is the root file that TableGen is run on.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISAAttrs.td"
include "lpu/Dialect/LPUISA/IR/LPUISAInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

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

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// ICP: control
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// VXE: vector
//===----------------------------------------------------------------------===//

def LPUISA_VecOp : LPUISA_UnitInstruction<"vec", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock]> {
  let summary = "Runs a micro-program over a domain";
  let description = [{
    The domain has `rank` dimensions, the first `parallel` of which are rows
    and the rest reduced. The region is a list of sections: what follows
    `lpuisa.elements` runs for every element of each row in row-major order,
    what follows `lpuisa.rows` once a row. A value that an elements section
    assigns is visible in that section alone, except for results of `reduce`
    and `carry`, which later sections see as values of the row.

    The views are numbered. Those that `gather` or `scatter` use are tables and
    have rank 1; all others have the sizes of the domain, with stride 0 where
    they do not vary.

    Example:

    ```mlir
    // y[i] = sum over j of x[i, j]
    lpuisa.vec rank 2 parallel 1
        views [<lmu, f32, [4, 8], [8, 1], 0>, <lmu, f32, [4, 8], [1, 0], 128>] {
      lpuisa.elements
      %x = lpuisa.micro load[0] : f32
      %sum = lpuisa.micro reduce<add_f>(%x) : (f32) -> f32
      lpuisa.rows
      lpuisa.micro store[1](%sum) : (f32) -> ()
    }
    ```
  }];
  let arguments = (ins
    LPUISA_RankAttr:$rank,
    LPUISA_RankAttr:$parallel,
    LPUISA_ViewArrayAttr:$views);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `rank` $rank `parallel` $parallel `` custom<Views>($views)
    attr-dict-with-keyword $body
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    // The body is empty and the builder is not moved into it.
    OpBuilder<(ins "unsigned":$rank, "unsigned":$parallel,
                   "ArrayRef<ViewAttr>":$views)>,
    OpBuilder<(ins "unsigned":$rank, "unsigned":$parallel,
                   "ArrayRef<::lpu::View>":$views)>,
  ];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    Block *getBodyBlock() { return &getBody().front(); }
    ViewAttr getView(unsigned number) {
      return ::llvm::cast<ViewAttr>(getViews()[number]);
    }
  }];
}

class LPUISA_SectionOp<string mnemonic> : LPUISA_Op<mnemonic, [
    HasParent<"VecOp">]> {
  let assemblyFormat = "attr-dict";
}

def LPUISA_ElementsOp : LPUISA_SectionOp<"elements"> {
  let summary = "Begins a section that runs for every element of a row";
  let description = [{
    Example:

    ```mlir
    lpuisa.elements
    ```
  }];
}

def LPUISA_RowsOp : LPUISA_SectionOp<"rows"> {
  let summary = "Begins a section that runs once a row";
  let description = [{
    Example:

    ```mlir
    lpuisa.rows
    ```
  }];
}

def LPUISA_MicroRegisterType : AnyTypeOf<[F32, I64, I32, I16, I8, I1]>;

def LPUISA_MicroOp : LPUISA_Op<"micro", [HasParent<"VecOp">]> {
  let summary = "One micro-operation";
  let description = [{
    The table in lpu/Target/MicroOps.h says for each opcode what it takes: the
    selector in `<>` (how to combine, what to compare or the kind of a fault),
    the number in `[]` (of a view, or of a dimension for `iota`), the values in
    `()`, the message of an `assert`, the immediate of a `const`. A bf16 or f16
    is held as f32; only `round_bf16`, `round_f16` and a store round.

    Example:

    ```mlir
    %x = lpuisa.micro load[0] : f32
    %zero = lpuisa.micro const 0.0 : f32
    %i = lpuisa.micro iota[1] : i64
    %positive = lpuisa.micro cmp_f<ogt>(%x, %zero) : (f32, f32) -> i1
    %relu = lpuisa.micro select(%positive, %x, %zero) : (i1, f32, f32) -> f32
    lpuisa.micro assert<index>(%positive) "index out of range" : (i1) -> ()
    lpuisa.micro store[1](%relu) : (f32) -> ()
    ```
  }];
  let arguments = (ins
    LPUISA_MicroOpcodeAttr:$opcode,
    OptionalAttr<LPUISA_NonNegativeAttr>:$selector,
    OptionalAttr<LPUISA_NonNegativeAttr>:$operand,
    Variadic<LPUISA_MicroRegisterType>:$inputs,
    OptionalAttr<StrAttr>:$message,
    OptionalAttr<TypedAttrInterface>:$immediate);
  let results = (outs Optional<LPUISA_MicroRegisterType>:$result);
  let assemblyFormat = [{
    custom<OpcodeAndSelector>($opcode, $selector) (`` `[` $operand^ `]`)?
    (`` `(` $inputs^ `)`)? ($message^)?
    custom<ImmediateAndTypes>($immediate, type($inputs), type($result))
    attr-dict
  }];
  let skipDefaultBuilders = 1;
  let builders = [
    // Whatever the opcode takes. The result's type follows from the table:
    // `type` is the field of that name in the encoding.
    OpBuilder<(ins "::lpu::MicroOpcode":$opcode, "::lpu::MicroType":$type,
                   "ValueRange":$inputs,
                   CArg<"std::optional<unsigned>", "std::nullopt">:$selector,
                   CArg<"std::optional<unsigned>", "std::nullopt">:$operand,
                   CArg<"StringRef", "{}">:$message)>,
    // An operation on inputs of one type that gives that type.
    OpBuilder<(ins "::lpu::MicroOpcode":$opcode, "ValueRange":$inputs)>,
    // A constant.
    OpBuilder<(ins "TypedAttr":$immediate)>,
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The row of the table, or null for an opcode that has none.
    const ::lpu::MicroOpInfo *getInfo();
    /// The field `type` of the encoding: the type on which the operation works.
    ::lpu::MicroType getMicroType();
  }];
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAOPS_TD
