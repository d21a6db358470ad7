# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer arithmetic that torch-mlir knows for floats alone, or not at all: all bits count.

What eager does in a loop until it is done takes the greatest number of steps here
that its type may need; a step that finds nothing left to do changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten


def is_integer(dtype: torch.dtype) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex and dtype != torch.bool


def _powers(base: Any, exponent: Any) -> Tensor:
    """By squaring over the bits of the exponent; below zero only the powers of 1 and -1 are not zero."""
    dtype = torch.result_type(base, exponent)
    if not is_integer(dtype):
        return NotImplemented
    device = next(value.device for value in (base, exponent) if isinstance(value, Tensor))
    base, exponent = torch.broadcast_tensors(
        *(
            value.to(dtype)
            if isinstance(value, Tensor)
            else torch.full((), value, dtype=dtype, device=device)
            for value in (base, exponent)
        )
    )
    limits = torch.iinfo(dtype)
    one = torch.ones((), dtype=dtype, device=device)
    result, power = one.expand(base.shape), base
    for bit in range(int(limits.max).bit_length()):
        odd = ((exponent >> bit) & 1) != 0
        result = torch.where(odd, result * power, result)
        power = power * power
    if limits.min == 0:
        return result
    zero = torch.zeros((), dtype=dtype, device=device)
    alternating = torch.where((exponent & 1) != 0, -one, one)
    inverse = torch.where(base == 1, one, torch.where(base == -1, alternating, zero))
    return torch.where(exponent < 0, inverse, result)


def _euclidean_steps(dtype: torch.dtype) -> int:
    """Successive Fibonacci numbers take the most steps; the last below the greatest number counts."""
    return math.floor(math.log(torch.iinfo(dtype).max * math.sqrt(5), (1 + math.sqrt(5)) / 2)) + 1


def _gcd(input: Tensor, other: Tensor) -> Tensor:
    """Euclid's algorithm. The least number has no absolute value and stays negative, as in eager."""
    dtype = torch.result_type(input, other)
    if not is_integer(dtype):
        return NotImplemented
    small, large = torch.broadcast_tensors(input.to(dtype).abs(), other.to(dtype).abs())
    zero = torch.zeros((), dtype=dtype, device=small.device)
    for _ in range(_euclidean_steps(dtype)):
        done = small == 0
        rest = torch.fmod(large, torch.where(done, torch.ones_like(zero), small))
        small, large = torch.where(done, zero, rest), torch.where(done, large, small)
    return large


def _lcm(input: Tensor, other: Tensor) -> Tensor:
    """Narrow products are of 32 bits until they have lost their sign, as in C."""
    divisor = _gcd(input, other)
    if divisor is NotImplemented:
        return NotImplemented
    wide = torch.promote_types(divisor.dtype, torch.int32)
    none = divisor == 0
    divisor_or_one = torch.where(none, torch.ones_like(divisor), divisor).to(wide)
    whole = torch.div(input.to(wide), divisor_or_one, rounding_mode="trunc")
    multiple = (whole * other.to(wide)).abs().to(divisor.dtype)
    return torch.where(none, torch.zeros_like(multiple), multiple)


def _tril_indices(
    rows: int, columns: int, offset: int = 0, *, dtype: torch.dtype | None = None, **kwargs: Any
) -> Tensor:
    """Rows that grow by one, whose place is a root, and then whole rows.

    The stock form takes the root in float64. Here it may be off by one, which integers set right.
    """
    device, dtype = kwargs.get("device"), dtype or torch.int64
    skipped = min(max(-offset, 0), rows)  # Rows before the first that has elements.
    first = min(max(offset, 0) + 1, columns)  # Elements of the first one.
    remaining = rows - skipped if columns > 0 else 0
    growing = min(columns - first + 1, remaining)
    triangle = growing * first + growing * (growing - 1) // 2
    place = torch.arange(triangle, device=device)
    middle = first - 0.5
    row = torch.sqrt(middle * middle + 2 * place.to(torch.float32)) - middle
    row = row.to(torch.int64)

    def start(row: Tensor) -> Tensor:
        return torch.div(row * (row + (2 * first - 1)), 2, rounding_mode="trunc")

    row = torch.where(start(row) > place, row - 1, row)
    row = torch.where(start(row + 1) <= place, row + 1, row)
    rest = torch.arange((remaining - growing) * columns, device=device)
    below = torch.div(rest, max(columns, 1), rounding_mode="trunc")
    row_indices = torch.cat((row, below + growing)) + skipped
    column_indices = torch.cat((place - start(row), rest - below * columns))
    return torch.stack((row_indices, column_indices)).to(dtype)


def _triu_indices(rows: int, columns: int, offset: int = 0, **kwargs: Any) -> Tensor:
    """The lower triangle, counted from the other corner."""
    lower = _tril_indices(rows, columns, columns - rows - offset, **kwargs).flip(1)
    row, column = lower[0], lower[1]
    return torch.stack((rows - 1 - row, columns - 1 - column))


def _product_of_bytes(left: Tensor, right: Tensor) -> Tensor:
    return left.to(torch.int32) @ right.to(torch.int32)


def _product_with_byte_weights(input: Tensor, weight: Tensor, scales: Tensor) -> Tensor:
    """Weights (N, K) in int8 with a scale for each row; the sums are scaled before they are rounded."""
    product = input.to(torch.float32) @ weight.to(torch.float32).T
    return (product * scales.to(torch.float32)).to(input.dtype)


INTEGERS: dict[OpOverload, Callable] = {
    aten._int_mm.default: _product_of_bytes,
    aten._weight_int8pack_mm.default: _product_with_byte_weights,
    aten.gcd.default: _gcd,
    aten.lcm.default: _lcm,
    aten.pow.Scalar: _powers,
    aten.pow.Tensor_Tensor: _powers,
    aten.tril_indices.default: _tril_indices,
    aten.triu_indices.default: _triu_indices,
}
