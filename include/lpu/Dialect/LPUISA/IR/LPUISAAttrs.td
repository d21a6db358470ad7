//===- LPUISAAttrs.td - Attributes of the lpuisa dialect ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views, signature entries and the enumerations of lpu/Target/Encoding.h.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_DIALECT_LPUISA_IR_LPUISAATTRS_TD
#define LPU_DIALECT_LPUISA_IR_LPUISAATTRS_TD

include "lpu/Dialect/LPUISA/IR/LPUISADialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"

class LPUISA_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<LPUISA_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// A parameter whose C++ type is an enumeration of Encoding.h.
class LPUISA_EnumParameter<string enum, string desc = "">
    : AttrParameter<enum, desc> {
  let parser = "::mlir::lpuisa::parseMachineEnum<" # enum # ">($_parser)";
  let printer = "$_printer << ::mlir::lpuisa::stringifyMachineEnum($_self)";
}

/// An attribute that holds one enumerator. Getters and builders of operations
/// use the C++ enumeration directly; `custom<Keyword>` is its syntax in them.
class LPUISA_EnumAttr<string enum, string name, string attrMnemonic>
    : LPUISA_Attr<name, attrMnemonic> {
  let parameters = (ins LPUISA_EnumParameter<enum>:$value);
  let assemblyFormat = "`<` $value `>`";
  let returnType = enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::mlir::lpuisa::" # name # "Attr::get($_builder.getContext(), $0)";
}

def LPUISA_QueueAttr : LPUISA_EnumAttr<"::lpu::Unit", "Queue", "unit"> {
  let summary = "a unit: icp, sma, sxe or vxe";
}
def LPUISA_AluFunctionAttr
    : LPUISA_EnumAttr<"::lpu::AluFunction", "AluFunction", "alu_function"> {
  let summary = "add, sub, mul, min, max, cmp_eq, cmp_lt or cmp_le";
}
def LPUISA_BranchConditionAttr
    : LPUISA_EnumAttr<"::lpu::BranchCondition", "BranchCondition",
                      "branch_condition"> {
  let summary = "always, zero or not_zero";
}
def LPUISA_FaultKindAttr
    : LPUISA_EnumAttr<"::lpu::FaultKind", "FaultKind", "fault_kind"> {
  let summary = "index or runtime";
}
def LPUISA_MicroOpcodeAttr
    : LPUISA_EnumAttr<"::lpu::MicroOpcode", "MicroOpcode", "micro_opcode"> {
  let summary = "the name of a micro-operation";
}

//===----------------------------------------------------------------------===//
// Integers with a range
//===----------------------------------------------------------------------===//

def LPUISA_RegisterAttr
    : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<31>]> {
  let summary = "an ICP register, r0 to r31";
}
def LPUISA_SemaphoreAttr
    : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<63>]> {
  let summary = "a semaphore, 0 to 63";
}
def LPUISA_PositiveAttr : ConfinedAttr<I32Attr, [IntPositive]>;
def LPUISA_NonNegativeAttr : ConfinedAttr<I32Attr, [IntNonNegative]>;
def LPUISA_AxisAttr : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<7>]>;
def LPUISA_RankAttr : ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<8>]>;

//===----------------------------------------------------------------------===//
// View
//===----------------------------------------------------------------------===//

def LPUISA_ViewAttr : LPUISA_Attr<"View", "view"> {
  let summary = "A strided window on one memory";
  let description = [{
    The operand of an instruction: a memory space (with the argument's number
    when the space is `arg`), an element type, sizes and signed strides in
    elements, and an offset in bytes. Parts that an ordinary view lacks follow
    by name:

    * `offset_register = rN, offset_bound = B`: the register's value, in
      [0, B], is added to the offset in bytes;
    * `dynamic_dim = D, size_register = rN`: the register's value replaces
      size D, which stays as its upper bound;
    * `loop_increments = [..]`: bytes that are added for each iteration of the
      enclosing hardware loops, the outermost first.

    Example:

    ```mlir
    #lpuisa.view<lmu, f32, [4, 8], [8, 1], 64>
    #lpuisa.view<arg[2], bf16, [3, 1024, 64], [65536, 64, 1], 0,
                 dynamic_dim = 1, size_register = r4>
    ```
  }];
  let parameters = (ins
    LPUISA_EnumParameter<"::lpu::Space">:$space,
    "unsigned":$argument,
    LPUISA_EnumParameter<"::lpu::DType">:$type,
    ArrayRefParameter<"int64_t">:$sizes,
    ArrayRefParameter<"int64_t">:$strides,
    "int64_t":$offset,
    "std::optional<unsigned>":$offsetRegister,
    "int64_t":$offsetBound,
    "std::optional<unsigned>":$dynamicDim,
    "std::optional<unsigned>":$sizeRegister,
    ArrayRefParameter<"int64_t">:$loopIncrements
  );
  let builders = [
    // A view whose place and shape are static.
    AttrBuilder<(ins "::lpu::Space":$space, "unsigned":$argument,
                     "::lpu::DType":$type, "ArrayRef<int64_t>":$sizes,
                     "ArrayRef<int64_t>":$strides, "int64_t":$offset), [{
      return $_get($_ctxt, space, argument, type, sizes, strides, offset,
                   /*offsetRegister=*/std::nullopt, /*offsetBound=*/0,
                   /*dynamicDim=*/std::nullopt, /*sizeRegister=*/std::nullopt,
                   /*loopIncrements=*/ArrayRef<int64_t>());
    }]>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The descriptor as it stands in a binary.
    ::lpu::View toView() const;
    /// The attribute of a well-formed descriptor.
    static ViewAttr fromView(MLIRContext *context, const ::lpu::View &view);

    int64_t getRank() const { return getSizes().size(); }
    /// Whether some size is zero whatever the registers hold.
    bool isEmpty() const;
  }];
}

def LPUISA_ViewArrayAttr
    : TypedArrayAttrBase<LPUISA_ViewAttr, "array of views">;

//===----------------------------------------------------------------------===//
// Signature
//===----------------------------------------------------------------------===//

def LPUISA_TensorAttr : LPUISA_Attr<"TensorSpec", "tensor"> {
  let summary = "One tensor of a program's signature";
  let description = [{
    Name, element type and sizes of a contiguous row-major tensor. A result
    also says where its value is after the run: `argument` is the number of
    the argument that holds it (inputs first, then outputs), and `alias` the
    input whose new value it is, if any.

    Example:

    ```mlir
    #lpuisa.tensor<"x", f32, [4, 8]>
    #lpuisa.tensor<"cache", bf16, [1, 3, 128, 64], alias = 1, argument = 1>
    #lpuisa.tensor<"y", f32, [4, 8], argument = 2>
    ```
  }];
  let parameters = (ins
    StringRefParameter<>:$name,
    LPUISA_EnumParameter<"::lpu::DType">:$type,
    ArrayRefParameter<"int64_t">:$sizes,
    "std::optional<unsigned>":$alias,
    "unsigned":$argument
  );
  let builders = [
    // An input or an output buffer.
    AttrBuilder<(ins "StringRef":$name, "::lpu::DType":$type,
                     "ArrayRef<int64_t>":$sizes), [{
      return $_get($_ctxt, name, type, sizes, std::nullopt, 0);
    }]>,
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of the whole tensor.
    int64_t getByteSize() const;
  }];
}

def LPUISA_TensorArrayAttr
    : TypedArrayAttrBase<LPUISA_TensorAttr, "array of tensors">;

/// Constants, byte by byte.
def LPUISA_BytesAttr : Attr<CPred<[{
      ::llvm::isa<::mlir::DenseIntElementsAttr>($_self) &&
      ::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType().getRank() == 1 &&
      ::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getElementType().isSignlessInteger(8)
    }]>, "dense bytes of type tensor<N x i8>"> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
  let convertFromStorage = "$_self";
}

#endif // LPU_DIALECT_LPUISA_IR_LPUISAATTRS_TD
