//===- LPUISASyntax.h - Custom parts of the assembly syntax -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The custom directives of LPUISAOps.td: registers, labels, lists of
// attributes without prefix, and the signature of a micro-operation.
//
//===----------------------------------------------------------------------===//

#ifndef LPU_LIB_DIALECT_LPUISA_IR_LPUISASYNTAX_H
#define LPU_LIB_DIALECT_LPUISA_IR_LPUISASYNTAX_H

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

namespace mlir::lpuisa {

/// The keyword of an enumerator
template <typename EnumAttr>
ParseResult parseKeyword(OpAsmParser &parser, EnumAttr &attr) {
  using Enum = decltype(attr.getValue());
  FailureOr<Enum> value = parseMachineEnum<Enum>(parser);
  if (failed(value)) {
    return failure();
  }
  attr = EnumAttr::get(parser.getContext(), *value);
  return success();
}
template <typename EnumAttr>
void printKeyword(OpAsmPrinter &printer, Operation *, EnumAttr attr) {
  printer << stringifyMachineEnum(attr.getValue());
}

/// `rN`
ParseResult parseRegister(OpAsmParser &parser, IntegerAttr &number);
void printRegister(OpAsmPrinter &printer, Operation *op, IntegerAttr number);

/// `rN` or an integer
ParseResult parseRegisterOrImmediate(OpAsmParser &parser, IntegerAttr &rt,
                                     IntegerAttr &immediate);
void printRegisterOrImmediate(OpAsmPrinter &printer, Operation *op,
                              IntegerAttr rt, IntegerAttr immediate);

/// A keyword, or a string if it is none
ParseResult parseLabelName(OpAsmParser &parser, StringAttr &label);
void printLabelName(OpAsmPrinter &printer, Operation *op, StringAttr label);

/// `label` or `rN, label`
ParseResult parseBranchTarget(OpAsmParser &parser, IntegerAttr &rs,
                              StringAttr &target);
void printBranchTarget(OpAsmPrinter &printer, Operation *op, IntegerAttr rs,
                       StringAttr target);

/// `trips` or `rN to trips`
ParseResult parseTrips(OpAsmParser &parser, IntegerAttr &trips,
                       IntegerAttr &tripsRegister);
void printTrips(OpAsmPrinter &printer, Operation *op, IntegerAttr trips,
                IntegerAttr tripsRegister);

/// `inputs [..] results [..] outputs [..]`, each if it is not empty
ParseResult parseSignature(OpAsmParser &parser, ArrayAttr &inputs,
                           ArrayAttr &results, ArrayAttr &outputs);
void printSignature(OpAsmPrinter &printer, Operation *op, ArrayAttr inputs,
                    ArrayAttr results, ArrayAttr outputs);

/// `views [..]`, if it is not empty
ParseResult parseViews(OpAsmParser &parser, ArrayAttr &views);
void printViews(OpAsmPrinter &printer, Operation *op, ArrayAttr views);

/// `opcode` or `opcode<selector>`
ParseResult parseOpcodeAndSelector(OpAsmParser &parser, MicroOpcodeAttr &opcode,
                                   IntegerAttr &selector);
void printOpcodeAndSelector(OpAsmPrinter &printer, Operation *op,
                            MicroOpcodeAttr opcode, IntegerAttr selector);

/// ` number : type`, ` : type` or ` : (types) -> type`
ParseResult parseImmediateAndTypes(OpAsmParser &parser, TypedAttr &immediate,
                                   SmallVectorImpl<Type> &inputs, Type &result);
void printImmediateAndTypes(OpAsmPrinter &printer, Operation *op,
                            TypedAttr immediate, TypeRange inputs, Type result);

/// The keyword of a selector; empty if the opcode does not have this one.
StringRef getSelectorName(::lpu::MicroOpcode opcode, int64_t selector);

} // namespace mlir::lpuisa

#endif // LPU_LIB_DIALECT_LPUISA_IR_LPUISASYNTAX_H
