# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions around what torch-mlir lowers wrongly, inexactly or not at all.

Each one says what it avoids. One that returns NotImplemented keeps the op.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes

from .fitting import wrapped
from .moments import compute_dtype

aten = torch.ops.aten


def _divide(input: Any, other: Any, *, rounding_mode: str | None) -> Tensor:
    """Exact for integers, where torch-mlir floors a float64 quotient and does not divide bytes at all."""
    result = torch.result_type(input, other)
    if rounding_mode is None or result.is_complex or (result.is_floating_point and rounding_mode != "floor"):
        return NotImplemented
    input, other = _as_tensor(input, other), _as_tensor(other, input)
    if result.is_floating_point:
        return _floor_quotient(input.to(result), other.to(result))
    if result == torch.int8:
        wide = (value.to(result).to(torch.int32) for value in (input, other))
        return torch.div(*wide, rounding_mode=rounding_mode).to(result)
    if rounding_mode == "trunc":
        return NotImplemented
    input, other = input.to(result), other.to(result)
    quotient = torch.div(input, other, rounding_mode="trunc")
    rest = input - quotient * other
    return quotient - ((rest != 0) & ((rest < 0) != (other < 0))).to(result)


def _floor_quotient(input: Tensor, other: Tensor) -> Tensor:
    """From the exact remainder, as eager: 1 // 0.1 is 9, although 1 / 0.1 rounds to 10."""
    rest = torch.fmod(input, other)
    quotient = (input - rest) / other
    quotient = torch.where((rest != 0) & ((rest < 0) ^ (other < 0)), quotient - 1, quotient)
    whole = torch.floor(quotient)
    whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
    rounded = input / other
    whole = torch.where(quotient == 0, rounded * 0, whole)
    return torch.where(other == 0, rounded, whole)


def _fmod(input: Tensor, other: Any) -> Tensor:
    """Exact, where torch-mlir subtracts a rounded multiple."""
    if not torch.result_type(input, other).is_floating_point:
        return NotImplemented if isinstance(other, Tensor) else torch.fmod(input, _as_tensor(other, input))
    rest = torch.remainder(input.abs(), abs(other))
    return torch.where(input < 0, -rest, rest)


def _as_tensor(value: Any, like: Any) -> Tensor:
    """A number as the tensor of no dimensions that it stands for beside the tensor `like`."""
    if isinstance(value, Tensor):
        return value
    dtype = torch.result_type(value, like)
    if dtype.is_floating_point:
        return _number(value, dtype, like.device)
    return torch.full((), wrapped(value, dtype), dtype=dtype, device=like.device)


def _floor_divide(input: Any, other: Any) -> Tensor:
    return torch.div(_as_tensor(input, other), other, rounding_mode="floor")


def _remainder_of_number(number: Any, other: Tensor) -> Tensor:
    return torch.remainder(_as_tensor(number, other), other)


def _beside_number(op: Callable[..., Tensor]) -> Callable[[Any, Any], Tensor]:
    """Of a number and a tensor, as floats: the stock form makes tensors of numbers by an op that torch-mlir
    has not."""

    def decompose(input: Any, other: Any) -> Tensor:
        tensor = input if isinstance(input, Tensor) else other
        dtype = torch.result_type(tensor, 1.0)
        operands = (
            value.to(dtype) if isinstance(value, Tensor) else _number(value, dtype, tensor.device)
            for value in (input, other)
        )
        return op(*operands)

    return decompose


def _number(value: Any, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A number as a float, infinity if neither the type nor float32 has it."""
    largest = torch.finfo(torch.promote_types(dtype, torch.float32)).max
    if isinstance(value, int | float) and abs(value) > largest:
        value = math.copysign(math.inf, value)
    return torch.full((), value, dtype=dtype, device=device)


def _neg(input: Tensor) -> Tensor:
    """torch-mlir negates integers as 32-bit floats."""
    if input.is_floating_point() or input.is_complex():
        return NotImplemented
    return torch.zeros((), dtype=input.dtype, device=input.device) - input


def _relu(input: Tensor) -> Tensor:
    """Keeps the sign of zero, as eager does."""
    zero = torch.zeros((), dtype=input.dtype, device=input.device)
    return torch.where(input < 0, zero, input)


def _reciprocal(input: Tensor) -> Tensor:
    """Infinite at zero, where torch-mlir asserts that there is none."""
    if input.is_complex():
        return NotImplemented
    dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
    return torch.ones((), dtype=dtype, device=input.device) / input


# Exponents for which eager does not call pow. The square root has no value below zero and keeps
# the sign of zero, which pow does not; products are exact where pow is not.
_POWERS: dict[float, Callable[[Tensor], Tensor]] = {
    0.5: torch.sqrt,
    -0.5: torch.rsqrt,
    2: lambda x: x * x,
    3: lambda x: x * x * x,
    -1: torch.reciprocal,
    -2: lambda x: torch.reciprocal(x * x),
}


def _integer_power(base: Tensor, exponent: int) -> Tensor:
    """By squaring: all bits count, where torch-mlir knows floats alone."""
    result = torch.ones_like(base)
    while exponent:
        if exponent & 1:
            result = result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result


def _pow(input: Tensor, exponent: Any) -> Tensor:
    if (
        isinstance(exponent, int)
        and exponent >= 0
        and not input.is_floating_point()
        and not input.is_complex()
    ):
        return _integer_power(input.to(torch.result_type(input, exponent)), exponent)
    result = torch.result_type(input, exponent)
    if result != input.dtype and result.is_floating_point:  # torch-mlir makes it an integer.
        return torch.pow(input.to(result), exponent)
    if exponent not in _POWERS or not input.is_floating_point():
        return NotImplemented
    if input.dtype == torch.float16:  # Eager rounds each product of bfloat16, and float16 once.
        return _POWERS[exponent](input.to(torch.float32)).to(input.dtype)
    return _POWERS[exponent](input)


def _mse_loss(input: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """Half precision rounds the difference before its square, which the stock form does not."""
    difference = input - target
    square = difference * difference
    return {0: lambda: square, 1: square.mean, 2: square.sum}[reduction]()


def _maximum(input: Tensor, other: Tensor) -> Tensor:
    """NaN if either is NaN, which torch-mlir's comparison forgets; it takes true for less than false."""
    if torch.result_type(input, other) == torch.bool:
        return torch.logical_or(input, other)
    if not torch.result_type(input, other).is_floating_point:
        return NotImplemented
    return torch.where((input > other) | (input != input), input, other)


def _minimum(input: Tensor, other: Tensor) -> Tensor:
    if torch.result_type(input, other) == torch.bool:
        return torch.logical_and(input, other)
    if not torch.result_type(input, other).is_floating_point:
        return NotImplemented
    return torch.where((input < other) | (input != input), input, other)


def _clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """NaN stays NaN, which torch-mlir's unordered comparison turns into a bound; so does a bound of NaN."""
    operands = [value for value in (input, min, max) if value is not None]
    _, result = elementwise_dtypes(*operands, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
    value = input.to(result)
    if input.dtype == torch.bool and not result.is_floating_point:
        value = value if min is None else torch.maximum(value, _as_tensor(min, value))
        return value if max is None else torch.minimum(value, _as_tensor(max, value))
    if not result.is_floating_point:
        tensors = [operand for operand in operands if isinstance(operand, Tensor)]
        if all(tensor.dtype == result for tensor in tensors):
            return NotImplemented
        low, high = (bound.to(result) if isinstance(bound, Tensor) else bound for bound in (min, max))
        return torch.clamp(value, low, high)
    if min is not None:
        bound = _bound(min, value)
        value = torch.where(_or_nan(value < bound, min, bound), bound, value)
    if max is not None:
        bound = _bound(max, value)
        value = torch.where(_or_nan(value > bound, max, bound), bound, value)
    return value


def _index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """A negative index is an error here, while it counts from the end in the sum that this becomes."""
    if input.dim() == 0:
        return _index_add(input.reshape(1), 0, index.reshape(-1), source.reshape(-1), alpha=alpha).reshape(())
    dim = dim % input.dim()
    index = torch.where(index < 0, input.shape[dim], index)
    values = source if alpha == 1 else source * alpha
    return aten.index_put(input, [None] * dim + [index], values, True)


def _index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if input.dim() == 0:
        return _index_fill(input.reshape(1), 0, index, value).reshape(())
    shape = list(input.shape)
    shape[dim] = index.numel()
    rows = torch.as_tensor(value, dtype=input.dtype, device=input.device).expand(shape)
    return input.index_copy(dim, _from_the_end(index, input.shape[dim]), rows)


def _from_the_end(index: Tensor, size: int) -> Tensor:
    return torch.where(index < 0, index + size, index)


def _hardtanh(input: Tensor, min_val: Any = -1, max_val: Any = 1) -> Tensor:
    """NaN stays NaN, as in `_clamp`."""
    if not input.is_floating_point():
        return NotImplemented
    return torch.clamp(input, min_val, max_val)


def _or_nan(outside: Tensor, user: Any, bound: Tensor) -> Tensor:
    return outside if not isinstance(user, Tensor) and user == user else outside | (bound != bound)


def _bound(bound: Any, like: Tensor) -> Tensor:
    if isinstance(bound, Tensor):
        return bound.to(like.dtype)
    return torch.full((), bound, dtype=like.dtype, device=like.device)


def _index_of_best(best: Callable[..., Tensor], input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """The first place of the extremum (or of a NaN) as two reductions.

    The stock form carries an index along with the value, which makes the
    reduction a chain of dependent steps.
    """
    if input.numel() == 0 or input.is_complex():
        return NotImplemented
    if dim is None or input.dim() == 0:
        shape = [1] * input.dim() if keepdim else []
        return _index_of_best(best, input.reshape(-1), 0, False).reshape(shape)
    dim = dim % input.dim()
    found = input == best(input, [dim], True)
    if input.is_floating_point():
        found = found | (input != input)
    size = input.shape[dim]
    places = torch.arange(size, device=input.device).view([-1] + [1] * (input.dim() - 1 - dim))
    return torch.where(found, places, size).amin([dim], keepdim)


def _argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _index_of_best(torch.amax, input, dim, keepdim)


def _argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _index_of_best(torch.amin, input, dim, keepdim)


def _max_with_index(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    indices = _argmax(input, dim, keepdim)
    return NotImplemented if indices is NotImplemented else (input.amax(dim, keepdim), indices)


def _min_with_index(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    indices = _argmin(input, dim, keepdim)
    return NotImplemented if indices is NotImplemented else (input.amin(dim, keepdim), indices)


def _gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """torch-mlir's tanh form has a wrong constant (0.797724 for sqrt(2 / pi))."""
    if approximate != "tanh":
        return NotImplemented
    x = input.to(compute_dtype(input))
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return (0.5 * x * (1 + torch.tanh(inner))).to(input.dtype)


def _elu(input: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    """By expm1: torch-mlir subtracts one from a rounded exponential."""
    if not input.is_floating_point():
        return NotImplemented
    x = input.to(compute_dtype(input))
    below = torch.expm1(x * input_scale) * (alpha * scale)
    return torch.where(x <= 0, below, x * scale).to(input.dtype)


def _constant_pad(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Negative padding is a slice, and integers are padded with one."""
    if all(amount >= 0 for amount in pad):
        if isinstance(value, float) and value.is_integer() and input.dtype == torch.uint8:
            return aten.constant_pad_nd(input, pad, int(value))
        return NotImplemented
    for place in range(0, len(pad), 2):
        dim = input.dim() - 1 - place // 2
        before, after = max(-pad[place], 0), max(-pad[place + 1], 0)
        input = input.narrow(dim, before, input.shape[dim] - before - after)
    return aten.constant_pad_nd(input, [max(amount, 0) for amount in pad], value)


def _roll(input: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """Two slices per dimension, where the stock form gathers at computed indices."""
    if not dims:
        return _roll(input.reshape(-1), shifts, (0,)).reshape(input.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = input.shape[dim]
        start = -shift % size if size else 0
        if start:
            parts = input.narrow(dim, start, size - start), input.narrow(dim, 0, start)
            input = torch.cat(parts, dim)
    return input.clone()


def _select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A slice that is written, where the stock form compares an index for every element."""
    dim = dim % input.dim()
    start = index % input.shape[dim]
    return aten.slice_scatter(input, src.unsqueeze(dim), dim, start, start + 1)


def _eye(rows: int, columns: int | None = None, **kwargs: Any) -> Tensor:
    """The stock form counts in the narrowest integer type, on which torch-mlir crashes."""
    dtype = kwargs.get("dtype") or torch.get_default_dtype()
    device = kwargs.get("device")
    row = torch.arange(rows, device=device).unsqueeze(1)
    column = torch.arange(rows if columns is None else columns, device=device)
    return (row == column).to(dtype)


CORRECTIONS: dict[OpOverload, Callable] = {
    aten.argmax.default: _argmax,
    aten.argmin.default: _argmin,
    aten.clamp.Tensor: _clamp,
    aten.clamp.default: _clamp,
    aten.constant_pad_nd.default: _constant_pad,
    aten.div.Scalar_mode: _divide,
    aten.div.Tensor_mode: _divide,
    aten.elu.default: _elu,
    aten.eye.default: _eye,
    aten.eye.m: _eye,
    aten.floor_divide.default: _floor_divide,
    aten.remainder.Scalar_Tensor: _remainder_of_number,
    aten.fmod.Scalar: _fmod,
    aten.fmod.Tensor: _fmod,
    aten.gelu.default: _gelu,
    aten.hardtanh.default: _hardtanh,
    aten.index_add.default: _index_add,
    aten.index_fill.int_Scalar: _index_fill,
    aten.index_fill.int_Tensor: _index_fill,
    aten.max.dim: _max_with_index,
    aten.maximum.default: _maximum,
    aten.min.dim: _min_with_index,
    aten.minimum.default: _minimum,
    aten.mse_loss.default: _mse_loss,
    aten.neg.default: _neg,
    aten.pow.Tensor_Scalar: _pow,
    aten.reciprocal.default: _reciprocal,
    aten.relu.default: _relu,
    aten.roll.default: _roll,
    aten.select_scatter.default: _select_scatter,
    aten.special_xlog1py.other_scalar: _beside_number(torch.special.xlog1py),
    aten.special_xlog1py.self_scalar: _beside_number(torch.special.xlog1py),
    aten.xlogy.Scalar_Other: _beside_number(torch.xlogy),
    aten.xlogy.Scalar_Self: _beside_number(torch.xlogy),
}
