# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at indices and masks, by those writes that torch-mlir and the machine have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp.decompositions import embedding_dense_backward as stock_embedding_backward
from torch._ops import OpOverload

from .scalars import from_the_front

aten = torch.ops.aten


def _index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Kept (see writes.py) unless there is no dimension."""
    if input.dim() > 0:
        return NotImplemented
    return aten.index_copy(input.reshape(1), 0, index.reshape(-1), source.reshape(-1)).reshape(())


def _index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A scatter whose index is the same in all other dimensions; a negative one is an error, as here."""
    if input.dim() == 0:
        whole = input.reshape(1), 0, index.reshape(-1), source.reshape(-1), reduce
        return aten.index_reduce(*whole, include_self=include_self).reshape(())
    shape = [-1 if d == dim % input.dim() else 1 for d in range(input.dim())]
    places = index.to(torch.int64).reshape(shape).expand(source.shape)
    return aten.scatter_reduce.two(input, dim, places, source, reduce, include_self=include_self)


def _scatter_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """A mean is a sum over a count: the machine combines two values, and knows no third."""
    if reduce != "mean":
        return NotImplemented
    ones = torch.ones_like(source)
    if include_self:
        count = torch.ones_like(input).scatter_add(dim, index, ones)
        total = input.scatter_add(dim, index, source)
    else:
        count = torch.zeros_like(input).scatter_add(dim, index, ones).clamp(min=1)
        total = input.scatter(dim, index, 0).scatter_add(dim, index, source)
    if input.is_floating_point():
        return total / count
    return torch.div(total, count, rounding_mode="floor")


_REDUCTIONS = {"add": "sum", "multiply": "prod"}


def _scatter_by_name(input: Tensor, dim: int, index: Tensor, source: Tensor, *, reduce: str) -> Tensor:
    return aten.scatter_reduce.two(input, dim, index, source, _REDUCTIONS[reduce])


def _scatter_number_by_name(input: Tensor, dim: int, index: Tensor, value: Any, *, reduce: str) -> Tensor:
    source = torch.full(index.shape, value, dtype=input.dtype, device=input.device)
    return aten.scatter_reduce.two(input, dim, index, source, _REDUCTIONS[reduce])


def _put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = aten.index_put(input.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate)
    return flat.reshape(input.shape)


def _take(input: Tensor, index: Tensor) -> Tensor:
    flat, place = input.reshape(-1), index.reshape(-1)
    place = torch.where(place < 0, place + flat.shape[0], place)
    return aten.index_select(flat, 0, place).reshape(index.shape)


def _masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Each element that the mask keeps takes the next one of `source`, whose place is a running count."""
    input, mask = torch.broadcast_tensors(input, mask)
    if source.numel() == 0:
        return NotImplemented
    keeps = mask.reshape(-1)
    place = (keeps.to(torch.int64).cumsum(0) - 1).clamp(min=0)
    place = torch.where(keeps, place, 0)
    taken = aten.index_select(source.reshape(-1), 0, place)
    return torch.where(keeps, taken, input.reshape(-1)).reshape(input.shape)


def _index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """At a mask it is a selection: how many elements a mask keeps is known only at run time."""
    used = [(place, index) for place, index in enumerate(indices) if index is not None]
    if len(used) != 1 or used[0][1].dtype not in (torch.bool, torch.uint8):
        return NotImplemented
    start, mask = used[0]
    mask = mask.to(torch.bool)
    rest = input.dim() - start - mask.dim()
    keeps = mask.reshape([1] * start + list(mask.shape) + [1] * rest)
    # The values have one dimension in the place of the mask's.
    aligned = values.reshape([1] * (start + 1 + rest - values.dim()) + list(values.shape))
    count = aligned.shape[start]
    if count == 1:
        taken = aligned.reshape([*aligned.shape[:start], *[1] * mask.dim(), *aligned.shape[start + 1 :]])
    else:
        place = (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(min=0)
        place = torch.where(mask.reshape(-1), place, 0)
        rows = aten.index_select(aligned, start, place)
        taken = rows.reshape([*aligned.shape[:start], *mask.shape, *aligned.shape[start + 1 :]])
    return torch.where(keeps, input + taken if accumulate else taken, input)


def _diagonal_scatter(input: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal, laid along rows or columns, is selected where these meet it."""
    moved = input.movedim((dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    row = torch.arange(rows, device=input.device).unsqueeze(1)
    column = torch.arange(columns, device=input.device).unsqueeze(0)
    along_rows = offset >= 0
    length = rows if along_rows else columns
    laid = aten.constant_pad_nd(source, [0, length - source.shape[-1]])
    laid = laid.unsqueeze(-1) if along_rows else laid.unsqueeze(-2)
    written = torch.where(column - row == offset, laid, moved)
    return written.movedim((-2, -1), (dim1, dim2)).clone()


def _as_strided_scatter(
    input: Tensor,
    source: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """A write at computed places of the storage, which is the tensor if that is contiguous."""
    if not input.is_contiguous():
        return NotImplemented
    place = torch.full((), storage_offset or 0, dtype=torch.int64, device=input.device)
    for dim, (count, step) in enumerate(zip(size, stride, strict=True)):
        shape = [-1 if d == dim else 1 for d in range(len(size))]
        place = place + (torch.arange(count, device=input.device) * step).view(shape)
    place = place.expand(tuple(size)).reshape(-1)
    written = aten.index_put(input.reshape(-1), [place], source.reshape(-1))
    return written.reshape(input.shape)


def _embedding_dense_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """Integers are summed as such; eager rounds the factor of one that occurs more than once to 0."""
    if grad.is_floating_point() or grad.is_complex():
        return stock_embedding_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)
    rows, place = grad.reshape(-1, grad.shape[-1]), indices.reshape(-1)
    counts = (place.unsqueeze(1) == place.unsqueeze(0)).sum(1)
    kept = place != padding_idx
    if scale_grad_by_freq:
        kept = kept & (counts == 1)
    rows = torch.where(kept.unsqueeze(1), rows, torch.zeros((), dtype=grad.dtype, device=grad.device))
    zeros = torch.zeros((num_weights, grad.shape[-1]), dtype=grad.dtype, device=grad.device)
    return aten.index_put(zeros, [place], rows, True)


def _squeeze_dims(input: Tensor, dims: Sequence[int]) -> Tensor:
    """A view of ATen's, which the stock form is not."""
    gone = {dim % max(input.dim(), 1) for dim in dims}
    return input.view([size for dim, size in enumerate(input.shape) if dim not in gone or size != 1])


INDEXING: dict[OpOverload, Callable] = {
    aten.as_strided_scatter.default: _as_strided_scatter,
    aten.embedding_dense_backward.default: _embedding_dense_backward,
    aten.diagonal_scatter.default: _diagonal_scatter,
    aten.index_copy.default: _index_copy,
    aten.index_put.default: _index_put,
    aten.index_reduce.default: _index_reduce,
    aten.masked_scatter.default: _masked_scatter,
    aten.put.default: _put,
    aten.scatter.reduce: _scatter_by_name,
    aten.scatter.value_reduce: _scatter_number_by_name,
    aten.squeeze.dims: _squeeze_dims,
    aten.take.default: _take,
    aten.scatter_reduce.two: from_the_front(aten.scatter_reduce.two, _scatter_reduce),
}
