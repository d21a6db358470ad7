//===- SinkScalars.cpp - Move scalars into the tensor ops that use them ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the computation of every scalar that a region with a body uses to the
// start of that body, until only tensors cross its border. Scalars are cheap
// and few, so that computing them again costs nothing worth a buffer.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/Passes.h"
#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_SINKSCALARSPASS
#include "lpu/Conversion/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;

/// Rewrites a tensor made of scalars as a linalg.generic that selects them by
/// position.
static void convertFromElements(tensor::FromElementsOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, type, ValueRange(), empty,
      b.getMultiDimIdentityMap(type.getRank()), iterators,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        if (op.getElements().empty()) {
          linalg::YieldOp::create(b, loc, arguments[0]);
          return;
        }
        Value linear;
        for (auto [dimension, size] : llvm::enumerate(type.getShape())) {
          Value index = linalg::IndexOp::create(b, loc, dimension);
          if (linear) {
            Value extent = arith::ConstantIndexOp::create(b, loc, size);
            linear = arith::MulIOp::create(b, loc, linear, extent);
            index = arith::AddIOp::create(b, loc, linear, index);
          }
          linear = index;
        }
        Value element = op.getElements().front();
        for (auto [position, value] :
             llvm::drop_begin(llvm::enumerate(op.getElements()))) {
          Value at = arith::ConstantIndexOp::create(b, loc, position);
          Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                             linear, at);
          element = arith::SelectOp::create(b, loc, here, value, element);
        }
        linalg::YieldOp::create(b, loc, element);
      });
  op.replaceAllUsesWith(generic.getResult(0));
  op.erase();
}

/// Makes the scalar inputs of `op` values that its body captures.
static linalg::GenericOp captureScalarInputs(linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector scalar(op.getBody()->getNumArguments());
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (isa<RankedTensorType>(input->get().getType())) {
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
      continue;
    }
    scalar.set(input->getOperandNumber());
    op.getBody()
        ->getArgument(input->getOperandNumber())
        .replaceAllUsesWith(input->get());
  }
  if (scalar.none()) {
    return op;
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    maps.push_back(op.getMatchingIndexingMap(&init));
  }
  OpBuilder b(op);
  op.getBody()->eraseArguments(scalar);
  auto generic = linalg::GenericOp::create(b, op.getLoc(), op.getResultTypes(),
                                           inputs, op.getOutputs(), maps,
                                           op.getIteratorTypesArray());
  generic.getRegion().takeBody(op.getRegion());
  op.replaceAllUsesWith(generic);
  op.erase();
  return generic;
}

namespace {

struct SinkScalarsPass : mlir::lpu::impl::SinkScalarsPassBase<SinkScalarsPass> {
  using SinkScalarsPassBase::SinkScalarsPassBase;

  void runOnOperation() override {
    SmallVector<tensor::FromElementsOp> fromElements;
    SmallVector<linalg::GenericOp> generics;
    SmallVector<Region *> bodies;
    getOperation()->walk(
        [&](tensor::FromElementsOp op) { fromElements.push_back(op); });
    llvm::for_each(fromElements, convertFromElements);
    getOperation()->walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics) {
      bodies.push_back(&captureScalarInputs(op).getRegion());
    }
    getOperation()->walk([&](Operation *op) {
      if (isa<tm_tensor::ScanOp, tm_tensor::ScatterOp, tm_tensor::SortOp>(op)) {
        bodies.push_back(&op->getRegion(0));
      }
    });
    for (Region *body : bodies) {
      while (sinkOnce(*body)) {
      }
    }
  }

  /// Copies the operations that define captured scalars; false if there are
  /// none.
  bool sinkOnce(Region &body) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(body, captured);
    bool changed = false;
    for (Value value : captured) {
      Operation *def = value.getDefiningOp();
      if (isa<ShapedType>(value.getType()) || !def || !isPure(def) ||
          def->getNumRegions() != 0) {
        continue;
      }
      OpBuilder b = OpBuilder::atBlockBegin(&body.front());
      Operation *copy = b.clone(*def);
      for (auto [from, to] : llvm::zip(def->getResults(), copy->getResults())) {
        replaceAllUsesInRegionWith(from, to, body);
      }
      changed = true;
      ++numSunk;
    }
    return changed;
  }
};

} // namespace
