//===- LPUISASyntax.cpp - Custom parts of the assembly syntax -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers and printers of the custom directives in LPUISAOps.td.
//
//===----------------------------------------------------------------------===//

#include "LPUISASyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::lpuisa;

/// Parses the number of `rN`, whose `r` and digits are one keyword.
static OptionalParseResult parseOptionalRegisterNumber(OpAsmParser &parser,
                                                       IntegerAttr &attr) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseOptionalKeyword(&keyword)) {
    return std::nullopt;
  }
  unsigned number;
  if (!keyword.consume_front("r") || keyword.getAsInteger(10, number) ||
      number >= ::lpu::numRegisters) {
    return parser.emitError(location) << "expected a register, r0 to r31";
  }
  attr = parser.getBuilder().getI32IntegerAttr(number);
  return success();
}

ParseResult mlir::lpuisa::parseRegister(OpAsmParser &parser,
                                        IntegerAttr &attr) {
  SMLoc location = parser.getCurrentLocation();
  OptionalParseResult result = parseOptionalRegisterNumber(parser, attr);
  if (!result.has_value()) {
    return parser.emitError(location) << "expected a register, r0 to r31";
  }
  return *result;
}

void mlir::lpuisa::printRegister(OpAsmPrinter &printer, Operation *,
                                 IntegerAttr attr) {
  printer << 'r' << attr.getInt();
}

static ParseResult parseI32(OpAsmParser &parser, IntegerAttr &attr) {
  int32_t value;
  if (parser.parseInteger(value)) {
    return failure();
  }
  attr = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}

ParseResult mlir::lpuisa::parseRegisterOrImmediate(OpAsmParser &parser,
                                                   IntegerAttr &rt,
                                                   IntegerAttr &immediate) {
  OptionalParseResult result = parseOptionalRegisterNumber(parser, rt);
  return result.has_value() ? *result : parseI32(parser, immediate);
}

void mlir::lpuisa::printRegisterOrImmediate(OpAsmPrinter &printer,
                                            Operation *op, IntegerAttr rt,
                                            IntegerAttr immediate) {
  if (rt) {
    printRegister(printer, op, rt);
    return;
  }
  printer << immediate.getInt();
}

ParseResult mlir::lpuisa::parseLabelName(OpAsmParser &parser,
                                         StringAttr &label) {
  std::string name;
  if (parser.parseKeywordOrString(&name)) {
    return failure();
  }
  label = parser.getBuilder().getStringAttr(name);
  return success();
}

void mlir::lpuisa::printLabelName(OpAsmPrinter &printer, Operation *,
                                  StringAttr label) {
  printer.printKeywordOrString(label.getValue());
}

/// Parses `rN, label` or `label`; a label that could be a register is quoted.
ParseResult mlir::lpuisa::parseBranchTarget(OpAsmParser &parser,
                                            IntegerAttr &rs,
                                            StringAttr &target) {
  std::string name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&name)) {
    return failure();
  }
  if (failed(parser.parseOptionalComma())) {
    target = parser.getBuilder().getStringAttr(name);
    return success();
  }
  StringRef keyword = name;
  unsigned number;
  if (!keyword.consume_front("r") || keyword.getAsInteger(10, number) ||
      number >= ::lpu::numRegisters) {
    return parser.emitError(location) << "expected a register, r0 to r31";
  }
  rs = parser.getBuilder().getI32IntegerAttr(number);
  return parseLabelName(parser, target);
}

void mlir::lpuisa::printBranchTarget(OpAsmPrinter &printer, Operation *op,
                                     IntegerAttr rs, StringAttr target) {
  if (rs) {
    printRegister(printer, op, rs);
    printer << ", ";
  }
  printLabelName(printer, op, target);
}

/// Parses `trips`, or `rN to trips`.
ParseResult mlir::lpuisa::parseTrips(OpAsmParser &parser, IntegerAttr &trips,
                                     IntegerAttr &tripsRegister) {
  OptionalParseResult result =
      parseOptionalRegisterNumber(parser, tripsRegister);
  if (result.has_value() && (failed(*result) || parser.parseKeyword("to"))) {
    return failure();
  }
  return parseI32(parser, trips);
}

void mlir::lpuisa::printTrips(OpAsmPrinter &printer, Operation *op,
                              IntegerAttr trips, IntegerAttr tripsRegister) {
  if (tripsRegister) {
    printRegister(printer, op, tripsRegister);
    printer << " to ";
  }
  printer << trips.getInt();
}

/// Parses `[<..>, <..>]`, whose elements are attributes without their prefix.
template <typename ElementAttr>
static ParseResult parseStrippedArray(OpAsmParser &parser, ArrayAttr &array) {
  SmallVector<Attribute> elements;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        ElementAttr element;
        if (parser.parseCustomAttributeWithFallback(element)) {
          return failure();
        }
        elements.push_back(element);
        return success();
      })) {
    return failure();
  }
  array = parser.getBuilder().getArrayAttr(elements);
  return success();
}

/// Prints an array on lines of its own.
template <typename ElementAttr>
static void printStrippedArray(OpAsmPrinter &printer, StringRef keyword,
                               ArrayAttr array) {
  printer.increaseIndent();
  printer.increaseIndent();
  printer.printNewline();
  printer << keyword << " [";
  llvm::interleave(
      array,
      [&](Attribute element) {
        printer.printStrippedAttrOrType(cast<ElementAttr>(element));
      },
      [&] {
        printer << ',';
        printer.printNewline();
        printer.getStream().indent(keyword.size() + 2);
      });
  printer << ']';
  printer.decreaseIndent();
  printer.decreaseIndent();
}

ParseResult mlir::lpuisa::parseSignature(OpAsmParser &parser, ArrayAttr &inputs,
                                         ArrayAttr &results,
                                         ArrayAttr &outputs) {
  inputs = results = outputs = parser.getBuilder().getArrayAttr({});
  for (auto [keyword, array] :
       {std::pair<StringRef, ArrayAttr *>("inputs", &inputs),
        {"results", &results},
        {"outputs", &outputs}}) {
    if (succeeded(parser.parseOptionalKeyword(keyword)) &&
        parseStrippedArray<TensorSpecAttr>(parser, *array)) {
      return failure();
    }
  }
  return success();
}

void mlir::lpuisa::printSignature(OpAsmPrinter &printer, Operation *,
                                  ArrayAttr inputs, ArrayAttr results,
                                  ArrayAttr outputs) {
  for (auto [keyword, array] :
       {std::pair<StringRef, ArrayAttr>("inputs", inputs),
        {"results", results},
        {"outputs", outputs}}) {
    if (!array.empty()) {
      printStrippedArray<TensorSpecAttr>(printer, keyword, array);
    }
  }
}

ParseResult mlir::lpuisa::parseViews(OpAsmParser &parser, ArrayAttr &views) {
  views = parser.getBuilder().getArrayAttr({});
  if (failed(parser.parseOptionalKeyword("views"))) {
    return success();
  }
  return parseStrippedArray<ViewAttr>(parser, views);
}

void mlir::lpuisa::printViews(OpAsmPrinter &printer, Operation *,
                              ArrayAttr views) {
  if (!views.empty()) {
    printStrippedArray<ViewAttr>(printer, "views", views);
  }
}

//===----------------------------------------------------------------------===//
// Micro-operations
//===----------------------------------------------------------------------===//

template <typename Enum>
static ParseResult parseSelectorAs(OpAsmParser &parser, IntegerAttr &selector) {
  FailureOr<Enum> value = parseMachineEnum<Enum>(parser);
  if (failed(value)) {
    return failure();
  }
  selector =
      parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*value));
  return success();
}

/// Parses `opcode` or `opcode<selector>`: what a selector's keyword means
/// depends on the opcode.
ParseResult mlir::lpuisa::parseOpcodeAndSelector(OpAsmParser &parser,
                                                 MicroOpcodeAttr &opcode,
                                                 IntegerAttr &selector) {
  FailureOr<::lpu::MicroOpcode> value =
      parseMachineEnum<::lpu::MicroOpcode>(parser);
  if (failed(value)) {
    return failure();
  }
  opcode = MicroOpcodeAttr::get(parser.getContext(), *value);
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalLess())) {
    return success();
  }
  ParseResult result = failure();
  switch (::lpu::lookupMicroOp(*value)->fieldC) {
  case ::lpu::MicroFieldC::Combine:
  case ::lpu::MicroFieldC::CombineSet:
    result = parseSelectorAs<::lpu::MicroCombine>(parser, selector);
    break;
  case ::lpu::MicroFieldC::PredicateF:
    result = parseSelectorAs<::lpu::MicroPredicateF>(parser, selector);
    break;
  case ::lpu::MicroFieldC::PredicateI:
    result = parseSelectorAs<::lpu::MicroPredicateI>(parser, selector);
    break;
  case ::lpu::MicroFieldC::FaultKind:
    result = parseSelectorAs<::lpu::FaultKind>(parser, selector);
    break;
  case ::lpu::MicroFieldC::None:
  case ::lpu::MicroFieldC::Register:
  case ::lpu::MicroFieldC::SourceType:
    return parser.emitError(location) << "found a selector, expected none on "
                                      << stringifyMachineEnum(*value);
  }
  return failure(failed(result) || failed(parser.parseGreater()));
}

void mlir::lpuisa::printOpcodeAndSelector(OpAsmPrinter &printer, Operation *,
                                          MicroOpcodeAttr opcode,
                                          IntegerAttr selector) {
  printer << stringifyMachineEnum(opcode.getValue());
  if (selector) {
    printer << '<' << getSelectorName(opcode.getValue(), selector.getInt())
            << '>';
  }
}

/// Parses an immediate with its type, ` : type` of a result without inputs, or
/// ` : (types) -> type`.
ParseResult mlir::lpuisa::parseImmediateAndTypes(OpAsmParser &parser,
                                                 TypedAttr &immediate,
                                                 SmallVectorImpl<Type> &inputs,
                                                 Type &result) {
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalColon())) {
    Attribute attribute;
    if (parser.parseAttribute(attribute)) {
      return failure();
    }
    immediate = dyn_cast<TypedAttr>(attribute);
    if (!immediate) {
      return parser.emitError(location) << "expected a number with its type";
    }
    result = immediate.getType();
    return success();
  }
  Type type;
  if (parser.parseType(type)) {
    return failure();
  }
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    result = type;
    return success();
  }
  if (function.getNumResults() > 1) {
    return parser.emitError(location) << "found " << function.getNumResults()
                                      << " results, expected at most one";
  }
  llvm::append_range(inputs, function.getInputs());
  result = function.getNumResults() == 1 ? function.getResult(0) : Type();
  return success();
}

void mlir::lpuisa::printImmediateAndTypes(OpAsmPrinter &printer, Operation *,
                                          TypedAttr immediate, TypeRange inputs,
                                          Type result) {
  if (immediate) {
    printer << immediate;
    return;
  }
  printer << ": ";
  if (inputs.empty() && result) {
    printer << result;
    return;
  }
  printer.printFunctionalType(inputs, result ? TypeRange(result) : TypeRange());
}
