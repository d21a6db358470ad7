//===- LPUISAOps.cpp - Programs and instructions --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders and verification of the program and of all instructions but the
// vector one (LPUISAVector.cpp); syntax is in LPUISASyntax.cpp. A verifier here
// looks at one instruction; what needs the whole program is checked by
// `lpuisa-verify`.
//
//===----------------------------------------------------------------------===//

#include "LPUISASyntax.h"

#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

using namespace mlir;
using namespace mlir::lpuisa;

//===----------------------------------------------------------------------===//
// ProgramOp
//===----------------------------------------------------------------------===//

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      ArrayRef<TensorSpecAttr> inputs,
                      ArrayRef<TensorSpecAttr> results,
                      ArrayRef<TensorSpecAttr> outputs, int64_t scratchBytes,
                      int64_t lmuBytes, ArrayRef<uint8_t> rodata) {
  auto toArray = [&](ArrayRef<TensorSpecAttr> tensors) {
    return builder.getArrayAttr(
        SmallVector<Attribute>(tensors.begin(), tensors.end()));
  };
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setSymName(builder.getStringAttr(name));
  properties.setInputs(toArray(inputs));
  properties.setResultTensors(toArray(results));
  properties.setOutputs(toArray(outputs));
  properties.setScratchBytes(builder.getI64IntegerAttr(scratchBytes));
  properties.setLmuBytes(builder.getI64IntegerAttr(lmuBytes));
  if (!rodata.empty()) {
    auto type = RankedTensorType::get(static_cast<int64_t>(rodata.size()),
                                      builder.getI8Type());
    ArrayRef<char> bytes(reinterpret_cast<const char *>(rodata.data()),
                         rodata.size());
    properties.setRodata(cast<DenseIntElementsAttr>(
        DenseElementsAttr::getFromRawBuffer(type, bytes)));
  }
  state.addRegion()->emplaceBlock();
}

TensorSpecAttr ProgramOp::getArgument(unsigned number) {
  unsigned numInputs = getInputs().size();
  return cast<TensorSpecAttr>(number < numInputs
                                  ? getInputs()[number]
                                  : getOutputs()[number - numInputs]);
}

LogicalResult ProgramOp::verify() {
  for (ArrayAttr buffers : {getInputs(), getOutputs()}) {
    for (TensorSpecAttr tensor : buffers.getAsRange<TensorSpecAttr>()) {
      if (tensor.getAlias() || tensor.getArgument() != 0) {
        return emitOpError() << "found alias or argument on " << tensor
                             << ", expected them on results only";
      }
    }
  }
  for (TensorSpecAttr result :
       getResultTensors().getAsRange<TensorSpecAttr>()) {
    unsigned number = result.getArgument();
    if (number >= getNumArguments()) {
      return emitOpError() << "found result in argument " << number
                           << ", expected one of the " << getNumArguments()
                           << " arguments";
    }
    bool isInput = number < getInputs().size();
    if (isInput != result.getAlias().has_value()) {
      return emitOpError()
             << "found result " << result << " in "
             << (isInput ? "an input" : "an output")
             << ", expected an alias on results in inputs, and only there";
    }
    TensorSpecAttr argument = getArgument(number);
    if (result.getType() != argument.getType() ||
        result.getSizes() != argument.getSizes()) {
      return emitOpError() << "found result " << result << " in argument "
                           << argument
                           << ", expected the same element type and sizes";
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ICP
//===----------------------------------------------------------------------===//

LogicalResult LdOp::verify() {
  ViewAttr source = getSource();
  bool isOne =
      !source.getDynamicDim() &&
      llvm::all_of(source.getSizes(), [](int64_t size) { return size == 1; });
  if (!isOne || ::lpu::isFloat(source.getType())) {
    return emitOpError() << "found source " << source
                         << ", expected one element of an integer type or bool";
  }
  return success();
}

void LdOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), AccessKind::Read});
}

AluOp AluOp::createImmediate(OpBuilder &builder, Location loc,
                             ::lpu::AluFunction function, unsigned rd,
                             unsigned rs, int32_t immediate) {
  return AluOp::create(builder, loc, function, rd, rs,
                       /*rt=*/IntegerAttr(),
                       builder.getI32IntegerAttr(immediate));
}

LogicalResult AluOp::verify() {
  if (getRt().has_value() == getImmediate().has_value()) {
    return emitOpError() << "found " << (getRt() ? "both" : "none")
                         << " of rt and immediate, expected one";
  }
  return success();
}

LogicalResult BranchOp::verify() {
  bool isConditional = getCondition() != ::lpu::BranchCondition::Always;
  if (isConditional != getRs().has_value()) {
    return emitOpError() << "found " << (getRs() ? "a" : "no")
                         << " register, expected "
                         << (isConditional ? "one to test" : "none")
                         << " with condition "
                         << stringifyMachineEnum(getCondition());
  }
  LabelOp label;
  for (LabelOp candidate : (*this)->getBlock()->getOps<LabelOp>()) {
    if (candidate.getLabel() != getTarget()) {
      continue;
    }
    if (label) {
      return emitOpError() << "found label '" << getTarget()
                           << "' twice, expected once in the block";
    }
    label = candidate;
  }
  if (!label) {
    return emitOpError() << "found no label '" << getTarget()
                         << "', expected one in the block of the branch";
  }
  Operation *next = label;
  while (isa_and_nonnull<LabelOp>(next)) {
    next = next->getNextNode();
  }
  if (!next) {
    return emitOpError() << "found label '" << getTarget()
                         << "' at the end of the block, expected an "
                            "instruction after it";
  }
  return success();
}

void LoopOp::build(OpBuilder &builder, OperationState &state, uint32_t trips,
                   std::optional<unsigned> tripsRegister) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setTrips(builder.getI32IntegerAttr(trips));
  if (tripsRegister) {
    properties.setTripsRegister(builder.getI32IntegerAttr(*tripsRegister));
  }
  state.addRegion()->emplaceBlock();
}

unsigned LoopOp::getLevel() {
  unsigned level = 0;
  for (Operation *parent = (*this)->getParentOp();
       isa_and_nonnull<LoopOp>(parent); parent = parent->getParentOp()) {
    ++level;
  }
  return level;
}

LogicalResult LoopOp::verify() {
  if (getLevel() >= ::lpu::maxLoopDepth) {
    return emitOpError() << "found loop at depth " << getLevel() + 1
                         << ", expected at most " << ::lpu::maxLoopDepth;
  }
  return success();
}

::lpu::Unit WaitOp::getExecutingUnit() { return getUnit(); }

::lpu::Unit PostOp::getExecutingUnit() { return getUnit(); }

//===----------------------------------------------------------------------===//
// SMA
//===----------------------------------------------------------------------===//

/// Checks that two operands have the same element type.
static LogicalResult verifySameType(Operation *op, StringRef lhsName,
                                    ViewAttr lhs, StringRef rhsName,
                                    ViewAttr rhs) {
  if (lhs.getType() != rhs.getType()) {
    return op->emitOpError()
           << "found " << lhsName << " of type "
           << stringifyMachineEnum(lhs.getType()) << " and " << rhsName
           << " of type " << stringifyMachineEnum(rhs.getType())
           << ", expected the same";
  }
  return success();
}

/// Whether dimension `lhsDim` of `lhs` has as many elements as `rhsDim` of
/// `rhs`, in every run.
static bool hasSameSize(ViewAttr lhs, unsigned lhsDim, ViewAttr rhs,
                        unsigned rhsDim) {
  bool lhsIsDynamic = lhs.getDynamicDim() == lhsDim;
  bool rhsIsDynamic = rhs.getDynamicDim() == rhsDim;
  return lhs.getSizes()[lhsDim] == rhs.getSizes()[rhsDim] &&
         lhsIsDynamic == rhsIsDynamic &&
         (!lhsIsDynamic || lhs.getSizeRegister() == rhs.getSizeRegister());
}

LogicalResult CopyOp::verify() {
  ViewAttr destination = getDestination(), source = getSource();
  if (failed(verifySameType(*this, "destination", destination, "source",
                            source))) {
    return failure();
  }
  bool isSame = destination.getRank() == source.getRank();
  for (unsigned dim = 0; isSame && dim < source.getRank(); ++dim) {
    isSame = hasSameSize(destination, dim, source, dim);
  }
  if (!isSame) {
    return emitOpError() << "found destination " << destination
                         << " and source " << source
                         << ", expected the same sizes";
  }
  return success();
}

::lpu::Unit CopyOp::getExecutingUnit() { return ::lpu::Unit::SMA; }

void CopyOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), AccessKind::Read});
  accesses.push_back({getDestination(), AccessKind::Write});
}

/// Checks a gather or a scatter: `table` is addressed through `index`, `rows`
/// in order.
static LogicalResult verifyIndexed(Operation *op, StringRef tableName,
                                   ViewAttr table, StringRef rowsName,
                                   ViewAttr rows, ViewAttr index,
                                   unsigned axis) {
  if (failed(verifySameType(op, tableName, table, rowsName, rows))) {
    return failure();
  }
  if (index.getRank() != 1 || ::lpu::isFloat(index.getType()) ||
      index.getType() == ::lpu::DType::Bool) {
    return op->emitOpError() << "found index " << index
                             << ", expected an integer type and rank 1";
  }
  if (table.getRank() != rows.getRank() || axis >= table.getRank()) {
    return op->emitOpError() << "found ranks " << table.getRank() << " and "
                             << rows.getRank() << " and axis " << axis
                             << ", expected equal ranks and an axis below them";
  }
  for (unsigned dim = 0; dim < rows.getRank(); ++dim) {
    bool isSame = dim == axis ? hasSameSize(rows, dim, index, 0)
                              : hasSameSize(rows, dim, table, dim);
    if (!isSame) {
      return op->emitOpError()
             << "found " << rowsName << " " << rows << ", " << tableName << " "
             << table << " and index " << index
             << ", expected the size of the index at the axis and equal sizes "
                "elsewhere";
    }
  }
  return success();
}

LogicalResult GatherOp::verify() {
  return verifyIndexed(*this, "source", getSource(), "destination",
                       getDestination(), getIndex(), getAxis());
}

::lpu::Unit GatherOp::getExecutingUnit() { return ::lpu::Unit::SMA; }

void GatherOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), AccessKind::Read});
  accesses.push_back({getIndex(), AccessKind::Read});
  accesses.push_back({getDestination(), AccessKind::Write});
}

LogicalResult ScatterOp::verify() {
  return verifyIndexed(*this, "destination", getDestination(), "source",
                       getSource(), getIndex(), getAxis());
}

::lpu::Unit ScatterOp::getExecutingUnit() { return ::lpu::Unit::SMA; }

void ScatterOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), AccessKind::Read});
  accesses.push_back({getIndex(), AccessKind::Read});
  accesses.push_back({getDestination(), AccessKind::Write});
}

LogicalResult StreamOp::verify() {
  ::lpu::DType type = getSource().getType();
  if (!::lpu::isFloat(type) && type != ::lpu::DType::I8) {
    return emitOpError() << "found a source of type "
                         << stringifyMachineEnum(type)
                         << ", expected f32, bf16, f16 or i8";
  }
  return success();
}

::lpu::Unit StreamOp::getExecutingUnit() { return ::lpu::Unit::SMA; }

void StreamOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getSource(), AccessKind::Read});
}

//===----------------------------------------------------------------------===//
// SXE
//===----------------------------------------------------------------------===//

LogicalResult MmOp::verify() {
  ViewAttr output = getOutput(), lhs = getLhs(), streamed = getStreamed();
  unsigned batch = getBatch(), rows = getRows(), cols = getCols(),
           depth = getDepth();
  for (auto [name, view, rank] : {std::tuple<StringRef, ViewAttr, unsigned>(
                                      "lhs", lhs, batch + rows + depth),
                                  {"streamed", streamed, batch + cols + depth},
                                  {"output", output, batch + rows + cols}}) {
    if (view.getRank() != rank) {
      return emitOpError() << "found " << name << " of rank " << view.getRank()
                           << ", expected " << rank;
    }
  }
  auto verifySizes = [&](StringRef lhsName, ViewAttr lhs, unsigned lhsDim,
                         StringRef rhsName, ViewAttr rhs, unsigned rhsDim,
                         unsigned count) -> LogicalResult {
    for (unsigned i = 0; i < count; ++i) {
      if (!hasSameSize(lhs, lhsDim + i, rhs, rhsDim + i)) {
        return emitOpError()
               << "found dimension " << lhsDim + i << " of " << lhsName
               << " and dimension " << rhsDim + i << " of " << rhsName
               << " with different sizes, expected the same";
      }
    }
    return success();
  };
  if (failed(verifySizes("output", output, 0, "lhs", lhs, 0, batch + rows)) ||
      failed(
          verifySizes("output", output, 0, "streamed", streamed, 0, batch)) ||
      failed(verifySizes("output", output, batch + rows, "streamed", streamed,
                         batch, cols)) ||
      failed(verifySizes("lhs", lhs, batch + rows, "streamed", streamed,
                         batch + cols, depth)) ||
      failed(verifySameType(*this, "lhs", lhs, "streamed", streamed))) {
    return failure();
  }
  ::lpu::DType type = lhs.getType(), outputType = output.getType();
  bool isFloat = ::lpu::isFloat(type) &&
                 (outputType == ::lpu::DType::F32 || outputType == type);
  bool isInteger = type == ::lpu::DType::I8 && outputType == ::lpu::DType::I32;
  if (!isFloat && !isInteger) {
    return emitOpError() << "found " << stringifyMachineEnum(type)
                         << " operands and " << stringifyMachineEnum(outputType)
                         << " output, expected floats with f32 or the "
                            "operands' type, or i8 with i32";
  }
  return success();
}

::lpu::Unit MmOp::getExecutingUnit() { return ::lpu::Unit::SXE; }

void MmOp::getAccesses(SmallVectorImpl<Access> &accesses) {
  accesses.push_back({getLhs(), AccessKind::Read});
  accesses.push_back({getStreamed(), AccessKind::LateRead});
  if (getAccumulate()) {
    accesses.push_back({getOutput(), AccessKind::Read});
  }
  accesses.push_back({getOutput(), AccessKind::Write});
}

#define GET_OP_CLASSES
#include "lpu/Dialect/LPUISA/IR/LPUISAOps.cpp.inc"
