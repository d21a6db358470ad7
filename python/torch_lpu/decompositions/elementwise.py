# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations that torch-mlir does not know, by others and by the bits of a float32.

The sign of a NaN is open on the machine, as everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

# A float32: sign, eight bits of the exponent, 23 of the fraction.
_FRACTION_BITS = 23
_FRACTION = (1 << _FRACTION_BITS) - 1
_EXPONENT = 0xFF
_BIAS = 127


def _floats(*values: Any) -> tuple[torch.dtype, list[Tensor]]:
    """The result's type, and the operands as PyTorch computes with them: integers as the default float."""
    dtype = torch.result_type(values[0], values[-1])
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    wide = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    device = next(value.device for value in values if isinstance(value, Tensor))
    tensors = [
        value.to(wide) if isinstance(value, Tensor) else torch.full((), value, dtype=wide, device=device)
        for value in values
    ]
    return dtype, tensors


def _refused(*values: Any) -> bool:
    types = (torch.float64, torch.complex32, torch.complex64, torch.complex128)
    return any(isinstance(value, Tensor) and value.dtype in types for value in values)


def _angle(input: Tensor) -> Tensor:
    if input.is_complex():
        return NotImplemented
    dtype = input.dtype if input.is_floating_point() else torch.get_default_dtype()
    pi = torch.full((), math.pi, dtype=dtype, device=input.device)
    result = torch.where(input < 0, pi, torch.zeros((), dtype=dtype, device=input.device))
    return torch.where(input != input, input, result) if input.is_floating_point() else result


def _signbit(input: Tensor) -> Tensor:
    if not input.is_floating_point():
        return (
            input < 0
            if input.dtype not in (torch.bool, torch.uint8)
            else torch.zeros_like(input, dtype=torch.bool)
        )
    if _refused(input):
        return NotImplemented
    return input.to(torch.float32).view(torch.int32) < 0


def _copysign(input: Tensor, other: Any) -> Tensor:
    if _refused(input, other):
        return NotImplemented
    dtype, (x, y) = _floats(input, other)
    size = x.abs()
    return torch.where(_signbit(y), -size, size).to(dtype)


def _hypot(input: Tensor, other: Tensor) -> Tensor:
    """Without overflow of the squares; infinite if either is, even beside NaN."""
    if _refused(input, other):
        return NotImplemented
    dtype, (x, y) = _floats(input, other)
    x, y = x.abs(), y.abs()
    large, small = torch.maximum(x, y), torch.minimum(x, y)
    ratio = torch.where(large == 0, torch.zeros_like(large), small / large)
    result = large * torch.sqrt(1 + ratio * ratio)
    infinite = torch.isinf(x) | torch.isinf(y)
    return torch.where(infinite, math.inf, result).to(dtype)


# Types whose bits can be seen, and what as.
_BITS = {torch.float32: torch.int32, torch.bfloat16: torch.int16}


def _nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The neighbour is one away in the bits, seen as sign and magnitude."""
    dtype = torch.result_type(input, other)
    if dtype == torch.float16:
        return _nextafter_in_half(*(value.to(dtype).to(torch.float32) for value in (input, other)))
    if dtype not in _BITS:
        return NotImplemented
    x, y = torch.broadcast_tensors(input.to(dtype), other.to(dtype))
    integer = _BITS[dtype]
    bits = x.view(integer)
    stepped = torch.where(_leads_away(x, y), bits + 1, bits - 1).view(dtype)
    smallest = torch.full((), 1, dtype=integer, device=x.device).view(dtype)
    return _neighbour(x, y, stepped, smallest)


def _nextafter_in_half(x: Tensor, y: Tensor) -> Tensor:
    """The machine cannot take the bits of a float16, but those of the same float32.

    There the next number is always as many units of the last place away, and a subnormal one always as
    far away. Infinity stands where the number behind the greatest would.
    """
    away = _leads_away(x, y)
    size = x.abs().clamp(max=2.0**16)
    apart, smallest = 1 << (_FRACTION_BITS - 10), 2.0**-24
    bits = size.view(torch.int32)
    normal = torch.where(away, bits + apart, bits - apart).view(torch.float32)
    subnormal = torch.where(away, size + smallest, size - smallest)
    stepped = torch.where(size <= 2.0**-14, subnormal, normal)
    stepped = torch.where(x < 0, -stepped, stepped)
    return _neighbour(x, y, stepped, torch.full((), smallest, device=x.device)).to(torch.float16)


def _leads_away(x: Tensor, y: Tensor) -> Tensor:
    """Whether the way from x to y leads away from zero."""
    return (y > x) == (x > 0)


def _neighbour(x: Tensor, y: Tensor, stepped: Tensor, smallest: Tensor) -> Tensor:
    """The neighbour of x, where `stepped` has it for all numbers but zero."""
    stepped = torch.where(x == 0, torch.where(y > 0, smallest, -smallest), stepped)
    result = torch.where(x == y, y, stepped)
    return torch.where((x != x) | (y != y), math.nan, result)


def _frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    """Subnormal numbers are scaled first, so that their exponent is one that the bits hold."""
    if _refused(input) or not input.is_floating_point():
        return NotImplemented
    x = input.to(torch.float32)
    subnormal = x.abs() < 2.0**-126
    scaled = torch.where(subnormal, x * 2.0**24, x)
    bits = scaled.view(torch.int32)
    exponent = (bits >> _FRACTION_BITS) & _EXPONENT
    mantissa = ((bits & ~(_EXPONENT << _FRACTION_BITS)) | ((_BIAS - 1) << _FRACTION_BITS)).view(torch.float32)
    exponent = exponent - (_BIAS - 1) - torch.where(subnormal, 24, 0).to(torch.int32)
    itself = (x == 0) | (exponent > _BIAS + 1) | torch.isinf(x) | (x != x)
    zero = torch.zeros((), dtype=torch.int32, device=x.device)
    return torch.where(itself, x, mantissa).to(input.dtype), torch.where(itself, zero, exponent)


def _fmax(input: Tensor, other: Tensor) -> Tensor:
    input, other = torch.broadcast_tensors(input, other)
    return torch.where((input >= other) | (other != other), input, other)


def _fmin(input: Tensor, other: Tensor) -> Tensor:
    input, other = torch.broadcast_tensors(input, other)
    return torch.where((input <= other) | (other != other), input, other)


def _with_number(op: OpOverload) -> Callable[..., Any]:
    """An op on a number as one on a tensor of no dimensions."""

    def decompose(input: Tensor, number: Any) -> Tensor:
        dtype = torch.result_type(input, number)
        return op(input, torch.full((), number, dtype=dtype, device=input.device))

    return decompose


def _shift(same: OpOverload, op: OpOverload) -> Callable[..., Any]:
    """`op`, whose operands are tensors of one type: torch-mlir knows no other shift."""

    def decompose(input: Any, other: Any) -> Tensor:
        dtype = torch.result_type(input, other)
        tensors = isinstance(input, Tensor) and isinstance(other, Tensor)
        if tensors and input.dtype == other.dtype == dtype:
            return NotImplemented if same is op else op(input, other)
        device = (input if isinstance(input, Tensor) else other).device
        input, other = (
            value.to(dtype)
            if isinstance(value, Tensor)
            else torch.full((), value, dtype=dtype, device=device)
            for value in (input, other)
        )
        return op(input, other)

    return decompose


_SHIFTS: dict[OpOverload, Callable] = {
    getattr(packet, overload): _shift(getattr(packet, overload), op)
    for packets, op in (
        ((aten.bitwise_left_shift, aten.__lshift__), aten.bitwise_left_shift.Tensor),
        ((aten.bitwise_right_shift, aten.__rshift__), aten.bitwise_right_shift.Tensor),
    )
    for packet in packets
    for overload in ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")
    if overload in packet.overloads()
}


def _logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(a) + exp(b)) without overflow; equal infinities are their own sum."""
    if _refused(input, other):
        return NotImplemented
    x, y = input.to(compute_dtype(input)), other.to(compute_dtype(other))
    large, small = torch.maximum(x, y), torch.minimum(x, y)
    result = large + torch.log1p(torch.exp(small - large))
    return torch.where((x == y) & torch.isinf(x), x, result).to(torch.result_type(input, other))


ELEMENTWISE: dict[OpOverload, Callable] = {
    **_SHIFTS,
    aten.angle.default: _angle,
    aten.bitwise_or.Scalar: _with_number(aten.bitwise_or.Tensor),
    aten.bitwise_xor.Scalar: _with_number(aten.bitwise_xor.Tensor),
    aten.copysign.Scalar: _copysign,
    aten.copysign.Tensor: _copysign,
    aten.fmax.default: _fmax,
    aten.fmin.default: _fmin,
    aten.frexp.Tensor: _frexp,
    aten.hypot.default: _hypot,
    aten.nextafter.default: _nextafter,
    aten.signbit.default: _signbit,
}
