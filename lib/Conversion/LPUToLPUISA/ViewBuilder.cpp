//===- ViewBuilder.cpp - From memrefs to views ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A memref type with a static strided layout already states offset and strides
// from the base of the root buffer, so of a chain of view-like operations only
// the root matters. A cast may forget the layout; then its source knows it.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/ViewBuilder.h"

#include "lpu/Dialect/LPU/IR/LPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::lpu;

/// Offset and strides that a memref type states, if all are static.
static bool hasStaticLayout(MemRefType type, int64_t &offset,
                            SmallVector<int64_t> &strides) {
  if (type.hasStaticShape() && type.getNumElements() == 0) {
    // Nothing is there to be walked.
    offset = 0;
    strides.assign(type.getRank(), 0);
    return true;
  }
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) && !ShapedType::isDynamicShape(strides);
}

/// What `memref` is a view on, or null if it is a buffer.
static Value getViewSource(Value memref) {
  if (auto viewLike = memref.getDefiningOp<ViewLikeOpInterface>()) {
    return viewLike.getViewSource();
  }
  if (auto transpose = memref.getDefiningOp<memref::TransposeOp>()) {
    return transpose.getIn();
  }
  return Value();
}

/// The view of a whole buffer, before its base is added.
static FailureOr<StridedView> getTypedView(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  std::optional<::lpu::DType> elementType = getDType(type.getElementType());
  if (!elementType) {
    return emitError(memref.getLoc())
           << "the machine has no memory of type " << type.getElementType()
           << "; expected f32, bf16, f16, i64, i32, i16, i8 or i1";
  }
  StridedView view;
  int64_t offset = 0;
  if (!hasStaticLayout(type, offset, view.strides)) {
    return emitError(memref.getLoc())
           << "the layout of " << type
           << " is not known before the run; expected static sizes, strides "
              "and offset";
  }
  view.type = *elementType;
  view.offset = offset * ::lpu::byteWidth(*elementType);
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  return view;
}

FailureOr<StridedView> ViewBuilder::getRoot(Value memref) {
  FailureOr<StridedView> view = getTypedView(memref);
  if (failed(view)) {
    return failure();
  }
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    assert(isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
           "only what stands in the function itself is lowered");
    view->space = ::lpu::Space::Arg;
    view->argument = static_cast<uint16_t>(argument.getArgNumber());
    return view;
  }
  Operation *producer = memref.getDefiningOp();
  if (auto global = dyn_cast<memref::GetGlobalOp>(producer)) {
    auto definition = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        global, global.getNameAttr());
    auto elements =
        definition
            ? dyn_cast_or_null<ElementsAttr>(definition.getInitialValueAttr())
            : ElementsAttr();
    if (!elements) {
      return global.emitOpError("names no global with a value");
    }
    FailureOr<StridedView> constant = getConstant(global.getLoc(), elements);
    if (failed(constant)) {
      return failure();
    }
    view->space = constant->space;
    view->offset += constant->offset;
    return view;
  }
  auto address =
      producer->getAttrOfType<IntegerAttr>(LPUDialect::addressAttrName);
  auto space = dyn_cast_or_null<SpaceAttr>(
      cast<MemRefType>(memref.getType()).getMemorySpace());
  if (!address || !space) {
    return producer->emitOpError("has no address; expected attribute '")
           << LPUDialect::addressAttrName
           << "' and a memory space #lpu.space<lmu> or #lpu.space<scratch>";
  }
  view->space = space.getValue() == Space::LMU ? ::lpu::Space::LMU
                                               : ::lpu::Space::Scratch;
  view->offset += address.getInt();
  return view;
}

FailureOr<StridedView> ViewBuilder::getView(Value memref) {
  if (auto known = cache.find(memref); known != cache.end()) {
    return known->second;
  }
  FailureOr<StridedView> view = failure();
  Value source = getViewSource(memref);
  if (!source) {
    view = getRoot(memref);
  } else {
    FailureOr<StridedView> base = getView(source);
    if (failed(base)) {
      return failure();
    }
    auto type = cast<MemRefType>(memref.getType());
    int64_t offset = 0;
    SmallVector<int64_t> strides;
    if (!hasStaticLayout(type, offset, strides) &&
        memref.getDefiningOp<memref::CastOp>()) {
      view = base;
    } else {
      view = getTypedView(memref);
      if (failed(view)) {
        return failure();
      }
      // The type counts from the base of the root buffer; so does the source's
      // type, unless a cast forgot it.
      Value root = source;
      while (Value next = getViewSource(root)) {
        root = next;
      }
      FailureOr<StridedView> rootView = getView(root);
      FailureOr<StridedView> rootTyped = getTypedView(root);
      if (failed(rootView) || failed(rootTyped)) {
        return failure();
      }
      view->space = rootView->space;
      view->argument = rootView->argument;
      view->offset += rootView->offset - rootTyped->offset;
    }
  }
  if (succeeded(view)) {
    cache.try_emplace(memref, *view);
  }
  return view;
}

FailureOr<StridedView> ViewBuilder::getConstant(Location location,
                                                ElementsAttr elements) {
  std::optional<int64_t> offset = constants.add(elements);
  if (!offset) {
    return emitError(location)
           << "the machine has no memory of type " << elements.getElementType()
           << "; expected f32, bf16, f16, i64, i32, i16, i8 or i1";
  }
  StridedView view;
  view.space = ::lpu::Space::Constant;
  view.type = *getDType(elements.getElementType());
  view.offset = *offset;
  ArrayRef<int64_t> shape = elements.getShapedType().getShape();
  view.sizes.assign(shape.begin(), shape.end());
  view.strides.assign(shape.size(), 1);
  for (int dim = static_cast<int>(shape.size()) - 2; dim >= 0; --dim) {
    view.strides[dim] = view.strides[dim + 1] * shape[dim + 1];
  }
  return view;
}
