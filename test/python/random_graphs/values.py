# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of random programs: what values they hold and how they lie in memory.

The names here are those that a printed program calls.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

FLOATS = (torch.float32, torch.bfloat16, torch.float16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
DTYPES = (*FLOATS, *INTEGERS, torch.bool)

_ODD = (float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 0.5, 1.5, -2.5)


def values(shape: Sequence[int], dtype: torch.dtype, kind: str, seed: int) -> Tensor:
    """`plain`: small numbers, of which a float has quarters; `wide`: normal numbers, or all
    integers of the type; `odd`: NaN, infinities and zeros, or the ends of the type's range."""
    generator = torch.Generator().manual_seed(seed)

    def integers(low: int, high: int) -> Tensor:
        return torch.randint(low, high, tuple(shape), generator=generator)

    if dtype == torch.bool:
        return integers(0, 2).bool()
    if dtype.is_floating_point:
        if kind == "plain":
            return (integers(-12, 13) / 4).to(dtype)
        if kind == "wide":
            return torch.randn(tuple(shape), generator=generator).to(dtype)
        return torch.tensor(_ODD, dtype=dtype)[integers(0, len(_ODD))]
    limits = torch.iinfo(dtype)
    if kind == "plain":
        return integers(max(limits.min, -9), 10).to(dtype)
    if kind == "wide":
        return integers(limits.min, limits.max).to(dtype)
    odd = torch.tensor([limits.min, limits.max, 0, 1, limits.max - 1], dtype=dtype)
    return odd[integers(0, len(odd))]


def indices(shape: Sequence[int], bound: int, seed: int, dtype: torch.dtype = torch.int64) -> Tensor:
    """Positions below `bound`, some of them more than once."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, bound, tuple(shape), generator=generator).to(dtype)


def positions(count: int, bound: int, seed: int) -> Tensor:
    """Different positions below `bound`."""
    return torch.randperm(bound, generator=torch.Generator().manual_seed(seed))[:count]


def transposed(tensor: Tensor) -> Tensor:
    """The dimensions lie in memory in reverse order."""
    order = tuple(reversed(range(tensor.dim())))
    return tensor.permute(order).contiguous().permute(order)


def stepped(tensor: Tensor) -> Tensor:
    """Every second element of a row is not the tensor's."""
    if tensor.dim() == 0:
        return torch.stack([tensor, tensor])[1]
    return torch.stack([tensor, tensor], -1).flatten(-2)[..., ::2]


def shifted(tensor: Tensor) -> Tensor:
    """Begins in the middle of its memory."""
    return torch.stack([tensor, tensor])[1]


def repeated(tensor: Tensor, dim: int, size: int) -> Tensor:
    """Stride zero along a dimension, of which the first element counts."""
    sizes = [-1] * tensor.dim()
    sizes[dim] = size
    return tensor.narrow(dim, 0, 1).expand(sizes)
