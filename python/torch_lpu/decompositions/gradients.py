# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that are operations of their own in ATen, and that neither PyTorch nor torch-mlir takes apart.

What was moved goes back to where it came from, and what was taken from one place
several times is added up there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

_SUM, _MEAN, _MAX = range(3)


def _along_difference(difference: Tensor, distance: Tensor, p: float) -> Tensor:
    """The derivative of the p-norm by each element of the difference, zero where the norm has a corner."""
    zero = torch.zeros((), dtype=difference.dtype, device=difference.device)
    if p == 0:
        return torch.zeros_like(difference)
    if p == 1:
        return difference.sign()
    distance = distance.unsqueeze(-1)
    if math.isinf(p):
        return torch.where(difference.abs() == distance, difference.sign(), zero)
    one = torch.ones((), dtype=difference.dtype, device=difference.device)
    safe = torch.where(distance == 0, one, distance)
    if p == 2:
        return torch.where(distance == 0, zero, difference / safe)
    size = difference.abs()
    power = torch.pow(torch.where(size == 0, one, size), p - 1) * difference.sign()
    return torch.where(distance == 0, zero, power / torch.pow(safe, p - 1))


def _cdist_backward(grad: Tensor, x1: Tensor, x2: Tensor, p: float, cdist: Tensor) -> Tensor:
    dtype = compute_dtype(x1)
    difference = x1.to(dtype).unsqueeze(-2) - x2.to(dtype).unsqueeze(-3)
    slope = _along_difference(difference, cdist.to(dtype), p)
    return (slope * grad.to(dtype).unsqueeze(-1)).sum(-2).to(x1.dtype)


def _pdist_backward(grad: Tensor, input: Tensor, p: float, pdist: Tensor) -> Tensor:
    """Pairs are numbered row by row; each has a place on either side of the diagonal of a square."""
    count = input.shape[0]
    if count < 2:
        return torch.zeros_like(input)
    row = torch.arange(count, device=input.device).unsqueeze(1)
    column = row.transpose(0, 1)
    low, high = torch.minimum(row, column), torch.maximum(row, column)
    pair = low * (2 * count - 1 - low) // 2 + high - low - 1
    pair = torch.where(row == column, 0, pair).reshape(-1)

    def square(values: Tensor) -> Tensor:
        whole = values.index_select(0, pair).view(count, count)
        return torch.where(row == column, torch.zeros((), dtype=values.dtype, device=values.device), whole)

    return _cdist_backward(square(grad), input, input, p, square(pdist))


def _max_pool3d_backward(
    grad: Tensor,
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    indices: Tensor,
) -> Tensor:
    lead = list(input.shape[:-3])
    zeros = torch.zeros([*lead, math.prod(input.shape[-3:])], dtype=grad.dtype, device=grad.device)
    return zeros.scatter_add(-1, indices.flatten(-3), grad.flatten(-3)).view(input.shape)


def _replication_pad_backward(grad: Tensor, input: Tensor, padding: Sequence[int]) -> Tensor:
    """What was added at an end goes to the outermost element; what was cut off gets nothing."""
    result = grad.to(compute_dtype(grad))
    for place in range(0, len(padding), 2):
        dim = input.dim() - 1 - place // 2
        size = input.shape[dim]
        cut = [max(-padding[place], 0), max(-padding[place + 1], 0)]
        result = aten.constant_pad_nd(result, [0, 0] * (place // 2) + cut)
        before = max(padding[place], 0)
        end = result.shape[dim]
        if size == 1:
            result = result.sum(dim, keepdim=True)
            continue
        first = result.narrow(dim, 0, before + 1).sum(dim, keepdim=True)
        last = result.narrow(dim, before + size - 1, end - before - size + 1).sum(dim, keepdim=True)
        result = torch.cat((first, result.narrow(dim, before + 1, size - 2), last), dim)
    return result.to(grad.dtype)


def _masked_scatter_backward(grad: Tensor, mask: Tensor, sizes: Sequence[int]) -> Tensor:
    """The elements that the mask kept, one behind the other, and zeros."""
    keeps = mask.expand(grad.shape).reshape(-1)
    place = (keeps.to(torch.int64).cumsum(0) - 1).clamp(min=0)
    kept = torch.where(keeps, grad.reshape(-1), torch.zeros((), dtype=grad.dtype, device=grad.device))
    # At most as many as the source has.
    zeros = torch.zeros([max(math.prod(sizes), kept.shape[0])], dtype=grad.dtype, device=grad.device)
    return aten.index_put(zeros, [place], kept, True)[: math.prod(sizes)].view(sizes)


def _bag_of_rows(indices: Tensor, offsets: Tensor) -> Tensor:
    row = torch.arange(indices.shape[0], device=indices.device)
    return ((offsets.to(torch.int64).unsqueeze(0) <= row.unsqueeze(1)).sum(1) - 1).clamp(min=0)


def _embedding_bag_backward(
    grad: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    bag_size: Tensor,
    maximum_indices: Tensor,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Tensor | None,
    padding_idx: int = -1,
) -> Tensor:
    """Every row of a bag gets the bag's gradient; of a maximum, the row that it was found in."""
    if sparse or indices.shape[0] == 0:
        return NotImplemented
    dtype = compute_dtype(grad)
    zeros = torch.zeros((num_weights, grad.shape[1]), dtype=dtype, device=grad.device)
    if mode == _MAX:
        some = (bag_size > 0).unsqueeze(1)
        values = torch.where(some, grad.to(dtype), torch.zeros((), dtype=dtype, device=grad.device))
        return zeros.scatter_add(0, maximum_indices.to(torch.int64), values).to(grad.dtype)
    index, bag = indices.to(torch.int64), _bag_of_rows(indices, offsets)
    counted = index != padding_idx if padding_idx >= 0 else torch.ones_like(index, dtype=torch.bool)
    factor = counted.to(dtype)
    if mode == _MEAN:
        same = (bag.unsqueeze(0) == bag.unsqueeze(1)) & counted.unsqueeze(0)
        factor = factor / same.sum(1).clamp(min=1).to(dtype)
    if per_sample_weights is not None:
        factor = factor * per_sample_weights.to(dtype)
    if scale_grad_by_freq:
        factor = factor / (index.unsqueeze(0) == index.unsqueeze(1)).sum(1).to(dtype)
    rows = grad.to(dtype).index_select(0, bag) * factor.unsqueeze(1)
    return aten.index_put(zeros, [index], rows, True).to(grad.dtype)


def _embedding_bag_per_sample_weights_backward(
    grad: Tensor,
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    offset2bag: Tensor,
    mode: int,
    padding_idx: int = -1,
) -> Tensor:
    if indices.shape[0] == 0:
        return NotImplemented
    dtype = compute_dtype(grad)
    index = indices.to(torch.int64)
    rows = grad.to(dtype).index_select(0, _bag_of_rows(indices, offsets))
    result = (rows * weight.to(dtype).index_select(0, index)).sum(1)
    if padding_idx >= 0:
        result = torch.where(index != padding_idx, result, torch.zeros_like(result))
    return result.to(grad.dtype)


GRADIENTS: dict[OpOverload, Callable[..., Any]] = {
    aten._cdist_backward.default: _cdist_backward,
    aten._embedding_bag_backward.default: _embedding_bag_backward,
    aten._embedding_bag_per_sample_weights_backward.default: _embedding_bag_per_sample_weights_backward,
    aten._pdist_backward.default: _pdist_backward,
    aten.masked_scatter_backward.default: _masked_scatter_backward,
    aten.max_pool3d_with_indices_backward.default: _max_pool3d_backward,
    aten.replication_pad1d_backward.default: _replication_pad_backward,
    aten.replication_pad2d_backward.default: _replication_pad_backward,
    aten.replication_pad3d_backward.default: _replication_pad_backward,
}
