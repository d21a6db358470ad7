//===- VerifyStages.cpp - What is legal at each stage ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifiers that end the stages `lpu`, `tiled`, `buffer` and `alloc`. Each
// stops at the first operation that is illegal and says what it is, where, and
// what would have been legal.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/IR/LPU.h"
#include "lpu/Dialect/LPU/Transforms/Buffers.h"
#include "lpu/Dialect/LPU/Transforms/Passes.h"
#include "lpu/Dialect/TMTensor/IR/TMTensor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::lpu {
#define GEN_PASS_DEF_VERIFYLPUPASS
#define GEN_PASS_DEF_VERIFYTILEDPASS
#define GEN_PASS_DEF_VERIFYBUFFERPASS
#define GEN_PASS_DEF_VERIFYALLOCPASS
#include "lpu/Dialect/LPU/Transforms/Passes.h.inc"
} // namespace mlir::lpu

using namespace mlir;
using namespace mlir::lpu;

/// Reports that `op` is illegal at `stage`; the caller appends the reason.
static InFlightDiagnostic illegal(Operation *op, StringRef stage) {
  return op->emitError() << "'" << op->getName() << "' is illegal at stage '"
                         << stage << "': ";
}

static bool isLegalElement(Type type) {
  return type.isIndex() || getDType(type).has_value();
}

/// Checks that the machine has the types that `op` handles.
static LogicalResult verifyTypes(Operation *op, StringRef stage) {
  auto verify = [&](Type type) -> LogicalResult {
    if (isa<FunctionType>(type)) {
      return success();
    }
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && (!shaped.hasRank() || !shaped.hasStaticShape())) {
      return illegal(op, stage) << type << " has no static shape";
    }
    Type element = shaped ? shaped.getElementType() : type;
    if (!isLegalElement(element)) {
      return illegal(op, stage)
             << "the machine has no type " << element
             << " (it has f32, bf16, f16, i64, i32, i16, i8, i1)";
    }
    return success();
  };
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())}) {
    for (Type type : types) {
      if (failed(verify(type))) {
        return failure();
      }
    }
  }
  return success();
}

/// Whether `op` may stand inside an `lpu.vector`.
static bool isLegalInVector(Operation *op) {
  if (isa<linalg::LinalgOp, tm_tensor::ScanOp, tm_tensor::ScatterOp,
          tm_tensor::SortOp, tm_tensor::YieldOp, linalg::YieldOp,
          linalg::IndexOp, tensor::ExtractOp, tensor::EmptyOp,
          affine::AffineApplyOp, scf::IfOp, scf::YieldOp, cf::AssertOp,
          YieldOp>(op)) {
    return true;
  }
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

/// Walks the operations of a stage. Inside vector programs all stages agree;
/// outside, `isLegal` decides, with `expected` as the reason if not.
static LogicalResult verifyStage(ModuleOp module, StringRef stage,
                                 function_ref<bool(Operation *)> isLegal,
                                 StringRef expected) {
  WalkResult result =
      module.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isa<ModuleOp, func::FuncOp, func::ReturnOp, memref::GlobalOp>(op)) {
          return WalkResult::advance();
        }
        bool inVector = op->getParentOfType<VectorOp>() ||
                        op->getParentOfType<ContractOp>();
        if (!inVector && !isLegal(op)) {
          illegal(op, stage) << "expected " << expected;
          return WalkResult::interrupt();
        }
        if (inVector && !isLegalInVector(op)) {
          illegal(op, stage)
              << "expected linalg, tm_tensor, arith or math operations inside '"
              << (op->getParentOfType<VectorOp>() ? "lpu.vector'"
                                                  : "lpu.contract'");
          return WalkResult::interrupt();
        }
        return failed(verifyTypes(op, stage)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

/// Checks the signatures of functions: tensors before, memrefs after buffers.
template <typename Shaped>
static LogicalResult verifySignatures(ModuleOp module, StringRef stage) {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration()) {
      return illegal(function, stage)
             << "no call to '" << function.getName()
             << "' can be compiled; functions that stand for an operation "
                "carry 'lpu.op'";
    }
    if (!function.getBody().hasOneBlock()) {
      return illegal(function, stage) << "expected straight-line code";
    }
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes())) {
      auto shaped = dyn_cast<Shaped>(type);
      if (!shaped || !shaped.hasStaticShape() ||
          !isLegalElement(shaped.getElementType())) {
        return illegal(function, stage)
               << "the machine takes no " << type
               << " (it takes tensors of static shape of f32, bf16, f16, i64, "
                  "i32, i16, i8, i1)";
      }
    }
  }
  return success();
}

static LogicalResult verifyTensorStage(ModuleOp module, StringRef stage) {
  // What tiles are put together in is allocated as a whole.
  auto isLegal = [&](Operation *op) {
    return isa<LPUDialect>(op->getDialect()) ||
           isa<tensor::EmptyOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
               tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
               arith::ConstantOp>(op) ||
           (stage == "tiled" && isa<bufferization::AllocTensorOp>(op));
  };
  if (failed(verifySignatures<RankedTensorType>(module, stage))) {
    return failure();
  }
  return verifyStage(module, stage, isLegal,
                     "lpu operations, slices and reshapes of tensors, and "
                     "constants");
}

static LogicalResult verifyBufferStage(ModuleOp module, StringRef stage) {
  auto isLegal = [](Operation *op) {
    return isa<LPUDialect>(op->getDialect()) ||
           isa<memref::AllocOp, memref::GetGlobalOp>(op) ||
           getViewSource(op) != nullptr;
  };
  if (failed(verifySignatures<MemRefType>(module, stage)) ||
      failed(verifyStage(module, stage, isLegal,
                         "lpu operations, allocations, globals and views"))) {
    return failure();
  }
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.getNumResults() != 0) {
      return illegal(function, stage)
             << "it has results; expected that they are written to arguments";
    }
    WalkResult result = function.walk([&](Operation *op) {
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                                op->getResultTypes())) {
        if (isa<MemRefType>(type) && !getSpace(type)) {
          illegal(op, stage) << type << " is in no memory space";
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return failure();
    }
  }
  return success();
}

static LogicalResult verifyAllocStage(ModuleOp module, StringRef stage) {
  if (failed(verifyBufferStage(module, stage))) {
    return failure();
  }
  int64_t capacity = getMachine(module).lmuBytes;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    auto lmu =
        function->getAttrOfType<IntegerAttr>(LPUDialect::lmuBytesAttrName);
    auto scratch =
        function->getAttrOfType<IntegerAttr>(LPUDialect::scratchBytesAttrName);
    if (!lmu || !scratch || lmu.getInt() > capacity) {
      return illegal(function, stage) << "expected 'lpu.lmu_bytes' of at most "
                                      << capacity << " and 'lpu.scratch_bytes'";
    }
    WalkResult result = function.walk([&](memref::AllocOp alloc) {
      auto address =
          alloc->getAttrOfType<IntegerAttr>(LPUDialect::addressAttrName);
      bool isOnChip = getSpace(alloc.getType()) == Space::LMU;
      int64_t limit = (isOnChip ? lmu : scratch).getInt();
      if (!address || address.getInt() < 0 ||
          address.getInt() + getByteSize(alloc.getType()) > limit) {
        illegal(alloc, stage)
            << "expected 'lpu.address' within the " << limit << " bytes of "
            << (isOnChip ? "the LMU" : "scratch") << " that its function uses";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted()) {
      return failure();
    }
  }
  return success();
}

namespace {

#define LPU_VERIFY_STAGE_PASS(NAME, VERIFY, STAGE)                             \
  struct NAME : mlir::lpu::impl::NAME##Base<NAME> {                            \
    using NAME##Base::NAME##Base;                                              \
    void runOnOperation() override {                                           \
      if (failed(VERIFY(getOperation(), STAGE))) {                             \
        signalPassFailure();                                                   \
      }                                                                        \
    }                                                                          \
  };
LPU_VERIFY_STAGE_PASS(VerifyLPUPass, verifyTensorStage, "lpu")
LPU_VERIFY_STAGE_PASS(VerifyTiledPass, verifyTensorStage, "tiled")
LPU_VERIFY_STAGE_PASS(VerifyBufferPass, verifyBufferStage, "buffer")
LPU_VERIFY_STAGE_PASS(VerifyAllocPass, verifyAllocStage, "alloc")
#undef LPU_VERIFY_STAGE_PASS

} // namespace
