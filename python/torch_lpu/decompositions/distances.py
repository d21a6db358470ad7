# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distances between rows: from the differences, so that near rows keep their digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten


def _distance(difference: Tensor, p: float) -> Tensor:
    """The p-norm along the last dimension."""
    size = difference.abs()
    if difference.shape[-1] == 0:
        return size.sum(-1)
    if p == 0:
        return (size != 0).sum(-1).to(size.dtype)
    if p == 1:
        return size.sum(-1)
    if p == 2:
        return torch.sqrt((size * size).sum(-1))
    if math.isinf(p):
        return size.amax(-1)
    return torch.pow(torch.pow(size, p).sum(-1), 1 / p)


def _cdist(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    dtype = compute_dtype(x1)
    difference = x1.to(dtype).unsqueeze(-2) - x2.to(dtype).unsqueeze(-3)
    return _distance(difference, p).to(x1.dtype)


def _pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Each row with those behind it."""
    values = input.to(compute_dtype(input))
    count = input.shape[0]
    if count < 2:
        return input.new_zeros((0,))
    parts = [_distance(values[row] - values[row + 1 :], p) for row in range(count - 1)]
    return torch.cat(parts).to(input.dtype)


DISTANCES: dict[OpOverload, Callable] = {
    aten._cdist_forward.default: _cdist,
    aten._pdist_forward.default: _pdist,
}
