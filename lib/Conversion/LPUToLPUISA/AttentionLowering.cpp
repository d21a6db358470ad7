//===- AttentionLowering.cpp - From lpu.attention to instructions ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention with the online softmax of Milakov and Gimelshein (2018), in blocks
// of 256 keys as FlashAttention does it, without a copy of keys or values: both
// are streamed from where they are. For each tile of query rows:
//
//   for each block j of keys:
//     S  = Q Kj^T                                  matrix unit, f32
//     S  = scale * S + mask;  m' = max(m, max S)   vector unit, one program:
//     c  = exp(m - m');  P = exp(S - m')             two phases over S
//     l  = l * c + sum P;  P rounded to the type of V
//     O  = O * c                                   vector unit
//     O += P Vj                                    matrix unit, f32
//   out = O / l, or 0 where l is 0
//
// A block whose scores are all masked changes nothing: its maximum is -inf, its
// weights are 0 and the correction is 1. The scores of block j + 1 are asked
// for before the values of block j, so that the units overlap.
//
// With a length, all views of a block end where the length does: their size is
// in a register. Blocks behind the first are in hardware loops that run once
// or, if the length ends before them, not at all:
//
//   block 0
//   if block 1 is live:   block 1
//     if block 2 is live:   blocks 2, 3
//       if block 4 is live:   blocks 4 to 7    and so on, eight at a time
//
// The heads of queries are split into (head of keys, group), so that a group
// shares its keys by stride.
//
//===----------------------------------------------------------------------===//

#include "lpu/Conversion/LPUToLPUISA/AttentionPlan.h"
#include "lpu/Conversion/LPUToLPUISA/Lowerings.h"
#include "lpu/Conversion/LPUToLPUISA/MatrixProduct.h"
#include "lpu/Conversion/LPUToLPUISA/MicroDraft.h"
#include "lpu/Conversion/LPUToLPUISA/ScalarLowering.h"
#include "lpu/Dialect/LPUISA/IR/LPUISA.h"

#include <limits>

using namespace mlir;
using namespace mlir::lpu;
using ::lpu::DType;
using ::lpu::MicroCombine;
using ::lpu::MicroOpcode;
using ::lpu::MicroPredicateF;
using ::lpu::MicroPredicateI;
using ::lpu::MicroType;
using Register = MicroDraft::Register;

namespace {

/// Dimensions of every domain here: batch, key head, group, query, and a last
/// one that is keys or value depth.
enum Dim : unsigned { Batch, Head, Group, Query, Last };

class AttentionLowering {
public:
  AttentionLowering(AttentionOp op, LoweringContext &context)
      : op(op), context(context), plan(op, context.machine) {}

  LogicalResult lower();

private:
  /// The part of the operands that one round of blocks covers.
  struct Tile {
    int64_t firstBatch, batches, firstRow, rows;
    StridedView query, key, value, out; ///< Five dimensions each.
    std::optional<StridedView> mask;
  };

  LogicalResult getViews();
  StridedView splitHeads(const StridedView &view) const;
  StridedView getTemporary(const Tile &tile, DType type, int64_t offset,
                           int64_t lastSize, int64_t lastStride) const;
  Tile getTile(int64_t firstBatch, int64_t firstRow) const;
  LogicalResult lowerTile(const Tile &tile);
  LogicalResult emitBlock(const Tile &tile, int64_t block, int64_t numBlocks);
  LogicalResult emitLiveBlocks(const Tile &tile, int64_t numBlocks);
  LogicalResult emitScores(const Tile &tile, int64_t block);
  LogicalResult emitSoftmax(const Tile &tile, int64_t block);
  LogicalResult emitCorrection(const Tile &tile);
  LogicalResult emitValues(const Tile &tile, int64_t block);
  LogicalResult emitResult(const Tile &tile, bool hasKeys);
  LogicalResult emitProduct(const StridedView &a, const StridedView &b,
                            const StridedView &c, int64_t depth,
                            bool accumulates,
                            std::optional<DynamicSize> dynamicSize);
  std::optional<DynamicSize> getDynamicSize(int64_t block, unsigned dim);

  AttentionOp op;
  LoweringContext &context;
  AttentionPlan plan;
  StridedView query, key, value, out, temporary;
  std::optional<StridedView> mask, length;
};

} // namespace

/// [B, H, L, X] to [B, Hkv, G, L, X]; a size of 1 broadcasts.
StridedView AttentionLowering::splitHeads(const StridedView &view) const {
  StridedView result = view;
  int64_t head = view.sizes[1] == 1 ? 0 : view.strides[1];
  auto stride = [&](unsigned dim) {
    return view.sizes[dim] == 1 ? 0 : view.strides[dim];
  };
  result.sizes = {plan.batches, plan.heads, plan.groups, plan.queries,
                  view.sizes[3]};
  result.strides = {stride(0), head * plan.groups, head, stride(2), stride(3)};
  return result;
}

LogicalResult AttentionLowering::getViews() {
  for (auto [memref, target] : {std::pair(op.getQ(), &query),
                                {op.getK(), &key},
                                {op.getV(), &value},
                                {op.getOuts(), &out}}) {
    FailureOr<StridedView> view = context.views.getView(memref);
    if (failed(view)) {
      return failure();
    }
    *target = *view;
  }
  query = splitHeads(query);
  out = splitHeads(out);
  // Keys and values have no group; it is a dimension of stride 0.
  auto addGroup = [&](StridedView &view) {
    view.sizes.insert(view.sizes.begin() + Group, plan.groups);
    view.strides.insert(view.strides.begin() + Group, 0);
  };
  addGroup(key);
  addGroup(value);
  if (op.getMask()) {
    FailureOr<StridedView> view = context.views.getView(op.getMask());
    if (failed(view)) {
      return failure();
    }
    // Missing outer dimensions broadcast.
    while (view->rank() < 4) {
      view->sizes.insert(view->sizes.begin(), 1);
      view->strides.insert(view->strides.begin(), 0);
    }
    mask = splitHeads(*view);
    mask->sizes[Last] = plan.keys;
  }
  if (op.getLength()) {
    FailureOr<StridedView> view = context.views.getView(op.getLength());
    if (failed(view)) {
      return failure();
    }
    length = *view;
  }
  if (!op.getTemporary()) {
    return op.emitOpError("has no temporary; expected one of ")
           << plan.bytes << " bytes (run lpu-materialize-temporaries)";
  }
  FailureOr<StridedView> view = context.views.getView(op.getTemporary());
  if (failed(view)) {
    return failure();
  }
  auto [low, high] = view->byteRange();
  if (high - low < plan.bytes) {
    return op.emitOpError("has a temporary of ")
           << high - low << " bytes; expected at least " << plan.bytes;
  }
  temporary = *view;
  return success();
}

/// A view of the temporary over (batch, head, group, query, last). Without a
/// last stride there is one number a row.
StridedView AttentionLowering::getTemporary(const Tile &tile, DType type,
                                            int64_t offset, int64_t lastSize,
                                            int64_t lastStride) const {
  StridedView view = temporary;
  view.type = type;
  view.offset += offset;
  view.sizes = {tile.batches, plan.heads, plan.groups, tile.rows, lastSize};
  int64_t row = lastStride == 0 ? 1 : lastStride;
  int64_t group = row * tile.rows, head = group * plan.groups;
  view.strides = {head * plan.heads, head, group, row, lastStride == 0 ? 0 : 1};
  return view;
}

AttentionLowering::Tile AttentionLowering::getTile(int64_t firstBatch,
                                                   int64_t firstRow) const {
  Tile tile;
  tile.firstBatch = firstBatch;
  tile.batches = std::min(plan.tileBatches, plan.batches - firstBatch);
  tile.firstRow = firstRow;
  tile.rows = std::min(plan.tileRows, plan.queries - firstRow);
  auto cut = [&](const StridedView &view, bool hasQueries) {
    StridedView part = view.slice(Batch, firstBatch, tile.batches);
    return hasQueries ? part.slice(Query, firstRow, tile.rows) : part;
  };
  tile.query = cut(query, true);
  tile.out = cut(out, true);
  // The dimension of queries of keys and values is that of keys.
  tile.key = cut(key, false);
  tile.value = cut(value, false);
  if (mask) {
    tile.mask = cut(*mask, true);
  }
  return tile;
}

/// A product over (batch, head, group, query, column, depth). `a` is over
/// (.., query, depth), `b` over (.., column, depth) and `c` over (.., query,
/// column).
LogicalResult AttentionLowering::emitProduct(const StridedView &a,
                                             const StridedView &b,
                                             const StridedView &c,
                                             int64_t depth, bool accumulates,
                                             std::optional<DynamicSize> size) {
  MatrixProduct product;
  auto over = [](const StridedView &view, ArrayRef<int64_t> sizes,
                 ArrayRef<int64_t> strides) {
    StridedView result = view;
    result.sizes.assign(sizes.begin(), sizes.end());
    result.strides.assign(strides.begin(), strides.end());
    return result;
  };
  SmallVector<int64_t> domain(c.sizes.begin(), c.sizes.end());
  domain.push_back(depth);
  ArrayRef<int64_t> sa = a.strides, sb = b.strides, sc = c.strides;
  product.a = over(a, domain, {sa[0], sa[1], sa[2], sa[3], 0, sa[4]});
  product.b = over(b, domain, {sb[0], sb[1], 0, 0, sb[3], sb[4]});
  product.c = over(c, domain, {sc[0], sc[1], sc[2], sc[3], sc[4], 0});
  product.dims = {{0, 1}, {2, 3}, {4}, {5}};
  product.accumulates = accumulates;
  product.dynamicSize = size;
  return product.emit(context.builder, op.getLoc(), context.machine);
}

/// The keys of a block that the length leaves, as dimension `dim` of a domain.
std::optional<DynamicSize> AttentionLowering::getDynamicSize(int64_t block,
                                                             unsigned dim) {
  if (!length) {
    return std::nullopt;
  }
  return DynamicSize{
      dim, context.sizes.getPart(context.builder, op.getLoc(), *length,
                                 block * AttentionPlan::blockKeys,
                                 plan.blockSize(block))};
}

LogicalResult AttentionLowering::emitScores(const Tile &tile, int64_t block) {
  int64_t first = block * AttentionPlan::blockKeys;
  int64_t size = plan.blockSize(block);
  StridedView scores = getTemporary(tile, DType::F32, plan.scores[block % 2],
                                    size, plan.rowKeys());
  return emitProduct(tile.query, tile.key.slice(Query, first, size), scores,
                     plan.depth, /*accumulates=*/false,
                     getDynamicSize(block, /*dim=*/4));
}

LogicalResult AttentionLowering::emitValues(const Tile &tile, int64_t block) {
  int64_t first = block * AttentionPlan::blockKeys;
  int64_t size = plan.blockSize(block);
  StridedView weights = getTemporary(
      tile, plan.weightType, plan.weights[block % 2], size, plan.rowKeys());
  StridedView sums = getTemporary(tile, DType::F32, plan.accumulator,
                                  plan.valueDepth, plan.valueDepth);
  // Columns are the value's depth, and what is summed over are its keys.
  StridedView keys = tile.value.slice(Query, first, size);
  StridedView columns = keys.permuted({Batch, Head, Group, Last, Query});
  return emitProduct(weights, columns, sums, size, /*accumulates=*/block != 0,
                     getDynamicSize(block, /*dim=*/5));
}

LogicalResult AttentionLowering::emitSoftmax(const Tile &tile, int64_t block) {
  int64_t firstKey = block * AttentionPlan::blockKeys;
  int64_t size = plan.blockSize(block);
  StridedView scores = getTemporary(tile, DType::F32, plan.scores[block % 2],
                                    size, plan.rowKeys());
  StridedView weights = getTemporary(
      tile, plan.weightType, plan.weights[block % 2], size, plan.rowKeys());
  StridedView maximum = getTemporary(tile, DType::F32, plan.maximum, size, 0);
  StridedView sum = getTemporary(tile, DType::F32, plan.sum, size, 0);
  StridedView correction =
      getTemporary(tile, DType::F32, plan.correction, size, 0);
  bool isFirst = block == 0;
  // Rows of the tile that see no further than into this block.
  bool isCut = plan.isCausal && firstKey + size - 1 > tile.firstRow;

  MicroDraft draft(scores.sizes, /*parallel=*/Last, op.getLoc());
  if (std::optional<DynamicSize> keys = getDynamicSize(block, Last)) {
    draft.setDynamicSize(*keys);
  }
  auto on = [&](MicroOpcode opcode, ArrayRef<Register> inputs) {
    return draft.compute(opcode, MicroType::F32, inputs);
  };
  Register none = draft.constantFloat(-std::numeric_limits<float>::infinity());
  Register zero = draft.constantFloat(0.0f);
  Register oldMaximum = isFirst ? none : draft.load(maximum);

  draft.setSection(1);
  Register scale = draft.constantFloat(op.getScale().convertToFloat());
  Register score = on(MicroOpcode::MulF, {draft.load(scores), scale});
  if (tile.mask) {
    Register masked = draft.load(tile.mask->slice(Last, firstKey, size));
    score = masked.type == MicroType::I1
                ? draft.select(masked, score, none)
                : on(MicroOpcode::AddF, {score, masked});
  }
  if (isCut) {
    Register shift =
        draft.constantInteger(MicroType::I64, tile.firstRow - firstKey);
    Register row = draft.compute(MicroOpcode::AddI, MicroType::I64,
                                 {draft.iota(Query), shift});
    Register sees =
        draft.compareInteger(MicroPredicateI::SLE, draft.iota(Last), row);
    score = draft.select(sees, score, none);
  }
  Register blockMaximum = draft.reduce(score, MicroCombine::MaximumF);
  bool isKept = tile.mask || isCut;
  if (isKept) {
    draft.store(scores, score);
  }

  draft.setSection(2);
  Register newMaximum = on(MicroOpcode::MaximumF, {oldMaximum, blockMaximum});
  // Where all is masked so far, any finite number will do.
  Register isNothing =
      draft.compareFloat(MicroPredicateF::OEQ, newMaximum, none);
  Register shift = draft.select(isNothing, zero, newMaximum);
  draft.store(maximum, newMaximum);
  Register factor =
      on(MicroOpcode::ExpF, {on(MicroOpcode::SubF, {oldMaximum, shift})});
  if (!isFirst) {
    draft.store(correction, factor);
  }

  draft.setSection(3);
  score = draft.load(scores);
  if (!isKept) {
    score = on(MicroOpcode::MulF,
               {score, draft.constantFloat(op.getScale().convertToFloat())});
  }
  Register weight =
      on(MicroOpcode::ExpF, {on(MicroOpcode::SubF, {score, shift})});
  Register blockSum = draft.reduce(weight, MicroCombine::AddF);
  Type valueType = cast<ShapedType>(op.getV().getType()).getElementType();
  draft.store(weights, roundTo(draft, valueType, weight));

  draft.setSection(4);
  if (!isFirst) {
    Register old = on(MicroOpcode::MulF, {draft.load(sum), factor});
    blockSum = on(MicroOpcode::AddF, {old, blockSum});
  }
  draft.store(sum, blockSum);
  return draft.finish(context.builder);
}

LogicalResult AttentionLowering::emitCorrection(const Tile &tile) {
  StridedView sums = getTemporary(tile, DType::F32, plan.accumulator,
                                  plan.valueDepth, plan.valueDepth);
  StridedView correction =
      getTemporary(tile, DType::F32, plan.correction, plan.valueDepth, 0);
  MicroDraft draft(sums.sizes, /*parallel=*/Last, op.getLoc());
  Register factor = draft.load(correction);
  draft.setSection(1);
  draft.store(sums, draft.compute(MicroOpcode::MulF, MicroType::F32,
                                  {draft.load(sums), factor}));
  return draft.finish(context.builder);
}

LogicalResult AttentionLowering::emitResult(const Tile &tile, bool hasKeys) {
  MicroDraft draft(tile.out.sizes, /*parallel=*/Last, op.getLoc());
  Type type = cast<ShapedType>(op.getOuts().getType()).getElementType();
  if (!hasKeys) {
    draft.setSection(1);
    draft.store(tile.out, draft.constantFloat(0.0f));
    return draft.finish(context.builder);
  }
  StridedView sums = getTemporary(tile, DType::F32, plan.accumulator,
                                  plan.valueDepth, plan.valueDepth);
  Register sum =
      draft.load(getTemporary(tile, DType::F32, plan.sum, plan.valueDepth, 0));
  Register zero = draft.constantFloat(0.0f);
  Register isNothing = draft.compareFloat(MicroPredicateF::OEQ, sum, zero);
  draft.setSection(1);
  Register quotient =
      draft.compute(MicroOpcode::DivF, MicroType::F32, {draft.load(sums), sum});
  if (tile.mask) {
    // Sums that underflow to -0 become +0 when a masked key adds its +0. So it
    // is the same whether masked keys are read or not.
    quotient =
        draft.compute(MicroOpcode::AddF, MicroType::F32, {quotient, zero});
  }
  Register result = draft.select(isNothing, zero, quotient);
  draft.store(tile.out, roundTo(draft, type, result));
  return draft.finish(context.builder);
}

/// One block, whose scores have been asked for already.
LogicalResult AttentionLowering::emitBlock(const Tile &tile, int64_t block,
                                           int64_t numBlocks) {
  return failure(
      (block + 1 < numBlocks && failed(emitScores(tile, block + 1))) ||
      failed(emitSoftmax(tile, block)) ||
      (block > 0 && failed(emitCorrection(tile))) ||
      failed(emitValues(tile, block)));
}

/// The blocks behind the first, in groups that run only if the length reaches
/// them. A dead block of a live group works on views without elements.
LogicalResult AttentionLowering::emitLiveBlocks(const Tile &tile,
                                                int64_t numBlocks) {
  OpBuilder &builder = context.builder;
  OpBuilder::InsertionGuard guard(builder);
  unsigned level = 0;
  int64_t groupSize = 1;
  for (int64_t first = 1; first < numBlocks;
       first += groupSize, groupSize = std::min<int64_t>(2 * groupSize, 8)) {
    if (level == ::lpu::maxLoopDepth) {
      builder.setInsertionPointAfter(
          builder.getInsertionBlock()->getParentOp());
      context.sizes.file.leaveRegion();
      --level;
    }
    unsigned isLive = context.sizes.getPart(
        builder, op.getLoc(), *length, first * AttentionPlan::blockKeys, 1);
    auto loop = lpuisa::LoopOp::create(builder, op.getLoc(), 1, isLive);
    builder.setInsertionPointToEnd(loop.getBodyBlock());
    context.sizes.file.enterRegion();
    ++level;
    int64_t end = std::min(first + groupSize, numBlocks);
    for (int64_t block = first; block < end; ++block) {
      if (failed(emitBlock(tile, block, numBlocks))) {
        return failure();
      }
    }
  }
  while (level-- > 0) {
    context.sizes.file.leaveRegion();
  }
  return success();
}

LogicalResult AttentionLowering::lowerTile(const Tile &tile) {
  // No row of the tile sees the keys behind its last row.
  int64_t numBlocks = 0;
  while (numBlocks < plan.numBlocks() &&
         !(plan.isCausal &&
           numBlocks * AttentionPlan::blockKeys >= tile.firstRow + tile.rows)) {
    ++numBlocks;
  }
  if (numBlocks == 0) {
    return emitResult(tile, /*hasKeys=*/false);
  }
  if (failed(emitScores(tile, 0))) {
    return failure();
  }
  int64_t numAlways = length ? 1 : numBlocks;
  for (int64_t block = 0; block < numAlways; ++block) {
    if (failed(emitBlock(tile, block, numBlocks))) {
      return failure();
    }
  }
  if (length && failed(emitLiveBlocks(tile, numBlocks))) {
    return failure();
  }
  return emitResult(tile, /*hasKeys=*/true);
}

LogicalResult AttentionLowering::lower() {
  if (cast<ShapedType>(op.getOuts().getType()).getNumElements() == 0) {
    return success();
  }
  if (failed(getViews())) {
    return failure();
  }
  for (int64_t batch = 0; batch < plan.batches; batch += plan.tileBatches) {
    for (int64_t row = 0; row < plan.queries; row += plan.tileRows) {
      if (failed(lowerTile(getTile(batch, row)))) {
        return failure();
      }
    }
  }
  return success();
}

LogicalResult mlir::lpu::lowerAttention(AttentionOp op,
                                        LoweringContext &context) {
  return AttentionLowering(op, context).lower();
}
