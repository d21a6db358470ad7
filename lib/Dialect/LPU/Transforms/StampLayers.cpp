//===- StampLayers.cpp - Put the body of a layer where it is called -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces every call of a function with a body by a copy of that body, callees
// before callers, and erases the private functions that nobody calls any more.
// Bodies are straight-line code on tensors, so a copy is all there is to it.
//
// A location keeps the layer apart: the function is located at the nodes that
// it holds and the call at the nodes that it stands for, in the same order, so
// that each operation gets the location of its own node.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_STAMPLAYERSPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

static ArrayRef<Location> getNodes(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused ? fused.getLocations() : ArrayRef<Location>();
}

/// Moves `op` and what is in it from the nodes of the function to those of the
/// call. If these do not correspond, it is located in the function at the call.
static void relocate(Operation *op, AttrTypeReplacer *nodes, Location call) {
  if (nodes) {
    nodes->recursivelyReplaceElementsIn(op, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true);
    return;
  }
  op->walk([&](Operation *inner) {
    inner->setLoc(CallSiteLoc::get(inner->getLoc(), call));
  });
}

/// Whether what `slice` takes out and what `insert` puts in have no element in
/// common, by constant positions along one dimension.
static bool isDisjoint(tensor::ExtractSliceOp slice,
                       tensor::InsertSliceOp insert) {
  auto isConstant = [](OffsetSizeAndStrideOpInterface op) {
    return llvm::none_of(op.getStaticOffsets(), ShapedType::isDynamic) &&
           llvm::none_of(op.getStaticSizes(), ShapedType::isDynamic) &&
           op.hasUnitStride();
  };
  if (!isConstant(slice) || !isConstant(insert)) {
    return false;
  }
  for (auto [from, size, otherFrom, otherSize] :
       llvm::zip(slice.getStaticOffsets(), slice.getStaticSizes(),
                 insert.getStaticOffsets(), insert.getStaticSizes())) {
    if (from + size <= otherFrom || otherFrom + otherSize <= from) {
      return true;
    }
  }
  return false;
}

/// A part of a concatenation that a layer takes apart again is read where it
/// was before: the two have been on different sides of a call.
static void skipInsertions(func::FuncOp function) {
  function.walk([](tensor::ExtractSliceOp slice) {
    auto insert = slice.getSource().getDefiningOp<tensor::InsertSliceOp>();
    while (insert && isDisjoint(slice, insert)) {
      slice.getSourceMutable().assign(insert.getDest());
      insert = insert.getDest().getDefiningOp<tensor::InsertSliceOp>();
    }
  });
}

namespace {

struct StampLayersPass : mlir::lpu::impl::StampLayersPassBase<StampLayersPass> {
  using StampLayersPassBase::StampLayersPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    SymbolTableCollection symbols;
    for (func::FuncOp function : functions) {
      if (failed(stampCallsIn(function, symbols))) {
        return signalPassFailure();
      }
    }
    for (func::FuncOp function : functions) {
      if (stamped.contains(function) && function.isPrivate()) {
        function.erase();
        continue;
      }
      skipInsertions(function);
    }
  }

  /// Stamps every call in `function`, callees first.
  LogicalResult stampCallsIn(func::FuncOp function,
                             SymbolTableCollection &symbols) {
    if (!visited.insert(function).second) {
      return success();
    }
    active.insert(function);
    WalkResult result = function.walk([&](func::CallOp call) {
      auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || callee.isDeclaration()) {
        return WalkResult::advance(); // The verifier of the stage names it.
      }
      if (active.contains(callee)) {
        call.emitError() << "'" << callee.getName()
                         << "' calls itself; expected layers that end";
        return WalkResult::interrupt();
      }
      if (!callee.getBody().hasOneBlock()) {
        call.emitError() << "'" << callee.getName()
                         << "' has branches; expected straight-line code";
        return WalkResult::interrupt();
      }
      if (failed(stampCallsIn(callee, symbols))) {
        return WalkResult::interrupt();
      }
      stamp(call, callee);
      return WalkResult::advance();
    });
    active.erase(function);
    return failure(result.wasInterrupted());
  }

  void stamp(func::CallOp call, func::FuncOp callee) {
    DenseMap<Attribute, Attribute> nodeOf;
    ArrayRef<Location> from = getNodes(callee.getLoc());
    ArrayRef<Location> to = getNodes(call.getLoc());
    bool correspond = !from.empty() && from.size() == to.size();
    if (correspond) {
      for (auto [node, own] : llvm::zip(from, to)) {
        nodeOf.try_emplace(LocationAttr(node), LocationAttr(own));
      }
    }
    AttrTypeReplacer nodes;
    using Replacement = std::optional<std::pair<Attribute, WalkResult>>;
    nodes.addReplacement([&](LocationAttr location) -> Replacement {
      auto own = nodeOf.find(location);
      if (own == nodeOf.end()) {
        return std::nullopt;
      }
      return std::pair(own->second, WalkResult::skip());
    });
    OpBuilder b(call);
    IRMapping values;
    Block &body = callee.getBody().front();
    values.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator()) {
      relocate(b.clone(op, values), correspond ? &nodes : nullptr,
               call.getLoc());
    }
    for (auto [result, value] :
         llvm::zip(call.getResults(), body.getTerminator()->getOperands())) {
      result.replaceAllUsesWith(values.lookupOrDefault(value));
    }
    call.erase();
    stamped.insert(callee);
    ++numStamped;
  }

  /// Functions whose calls are replaced, those in which that is going on, and
  /// those that were called.
  DenseSet<Operation *> visited, active, stamped;
};

} // namespace
