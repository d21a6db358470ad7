//===- DecomposeTensorOps.cpp - Structured ops as generics and slices -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduces the operations that an import holds to a few kinds, by upstream
// patterns where they exist: linalg.generic, slices, reshapes and the tm_tensor
// operations. What is left to do here are top-k, the insertion of one element,
// tensors filled with a scalar, bits that are read as another type and windows
// of one place.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LinalgToLPU/RewriteCounter.h"
#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_DECOMPOSETENSOROPSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;

namespace {

/// A tensor of `type` that holds the position along `dimension`.
Value makePositions(OpBuilder &b, Location loc, RankedTensorType type,
                    int64_t dimension) {
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange(), empty, identity, iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value position = linalg::IndexOp::create(b, loc, dimension);
        Value element =
            arith::IndexCastOp::create(b, loc, type.getElementType(), position);
        linalg::YieldOp::create(b, loc, element);
      });
  return generic.getResult(0);
}

/// Top-k: sort values together with their positions, keep the first k.
struct DecomposeTopk : OpRewritePattern<tm_tensor::TopkOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(tm_tensor::TopkOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value values = op.getInputs()[0];
    auto type = cast<RankedTensorType>(values.getType());
    auto positionType = cast<RankedTensorType>(op.getOutputs()[1].getType())
                            .clone(type.getShape());
    int64_t dimension = op.getDimension();
    Value positions =
        op.getInputs().size() > 1
            ? op.getInputs()[1]
            : makePositions(rewriter, loc, cast<RankedTensorType>(positionType),
                            dimension);
    if (positions.getType() != positionType) {
      return rewriter.notifyMatchFailure(op, "positions change their type");
    }
    auto sort = tm_tensor::SortOp::create(
        rewriter, loc, TypeRange{type, positionType}, ValueRange(),
        ValueRange{values, positions}, dimension);
    Block *block = rewriter.createBlock(&sort.getRegion());
    Block &compare = op.getRegion().front();
    // A new element replaces an old one where it stands before it.
    IRMapping mapping;
    for (BlockArgument argument : compare.getArguments()) {
      mapping.map(argument, block->addArgument(argument.getType(), loc));
    }
    for (unsigned i = 0; i < 2; ++i) {
      block->addArgument(positionType.getElementType(), loc);
    }
    for (Operation &inner : compare) {
      rewriter.clone(inner, mapping);
    }
    rewriter.setInsertionPointAfter(sort);
    SmallVector<Value> slices;
    for (auto [result, out] : llvm::zip(sort.getResults(), op.getOutputs())) {
      auto outType = cast<RankedTensorType>(out.getType());
      SmallVector<OpFoldResult> offsets(outType.getRank(),
                                        rewriter.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(outType.getRank(),
                                        rewriter.getIndexAttr(1));
      slices.push_back(tensor::ExtractSliceOp::create(
          rewriter, loc, outType, result, offsets,
          getAsIndexOpFoldResult(rewriter.getContext(), outType.getShape()),
          strides));
    }
    rewriter.replaceOp(op, slices);
    return success();
  }
};

/// Named operations become generics, save fills: later passes look for those.
struct Generalize : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::FillOp>(op)) {
      return rewriter.notifyMatchFailure(op, "is a fill");
    }
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

struct DecomposePad : OpRewritePattern<tensor::PadOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::rewriteInDestinationPassingStyle(rewriter, op);
  }
};

struct DecomposeGenerate : OpRewritePattern<tensor::GenerateOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    return linalg::rewriteInDestinationPassingStyle(rewriter, op);
  }
};

struct DecomposeSplat : OpRewritePattern<tensor::SplatOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getType();
    Value empty = tensor::EmptyOp::create(
        rewriter, op.getLoc(), type.getShape(), type.getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, op.getInput(), empty);
    return success();
  }
};

/// One inserted element is an inserted slice of one element.
struct DecomposeInsert : OpRewritePattern<tensor::InsertOp> {
  using Base::Base;
  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = cast<RankedTensorType>(op.getType());
    Value element = tensor::FromElementsOp::create(
        rewriter, op.getLoc(), RankedTensorType::get({}, type.getElementType()),
        op.getScalar());
    SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        op, element, op.getDest(), getAsOpFoldResult(op.getIndices()), ones,
        ones);
    return success();
  }
};

/// A call that stands for `bitcast` is elementwise, as the pattern for that
/// sees it.
struct DecomposeBitcast : OpRewritePattern<func::CallOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(func::CallOp op,
                                PatternRewriter &rewriter) const override {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, op.getCalleeAttr());
    auto name = callee ? callee->getAttrOfType<StringAttr>(
                             mlir::lpu::LPUDialect::opAttrName)
                       : StringAttr();
    if (!name || name != "bitcast" || op.getNumOperands() != 1 ||
        op.getNumResults() != 1) {
      return rewriter.notifyMatchFailure(op, "stands for no bitcast");
    }
    Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
    if (!arith::BitcastOp::areCastCompatible(from, to)) {
      return rewriter.notifyMatchFailure(op, "types differ in size");
    }
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, op.getOperand(0));
    return success();
  }
};

/// Reads a window that has only one place as the slice that it is.
///
///   generic (i, j) -> (2 * i + j) over 1 x 4 reads %x : tensor<5xf32>
///   =>
///   %s = extract_slice %x[0] [4] [1]
///   generic (i, j) -> (j) over 1 x 4 reads %s
struct NarrowWindow : OpRewritePattern<linalg::GenericOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics()) {
      return rewriter.notifyMatchFailure(op, "has no tensors");
    }
    SmallVector<int64_t> loops = op.getStaticLoopRanges();
    SmallVector<AffineExpr> firstPlace;
    for (auto [position, size] : llvm::enumerate(loops)) {
      firstPlace.push_back(size == 1
                               ? getAffineConstantExpr(0, op.getContext())
                               : getAffineDimExpr(position, op.getContext()));
    }
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      SmallVector<int64_t> sizes(op.getShape(input));
      SmallVector<AffineExpr> exprs(map.getResults());
      for (auto [expr, size] : llvm::zip_equal(exprs, sizes)) {
        AffineExpr first =
            simplifyAffineExpr(expr.replaceDims(firstPlace), loops.size(), 0);
        auto dim = dyn_cast<AffineDimExpr>(first);
        if (!isa<AffineDimExpr>(expr) && dim) {
          expr = first;
          size = loops[dim.getPosition()];
        }
      }
      auto narrow = AffineMap::get(loops.size(), 0, exprs, op.getContext());
      if (narrow == map) {
        continue;
      }
      Value source = input->get();
      if (ArrayRef<int64_t>(sizes) != op.getShape(input)) {
        OpFoldResult zero = rewriter.getIndexAttr(0);
        OpFoldResult one = rewriter.getIndexAttr(1);
        source = tensor::ExtractSliceOp::create(
            rewriter, op.getLoc(), source,
            SmallVector<OpFoldResult>(sizes.size(), zero),
            getAsIndexOpFoldResult(op.getContext(), sizes),
            SmallVector<OpFoldResult>(sizes.size(), one));
      }
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[input->getOperandNumber()] = narrow;
      rewriter.modifyOpInPlace(op, [&] {
        input->set(source);
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "reads no window of one place");
  }
};

/// What has no elements needs no computation.
struct ReplaceEmptyResults : RewritePattern {
  ReplaceEmptyResults(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/8, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (isa<tensor::EmptyOp>(op) || op->getNumResults() == 0 ||
        !llvm::all_of(op->getResultTypes(), [](Type type) {
          auto tensor = dyn_cast<RankedTensorType>(type);
          return tensor && tensor.hasStaticShape() &&
                 tensor.getNumElements() == 0;
        })) {
      return rewriter.notifyMatchFailure(op, "has results with elements");
    }
    SmallVector<Value> empty;
    for (Type type : op->getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      empty.push_back(tensor::EmptyOp::create(
          rewriter, op->getLoc(), tensor.getShape(), tensor.getElementType()));
    }
    rewriter.replaceOp(op, empty);
    return success();
  }
};

struct DecomposeTensorOpsPass
    : mlir::lpu::impl::DecomposeTensorOpsPassBase<DecomposeTensorOpsPass> {
  using DecomposeTensorOpsPassBase::DecomposeTensorOpsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    patterns.add<Generalize, DecomposeTopk, DecomposePad, DecomposeGenerate,
                 DecomposeSplat, DecomposeInsert, DecomposeBitcast,
                 NarrowWindow, ReplaceEmptyResults>(&getContext());
    if (failed(mlir::lpu::applyAndCount(getOperation(), std::move(patterns),
                                        numDecomposed))) {
      signalPassFailure();
    }
  }
};

} // namespace
