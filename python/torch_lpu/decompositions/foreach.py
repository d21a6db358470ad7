# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of operations on lists of tensors, which optimisers use, into one op per tensor.

Eager's own slow path does the same. Where the name of the plain operation is
that of the list's, all overloads follow one rule: lists are taken apart, and
what is no list goes to every op.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten

_SAME_NAME = (
    "abs acos add asin atan ceil clamp_max clamp_min clone copy cos cosh div erf erfc exp expm1 floor frac "
    "lerp lgamma log log10 log1p log2 max mm mul neg pow reciprocal round rsqrt sigmoid sign sin sinh "
    "sqrt sub tan tanh trunc"
).split()


def _bounded(by_tensor: Callable[..., Tensor], by_number: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """maximum and minimum, which take no number outside lists."""

    def bounded(input: Tensor, other: Any) -> Tensor:
        return (by_tensor if isinstance(other, Tensor) else by_number)(input, other)

    return bounded


def _with_value(operation: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def with_value(input: Tensor, left: Tensor, right: Tensor, value: Any = 1) -> Tensor:
        return operation(input, left, right, value=value)

    return with_value


def _norm(input: Tensor, ord: Any = 2, dtype: torch.dtype | None = None) -> Tensor:
    return torch.linalg.vector_norm(input, ord, dtype=dtype)


# Name after `_foreach_` -> what it does to one tensor.
_PLAIN: dict[str, Callable[..., Tensor]] = {
    **{name: getattr(aten, name) for name in _SAME_NAME},
    "addcdiv": _with_value(aten.addcdiv),
    "addcmul": _with_value(aten.addcmul),
    "maximum": _bounded(torch.maximum, torch.clamp_min),
    "minimum": _bounded(torch.minimum, torch.clamp_max),
    "norm": _norm,
    "zero": torch.zeros_like,
}

# The numbers are values of a tensor, one for each tensor of the list; a plain op takes them from Python.
_VALUES_IN_A_TENSOR = (aten._foreach_addcdiv.Tensor, aten._foreach_addcmul.Tensor)


def _for_each(plain: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    def for_each(*args: Any, **kwargs: Any) -> list[Tensor]:
        count = max(len(arg) for arg in args if isinstance(arg, list | tuple))
        rows = ([arg[i] if isinstance(arg, list | tuple) else arg for arg in args] for i in range(count))
        return [plain(*row, **kwargs) for row in rows]

    return for_each


def _overloads(name: str) -> list[OpOverload]:
    packet = getattr(aten, f"_foreach_{name}")
    overloads = [getattr(packet, overload) for overload in packet.overloads()]
    return [op for op in overloads if not op._schema.is_mutable and op not in _VALUES_IN_A_TENSOR]


FOREACH: dict[OpOverload, Callable] = {
    op: _for_each(plain) for name, plain in _PLAIN.items() for op in _overloads(name)
}
