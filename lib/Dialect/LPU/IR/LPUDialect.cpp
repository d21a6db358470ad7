//===- LPUDialect.cpp - The lpu dialect and its attributes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the dialect, and converts its machine attribute from and to the
// machine model. The attribute knows no parameter by name: it goes through the
// model's own text form, which names, checks and defaults them.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::lpu;

#include "lpu/Dialect/LPU/IR/LPUOpsDialect.cpp.inc"
#include "lpu/Dialect/LPU/IR/LPUOpsEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lpu/Dialect/LPU/IR/LPUOpsAttributes.cpp.inc"

void LPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lpu/Dialect/LPU/IR/LPUOpsAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lpu/Dialect/LPU/IR/LPUOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Machine
//===----------------------------------------------------------------------===//

/// Writes `parameters` as `key = value` lines; fails on a value that is
/// neither a string, a number nor a boolean.
static FailureOr<std::string>
toMachineText(DictionaryAttr parameters,
              function_ref<InFlightDiagnostic()> emitError) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (NamedAttribute parameter : parameters) {
    os << parameter.getName().getValue() << " = ";
    if (auto string = dyn_cast<StringAttr>(parameter.getValue())) {
      os << '"' << string.getValue() << '"';
    } else if (auto boolean = dyn_cast<BoolAttr>(parameter.getValue())) {
      os << (boolean.getValue() ? "true" : "false");
    } else if (auto integer = dyn_cast<IntegerAttr>(parameter.getValue())) {
      os << integer.getValue().getSExtValue();
    } else if (auto number = dyn_cast<FloatAttr>(parameter.getValue())) {
      SmallString<32> digits;
      number.getValue().toString(digits, /*FormatPrecision=*/17,
                                 /*FormatMaxPadding=*/3);
      // A number without point or exponent would read as an integer.
      if (StringRef(digits).find_first_of(".eE") == StringRef::npos) {
        digits += ".0";
      }
      os << digits;
    } else {
      emitError() << "machine parameter '" << parameter.getName().getValue()
                  << "' is neither a string, a number nor a boolean";
      return failure();
    }
    os << '\n';
  }
  return text;
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  DictionaryAttr parameters) {
  FailureOr<std::string> text = toMachineText(parameters, emitError);
  if (failed(text)) {
    return failure();
  }
  auto model = ::lpu::MachineModel::parse(*text, "#lpu.machine");
  if (!model) {
    return emitError() << model.message();
  }
  return success();
}

::lpu::MachineModel MachineAttr::toModel() const {
  FailureOr<std::string> text =
      toMachineText(getParameters(), [&]() -> InFlightDiagnostic {
        llvm_unreachable("a machine attribute is verified");
      });
  return *::lpu::MachineModel::parse(*text, "#lpu.machine");
}

MachineAttr MachineAttr::fromModel(MLIRContext *context,
                                   const ::lpu::MachineModel &model) {
  Builder builder(context);
  std::string text = model.toText();
  SmallVector<NamedAttribute> parameters;
  for (StringRef line : llvm::split(text, '\n')) {
    auto [key, value] = line.split('=');
    key = key.trim();
    value = value.trim();
    int64_t integer;
    double number;
    if (key.empty()) {
      continue;
    }
    if (value.consume_front("\"")) {
      value.consume_back("\"");
      parameters.emplace_back(key, builder.getStringAttr(value));
    } else if (value == "true" || value == "false") {
      parameters.emplace_back(key, builder.getBoolAttr(value == "true"));
    } else if (!value.getAsInteger(10, integer)) {
      parameters.emplace_back(key, builder.getI64IntegerAttr(integer));
    } else if (!value.getAsDouble(number)) {
      parameters.emplace_back(key, builder.getF64FloatAttr(number));
    }
  }
  return MachineAttr::get(context, builder.getDictionaryAttr(parameters));
}

::lpu::MachineModel mlir::lpu::getMachine(Operation *op) {
  for (; op; op = op->getParentOp()) {
    if (auto machine =
            op->getAttrOfType<MachineAttr>(LPUDialect::machineAttrName)) {
      return machine.toModel();
    }
  }
  return ::lpu::MachineModel();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<::lpu::DType> mlir::lpu::getDType(Type type) {
  if (type.isF32()) {
    return ::lpu::DType::F32;
  }
  if (type.isBF16()) {
    return ::lpu::DType::BF16;
  }
  if (type.isF16()) {
    return ::lpu::DType::F16;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer) {
    return std::nullopt;
  }
  switch (integer.getWidth()) {
  case 1:
    return ::lpu::DType::Bool;
  case 8:
    return integer.isUnsigned() ? ::lpu::DType::U8 : ::lpu::DType::I8;
  case 16:
    return ::lpu::DType::I16;
  case 32:
    return ::lpu::DType::I32;
  case 64:
    return ::lpu::DType::I64;
  default:
    return std::nullopt;
  }
}

int64_t mlir::lpu::getByteSize(ShapedType type) {
  std::optional<::lpu::DType> element = getDType(type.getElementType());
  assert(element && "the element type has a size on the machine");
  return type.getNumElements() * ::lpu::byteWidth(*element);
}

std::optional<Space> mlir::lpu::getSpace(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    return std::nullopt;
  }
  auto space = dyn_cast_if_present<SpaceAttr>(memref.getMemorySpace());
  if (!space) {
    return std::nullopt;
  }
  return space.getValue();
}
