# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of no dimensions, which PyTorch takes along dimension 0 and torch-mlir does not: they get one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_map_only

aten = torch.ops.aten

_ALONG_DIMENSION = (
    aten.amax.default,
    aten.amin.default,
    aten.any.dim,
    aten.cumsum.default,
    aten.gather.default,
    aten.prod.dim_int,
    aten.sort.default,
    aten.topk.default,
)


def with_dimension(op: OpOverload, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The op on tensors of one element if `self` has no dimension; else `otherwise`, or the op as it is."""

    def decompose(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        if input.dim() > 0:
            return NotImplemented if otherwise is None else otherwise(input, *args, **kwargs)
        args, kwargs = tree_map_only(Tensor, lambda tensor: tensor.reshape(1), (args, kwargs))
        result = op(input.reshape(1), *args, **kwargs)
        return tree_map_only(Tensor, lambda tensor: tensor.reshape(()), result)

    return decompose


def _cumprod(input: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """torch-mlir's scan keeps its operand's type, which it is not told. Integers multiply as 64 bits."""
    whole = not ((dtype or input.dtype).is_floating_point or (dtype or input.dtype).is_complex)
    inside = torch.int64 if whole else dtype or input.dtype
    if dtype is None and input.dtype == inside:
        return NotImplemented
    result = aten.cumprod.default(input.to(inside), dim)
    return result if dtype is None else result.to(dtype)


def from_the_front(op: OpOverload, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The op along the dimension that a negative one means: writes of torch-mlir need it."""

    def decompose(input: Tensor, dim: int, *args: Any, **kwargs: Any) -> Any:
        if dim < 0:
            return op(input, dim + input.dim(), *args, **kwargs)
        return NotImplemented if otherwise is None else otherwise(input, dim, *args, **kwargs)

    return with_dimension(op, decompose)


SCALARS: dict[OpOverload, Callable] = {
    **{op: with_dimension(op) for op in _ALONG_DIMENSION},
    aten.cumprod.default: with_dimension(aten.cumprod.default, _cumprod),
    **{op: from_the_front(op) for op in (aten.scatter.src, aten.scatter.value, aten.scatter_add.default)},
}
