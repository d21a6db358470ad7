//===- ConvertLPUToLPUISA.cpp - Select machine instructions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the function once in order: each operation becomes its instructions,
// see Lowerings.h. Operations that only name memory become nothing; their
// results are looked up when they are used. At the end the program is given its
// signature and its constants.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ConstantPool.h"
#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_CONVERTLPUTOLPUISAPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Instructions for one operation of the function.
static LogicalResult lowerOperation(Operation *op, LoweringContext &context) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](ContractOp contract) { return lowerContract(contract, context); })
      .Case([&](AttentionOp attention) {
        return lowerAttention(attention, context);
      })
      .Case([&](VectorOp vector) {
        return isOrderedVector(vector) ? lowerOrderedVector(vector, context)
                                       : lowerVector(vector, context);
      })
      .Case([&](GatherOp gather) { return lowerGather(gather, context); })
      .Case([&](ScatterOp scatter) { return lowerScatter(scatter, context); })
      .Case([&](CopyOp copy) {
        return lowerCopy(copy.getLoc(), copy.getSrc(), copy.getOuts(), context);
      })
      .Case([&](memref::CopyOp copy) {
        return lowerCopy(copy.getLoc(), copy.getSource(), copy.getTarget(),
                         context);
      })
      .Case([&](linalg::CopyOp copy) {
        return lowerCopy(copy.getLoc(), copy.getDpsInputOperand(0)->get(),
                         copy.getDpsInitOperand(0)->get(), context);
      })
      .Case<ViewLikeOpInterface, memref::TransposeOp, memref::AllocOp,
            memref::DeallocOp, memref::GetGlobalOp, func::ReturnOp,
            arith::ConstantOp>([](auto) { return success(); })
      .Default([](Operation *other) {
        return other->emitOpError("has no instruction; expected an operation "
                                  "of the lpu dialect on buffers, a copy, or "
                                  "a view on a buffer");
      });
}

/// Registers keep no size that `op` has overwritten.
static LogicalResult forgetWritten(Operation *op, LoweringContext &context) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    return success();
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value value = instance.getValue();
    if (!value || !isa<MemRefType>(value.getType()) ||
        !isa<MemoryEffects::Write>(instance.getEffect())) {
      continue;
    }
    FailureOr<StridedView> view = context.views.getView(value);
    if (failed(view)) {
      return failure();
    }
    context.sizes.file.forget(*view);
  }
  return success();
}

/// The signature entry of a tensor, whose type the machine has.
static FailureOr<lpuisa::TensorSpecAttr>
getTensorSpec(Location location, StringRef name, ShapedType type,
              std::optional<unsigned> alias, unsigned argument) {
  std::optional<::lpu::DType> elementType = getDType(type.getElementType());
  if (!elementType || !type.hasStaticShape()) {
    return emitError(location)
           << "has the type " << type
           << "; the signature of a program has static shapes of f32, bf16, "
              "f16, i64, i32, i16, i8 or i1";
  }
  return lpuisa::TensorSpecAttr::get(location.getContext(), name, *elementType,
                                     type.getShape(), alias, argument);
}

namespace {

/// Inputs, results and outputs of a function.
struct Signature {
  SmallVector<lpuisa::TensorSpecAttr> inputs, results, outputs;

  LogicalResult read(func::FuncOp function);

private:
  LogicalResult readArguments(func::FuncOp function);
  LogicalResult readResults(func::FuncOp function);
};

struct ConvertLPUToLPUISAPass
    : mlir::lpu::impl::ConvertLPUToLPUISAPassBase<ConvertLPUToLPUISAPass> {
  void runOnOperation() override;
  LogicalResult convert(func::FuncOp function);
};

} // namespace

LogicalResult Signature::readArguments(func::FuncOp function) {
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    bool isOutput =
        function.getArgAttr(number, LPUDialect::outputAttrName) != nullptr;
    if (!isOutput && !outputs.empty()) {
      return function.emitOpError("has an input, argument ")
             << number << ", behind an output; expected inputs first";
    }
    auto name =
        function.getArgAttrOfType<StringAttr>(number, LPUDialect::nameAttrName);
    std::string given =
        name ? name.str()
             : (isOutput ? "result" + std::to_string(outputs.size())
                         : "arg" + std::to_string(number));
    BlockArgument argument = function.getArgument(number);
    auto type = dyn_cast<ShapedType>(argument.getType());
    if (!type) {
      return function.emitOpError("has argument ")
             << number << " of type " << argument.getType()
             << "; expected a memref";
    }
    FailureOr<lpuisa::TensorSpecAttr> spec =
        getTensorSpec(argument.getLoc(), given, type, std::nullopt, 0);
    if (failed(spec)) {
      return failure();
    }
    (isOutput ? outputs : inputs).push_back(*spec);
  }
  return success();
}

LogicalResult Signature::readResults(func::FuncOp function) {
  auto entries =
      function->getAttrOfType<ArrayAttr>(LPUDialect::resultsAttrName);
  if (!entries) {
    // Without a word to the contrary, the results are the outputs.
    for (auto [number, output] : llvm::enumerate(outputs)) {
      results.push_back(lpuisa::TensorSpecAttr::get(
          function.getContext(), output.getName(), output.getType(),
          output.getSizes(), std::nullopt, inputs.size() + number));
    }
    return success();
  }
  for (auto [number, entry] : llvm::enumerate(entries)) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    auto argument =
        dictionary ? dictionary.getAs<IntegerAttr>("argument") : IntegerAttr();
    if (!argument || argument.getInt() < 0 ||
        argument.getInt() >= static_cast<int64_t>(function.getNumArguments())) {
      return function.emitOpError("has no argument for result ")
             << number << " in '" << LPUDialect::resultsAttrName << "'";
    }
    unsigned position = argument.getInt();
    bool isAlias = position < inputs.size();
    auto name = dictionary.getAs<StringAttr>("name");
    auto typeAttr = dictionary.getAs<TypeAttr>("type");
    auto type =
        typeAttr ? dyn_cast<ShapedType>(typeAttr.getValue())
                 : cast<ShapedType>(function.getArgument(position).getType());
    FailureOr<lpuisa::TensorSpecAttr> spec = getTensorSpec(
        function.getLoc(),
        name ? name.str() : "result" + std::to_string(number), type,
        isAlias ? std::optional(position) : std::nullopt, position);
    if (failed(spec)) {
      return failure();
    }
    results.push_back(*spec);
  }
  return success();
}

LogicalResult Signature::read(func::FuncOp function) {
  return failure(failed(readArguments(function)) ||
                 failed(readResults(function)));
}

LogicalResult ConvertLPUToLPUISAPass::convert(func::FuncOp function) {
  if (function.getNumResults() != 0) {
    return function.emitOpError("has results; expected all of them in "
                                "arguments (run lpu-tie-results)");
  }
  if (!function.getBody().hasOneBlock()) {
    return function.emitOpError("has control flow; expected one block");
  }
  Signature signature;
  if (failed(signature.read(function))) {
    return failure();
  }
  auto getBytes = [&](StringRef name) {
    auto bytes = function->getAttrOfType<IntegerAttr>(name);
    return bytes ? bytes.getInt() : 0;
  };

  ::lpu::MachineModel machine = getMachine(function);
  OpBuilder builder(function);
  auto program = lpuisa::ProgramOp::create(
      builder, function.getLoc(), function.getName(), signature.inputs,
      signature.results, signature.outputs,
      getBytes(LPUDialect::scratchBytesAttrName),
      getBytes(LPUDialect::lmuBytesAttrName));

  ConstantPool constants;
  ViewBuilder views(constants);
  builder.setInsertionPointToEnd(program.getBodyBlock());
  SizeRegisters sizes;
  LoweringContext context{builder, views, machine, sizes};
  for (Operation &op : function.front()) {
    if (failed(lowerOperation(&op, context)) ||
        failed(forgetWritten(&op, context))) {
      return failure();
    }
  }
  lpuisa::HaltOp::create(builder, function.getLoc());

  const std::vector<char> &bytes = constants.getBytes();
  if (!bytes.empty()) {
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                      builder.getI8Type());
    program.setRodataAttr(cast<DenseIntElementsAttr>(
        DenseElementsAttr::getFromRawBuffer(type, bytes)));
  }
  numConstantBytes += bytes.size();
  program.walk([&](lpuisa::InstructionOpInterface) { ++numInstructions; });
  return success();
}

void ConvertLPUToLPUISAPass::runOnOperation() {
  SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp function : functions) {
    if (!function.isExternal() && failed(convert(function))) {
      return signalPassFailure();
    }
  }
  // What is left named memory or functions that are gone.
  for (func::FuncOp function : functions) {
    function.erase();
  }
  for (memref::GlobalOp global :
       llvm::make_early_inc_range(getOperation().getOps<memref::GlobalOp>())) {
    global.erase();
  }
}
