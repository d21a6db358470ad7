//===- TileEmission.cpp - The tiles of a chain as operations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the tiles of a chain fully unrolled, as the stages below are
// straight-line code: every offset is a constant and the last tile may be
// smaller. A tile begins before the one before it has ended, so that the two
// are interleaved. Operations tile themselves by upstream's interface; a
// slice of what the chain produces is the tile of its producer, so that the
// producer is fused. What is used outside is put together in a tensor of the
// whole size, into which tiles are computed in place.
//
//===----------------------------------------------------------------------===//

#include "lpu/Dialect/LPU/Transforms/TileChain.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::lpu;

namespace {

class TileEmitter {
public:
  TileEmitter(const TileChain &chain, const ::lpu::MachineModel &machine)
      : chain(chain), builder(chain.members.back().first),
        largeBytes(machine.lmuBytes / 4) {}

  void emit(const ChainPlan &plan) {
    moveUsersDown();
    createDestinations();
    tilesOf.resize(plan.numTiles);
    int64_t numSlots = (plan.numTiles - 1) * plan.distance + chain.numSteps;
    for (int64_t slot = 0; slot < numSlots; ++slot) {
      // The younger tile first: what it computes overlaps with what the older
      // one waits for.
      for (int64_t tile = slot / plan.distance; tile >= 0; --tile) {
        int64_t step = slot - tile * plan.distance;
        if (tile < plan.numTiles && step < chain.numSteps) {
          emitStep(tile, step, plan.tileSize);
        }
      }
    }
    replace();
  }

private:
  void emitStep(int64_t tile, int64_t step, int64_t tileSize) {
    start = tile * tileSize;
    size = std::min(tileSize, chain.extent - start);
    tiles = &tilesOf[tile];
    for (auto &[op, member] : chain.members) {
      if (member.step != step) {
        continue;
      }
      if (member.slab) {
        emitOperation(op, *member.slab);
      } else {
        emitView(op);
      }
    }
  }

  /// What depends on the chain without belonging to it goes behind it.
  void moveUsersDown() {
    Operation *last = chain.members.back().first;
    llvm::SmallDenseSet<Operation *> moved;
    Operation *place = last;
    for (Operation *op = chain.members.front().first; op != last;) {
      Operation *next = op->getNextNode();
      bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
        return chain.produces(operand) ||
               moved.contains(operand.getDefiningOp());
      });
      if (depends && !chain.members.contains(op)) {
        op->moveAfter(place);
        place = op;
        moved.insert(op);
      }
      op = next;
    }
  }

  /// Whether `value` leaves the chain by itself; a view stays behind instead,
  /// as a view of the whole.
  bool leaves(Value value) const {
    return !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                tensor::ExtractSliceOp>(value.getDefiningOp()) &&
           llvm::any_of(value.getUsers(), [&](Operation *user) {
             return !chain.members.contains(user) || staysBehind(user);
           });
  }

  /// Whether the original of a member is used outside although it is a view.
  bool staysBehind(Operation *op) const {
    return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ExtractSliceOp>(op) &&
           llvm::any_of(op->getUsers(), [&](Operation *user) {
             return !chain.members.contains(user) || staysBehind(user);
           });
  }

  void createDestinations() {
    for (auto &[op, member] : chain.members) {
      for (OpResult result : op->getResults()) {
        if (!leaves(result)) {
          continue;
        }
        Value initial = getInitial(result);
        auto type = cast<RankedTensorType>(result.getType());
        if (initial.getDefiningOp<tensor::EmptyOp>() ||
            chain.produces(initial)) {
          // Unlike empty tensors, allocations are not merged if they are equal.
          auto whole = bufferization::AllocTensorOp::create(
              builder, op->getLoc(), type, ValueRange());
          if (isKept(result)) {
            whole.setMemorySpaceAttr(
                SpaceAttr::get(builder.getContext(), Space::Scratch));
          }
          initial = whole;
        }
        destinations[result] = initial;
      }
    }
  }

  static Value getInitial(OpResult result) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(result.getOwner())) {
      return insert.getDest();
    }
    return cast<DestinationStyleOpInterface>(result.getOwner())
        .getTiedOpOperand(result)
        ->get();
  }

  OpFoldResult getOffset(Slab slab) {
    return builder.getIndexAttr(start * slab.numerator / slab.denominator);
  }
  int64_t getSize(Slab slab) {
    return size * slab.numerator / slab.denominator;
  }

  /// Offsets, sizes and strides of the tile of a tensor of `type`.
  struct Place {
    SmallVector<OpFoldResult> offsets, sizes, strides;
  };
  Place getPlace(RankedTensorType type, Slab slab) {
    Place place;
    place.offsets.assign(type.getRank(), builder.getIndexAttr(0));
    place.strides.assign(type.getRank(), builder.getIndexAttr(1));
    place.sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
    place.offsets[slab.dimension] = getOffset(slab);
    place.sizes[slab.dimension] = builder.getIndexAttr(getSize(slab));
    return place;
  }

  RankedTensorType getTileType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    Slab slab = chain.slabs.lookup(value);
    SmallVector<int64_t> shape(type.getShape());
    shape[slab.dimension] = getSize(slab);
    return RankedTensorType::get(shape, type.getElementType());
  }

  Value sliceOf(Location loc, Value whole, Slab slab) {
    Place place = getPlace(cast<RankedTensorType>(whole.getType()), slab);
    return tensor::ExtractSliceOp::create(builder, loc, whole, place.offsets,
                                          place.sizes, place.strides);
  }

  /// The tile of an operand of a view.
  Value getTileOf(Location loc, Value value) {
    if (Value tile = tiles->lookup(value)) {
      return tile;
    }
    if (value.getDefiningOp<tensor::EmptyOp>()) {
      return createEmpty(loc, value);
    }
    return sliceOf(loc, value, chain.slabs.lookup(value));
  }

  Value createEmpty(Location loc, Value value) {
    RankedTensorType type = getTileType(value);
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType());
  }

  void emitOperation(Operation *op, Slab slab) {
    auto tileable = cast<TilingInterface>(op);
    SmallVector<OpFoldResult> offsets, sizes;
    for (Range range : tileable.getIterationDomain(builder)) {
      offsets.push_back(range.offset);
      sizes.push_back(range.size);
    }
    offsets[slab.dimension] = getOffset(slab);
    sizes[slab.dimension] = builder.getIndexAttr(getSize(slab));
    FailureOr<TilingResult> result =
        tileable.getTiledImplementation(builder, offsets, sizes);
    assert(succeeded(result) && "constant tiles of tileable dimensions");
    auto tiled = cast<DestinationStyleOpInterface>(result->tiledOps.front());
    auto original = cast<DestinationStyleOpInterface>(op);
    for (OpOperand &operand : tiled->getOpOperands()) {
      Value whole = op->getOperand(operand.getOperandNumber());
      if (Value tile = tiles->lookup(whole)) {
        operand.set(tile);
      }
    }
    OpBuilder::InsertionGuard guard(builder);
    for (OpOperand &init : tiled.getDpsInitsMutable()) {
      OpOperand &wholeInit = op->getOpOperand(init.getOperandNumber());
      OpResult whole = original.getTiedOpResult(&wholeInit);
      builder.setInsertionPoint(tiled);
      if (chain.produces(wholeInit.get())) {
        continue;
      }
      if (destinations.count(whole) && !isKept(whole)) {
        init.set(sliceOf(op->getLoc(), destinations[whole],
                         chain.slabs.lookup(whole)));
      } else if (wholeInit.get().getDefiningOp<tensor::EmptyOp>()) {
        init.set(createEmpty(op->getLoc(), whole));
      }
    }
    for (Operation *slice : llvm::reverse(result->generatedSlices)) {
      if (slice->use_empty()) {
        slice->erase();
      }
    }
    builder.setInsertionPointAfter(tiled);
    for (auto [whole, tile] :
         llvm::zip(op->getResults(), result->tiledValues)) {
      (*tiles)[whole] = tile;
      if (destinations.count(whole)) {
        insert(op->getLoc(), whole, tile);
      }
    }
  }

  /// Whether the tile of `value`, which leaves, is kept on chip besides: it is
  /// used in the chain, and the whole is too large to lie there as well.
  bool isKept(Value value) const {
    return getByteSize(cast<ShapedType>(value.getType())) > largeBytes &&
           llvm::any_of(value.getUsers(), [&](Operation *user) {
             return chain.members.contains(user);
           });
  }

  /// Puts a tile of `value` into the whole.
  void insert(Location loc, Value value, Value tile) {
    Slab slab = chain.slabs.lookup(value);
    Value &destination = destinations[value];
    if (isKept(value)) {
      Value place = sliceOf(loc, destination, slab);
      tile = CopyOp::create(builder, loc, place.getType(), tile, place)
                 .getResult(0);
    }
    Place place = getPlace(cast<RankedTensorType>(value.getType()), slab);
    destination = tensor::InsertSliceOp::create(builder, loc, tile, destination,
                                                place.offsets, place.sizes,
                                                place.strides);
  }

  void emitView(Operation *op) {
    Location loc = op->getLoc();
    Value result = op->getResult(0);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      (*tiles)[result] = tensor::ExpandShapeOp::create(
          builder, loc, getTileType(result), getTileOf(loc, expand.getSrc()),
          expand.getReassociationIndices());
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      (*tiles)[result] = tensor::CollapseShapeOp::create(
          builder, loc, getTileType(result), getTileOf(loc, collapse.getSrc()),
          collapse.getReassociationIndices());
    } else if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
      SmallVector<OpFoldResult> offsets = extract.getMixedOffsets(),
                                sizes = extract.getMixedSizes();
      Value source = extract.getSource(), tile = tiles->lookup(source);
      Slab slab = chain.slabs.lookup(source);
      sizes[slab.dimension] = builder.getIndexAttr(getSize(slab));
      if (!tile) {
        // A slice of a slice of what comes from outside is one slice.
        offsets[slab.dimension] = getOffset(slab);
      }
      (*tiles)[result] = tensor::ExtractSliceOp::create(
          builder, loc, getTileType(result), tile ? tile : source, offsets,
          sizes, extract.getMixedStrides());
    } else {
      auto insertion = cast<tensor::InsertSliceOp>(op);
      SmallVector<OpFoldResult> sizes = insertion.getMixedSizes();
      Slab slab = chain.slabs.lookup(result);
      sizes[slab.dimension] = builder.getIndexAttr(getSize(slab));
      (*tiles)[result] = tensor::InsertSliceOp::create(
          builder, loc, getTileOf(loc, insertion.getSource()),
          getTileOf(loc, insertion.getDest()), insertion.getMixedOffsets(),
          sizes, insertion.getMixedStrides());
      if (destinations.count(result)) {
        insert(loc, result, (*tiles)[result]);
      }
    }
  }

  /// Users outside get the wholes; what is left of the chain goes.
  void replace() {
    for (auto &[value, destination] : destinations) {
      value.replaceUsesWithIf(destination, [&](OpOperand &use) {
        return !chain.members.contains(use.getOwner()) ||
               staysBehind(use.getOwner());
      });
    }
    // A view that stays behind comes after the whole that it is of.
    SmallVector<Operation *> members;
    for (auto &[op, member] : chain.members) {
      members.push_back(op);
    }
    for (Operation *op : members) {
      if (staysBehind(op)) {
        op->moveBefore(&*builder.getInsertionPoint());
      }
    }
    for (Operation *op : llvm::reverse(members)) {
      if (op->use_empty()) {
        op->erase();
      }
    }
  }

  const TileChain &chain;
  OpBuilder builder;
  int64_t largeBytes;
  int64_t start = 0, size = 0;
  /// The wholes, by what they stand for, with the tiles so far in them.
  llvm::MapVector<Value, Value> destinations;
  /// Per tile, its part of each value; those of the current tile.
  SmallVector<llvm::DenseMap<Value, Value>> tilesOf;
  llvm::DenseMap<Value, Value> *tiles = nullptr;
};

} // namespace

void mlir::lpu::emitTiles(const TileChain &chain, const ChainPlan &plan,
                          const ::lpu::MachineModel &machine) {
  TileEmitter(chain, machine).emit(plan);
}
