# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of segments of rows: bags of embeddings, and `segment_reduce`.

Which segment a row belongs to is known only at run time, so every segment looks at
every row through a mask; sums of bags are scattered instead, in the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

_SUM, _MEAN, _MAX = range(3)


def _embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = _SUM,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns the reduced bags, the bag of each row, the bags' sizes and the places of maxima."""
    bags = offsets.shape[0] - (1 if include_last_offset else 0)
    count, columns = indices.shape[0], weight.shape[1]
    if count == 0 or bags == 0 or columns == 0:
        return NotImplemented
    dtype = compute_dtype(weight)
    index, starts = indices.to(torch.int64), offsets[:bags].to(torch.int64)
    row = torch.arange(count, device=weight.device)
    bag = ((starts.unsqueeze(0) <= row.unsqueeze(1)).sum(1) - 1).clamp(min=0)
    rows = aten.embedding(weight, index).to(dtype)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(dtype).unsqueeze(1)
    counted = index != padding_idx if padding_idx >= 0 else torch.ones_like(index, dtype=torch.bool)
    number = torch.arange(bags, device=weight.device).unsqueeze(1)
    member = (bag.unsqueeze(0) == number) & counted.unsqueeze(0)
    sizes = member.sum(1)
    if mode == _MAX:
        least = torch.full((), -math.inf, dtype=dtype, device=weight.device)
        best, place = torch.where(member.unsqueeze(-1), rows.unsqueeze(0), least).max(1)
        some = (sizes > 0).unsqueeze(1)
        result = torch.where(some, best, 0.0)
        maxima = torch.where(some, index.unsqueeze(1).expand(count, columns).gather(0, place), 0)
        return result.to(weight.dtype), bag, sizes, maxima.to(indices.dtype)
    rows = torch.where(counted.unsqueeze(1), rows, 0.0)
    result = torch.zeros((bags, columns), dtype=dtype, device=weight.device).index_add(0, bag, rows)
    if mode == _MEAN:
        result = result / sizes.clamp(min=1).unsqueeze(1).to(dtype)
        return result.to(weight.dtype), bag, sizes, sizes.clone()
    # Eager tells nothing more of plain sums.
    nothing = torch.zeros((bags,), dtype=indices.dtype, device=weight.device)
    told = bag if padding_idx >= 0 else bag[:0]
    return result.to(weight.dtype), told.clone(), nothing, nothing.clone()


_INITIAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}


def _segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Segments are given by lengths or by offsets, which may differ between the rows before `axis`."""
    given = lengths if lengths is not None else offsets
    if given is None or not data.is_floating_point() or data.numel() == 0:
        return NotImplemented
    if lengths is not None:
        end = lengths.to(torch.int64).cumsum(-1)
        start = end - lengths
    else:
        assert offsets is not None
        start, end = offsets[..., :-1], offsets[..., 1:]
    axis = axis % data.dim()
    rest = data.dim() - axis - 1
    place = torch.arange(data.shape[axis], device=data.device)
    member = (place >= start.unsqueeze(-1)) & (place < end.unsqueeze(-1))
    member = member.reshape([*member.shape, *[1] * rest])
    values = data.to(compute_dtype(data)).unsqueeze(axis)
    first = _INITIAL[reduce] if initial is None else float(initial)
    neutral = torch.full((), _INITIAL[reduce], dtype=values.dtype, device=data.device)
    masked = torch.where(member, values, neutral)
    dim = axis + 1
    if reduce in ("sum", "mean"):
        result = masked.sum(dim) + first
    elif reduce == "prod":
        result = masked.prod(dim) * first
    elif reduce == "max":
        result = masked.amax(dim).clamp(min=first)
    else:
        result = masked.amin(dim).clamp(max=first)
    if reduce == "mean":
        sizes = (end - start).reshape([*start.shape, *[1] * rest])
        # An empty segment is what it starts from, or has no mean.
        empty = torch.full((), math.nan if initial is None else first, dtype=values.dtype, device=data.device)
        result = torch.where(sizes > 0, result / sizes.clamp(min=1).to(values.dtype), empty)
    return result.to(data.dtype)


SEGMENTS: dict[OpOverload, Callable] = {
    aten._embedding_bag.default: _embedding_bag,
    aten._embedding_bag_forward_only.default: _embedding_bag,
    aten.segment_reduce.default: _segment_reduce,
}
