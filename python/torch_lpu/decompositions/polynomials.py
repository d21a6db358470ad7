# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What approximations of special functions share: series, and the type that they compute in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Function = Callable[[Tensor], Tensor]


def horner(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """A polynomial, from the highest power down."""
    first, *rest = coefficients
    result = torch.full_like(x, first)
    for coefficient in rest:
        result = result * x + coefficient
    return result


def chebyshev(x: Tensor, coefficients: Sequence[float]) -> Tensor:
    """A Chebyshev series by Clenshaw's recurrence, from the highest term down; the constant is halved."""
    first, *rest = coefficients
    before, last, current = torch.zeros_like(x), torch.zeros_like(x), torch.full_like(x, first)
    for coefficient in rest:
        before, last = last, current
        current = x * last - before + coefficient
    return 0.5 * (current - before)


def in_float32(function: Function) -> Function:
    """The function for all types: integers and half precision as float32; float64 stays an op."""

    def decompose(input: Tensor) -> Tensor:
        if input.dtype == torch.float64 or input.is_complex():
            return NotImplemented
        result = input.dtype if input.is_floating_point() else torch.get_default_dtype()
        return function(input.to(torch.float32)).to(result)

    return decompose
