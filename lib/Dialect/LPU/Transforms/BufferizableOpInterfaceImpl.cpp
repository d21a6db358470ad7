//===- BufferizableOpInterfaceImpl.cpp - How lpu ops bufferize ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lpu operations are in destination-passing style, so that one model serves
// them: results take the buffers of destinations, and a destination is read
// only if the operation says so. The region of `lpu.vector` moves along as it
// is: it has block arguments of its own and stays on tensors.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/BufferizableOpInterfaceImpl.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::lpu;

namespace {

template <typename Op>
struct DestinationModel
    : DstBufferizableOpInterfaceExternalModel<DestinationModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto destinationOp = cast<DestinationStyleOpInterface>(op);
    if (!destinationOp.isDpsInit(&operand)) {
      return true;
    }
    unsigned first = destinationOp.getDpsInits().getBeginOperandIndex();
    return cast<Op>(op).readsInit(operand.getOperandNumber() - first);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto destinationOp = cast<DestinationStyleOpInterface>(op);
    if (destinationOp.hasPureBufferSemantics()) {
      return success();
    }
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer)) {
        return failure();
      }
      operands.push_back(*buffer);
    }
    ArrayRef<Value> buffers(operands);
    SmallVector<Value> inits(
        buffers.slice(destinationOp.getDpsInits().getBeginOperandIndex(),
                      destinationOp.getNumDpsInits()));
    Operation *onBuffers =
        cloneWithoutRegions(rewriter, op, TypeRange(), operands);
    for (auto [from, to] :
         llvm::zip(op->getRegions(), onBuffers->getRegions())) {
      rewriter.inlineRegionBefore(from, to, to.begin());
    }
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

} // namespace

void mlir::lpu::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LPUDialect *) {
    ContractOp::attachInterface<DestinationModel<ContractOp>>(*context);
    AttentionOp::attachInterface<DestinationModel<AttentionOp>>(*context);
    VectorOp::attachInterface<DestinationModel<VectorOp>>(*context);
    GatherOp::attachInterface<DestinationModel<GatherOp>>(*context);
    ScatterOp::attachInterface<DestinationModel<ScatterOp>>(*context);
    CopyOp::attachInterface<DestinationModel<CopyOp>>(*context);
  });
}
