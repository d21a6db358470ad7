# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running maxima, minima and logarithms of sums, by doubling.

After step s each element stands for itself and the 2^s - 1 before it (Hillis and
Steele), so a scan of n elements takes log2(n) combinations of whole tensors.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

Parts = tuple[Tensor, ...]


def scan(combine: Callable[[Parts, Parts], Parts], values: Parts, dim: int) -> Parts:
    """`combine(earlier, later)` of all elements up to each one; associative."""
    size = values[0].shape[dim]
    step = 1
    while step < size:
        earlier = tuple(value.narrow(dim, 0, size - step) for value in values)
        later = tuple(value.narrow(dim, step, size - step) for value in values)
        combined = combine(earlier, later)
        values = tuple(
            torch.cat((value.narrow(dim, 0, step), rest), dim)
            for value, rest in zip(values, combined, strict=True)
        )
        step *= 2
    return values


def _running_best(
    better: Callable[[Tensor, Tensor], Tensor],
) -> Callable[[Tensor, int], tuple[Tensor, Tensor]]:
    def combine(earlier: Parts, later: Parts) -> Parts:
        """The later one if it is as good, or NaN."""
        takes_later = better(later[0], earlier[0])
        if later[0].is_floating_point():
            takes_later = (later[0] != later[0]) | ((earlier[0] == earlier[0]) & takes_later)
        return tuple(torch.where(takes_later, b, a) for a, b in zip(earlier, later, strict=True))

    def decompose(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        if input.dim() == 0:
            return input.clone(), torch.zeros((), dtype=torch.int64, device=input.device)
        dim = dim % input.dim()
        shape = [-1 if d == dim else 1 for d in range(input.dim())]
        places = torch.arange(input.shape[dim], device=input.device).view(shape).expand(input.shape)
        values = input.to(torch.uint8) if input.dtype == torch.bool else input
        best, index = scan(combine, (values, places.clone()), dim)
        return best.to(input.dtype).clone(), index

    return decompose


def _logcumsumexp(input: Tensor, dim: int) -> Tensor:
    if not input.is_floating_point() or input.dim() == 0:
        return NotImplemented if input.dim() else input.clone()

    def combine(earlier: Parts, later: Parts) -> Parts:
        large = torch.maximum(earlier[0], later[0])
        small = torch.minimum(earlier[0], later[0])
        sum_ = large + torch.log1p(torch.exp(small - large))
        # Of equal infinities the difference is NaN, and each is the sum.
        return (torch.where((large == small) & torch.isinf(large), large, sum_),)

    (result,) = scan(combine, (input.to(compute_dtype(input)),), dim % input.dim())
    return result.to(input.dtype).clone(memory_format=torch.contiguous_format)  # As eager's lies.


SCANS: dict[OpOverload, Callable] = {
    aten.cummax.default: _running_best(torch.ge),
    aten.cummin.default: _running_best(torch.le),
    aten.logcumsumexp.default: _logcumsumexp,
}
