//===- MatrixProduct.cpp - Contractions as stream and mm ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domain is split by what its dimensions are. Within each kind, neighbours
// that all operands walk as one are merged; then each operand is put together
// from the kinds that it has. Depth keeps its order, in which the machine sums.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/MatrixProduct.h"

#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::lpu;

namespace {

/// The part of the domain that is of one kind, as each operand walks it.
struct Kind {
  StridedView a, b, c;
  int dynamicDim = -1; ///< The dimension with a size of the run.

  Kind(const MatrixProduct &product, ArrayRef<unsigned> dims, bool inA,
       bool inB, bool inC)
      : a(product.a.permuted(dims)), b(product.b.permuted(dims)),
        c(product.c.permuted(dims)) {
    SmallVector<StridedView *> views;
    for (auto [view, has] : {std::pair(&a, inA), {&b, inB}, {&c, inC}}) {
      if (has) {
        views.push_back(view);
      }
    }
    SmallVector<bool> pinned(dims.size(), false);
    const unsigned *dynamic = product.dynamicSize
                                  ? llvm::find(dims, product.dynamicSize->dim)
                                  : dims.end();
    if (dynamic != dims.end()) {
      pinned[dynamic - dims.begin()] = true;
    }
    unsigned length = dims.size();
    SmallVector<int> newNumber = coalesce(views, length, pinned);
    if (dynamic != dims.end()) {
      dynamicDim = newNumber[dynamic - dims.begin()];
    }
  }
  /// Whether a loop may take the outermost dimension.
  bool hasOuter() const { return c.rank() > 0 && dynamicDim != 0; }
};

/// One operand in the making: its outer dimensions may become loops.
struct Operand {
  StridedView view;
  SmallVector<int64_t> increments; ///< Bytes, by loop level.
  std::optional<DynamicSize> dynamicSize;

  void append(const StridedView &part, int dynamicDim, unsigned sizeRegister) {
    if (dynamicDim >= 0) {
      dynamicSize = {view.rank() + dynamicDim, sizeRegister};
    }
    view.sizes.append(part.sizes.begin(), part.sizes.end());
    view.strides.append(part.strides.begin(), part.strides.end());
  }
  ::lpu::View toView() const {
    ::lpu::View result = view.toView(dynamicSize);
    for (auto [level, increment] : llvm::enumerate(increments)) {
      result.loopIncrements[level] = increment;
    }
    return result;
  }
};

} // namespace

/// Removes the outermost dimension of `part` for a loop; gives its increment.
static int64_t takeOuter(StridedView &part) {
  int64_t increment = part.strides.front() * ::lpu::byteWidth(part.type);
  part.sizes.erase(part.sizes.begin());
  part.strides.erase(part.strides.begin());
  return increment;
}

/// Writes zeros to `view`.
static LogicalResult emitZeros(OpBuilder &builder, Location location,
                               const StridedView &view) {
  MicroDraft draft(view.sizes, view.rank(), location);
  ::lpu::MicroType type = ::lpu::microTypeOf(view.type);
  draft.store(view, type == ::lpu::MicroType::F32
                        ? draft.constantFloat(0.0f)
                        : draft.constantInteger(type, 0));
  return draft.finish(builder);
}

LogicalResult MatrixProduct::emit(OpBuilder &builder, Location location,
                                  const ::lpu::MachineModel &machine) const {
  Kind batch(*this, dims.batch, true, true, true);
  Kind rows(*this, dims.rows, true, false, true);
  Kind cols(*this, dims.cols, false, true, true);
  Kind depth(*this, dims.depth, true, true, false);
  int64_t results =
      batch.c.numElements() * rows.c.numElements() * cols.c.numElements();
  if (results == 0) {
    return success();
  }
  if (depth.a.isEmpty()) {
    SmallVector<unsigned> order;
    llvm::append_range(order, dims.batch);
    llvm::append_range(order, dims.rows);
    llvm::append_range(order, dims.cols);
    return accumulates ? success()
                       : emitZeros(builder, location, c.permuted(order));
  }

  // Outer dimensions become hardware loops until each operand is a view.
  OpBuilder::InsertionGuard guard(builder);
  Operand operandA{a, {}, {}}, operandB{b, {}, {}}, operandC{c, {}, {}};
  unsigned level = 0;
  auto loopOver = [&](Kind &kind, bool inA, bool inB) {
    auto trips = static_cast<uint32_t>(kind.c.sizes.front());
    auto loop = lpuisa::LoopOp::create(builder, location, trips);
    builder.setInsertionPointToEnd(loop.getBodyBlock());
    operandC.increments.push_back(takeOuter(kind.c));
    operandA.increments.push_back(inA ? takeOuter(kind.a) : 0);
    operandB.increments.push_back(inB ? takeOuter(kind.b) : 0);
    kind.dynamicDim -= kind.dynamicDim > 0;
    ++level;
  };
  while (true) {
    unsigned rankA = batch.a.rank() + rows.a.rank() + depth.a.rank();
    unsigned rankB = batch.b.rank() + cols.b.rank() + depth.b.rank();
    unsigned rankC = batch.c.rank() + rows.c.rank() + cols.c.rank();
    bool fitsA = rankA <= ::lpu::maxRank, fitsB = rankB <= ::lpu::maxRank,
         fitsC = rankC <= ::lpu::maxRank;
    if (fitsA && fitsB && fitsC) {
      break;
    }
    if (level < ::lpu::maxLoopDepth && batch.hasOuter()) {
      loopOver(batch, true, true);
    } else if (level < ::lpu::maxLoopDepth && (!fitsB || fitsA) &&
               cols.hasOuter()) {
      loopOver(cols, false, true);
    } else if (level < ::lpu::maxLoopDepth && (!fitsA || !fitsC) &&
               rows.hasOuter()) {
      loopOver(rows, true, false);
    } else {
      return emitError(location)
             << "contracts operands of " << rankA << ", " << rankB << " and "
             << rankC << " dimensions; the machine's views have "
             << unsigned(::lpu::maxRank);
    }
  }

  unsigned sizeRegister = dynamicSize ? dynamicSize->sizeRegister : 0;
  using Parts = ArrayRef<std::pair<const Kind *, StridedView Kind::*>>;
  auto assemble = [&](Operand &operand, Parts parts) {
    operand.view.sizes.clear();
    operand.view.strides.clear();
    for (auto [kind, part] : parts) {
      operand.append(kind->*part, kind->dynamicDim, sizeRegister);
    }
    return lpuisa::ViewAttr::fromView(builder.getContext(), operand.toView());
  };
  auto viewA = assemble(
      operandA, {{&batch, &Kind::a}, {&rows, &Kind::a}, {&depth, &Kind::a}});
  auto viewB = assemble(
      operandB, {{&batch, &Kind::b}, {&cols, &Kind::b}, {&depth, &Kind::b}});
  auto viewC = assemble(
      operandC, {{&batch, &Kind::c}, {&rows, &Kind::c}, {&cols, &Kind::c}});
  int64_t passes = llvm::divideCeil(rows.a.numElements(), machine.rowsPerPass);
  lpuisa::StreamOp::create(builder, location, viewB,
                           static_cast<uint32_t>(passes));
  lpuisa::MmOp::create(builder, location, viewC, viewA, viewB, batch.c.rank(),
                       rows.c.rank(), cols.c.rank(), depth.a.rank(),
                       accumulates);
  return success();
}
