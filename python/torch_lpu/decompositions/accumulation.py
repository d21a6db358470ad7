# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans that are asked for another type: operands have it before they are combined.

Eager converts them first, too. torch-mlir combines some in the type that they
have, and dies of integers that become narrower.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten

ACCUMULATING = (
    aten.cumprod.default,
    aten.cumsum.default,
    aten.mean.default,
    aten.mean.dim,
    aten.prod.default,
    aten.prod.dim_int,
    aten.sum.default,
    aten.sum.dim_IntList,
)


def _converting(op: OpOverload, otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
    """The decomposition of operands that have the type already, or are floats beside floats."""

    @wraps(otherwise or op)
    def decompose(input: Tensor, *args: Any, dtype: torch.dtype | None = None, **kwargs: Any) -> Any:
        if dtype not in (None, torch.bool, input.dtype) and not (
            dtype.is_floating_point and input.dtype.is_floating_point
        ):
            return op(input.to(dtype), *args, dtype=dtype, **kwargs)
        if otherwise is None:
            return NotImplemented
        return otherwise(input, *args, **kwargs, **({} if dtype is None else {"dtype": dtype}))

    return decompose


def with_operands_converted(table: dict[Any, Callable]) -> dict[Any, Callable]:
    """The table with decompositions of the ops that accumulate."""
    return {**table, **{op: _converting(op, table.get(op)) for op in ACCUMULATING}}
