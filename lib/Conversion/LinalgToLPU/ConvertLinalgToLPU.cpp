//===- ConvertLinalgToLPU.cpp - linalg on tensors to the lpu dialect ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions become `lpu.contract`, calls that stand for a whole operation
// become that operation, and all else becomes an `lpu.vector` of its own. The
// road of `lpu.vector` takes any linalg operation, so a new recognised form is
// an optimisation here, never a requirement.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/Contractions.h"
#include "lpu/Conversion/LinalgToLPU/Regions.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_CONVERTLINALGTOLPUPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Whether all tensors that `op` handles have static shapes. Dynamic ones are
/// left for the verifier of the stage to name.
static bool hasStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

static Value makeEmpty(OpBuilder &b, Location loc, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                 tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

namespace {

/// Tells what is in memory when the program starts: its arguments, its
/// constants and views of those.
class StoredValues {
public:
  explicit StoredValues(ModuleOp module) {
    SymbolTableCollection symbols;
    module.walk([&](func::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (callee && !callee.isDeclaration()) {
        calls[callee].push_back(call);
      }
    });
  }

  bool contains(Value value) {
    Value whole = getStored(value);
    auto argument = dyn_cast_if_present<BlockArgument>(whole);
    if (!argument) {
      return whole != nullptr;
    }
    auto callers = calls.find(argument.getOwner()->getParentOp());
    if (callers == calls.end()) {
      return true;
    }
    // An argument of a layer is stored if it is in every layer. It counts as
    // stored until that is known, which ends the walk where calls are circular.
    auto [known, isNew] = arguments.try_emplace(argument, true);
    if (!isNew) {
      return known->second;
    }
    bool isStored = llvm::all_of(callers->second, [&](func::CallOp call) {
      return contains(call.getOperand(argument.getArgNumber()));
    });
    return arguments[argument] = isStored;
  }

private:
  DenseMap<Operation *, SmallVector<func::CallOp>> calls;
  DenseMap<BlockArgument, bool> arguments;
};

} // namespace

/// Whether the first operand rather than the second should be streamed: if it
/// alone is a weight; if none or both are, if that moves fewer bytes, or as
/// many and the smaller one stays on chip.
static bool shouldSwap(linalg::GenericOp op, const Contraction &contraction,
                       int64_t rowsPerPass, StoredValues &stored) {
  Value a = op.getInputs()[0], b = op.getInputs()[1];
  bool storedA = stored.contains(a), storedB = stored.contains(b);
  if (storedA != storedB) {
    return storedA;
  }
  auto getPasses = [&](ArrayRef<unsigned> rows) {
    int64_t count = 1;
    for (unsigned dim : rows) {
      count *= contraction.sizes[dim];
    }
    return (count + rowsPerPass - 1) / rowsPerPass;
  };
  // One operand is read once and stays, the other passes by.
  int64_t sizeA = cast<RankedTensorType>(a.getType()).getNumElements();
  int64_t sizeB = cast<RankedTensorType>(b.getType()).getNumElements();
  int64_t streamB = sizeA + getPasses(contraction.dimensions.rows) * sizeB;
  int64_t streamA = sizeB + getPasses(contraction.dimensions.cols) * sizeA;
  return streamA < streamB || (streamA == streamB && sizeA > sizeB);
}

/// Whether every element of `value` is the constant +0.
static bool isZero(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    return matchPattern(fill.getInputs()[0], m_PosZeroFloat()) ||
           matchPattern(fill.getInputs()[0], m_Zero());
  }
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    Attribute splat = constant.getSplatValue<Attribute>();
    if (auto number = dyn_cast<FloatAttr>(splat)) {
      return number.getValue().isPosZero();
    }
    return cast<IntegerAttr>(splat).getValue().isZero();
  }
  return false;
}

namespace {

struct ConvertContraction : OpRewritePattern<linalg::GenericOp> {
  ConvertContraction(MLIRContext *context, int64_t rowsPerPass,
                     StoredValues &stored)
      : OpRewritePattern(context, /*benefit=*/2), rowsPerPass(rowsPerPass),
        stored(stored) {}

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Contraction> contraction = matchContraction(op);
    if (!contraction) {
      return rewriter.notifyMatchFailure(op, "is no contraction");
    }
    SmallVector<Attribute> iterators;
    for (bool isReduction : contraction->isReduction) {
      iterators.push_back(
          rewriter.getStringAttr(isReduction ? "reduction" : "parallel"));
    }
    SmallVector<AffineMap> &maps = contraction->maps;
    Value a = op.getInputs()[0], b = op.getInputs()[1];
    if (shouldSwap(op, *contraction, rowsPerPass, stored)) {
      std::swap(a, b);
      std::swap(maps[0], maps[1]);
    }
    Value init = op.getOutputs()[0];
    bool zero = isZero(init);
    auto contract = ContractOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), a, b,
        zero ? makeEmpty(rewriter, op.getLoc(), init.getType()) : init,
        rewriter.getAffineMapArrayAttr(maps), rewriter.getArrayAttr(iterators),
        zero);
    rewriter.replaceOp(op, contract);
    return success();
  }

  int64_t rowsPerPass;
  StoredValues &stored;
};

//===----------------------------------------------------------------------===//
// Vector programs
//===----------------------------------------------------------------------===//

/// Wraps a structured operation in an `lpu.vector`. Constants move inside, as
/// does an initial value that is a constant everywhere.
static FailureOr<VectorOp> wrapInVector(Operation *op,
                                        PatternRewriter &rewriter) {
  auto destinationOp = cast<DestinationStyleOpInterface>(op);
  Location loc = op->getLoc();
  IRMapping mapping;
  SmallVector<Value> inputs, outs;
  SmallVector<Operation *> constants;
  // Where each tensor comes in: block arguments are inputs, then destinations.
  SetVector<Value> captured;
  for (OpOperand *input : destinationOp.getDpsInputOperands()) {
    captured.insert(input->get());
  }
  for (Region &region : op->getRegions()) {
    getUsedValuesDefinedAbove(region, captured);
  }
  for (Value value : captured) {
    Operation *def = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isConstant = def && def->hasTrait<OpTrait::ConstantLike>();
    // An empty input only lends its shape (the window of a pooling).
    if ((isConstant && (!type || type.getRank() == 0)) ||
        isa_and_present<tensor::EmptyOp>(def)) {
      constants.push_back(def);
    } else if (type) {
      inputs.push_back(value);
    } else {
      return rewriter.notifyMatchFailure(op, "uses a scalar of its function");
    }
  }
  SmallVector<linalg::FillOp> fills;
  // A sort reads all of its operands before it writes: it takes them as inputs.
  bool isSort = isa<tm_tensor::SortOp>(op);
  if (isSort) {
    inputs.append(destinationOp.getDpsInits().begin(),
                  destinationOp.getDpsInits().end());
  }
  for (OpOperand &init : destinationOp.getDpsInitsMutable()) {
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    if (fill && !isSort && matchPattern(fill.getInputs()[0], m_Constant())) {
      constants.push_back(fill.getInputs()[0].getDefiningOp());
    } else {
      fill = nullptr;
    }
    fills.push_back(fill);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isFresh = fill || isSort ||
                   (linalgOp && !linalgOp.payloadUsesValueFromOperand(&init));
    outs.push_back(isFresh ? makeEmpty(rewriter, loc, init.get().getType())
                           : init.get());
  }
  return VectorOp::create(
      rewriter, loc, inputs, outs,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        for (Operation *constant : constants) {
          if (!mapping.contains(constant->getResult(0))) {
            b.clone(*constant, mapping);
          }
        }
        for (auto [input, argument] :
             llvm::zip(inputs, arguments.take_front(inputs.size()))) {
          mapping.map(input, argument);
        }
        SmallVector<Value> inits(
            isSort ? arguments.slice(inputs.size() - outs.size(), outs.size())
                   : arguments.drop_front(inputs.size()));
        for (auto [init, fill] : llvm::zip(inits, fills)) {
          if (fill) {
            init = linalg::FillOp::create(b, fill.getLoc(),
                                          mapping.lookup(fill.getInputs()[0]),
                                          init)
                       .getResult(0);
          }
        }
        auto inner = cast<DestinationStyleOpInterface>(b.clone(*op, mapping));
        for (auto [index, init] : llvm::enumerate(inits)) {
          inner.setDpsInitOperand(index, init);
        }
        YieldOp::create(b, loc, inner->getResults());
      });
}

struct ConvertToVector : RewritePattern {
  ConvertToVector(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa<linalg::LinalgOp, tm_tensor::ScanOp, tm_tensor::ScatterOp,
             tm_tensor::SortOp>(op) ||
        op->getParentOfType<VectorOp>()) {
      return rewriter.notifyMatchFailure(op, "is no structured operation");
    }
    FailureOr<VectorOp> vector = wrapInVector(op, rewriter);
    if (failed(vector)) {
      return failure();
    }
    rewriter.replaceOp(op, (*vector)->getResults());
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Operations that stay whole
//===----------------------------------------------------------------------===//

/// Calls of private functions that name an operation in `lpu.op`.
struct ConvertCall : OpRewritePattern<func::CallOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(func::CallOp op,
                                PatternRewriter &rewriter) const override {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, op.getCalleeAttr());
    auto name = callee
                    ? callee->getAttrOfType<StringAttr>(LPUDialect::opAttrName)
                    : StringAttr();
    if (!name || op.getNumResults() != 1) {
      return rewriter.notifyMatchFailure(op, "stands for no operation");
    }
    Location loc = op.getLoc();
    Type type = op.getResult(0).getType();
    ValueRange operands = op.getOperands();
    if (name == "attention" && operands.size() >= 3 && operands.size() <= 4) {
      auto scale = callee->getAttrOfType<FloatAttr>("lpu.scale");
      auto causal = callee->getAttrOfType<BoolAttr>("lpu.causal");
      if (!scale) {
        return rewriter.notifyMatchFailure(op, "has no lpu.scale");
      }
      bool isCausal = (causal && causal.getValue()) ||
                      callee->hasAttrOfType<UnitAttr>("lpu.causal");
      rewriter.replaceOpWithNewOp<AttentionOp>(
          op, type, operands[0], operands[1], operands[2],
          operands.size() == 4 ? operands[3] : Value(), /*length=*/Value(),
          makeEmpty(rewriter, loc, type), /*temporary=*/Value(),
          rewriter.getF32FloatAttr(
              static_cast<float>(scale.getValueAsDouble())),
          isCausal ? rewriter.getUnitAttr() : UnitAttr());
      return success();
    }
    auto axis = callee->getAttrOfType<IntegerAttr>("lpu.axis");
    bool wraps = callee->hasAttr("lpu.wrap_negative");
    if (name == "scatter" && operands.size() == 3 && axis) {
      rewriter.replaceOpWithNewOp<ScatterOp>(op, type, operands[2], operands[1],
                                             operands[0], axis.getInt(), wraps);
      return success();
    }
    if (name == "gather" && operands.size() == 2 && axis) {
      rewriter.replaceOpWithNewOp<GatherOp>(op, type, operands[0], operands[1],
                                            makeEmpty(rewriter, loc, type),
                                            axis.getInt(), wraps);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "names no operation of lpu");
  }
};

/// `tm_tensor.attention`: the leading dimensions are batches, heads are one.
struct ConvertAttention : OpRewritePattern<tm_tensor::AttentionOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tm_tensor::AttentionOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOutputs()[0].getType());
    int64_t rank = type.getRank();
    if (rank < 2) {
      return rewriter.notifyMatchFailure(op, "has operands of rank below 2");
    }
    // [a, b, L, D] and more: one dimension of batches, one head; the
    // reassociation is that of q, k, v and the mask alike.
    auto toFour = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(value.getType());
      ArrayRef<int64_t> shape = type.getShape();
      int64_t batch = 1;
      for (int64_t size : shape.drop_back(2)) {
        batch *= size;
      }
      auto flat = type.clone({batch, shape[rank - 2], shape[rank - 1]});
      if (flat != type) {
        value =
            reshape(rewriter, op.getLoc(), value, cast<RankedTensorType>(flat));
      }
      auto four = RankedTensorType::get(
          {batch, 1, shape[rank - 2], shape[rank - 1]}, type.getElementType());
      SmallVector<ReassociationIndices> expand{{0, 1}, {2}, {3}};
      return tensor::ExpandShapeOp::create(rewriter, op.getLoc(), four, value,
                                           expand);
    };
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inputType = cast<RankedTensorType>(input.getType());
      if (inputType.getRank() != rank ||
          inputType.getShape().drop_back(2) != type.getShape().drop_back(2)) {
        return rewriter.notifyMatchFailure(op, "broadcasts its batches");
      }
    }
    for (Value input : op.getInputs()) {
      inputs.push_back(toFour(input));
    }
    auto query = cast<RankedTensorType>(inputs[0].getType());
    auto value = cast<RankedTensorType>(inputs[2].getType());
    auto outType = RankedTensorType::get(
        {query.getDimSize(0), 1, query.getDimSize(2), value.getDimSize(3)},
        type.getElementType());
    double scale = 1.0 / std::sqrt(static_cast<double>(query.getDimSize(3)));
    if (auto attr = op->getAttrOfType<FloatAttr>("scale")) {
      scale = attr.getValueAsDouble();
    }
    Value result =
        AttentionOp::create(
            rewriter, op.getLoc(), outType, inputs[0], inputs[1], inputs[2],
            inputs.size() == 4 ? inputs[3] : Value(),
            /*length=*/Value(), makeEmpty(rewriter, op.getLoc(), outType),
            /*temporary=*/Value(),
            rewriter.getF32FloatAttr(static_cast<float>(scale)))
            ->getResult(0);
    SmallVector<ReassociationIndices> collapse{{0, 1}, {2}, {3}};
    result = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), result,
                                             collapse);
    if (result.getType() != type) {
      result = reshape(rewriter, op.getLoc(), result, type);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  /// Reshapes between [batch, rows, cols] and [.., rows, cols].
  static Value reshape(OpBuilder &b, Location loc, Value value,
                       RankedTensorType type) {
    int64_t from = cast<RankedTensorType>(value.getType()).getRank();
    int64_t large = std::max(from, type.getRank());
    bool expands = type.getRank() > from;
    if (large == 2) {
      // [1, rows, cols] from [rows, cols] and back.
      SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
      return expands
                 ? tensor::ExpandShapeOp::create(b, loc, type, value, groups)
                       .getResult()
                 : tensor::CollapseShapeOp::create(b, loc, type, value, groups)
                       .getResult();
    }
    SmallVector<ReassociationIndices> groups(3);
    for (int64_t i = 0; i < large; ++i) {
      groups[i < large - 2 ? 0 : i - (large - 3)].push_back(i);
    }
    return expands
               ? tensor::ExpandShapeOp::create(b, loc, type, value, groups)
                     .getResult()
               : tensor::CollapseShapeOp::create(b, loc, type, value, groups)
                     .getResult();
  }
};

/// A concatenation is its parts, each in its place.
struct ConvertConcat : OpRewritePattern<tensor::ConcatOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<SmallVector<Value>> decomposed = op.decomposeOperation(rewriter);
    if (failed(decomposed)) {
      return rewriter.notifyMatchFailure(op, "has no decomposition");
    }
    rewriter.replaceOp(op, *decomposed);
    return success();
  }
};

struct ConvertLinalgToLPUPass
    : mlir::lpu::impl::ConvertLinalgToLPUPassBase<ConvertLinalgToLPUPass> {
  using ConvertLinalgToLPUPassBase::ConvertLinalgToLPUPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertCall, ConvertAttention, ConvertConcat, ConvertToVector>(
        &getContext());
    StoredValues stored(module);
    patterns.add<ConvertContraction>(&getContext(),
                                     getMachine(module).rowsPerPass, stored);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      convert(function, frozen);
    }

    // The functions that stood for operations.
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function->hasAttr(LPUDialect::opAttrName) &&
          SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
      }
    }
    module.walk([&](Operation *op) {
      numContracts += isa<ContractOp>(op);
      numVectors += isa<VectorOp>(op);
    });
  }

  /// Whether nothing is left of a structured operation but the checks of
  /// positions at which no value is read any more.
  static bool onlyChecks(Operation *op) {
    return isa<linalg::LinalgOp>(op) && op->getNumOperands() != 0 &&
           op->getNumResults() == 0 &&
           cast<linalg::LinalgOp>(op).getNumDpsInits() == 0;
  }

  /// Converts users before what they use, so that an initial value is still the
  /// fill that it was, and is dead once its users have taken it in.
  static void convert(func::FuncOp function,
                      const FrozenRewritePatternSet &patterns) {
    PatternApplicator applicator(patterns);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(function.getContext());
    SmallVector<Operation *> ops;
    for (Block &block : function.getBody()) {
      for (Operation &op : block) {
        ops.push_back(&op);
      }
    }
    for (Operation *op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op) || onlyChecks(op)) {
        rewriter.eraseOp(op);
        continue;
      }
      if (!hasStaticShapes(op)) {
        continue;
      }
      rewriter.setInsertionPoint(op);
      (void)applicator.matchAndRewrite(op, rewriter);
    }
  }
};

} // namespace
