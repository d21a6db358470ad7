# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python numbers that do not fit the type of the tensors beside them.

Eager converts such a number in one of two ways. Most kernels check it: what
does not fit raises an error, except for a few negative numbers that an unsigned
type wraps. There the op is kept whole and refused, so that eager decides. Where
the number stands for a tensor beside another, as in `x | 300`, an integer is
wrapped silently; so it is here, before anything is decomposed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce, wraps
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Node
from torch.fx.node import map_arg

aten = torch.ops.aten

# Ops that check, by what decides the type: the first tensor (or `dtype`), all tensors, numbers too.
_BY_FIRST = (
    aten.addbmm.default,
    aten.addmm.default,
    aten.addmv.default,
    aten.addr.default,
    aten.baddbmm.default,
    aten.constant_pad_nd.default,
    aten.fill.Scalar,
    aten.full.default,
    aten.full_like.default,
    aten.hardtanh.default,
    aten.index_add.default,
    aten.index_fill.int_Scalar,
    aten.masked_fill.Scalar,
    aten.new_full.default,
    aten.scalar_tensor.default,
    aten.scatter.value,
    aten.scatter.value_reduce,
    aten.threshold.default,
)
_BY_TENSORS = (aten.add.Tensor, aten.addcmul.default, aten.rsub.Tensor, aten.sub.Tensor)
_BY_ALL = (aten.clamp.default, aten.clamp_max.default, aten.clamp_min.default, aten.pow.Tensor_Scalar)
CHECKED = frozenset((*_BY_FIRST, *_BY_TENSORS, *_BY_ALL))

# Where eager has no negative numbers for bytes, for reasons of the ops.
_NEVER_NEGATIVE = frozenset((aten.constant_pad_nd.default, aten.hardtanh.default, aten.pow.Tensor_Scalar))

# Ops of two operands of which one is a number that is wrapped.
WRAPPED: tuple[OpOverload, ...] = (
    *(getattr(aten, name).Scalar for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(getattr(aten, name).Scalar_Tensor for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(getattr(aten, name).Tensor_Scalar for name in ("bitwise_left_shift", "bitwise_right_shift")),
    *(getattr(aten, name).Scalar_Tensor for name in ("bitwise_left_shift", "bitwise_right_shift")),
    *(getattr(aten, name).Scalar for name in ("__and__", "__or__", "__xor__", "__lshift__", "__rshift__")),
    *(aten.div.Tensor_mode, aten.div.Scalar_mode, aten.floor_divide.default, aten.floor_divide.Scalar),
    *(aten.fmod.Tensor, aten.fmod.Scalar),
    *(aten.remainder.Tensor, aten.remainder.Scalar, aten.remainder.Scalar_Tensor),
    *(aten.pow.Scalar, aten.searchsorted.Scalar),
)

# Without a rounding mode these divide as floats, and the number is one.
_DIVISIONS = frozenset((aten.div.Tensor_mode, aten.div.Scalar_mode))


def fits(number: Any, dtype: torch.dtype) -> bool:
    if dtype == torch.bool or dtype.is_complex or not isinstance(number, int | float):
        return True
    if dtype.is_floating_point:
        return not math.isfinite(number) or abs(number) <= torch.finfo(dtype).max
    limits = torch.iinfo(dtype)
    return limits.min <= number <= limits.max


def wrapped(number: Any, dtype: torch.dtype) -> Any:
    """An integer as the integer type has it; other numbers as they are."""
    if dtype == torch.bool or dtype.is_floating_point or dtype.is_complex or fits(number, dtype):
        return number
    if not isinstance(number, int):
        return number
    limits = torch.iinfo(dtype)
    return (number - limits.min) % (limits.max - limits.min + 1) + limits.min


def unfit(
    op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[int | float, torch.dtype] | None:
    """A number that an op which checks its numbers is given, and the type that it does not fit."""
    dtype = _dtype(op, args, kwargs)
    if dtype is None or _may_overflow(op, args, dtype):
        return None
    for _, number in _numbers(op, args, kwargs):
        if not fits(_taken(op, number, dtype), dtype):
            return number, dtype
    return None


def _taken(op: OpOverload, number: int | float, dtype: torch.dtype) -> int | float:
    """The number that eager converts: beside integers, hardtanh first takes the integer of a fraction."""
    truncates = op is aten.hardtanh.default and not _is_fractional(dtype) and math.isfinite(number)
    return int(number) if truncates else number


def unfit_in(node: Node) -> tuple[int | float, torch.dtype] | None:
    """The same of a node."""
    op = node.target
    if not isinstance(op, OpOverload) or op not in CHECKED:
        return None
    args, kwargs = map_arg((node.args, node.kwargs), lambda operand: operand.meta.get("val"))
    return unfit(op, args, kwargs)


def checking(op: OpOverload, otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
    """The decomposition of an op that checks its numbers, if these fit."""

    @wraps(otherwise or op)
    def decompose(*args: Any, **kwargs: Any) -> Any:
        dtype = _dtype(op, args, kwargs)
        inside = args, kwargs
        if dtype is not None and op not in _NEVER_NEGATIVE:
            inside = _converted(op, *inside, lambda number: _negative_byte(number, dtype))
        if unfit(op, *inside) is not None:
            return NotImplemented
        if dtype is not None and not _is_fractional(dtype) and op not in _BY_ALL:
            inside = _converted(
                op, *inside, lambda number: int(number) if isinstance(number, float) else number
            )
        if _differs(inside, (args, kwargs)):
            return op(*inside[0], **inside[1])
        return NotImplemented if otherwise is None else otherwise(*args, **kwargs)

    return decompose


def _differs(
    inside: tuple[Sequence[Any], Mapping[str, Any]], given: tuple[Sequence[Any], Mapping[str, Any]]
) -> bool:
    """Whether an argument is another one: 3 is not 3.0."""
    pairs = zip((*inside[0], *inside[1].values()), (*given[0], *given[1].values()), strict=True)
    return any(new is not old for new, old in pairs)


def _is_fractional(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex or dtype == torch.bool


def _negative_byte(number: Any, dtype: torch.dtype) -> Any:
    """Eager wraps a few negative integers, so that `a - b` may be `a + 255 * b`."""
    few = dtype == torch.uint8 and isinstance(number, int) and -255 <= number < 0
    return wrapped(number, dtype) if few else number


def wrapping(op: OpOverload, otherwise: Callable[..., Any] | None) -> Callable[..., Any]:
    """The decomposition of an op whose number is wrapped to the type of the tensor beside it."""

    @wraps(otherwise or op)
    def decompose(*args: Any, **kwargs: Any) -> Any:
        tensors = [value for value in args[:2] if isinstance(value, Tensor)]
        if len(tensors) == 1 and not (op in _DIVISIONS and kwargs.get("rounding_mode") is None):
            dtype = tensors[0].dtype
            inside = (*(wrapped(value, dtype) for value in args[:2]), *args[2:])
            if any(new is not old for new, old in zip(inside, args, strict=True)):
                return op(*inside, **kwargs)
        return NotImplemented if otherwise is None else otherwise(*args, **kwargs)

    return decompose


def with_numbers_that_fit(table: dict[Any, Callable]) -> dict[Any, Callable]:
    """The table with decompositions that take heed of numbers that do not fit."""
    checked = {op: checking(op, table.get(op)) for op in CHECKED}
    return {**table, **checked, **{op: wrapping(op, table.get(op)) for op in WRAPPED}}


def _may_overflow(op: OpOverload, args: Sequence[Any], dtype: torch.dtype) -> bool:
    """Whether eager makes infinity of a large number: a number alone in half precision is not checked."""
    alone = op is aten.scalar_tensor.default or (op is aten.full.default and len(args[0]) == 0)
    return alone and dtype in (torch.bfloat16, torch.float16)


def _converted(
    op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any], convert: Callable[[Any], Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with other numbers."""
    args, kwargs = (*args,), dict(kwargs)
    for place, number in list(_numbers(op, args, kwargs)):
        if isinstance(place, int):
            args = (*args[:place], convert(number), *args[place + 1 :])
        else:
            kwargs[place] = convert(number)
    return args, kwargs


def _numbers(
    op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Iterator[tuple[int | str, int | float]]:
    """The numbers that the op converts, with their places or names."""
    for place, argument in enumerate(op._schema.arguments):
        if "number" not in str(argument.type):
            continue
        at: int | str = place if place < len(args) else argument.name
        number = args[place] if place < len(args) else kwargs.get(argument.name)
        if isinstance(number, int | float):
            yield at, number


def _dtype(op: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.dtype | None:
    """The type that the op converts its numbers to."""
    if kwargs.get("dtype") is not None:
        return kwargs["dtype"]
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
    if not tensors:
        return None
    if op in _BY_FIRST:
        return tensors[0].dtype
    operands: list[Any] = [*tensors]
    if op in _BY_ALL:
        operands += [number for _, number in _numbers(op, args, kwargs)]
    types = (torch.result_type(operands[0], operand) for operand in operands)
    return reduce(torch.promote_types, types)
