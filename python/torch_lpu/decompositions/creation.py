# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that are made: memory in another order, and even steps between values that are tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten


def _empty_permuted(size: Sequence[int], physical_layout: Sequence[int], **kwargs: Any) -> Tensor:
    order = [0] * len(size)
    for place, dim in enumerate(physical_layout):
        order[dim] = place
    return torch.empty([size[dim] for dim in physical_layout], **kwargs).permute(order)


def _arange(
    start: Any, end: Any, step: Any = 1, *, dtype: torch.dtype | None = None, **kwargs: Any
) -> Tensor:
    """Integers between fractions: these say how many (but in int64), and are cut off for the values."""
    whole = all(isinstance(number, int) for number in (start, end, step))
    known = all(isinstance(number, int | float) for number in (start, end, step))
    if whole or not known or dtype is None or dtype.is_floating_point:
        return NotImplemented
    first, by = int(start), int(step)
    count = math.ceil((int(end) - first) / by if dtype == torch.int64 else (end - start) / step)
    return (torch.arange(count, device=kwargs.get("device")) * by + first).to(dtype)


def _linspace(start: Any, end: Any, steps: int, *, dtype: torch.dtype | None = None, **kwargs: Any) -> Tensor:
    """From either end towards the middle, as eager; the stock form computes in float64."""
    dtype = torch.get_default_dtype() if dtype is None else dtype
    if dtype not in (torch.float32, torch.bfloat16, torch.float16):
        return NotImplemented
    device = kwargs.get("device")
    first, last = (
        value.to(torch.float32) if isinstance(value, Tensor) else torch.full((), value, device=device)
        for value in (start, end)
    )
    if steps < 2:
        return first.reshape(1)[:steps].to(dtype).clone()
    step = (last - first) / (steps - 1)
    place = torch.arange(steps, device=device)
    up = first + step * place.to(torch.float32)
    down = last - step * (steps - 1 - place).to(torch.float32)
    return torch.where(place < steps // 2, up, down).to(dtype)


CREATION: dict[OpOverload, Callable] = {
    aten.arange.start_step: _arange,
    aten.empty_permuted.default: _empty_permuted,
    aten.linspace.Scalar_Tensor: _linspace,
    aten.linspace.Tensor_Scalar: _linspace,
    aten.linspace.Tensor_Tensor: _linspace,
}
