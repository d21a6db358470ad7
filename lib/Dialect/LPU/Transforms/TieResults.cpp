//===- TieResults.cpp - Write results to arguments ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces returned buffers by copies to arguments. The copies stand for one
// parallel assignment at the end of the function, sequenced in the usual way
// for parallel moves: a copy runs once no other pending copy reads what it
// overwrites; if none can run, the pending ones form a cycle, and one source
// is saved to a temporary.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_TIERESULTSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

namespace {

struct PendingCopy {
  Location loc;
  Value source;
  Value destination;
  bool done = false;
};

struct TieResultsPass : mlir::lpu::impl::TieResultsPassBase<TieResultsPass> {
  using TieResultsPassBase::TieResultsPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration()) {
        continue;
      }
      if (!function.getBody().hasOneBlock()) {
        function.emitError() << "has several blocks; expected straight-line "
                                "code at stage 'buffer'";
        return signalPassFailure();
      }
      if (failed(tieResults(function))) {
        return signalPassFailure();
      }
    }
  }

  LogicalResult tieResults(func::FuncOp function) {
    Builder b(&getContext());
    auto returnOp =
        cast<func::ReturnOp>(function.getBody().front().getTerminator());
    SmallVector<PendingCopy> copies;
    SmallVector<Attribute> results;
    llvm::SmallDenseSet<int64_t> tied;
    for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
      auto type = dyn_cast<MemRefType>(value.getType());
      if (!type) {
        return function.emitError() << "result " << index << " is "
                                    << value.getType() << "; expected a tensor";
      }
      NamedAttrList result;
      result.set("type", TypeAttr::get(RankedTensorType::get(
                             type.getShape(), type.getElementType())));
      if (Attribute name =
              function.getResultAttr(index, LPUDialect::nameAttrName)) {
        result.set("name", name);
      }
      auto alias = function.getResultAttrOfType<IntegerAttr>(
          index, LPUDialect::aliasAttrName);
      Value destination;
      if (!alias) {
        destination = appendOutput(function, type, value.getLoc(), result);
      } else {
        if (failed(checkAlias(function, index, alias.getInt(), type))) {
          return failure();
        }
        if (!tied.insert(alias.getInt()).second) {
          return function.emitError() << "several results are the new value of "
                                         "argument "
                                      << alias.getInt();
        }
        destination = function.getArgument(alias.getInt());
        result.set("alias", b.getUnitAttr());
      }
      result.set(
          "argument",
          b.getI64IntegerAttr(cast<BlockArgument>(destination).getArgNumber()));
      results.push_back(result.getDictionary(&getContext()));
      if (getRoot(value) == destination && isWholeBuffer(value)) {
        ++numInPlace;
        continue;
      }
      copies.push_back({value.getLoc(), value, destination});
      ++numCopied;
    }
    OpBuilder builder(returnOp);
    emitCopies(builder, copies);
    returnOp.getOperandsMutable().clear();
    function->setAttr(LPUDialect::resultsAttrName, b.getArrayAttr(results));
    function.setType(
        b.getFunctionType(function.getBody().getArgumentTypes(), {}));
    function.removeResAttrsAttr();
    return success();
  }

  static LogicalResult checkAlias(func::FuncOp function, unsigned index,
                                  int64_t alias, MemRefType type) {
    if (alias < 0 || alias >= function.getNumArguments()) {
      return function.emitError()
             << "result " << index << " is the new value of argument " << alias
             << ", which does not exist";
    }
    auto argument = dyn_cast<MemRefType>(function.getArgument(alias).getType());
    if (!argument || argument.getShape() != type.getShape() ||
        argument.getElementType() != type.getElementType()) {
      return function.emitError()
             << "result " << index << " of " << type
             << " is the new value of argument " << alias << " of "
             << function.getArgument(alias).getType();
    }
    return success();
  }

  /// Adds an argument that holds a result of `type` after the run.
  static Value appendOutput(func::FuncOp function, MemRefType type,
                            Location loc, const NamedAttrList &result) {
    Builder b(function.getContext());
    SmallVector<NamedAttribute> attrs{
        b.getNamedAttr(LPUDialect::outputAttrName, b.getUnitAttr())};
    if (Attribute name = result.get("name")) {
      attrs.push_back(b.getNamedAttr(LPUDialect::nameAttrName, name));
    }
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(
        number, MemRefType::get(type.getShape(), type.getElementType()),
        b.getDictionaryAttr(attrs), loc);
    return function.getArgument(number);
  }

  void emitCopies(OpBuilder &b, MutableArrayRef<PendingCopy> copies) {
    auto isBlocked = [&](const PendingCopy &copy) {
      return llvm::any_of(copies, [&](const PendingCopy &other) {
        return !other.done && getRoot(other.source) == copy.destination;
      });
    };
    for (size_t pending = copies.size(); pending != 0;) {
      bool progress = false;
      for (PendingCopy &copy : copies) {
        if (!copy.done && !isBlocked(copy)) {
          CopyOp::create(b, copy.loc, TypeRange(), copy.source,
                         copy.destination);
          copy.done = progress = true;
          --pending;
        }
      }
      if (progress) {
        continue;
      }
      // Every pending copy overwrites a pending source: save one of those.
      for (PendingCopy &copy : copies) {
        if (!copy.done) {
          auto type = cast<MemRefType>(copy.source.getType());
          Value temporary = memref::AllocOp::create(
              b, copy.loc,
              MemRefType::get(type.getShape(), type.getElementType()));
          CopyOp::create(b, copy.loc, TypeRange(), copy.source, temporary);
          copy.source = temporary;
          ++numTemporaries;
          break;
        }
      }
    }
  }
};

} // namespace
