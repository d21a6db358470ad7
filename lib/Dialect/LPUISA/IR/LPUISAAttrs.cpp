//===- LPUISAAttrs.cpp - Attributes of the lpuisa dialect -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax and verification of views and signature entries, and the way between
// a view attribute and the descriptor of lpu/Target/Encoding.h.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::lpuisa;

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOpsAttributes.cpp.inc"

void LPUISADialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lpu/Dialect/LPUISA/IR/LPUISAOpsAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Syntax that both attributes share
//===----------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegers(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// Parses `rN`. Whether there is such a register is for the verifier to say.
static ParseResult parseRegister(AsmParser &parser,
                                 std::optional<unsigned> &number) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword)) {
    return failure();
  }
  unsigned value;
  if (!keyword.consume_front("r") || keyword.getAsInteger(10, value)) {
    return parser.emitError(location) << "expected a register, r0 to r31";
  }
  number = value;
  return success();
}

//===----------------------------------------------------------------------===//
// ViewAttr
//===----------------------------------------------------------------------===//

Attribute ViewAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  unsigned argument = 0;
  SmallVector<int64_t> sizes, strides, loopIncrements;
  int64_t offset = 0, offsetBound = 0;
  std::optional<unsigned> offsetRegister, dynamicDim, sizeRegister;

  if (parser.parseLess()) {
    return {};
  }
  FailureOr<::lpu::Space> space = parseMachineEnum<::lpu::Space>(parser);
  if (failed(space)) {
    return {};
  }
  if (*space == ::lpu::Space::Arg &&
      (parser.parseLSquare() || parser.parseInteger(argument) ||
       parser.parseRSquare())) {
    return {};
  }
  if (parser.parseComma()) {
    return {};
  }
  FailureOr<::lpu::DType> type = parseMachineEnum<::lpu::DType>(parser);
  if (failed(type) || parser.parseComma() || parseIntegers(parser, sizes) ||
      parser.parseComma() || parseIntegers(parser, strides) ||
      parser.parseComma() || parser.parseInteger(offset)) {
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc nameLocation = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) {
      return {};
    }
    ParseResult result = failure();
    if (name == "offset_register") {
      result = parseRegister(parser, offsetRegister);
    } else if (name == "offset_bound") {
      result = parser.parseInteger(offsetBound);
    } else if (name == "dynamic_dim") {
      result = parser.parseInteger(dynamicDim.emplace());
    } else if (name == "size_register") {
      result = parseRegister(parser, sizeRegister);
    } else if (name == "loop_increments") {
      result = parseIntegers(parser, loopIncrements);
    } else {
      parser.emitError(nameLocation)
          << "found '" << name
          << "', expected one of offset_register, offset_bound, dynamic_dim, "
             "size_register, loop_increments";
    }
    if (failed(result)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<ViewAttr>(location, parser.getContext(), *space,
                                     argument, *type, sizes, strides, offset,
                                     offsetRegister, offsetBound, dynamicDim,
                                     sizeRegister, loopIncrements);
}

void ViewAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyMachineEnum(getSpace());
  if (getSpace() == ::lpu::Space::Arg) {
    printer << '[' << getArgument() << ']';
  }
  printer << ", " << stringifyMachineEnum(getType()) << ", ";
  printIntegers(printer, getSizes());
  printer << ", ";
  printIntegers(printer, getStrides());
  printer << ", " << getOffset();
  if (getOffsetRegister()) {
    printer << ", offset_register = r" << *getOffsetRegister();
  }
  if (getOffsetBound() != 0) {
    printer << ", offset_bound = " << getOffsetBound();
  }
  if (getDynamicDim()) {
    printer << ", dynamic_dim = " << *getDynamicDim();
  }
  if (getSizeRegister()) {
    printer << ", size_register = r" << *getSizeRegister();
  }
  if (!getLoopIncrements().empty()) {
    printer << ", loop_increments = ";
    printIntegers(printer, getLoopIncrements());
  }
  printer << '>';
}

LogicalResult ViewAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ::lpu::Space space, unsigned argument,
                               ::lpu::DType type, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides, int64_t offset,
                               std::optional<unsigned> offsetRegister,
                               int64_t offsetBound,
                               std::optional<unsigned> dynamicDim,
                               std::optional<unsigned> sizeRegister,
                               ArrayRef<int64_t> loopIncrements) {
  if (space != ::lpu::Space::Arg && argument != 0) {
    return emitError() << "found argument " << argument << " in space "
                       << stringifyMachineEnum(space)
                       << ", expected none outside of space arg";
  }
  if (argument > std::numeric_limits<uint16_t>::max()) {
    return emitError() << "found argument " << argument
                       << ", expected at most 65535";
  }
  if (type == ::lpu::DType::U8) {
    return emitError() << "found element type u8, expected i8: signedness lies "
                          "in the operation";
  }
  if (sizes.size() > ::lpu::maxRank) {
    return emitError() << "found rank " << sizes.size() << ", expected at most "
                       << ::lpu::maxRank;
  }
  if (strides.size() != sizes.size()) {
    return emitError() << "found " << strides.size() << " strides, expected "
                       << sizes.size() << " as there are sizes";
  }
  for (int64_t size : sizes) {
    if (size < 0 || size > std::numeric_limits<uint32_t>::max()) {
      return emitError() << "found size " << size
                         << ", expected at least 0 and less than 2^32";
    }
  }
  if (offset < 0) {
    return emitError() << "found offset " << offset << ", expected at least 0";
  }
  for (std::optional<unsigned> number : {offsetRegister, sizeRegister}) {
    if (number && *number >= ::lpu::numRegisters) {
      return emitError() << "found register r" << *number
                         << ", expected r0 to r31";
    }
  }
  if (offsetBound < 0 || (offsetBound != 0 && !offsetRegister)) {
    return emitError() << "found offset_bound " << offsetBound
                       << ", expected at least 0, and 0 without an "
                          "offset_register";
  }
  if (dynamicDim.has_value() != sizeRegister.has_value()) {
    return emitError() << "found one of dynamic_dim and size_register, "
                          "expected both or none";
  }
  if (dynamicDim && *dynamicDim >= sizes.size()) {
    return emitError() << "found dynamic_dim " << *dynamicDim
                       << ", expected less than the rank " << sizes.size();
  }
  if (loopIncrements.size() > ::lpu::maxLoopDepth) {
    return emitError() << "found " << loopIncrements.size()
                       << " loop_increments, expected at most "
                       << ::lpu::maxLoopDepth;
  }
  return success();
}

::lpu::View ViewAttr::toView() const {
  ::lpu::View view{};
  view.space = getSpace();
  view.type = getType();
  view.rank = static_cast<uint8_t>(getRank());
  view.dynamicDim =
      static_cast<uint8_t>(getDynamicDim().value_or(::lpu::noneField));
  view.offsetRegister =
      static_cast<uint8_t>(getOffsetRegister().value_or(::lpu::noneField));
  view.sizeRegister =
      static_cast<uint8_t>(getSizeRegister().value_or(::lpu::noneField));
  view.argument = static_cast<uint16_t>(getArgument());
  view.offset = getOffset();
  view.offsetBound = getOffsetBound();
  for (auto [to, from] : llvm::zip_first(getSizes(), view.sizes)) {
    from = static_cast<uint32_t>(to);
  }
  llvm::copy(getStrides(), view.strides);
  llvm::copy(getLoopIncrements(), view.loopIncrements);
  return view;
}

ViewAttr ViewAttr::fromView(MLIRContext *context, const ::lpu::View &view) {
  auto optional = [](uint8_t field) -> std::optional<unsigned> {
    if (field == ::lpu::noneField) {
      return std::nullopt;
    }
    return field;
  };
  SmallVector<int64_t> sizes(view.sizes, view.sizes + view.rank);
  ArrayRef<int64_t> loopIncrements(view.loopIncrements);
  while (!loopIncrements.empty() && loopIncrements.back() == 0) {
    loopIncrements = loopIncrements.drop_back();
  }
  return get(context, view.space, view.argument, view.type, sizes,
             ArrayRef<int64_t>(view.strides, view.rank), view.offset,
             optional(view.offsetRegister), view.offsetBound,
             optional(view.dynamicDim), optional(view.sizeRegister),
             loopIncrements);
}

bool ViewAttr::isEmpty() const { return llvm::is_contained(getSizes(), 0); }

//===----------------------------------------------------------------------===//
// TensorSpecAttr
//===----------------------------------------------------------------------===//

Attribute TensorSpecAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  std::string name;
  SmallVector<int64_t> sizes;
  std::optional<unsigned> alias;
  unsigned argument = 0;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma()) {
    return {};
  }
  FailureOr<::lpu::DType> type = parseMachineEnum<::lpu::DType>(parser);
  if (failed(type) || parser.parseComma() || parseIntegers(parser, sizes)) {
    return {};
  }
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLocation = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual()) {
      return {};
    }
    if (key != "alias" && key != "argument") {
      parser.emitError(keyLocation)
          << "found '" << key << "', expected one of alias, argument";
      return {};
    }
    if (parser.parseInteger(key == "alias" ? alias.emplace() : argument)) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<TensorSpecAttr>(location, parser.getContext(), name,
                                           *type, sizes, alias, argument);
}

void TensorSpecAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printString(getName());
  printer << ", " << stringifyMachineEnum(getType()) << ", ";
  printIntegers(printer, getSizes());
  if (getAlias()) {
    printer << ", alias = " << *getAlias();
  }
  if (getArgument() != 0) {
    printer << ", argument = " << getArgument();
  }
  printer << '>';
}

LogicalResult
TensorSpecAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       StringRef name, ::lpu::DType type,
                       ArrayRef<int64_t> sizes, std::optional<unsigned> alias,
                       unsigned argument) {
  for (int64_t size : sizes) {
    if (size < 0) {
      return emitError() << "found size " << size << ", expected at least 0";
    }
  }
  if (alias && *alias != argument) {
    return emitError() << "found alias " << *alias << " and argument "
                       << argument
                       << ", expected the same number: the value of a result "
                          "that aliases an input is in that input";
  }
  return success();
}

int64_t TensorSpecAttr::getByteSize() const {
  int64_t bytes = ::lpu::byteWidth(getType());
  for (int64_t size : getSizes()) {
    bytes *= size;
  }
  return bytes;
}
