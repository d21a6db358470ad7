//===- VectorLowering.cpp - From lpu.vector to micro-programs -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of the body: where they are loaded from, reductions, stores. A
// reduction whose body combines the running value with something else by one
// associative operation becomes a Reduce, whose order the machine defines; any
// other body is carried from element to element in order.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/VectorLowering.h"

#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/LPUToLPUISA/ScalarLowering.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::lpu;
using linalg::LinalgOp;
using ::lpu::MicroCombine;
using ::lpu::MicroOpcode;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

VectorLowering::VectorLowering(Location location, VectorBody body,
                               ViewBuilder &views)
    : location(location), body(std::move(body)), views(views) {}

/// Gives each user of a fill its own. Two users of one fill walk it together,
/// and so may tie dimensions that nothing else ties.
static void unshareFills(Block &body) {
  OpBuilder b(body.getParentOp());
  for (auto fill : llvm::make_early_inc_range(body.getOps<linalg::FillOp>())) {
    if (fill->getNumResults() != 1) {
      continue;
    }
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(fill->getUses()))) {
      b.setInsertionPointAfter(fill);
      use.set(b.clone(*fill)->getResult(0));
    }
  }
}

LogicalResult VectorLowering::lower(OpBuilder &builder) {
  std::string reason;
  Operation *culprit = body.block->getParentOp();
  std::optional<MicroStages> analysis =
      MicroStages::analyze(*body.block, reason, culprit);
  if (!analysis) {
    unshareFills(*body.block);
    analysis = MicroStages::analyze(*body.block, reason, culprit);
  }
  if (!analysis) {
    return culprit->emitOpError(reason);
  }
  stages = std::move(*analysis);
  SmallVector<int64_t> domain = stages.domain;
  if (body.slice) {
    domain[body.slice->dim] = body.slice->size;
  }
  draft.emplace(domain, stages.parallel, location);
  for (MicroStage &stage : stages.stages) {
    if (stage.isReducing && failed(lowerReduction(stage))) {
      return failure();
    }
  }
  if (failed(lowerStores()) || failed(draft->finish(builder))) {
    return failure();
  }
  return lowerPassedThrough(builder);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

FailureOr<StridedView> VectorLowering::getTensorView(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (argument.getOwner() == body.block) {
      return body.arguments[argument.getArgNumber()];
    }
  }
  ElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements))) {
    return views.getConstant(tensor.getLoc(), elements);
  }
  return emitError(tensor.getLoc())
         << "a vector program reads a tensor of type " << tensor.getType()
         << " that is neither an operand, nor a constant, nor the result of a "
            "linalg operation of the program";
}

/// The view over a stage's loops as a view over the domain.
StridedView VectorLowering::onDomain(const StridedView &view,
                                     const MicroStage &stage) const {
  StridedView result = view;
  llvm::ArrayRef<int64_t> domain = draft->getDomain();
  result.sizes.assign(domain.begin(), domain.end());
  result.strides.assign(domain.size(), 0);
  for (auto [dim, stride] : llvm::zip_equal(stage.dims, view.strides)) {
    if (dim >= 0) {
      result.strides[dim] += stride;
    }
  }
  if (body.slice) {
    result.offset += body.slice->first * result.strides[body.slice->dim] *
                     ::lpu::byteWidth(result.type);
  }
  return result;
}

/// Loads a value once a row if it does not vary within one.
FailureOr<Register> VectorLowering::load(const StridedView &view) {
  unsigned section = draft->getSection();
  bool isOfRow =
      llvm::all_of(ArrayRef(view.strides).drop_front(stages.parallel),
                   [](int64_t stride) { return stride == 0; });
  if (isOfRow) {
    draft->setSection(draft->getFirstSection());
  }
  Register value = draft->load(view);
  draft->setSection(section);
  return value;
}

FailureOr<Register> VectorLowering::getElement(Value tensor, AffineMap map,
                                               MicroStage *stage) {
  if (!isa<RankedTensorType>(tensor.getType())) {
    return getScalar(tensor, stage);
  }
  Operation *producer = tensor.getDefiningOp();
  if (producer && stages.lookup(producer)) {
    return getResult(cast<OpResult>(tensor));
  }
  Type elementType = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (!getMicroType(elementType)) {
    return stage->op.emitOpError("reads elements of type ")
           << elementType << ", which no register of the vector unit holds";
  }
  SplatElementsAttr splat;
  if (matchPattern(tensor, m_Constant(&splat))) {
    return lowerConstant(*draft,
                         cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  }
  if (isa_and_nonnull<tensor::EmptyOp>(producer)) {
    // Nobody has given it a value, so any will do.
    Builder builder(location.getContext());
    return lowerConstant(*draft, builder.getZeroAttr(elementType));
  }
  FailureOr<StridedView> base = getTensorView(tensor);
  if (failed(base)) {
    return failure();
  }
  draft->setLocation(stage->op.getLoc());
  if (std::optional<StridedView> view = base->through(map, stage->sizes)) {
    return load(onDomain(*view, *stage));
  }
  // A map that is not linear is computed, and the element gathered.
  SmallVector<Register> indices;
  for (unsigned loop = 0; loop < stage->sizes.size(); ++loop) {
    indices.push_back(getLoopIndex(loop, *stage));
  }
  int64_t origin = 0;
  StridedView table = base->flat(origin);
  AffineExpr element = getAffineConstantExpr(origin, map.getContext());
  for (auto [expr, stride] : llvm::zip_equal(map.getResults(), base->strides)) {
    element = element + expr * stride;
  }
  return draft->gather(
      table,
      lowerAffine(*draft, simplifyAffineExpr(element, map.getNumDims(), 0),
                  indices));
}

FailureOr<Register> VectorLowering::getResult(OpResult result) {
  if (auto found = reduced.find(result); found != reduced.end()) {
    return found->second;
  }
  MicroStage *stage = stages.lookup(result.getOwner());
  // Values of a row are computed where they are first known, once a row.
  unsigned section = draft->getSection();
  if (!stage->isElements) {
    draft->setSection(stage->section);
  }
  FailureOr<Register> value = failure();
  if (succeeded(lowerAsserts(*stage))) {
    Value yielded = stage->op.getBlock()->getTerminator()->getOperand(
        result.getResultNumber());
    value = getScalar(yielded, stage);
  }
  draft->setSection(section);
  return value;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Whether `value` depends on any of the running values of `op`.
static bool dependsOnInits(Value value, LinalgOp op) {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == op.getBlock() &&
          argument.getArgNumber() >=
              static_cast<unsigned>(op.getNumDpsInputs())) {
        return true;
      }
      continue;
    }
    Operation *producer = next.getDefiningOp();
    if (!seen.insert(producer).second) {
      continue;
    }
    // What nested regions read counts as well.
    producer->walk([&](Operation *inner) {
      llvm::append_range(work, inner->getOperands());
    });
  }
  return false;
}

/// If result `index` of `op` combines its running value with something that
/// does not depend on running values, that something, and how.
static std::optional<std::pair<Value, MicroCombine>>
matchCombiner(LinalgOp op, unsigned index) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  BlockArgument running =
      op.getMatchingBlockArgument(op.getDpsInitOperand(index));
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getBlock() != op.getBlock() ||
      !yielded.hasOneUse() || !running.hasOneUse()) {
    return std::nullopt;
  }
  std::optional<MicroCombine> combine = getCombine(combiner);
  if (!combine) {
    return std::nullopt;
  }
  Value other = combiner->getOperand(0) == running ? combiner->getOperand(1)
                                                   : combiner->getOperand(0);
  if (!llvm::is_contained(combiner->getOperands(), running) ||
      dependsOnInits(other, op)) {
    return std::nullopt;
  }
  return std::make_pair(other, *combine);
}

LogicalResult VectorLowering::lowerReduction(MicroStage &stage) {
  LinalgOp linalgOp = stage.op;
  Block *block = linalgOp.getBlock();
  // Without elements the initial value is the result.
  bool isEmpty = llvm::is_contained(linalgOp.getStaticLoopRanges(), 0);
  auto getInit = [&](unsigned index) -> FailureOr<Register> {
    OpOperand *init = linalgOp.getDpsInitOperand(index);
    Value running = linalgOp.getMatchingBlockArgument(init);
    if (running.use_empty() && !isEmpty) {
      // Overwritten unread: there need not be anything in memory.
      draft->setSection(stage.section - 1);
      return lowerConstant(
          *draft, Builder(running.getContext()).getZeroAttr(running.getType()));
    }
    // Rows before the phase know it: what it is reduced onto has no reduced
    // dimension.
    draft->setSection(stage.section - 1);
    return getElement(init->get(), linalgOp.getMatchingIndexingMap(init),
                      &stage);
  };

  SmallVector<unsigned> combined, carried;
  for (unsigned index = 0; index < linalgOp->getNumResults(); ++index) {
    if (linalgOp->getResult(index).use_empty()) {
      continue;
    }
    (matchCombiner(linalgOp, index) ? combined : carried).push_back(index);
  }
  // A running value that a carried one depends on is carried too.
  for (size_t i = 0; i < carried.size(); ++i) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *inner) {
      return linalgOp->isProperAncestor(inner);
    };
    Value yielded = block->getTerminator()->getOperand(carried[i]);
    (void)getBackwardSlice(yielded, &slice, options);
    llvm::SmallPtrSet<Value, 8> reads{yielded};
    for (Operation *inner : slice) {
      inner->walk([&](Operation *nested) {
        reads.insert(nested->operand_begin(), nested->operand_end());
      });
    }
    for (unsigned index = 0; index < linalgOp->getNumResults(); ++index) {
      if (reads.contains(linalgOp.getMatchingBlockArgument(
              linalgOp.getDpsInitOperand(index))) &&
          !llvm::is_contained(carried, index)) {
        carried.push_back(index);
        llvm::erase(combined, index);
      }
    }
  }

  SmallVector<Register> running;
  for (unsigned index : carried) {
    FailureOr<Register> init = getInit(index);
    if (failed(init)) {
      return failure();
    }
    draft->setSection(stage.section);
    running.push_back(draft->carry(*init));
    known[{linalgOp.getMatchingBlockArgument(linalgOp.getDpsInitOperand(index)),
           stage.section}] = running.back();
  }
  draft->setSection(stage.section);
  if (failed(lowerAsserts(stage))) {
    return failure();
  }
  SmallVector<Register> next;
  for (unsigned index : carried) {
    FailureOr<Register> value =
        getScalar(block->getTerminator()->getOperand(index), &stage);
    if (failed(value)) {
      return failure();
    }
    next.push_back(*value);
  }
  for (auto [index, from, to] : llvm::zip_equal(carried, running, next)) {
    draft->next(from, to);
    reduced[linalgOp->getResult(index)] = from;
  }
  for (unsigned index : combined) {
    auto [value, combine] = *matchCombiner(linalgOp, index);
    draft->setSection(stage.section);
    FailureOr<Register> element = getScalar(value, &stage);
    if (failed(element)) {
      return failure();
    }
    Register sum = draft->reduce(*element, combine);
    FailureOr<Register> init = getInit(index);
    if (failed(init)) {
      return failure();
    }
    draft->setSection(stage.section + 1);
    reduced[linalgOp->getResult(index)] =
        roundTo(*draft, value.getType(), draft->combine(combine, *init, sum));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

LogicalResult VectorLowering::lowerStores() {
  // Everything is stored at the end, after the last load of the row: a
  // destination may be the memory of an input.
  unsigned last = std::max(draft->getFirstSection(), stages.getLastSection());
  unsigned lastElements = last % 2 == 1 ? last : last + 1;
  unsigned lastRows = last % 2 == 0 ? last : last + 1;
  if (!stages.hasReducedDimensions()) {
    lastElements = lastRows = 1;
  }

  struct Pending {
    unsigned section;
    StridedView view;
    Register value;
    Location location;
  };
  SmallVector<Pending> pending;
  Operation *yield = body.block->getTerminator();
  for (unsigned index = 0; index < body.results.size(); ++index) {
    auto result = dyn_cast<OpResult>(yield->getOperand(index));
    MicroStage *stage = result ? stages.lookup(result.getOwner()) : nullptr;
    if (!stage) {
      continue;
    }
    bool isOfElements = stage->isElements && !stage->isReducing;
    unsigned section = isOfElements ? lastElements : lastRows;
    assert(section <= 2 * ::lpu::maxPhases &&
           "the analysis leaves a section to store in");
    draft->setSection(section);
    FailureOr<Register> value = getResult(result);
    if (failed(value)) {
      return failure();
    }
    std::optional<StridedView> view = body.results[index].through(
        stage->op.getIndexingMapMatchingResult(result), stage->sizes);
    if (!view) {
      return stage->op.emitOpError(
          "writes its result through a map that is not linear");
    }
    pending.push_back(
        {section, onDomain(*view, *stage), *value, stage->op.getLoc()});
  }
  for (const Pending &store : pending) {
    draft->setSection(store.section);
    draft->setLocation(store.location);
    draft->store(store.view, store.value);
  }
  return success();
}

/// Destinations that get an operand or a constant as it is.
LogicalResult VectorLowering::lowerPassedThrough(OpBuilder &builder) {
  for (unsigned index = 0; index < body.results.size(); ++index) {
    Value yielded = body.block->getTerminator()->getOperand(index);
    Operation *producer = yielded.getDefiningOp();
    if (isa_and_nonnull<tensor::EmptyOp>(producer) ||
        (producer && stages.lookup(producer))) {
      continue;
    }
    FailureOr<StridedView> source = getTensorView(yielded);
    if (failed(source)) {
      return failure();
    }
    const StridedView &destination = body.results[index];
    bool isInPlace = source->space == destination.space &&
                     source->argument == destination.argument &&
                     source->offset == destination.offset &&
                     source->strides == destination.strides;
    if (isInPlace) {
      continue;
    }
    MicroDraft copy(source->sizes, source->rank(), location);
    copy.store(destination, copy.load(*source));
    if (failed(copy.finish(builder))) {
      return failure();
    }
  }
  return success();
}

LogicalResult mlir::lpu::lowerVector(VectorOp op, LoweringContext &context) {
  VectorBody body{&op.getBody().front(), {}, {}, std::nullopt};
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    Type element = cast<ShapedType>(operand.getType()).getElementType();
    if (index < op.getInputs().size() && !getDType(element)) {
      // What no memory holds is reported by the operation that reads it.
      body.arguments.emplace_back();
      continue;
    }
    FailureOr<StridedView> view = context.views.getView(operand);
    if (failed(view)) {
      return failure();
    }
    body.arguments.push_back(*view);
  }
  ArrayRef<StridedView> arguments(body.arguments);
  llvm::append_range(body.results, arguments.drop_front(op.getInputs().size()));
  return VectorLowering(op.getLoc(), std::move(body), context.views)
      .lower(context.builder);
}
