//===- LPUISAVectorOps.td - Instructions of the VXE --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vector instruction and the micro-operations in it.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAVECTOROPS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAVECTOROPS_TD

include "lpu/Dialect/LPUISA/IR/LPUISABase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

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

#endif // LPU_DIALECT_LPUISA_IR_LPUISAVECTOROPS_TD
