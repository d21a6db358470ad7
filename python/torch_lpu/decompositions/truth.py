# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Truth values where torch-mlir takes them for signed numbers of one bit: they combine as integers.

The least of two such numbers would be true (-1), and the sum of two true ones false.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_map_only

from .indexing import INDEXING
from .order import ORDER
from .scalars import SCALARS

aten = torch.ops.aten

_COMBINING = (aten.index_put.default, aten.scatter_add.default, aten.scatter_reduce.two, aten.sort.default)


def _enter(value: Any) -> Any:
    return value.to(torch.int32) if isinstance(value, Tensor) and value.dtype == torch.bool else value


def _leave(value: Tensor) -> Tensor:
    return value != 0 if value.dtype == torch.int32 else value


def _through_integers(op: OpOverload) -> Callable[..., Any]:
    """The op on integers if its first operand holds truth values, or else what it is elsewhere."""
    otherwise = next((table[op] for table in (INDEXING, ORDER, SCALARS) if op in table), None)

    def decompose(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if input.dtype == torch.bool and not _selects(op, args):
            result = op(_enter(input), *map(_enter, args), **kwargs)
            return tree_map_only(Tensor, _leave, tuple(result) if isinstance(result, tuple) else result)
        return NotImplemented if otherwise is None else otherwise(input, *args, **kwargs)

    return decompose


def _selects(op: OpOverload, args: Sequence[Any]) -> bool:
    """Whether values are written as they are."""
    return op is aten.index_put.default and (len(args) < 3 or not args[2])


def _full(size: Sequence[int], value: Any, **kwargs: Any) -> Tensor:
    """A number is true unless it is zero, whatever its last bit."""
    if kwargs.get("dtype") != torch.bool or isinstance(value, bool):
        return NotImplemented
    return aten.full.default(size, bool(value), **kwargs)


def _scatter_value(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if input.dtype != torch.bool or isinstance(value, bool):
        return SCALARS[aten.scatter.value](input, dim, index, value)
    return aten.scatter.value(input, dim, index, bool(value))


def _sum(op: OpOverload) -> Callable[..., Tensor]:
    """As truth values, which is seldom asked for, a sum is whether any operand is true."""

    def decompose(input: Tensor, *args: Any, dtype: torch.dtype | None = None) -> Tensor:
        if dtype != torch.bool:
            return NotImplemented
        return op(input.to(torch.bool).to(torch.int64), *args) != 0

    return decompose


TRUTH: dict[OpOverload, Callable] = {
    **{op: _through_integers(op) for op in _COMBINING},
    aten.full.default: _full,
    aten.scatter.value: _scatter_value,
    **{op: _sum(op) for op in (aten.sum.default, aten.sum.dim_IntList)},
}
