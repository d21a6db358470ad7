# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling of integers and with windows that differ in size, and gradients of averages.

A window is a first and a last place per dimension, which are arithmetic on the
output's place; so what belongs to which window is a comparison of two counters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

# First place of each window, and the place behind its last: one number a window.
Windows = tuple[Tensor, Tensor]


def _of_dimensions(rank: int, *arguments: Sequence[int]) -> list[list[int]]:
    """Arguments with a number for each dimension; one number alone is that of all."""
    return [list(numbers) * (rank // len(numbers)) for numbers in arguments]


def _adaptive_windows(size: int, count: int, device: torch.device) -> Windows:
    place = torch.arange(count, device=device)
    return (place * size) // count, ((place + 1) * size + count - 1) // count


def _strided_windows(size: int, count: int, kernel: int, stride: int, padding: int, device: Any) -> Windows:
    """Clipped at the end of the padding, as averages count."""
    first = torch.arange(count, device=device) * stride - padding
    return first, torch.clamp(first + kernel, max=size + padding)


def _spread(gradient: Tensor, dim: int, size: int, windows: Windows) -> Tensor:
    """Along one dimension: the sum of the gradients of all windows that an element is in."""
    place = torch.arange(size, device=gradient.device).unsqueeze(1)
    inside = (place >= windows[0]) & (place < windows[1])
    rows = gradient.movedim(dim, -1).unsqueeze(-2)
    zero = torch.zeros((), dtype=gradient.dtype, device=gradient.device)
    return torch.where(inside, rows, zero).sum(-1).movedim(-1, dim)


def _adaptive_avg_pool_backward(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def decompose(grad: Tensor, input: Tensor) -> Tensor:
        result = grad.to(compute_dtype(grad))
        dims = range(-rank, 0)
        for dim in dims:
            first, end = _adaptive_windows(input.shape[dim], grad.shape[dim], grad.device)
            shape = [-1 if d == dim else 1 for d in dims]
            result = result / (end - first).to(result.dtype).view(shape)
        for dim in dims:
            windows = _adaptive_windows(input.shape[dim], grad.shape[dim], grad.device)
            result = _spread(result, dim, input.shape[dim], windows)
        return result.to(grad.dtype)

    return decompose


def _counts(
    shape: Sequence[int],
    outputs: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    include_padding: bool,
    device: torch.device,
) -> Tensor:
    """How many elements each window averages."""
    result = torch.ones((), dtype=torch.int64, device=device)
    dims = range(-len(kernel), 0)
    for place, dim in enumerate(dims):
        size, count = shape[dim], outputs[dim]
        first, end = _strided_windows(size, count, kernel[place], stride[place], padding[place], device)
        if not include_padding:
            first, end = first.clamp(min=0), end.clamp(max=size)
        result = result * (end - first).view([-1 if d == dim else 1 for d in dims])
    return result


def _avg_pool_backward(
    rank: int,
    grad: Tensor,
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    """A window of integers rounds its share towards zero."""
    kernel, step, padding = _of_dimensions(rank, kernel_size, stride or kernel_size, padding)
    result = grad.to(compute_dtype(grad)) if grad.is_floating_point() else grad
    divisor: Any = divisor_override
    if divisor_override is None:
        counts = _counts(input.shape, grad.shape, kernel, step, padding, count_include_pad, grad.device)
        divisor = counts.to(result.dtype)
    result = torch.div(result, divisor, rounding_mode=None if grad.is_floating_point() else "trunc")
    for place, dim in enumerate(range(-rank, 0)):
        size, count = input.shape[dim], grad.shape[dim]
        windows = _strided_windows(size, count, kernel[place], step[place], padding[place], grad.device)
        result = _spread(result, dim, size, windows)
    return result.to(grad.dtype)


def _avg_pool2d(
    input: Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """With a divisor of the caller's: the average times what it was divided by."""
    if input.dim() == 3:
        rest = (stride or kernel_size, padding, ceil_mode, count_include_pad, divisor_override)
        return aten.avg_pool2d(input.unsqueeze(0), kernel_size, *rest).squeeze(0)
    if divisor_override is None or not input.is_floating_point():
        return NotImplemented
    kernel, step, padding = _of_dimensions(2, kernel_size, stride or kernel_size, padding)
    values = input.to(compute_dtype(input))
    average = aten.avg_pool2d(values, kernel, step, padding, ceil_mode, True)
    counts = _counts(input.shape, average.shape, kernel, step, padding, True, input.device)
    return (average * counts.to(average.dtype) / divisor_override).to(input.dtype)


def _avg_pool3d(input: Tensor, kernel_size: Sequence[int], stride: Sequence[int] = (), *args: Any) -> Tensor:
    """torch-mlir knows batches alone."""
    if input.dim() == 5:
        return NotImplemented
    return aten.avg_pool3d(input.unsqueeze(0), kernel_size, stride or kernel_size, *args).squeeze(0)


def _adaptive_max_pool(input: Tensor, output_size: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Windows are gathered at their longest; what is behind a window's end is not looked at."""
    if 0 in output_size or 0 in input.shape or input.dtype == torch.bool:
        return NotImplemented
    places = []
    for size, count in zip(input.shape[-len(output_size) :], output_size, strict=True):
        first, end = _adaptive_windows(size, count, input.device)
        longest = max(-(-(i + 1) * size // count) - i * size // count for i in range(count))
        place = first.unsqueeze(1) + torch.arange(longest, device=input.device)
        places.append(torch.minimum(place, end.unsqueeze(1) - 1))
    return _max_of_windows(input, places)


def _max_pool(
    input: Tensor,
    rank: int,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """Of integers, which torch-mlir compares as floats. It knows batches alone.

    A window that holds nothing of the image, as its first place is before the image and the next
    one behind it, has the type's minimum, and the index of that next place.
    """
    kernel, step, before, spread = _of_dimensions(rank, kernel_size, stride or kernel_size, padding, dilation)
    if input.dim() == rank + 1:
        op = aten.max_pool2d_with_indices if rank == 2 else aten.max_pool3d_with_indices
        best, index = op(input.unsqueeze(0), kernel, step, before, spread, ceil_mode)
        return best.squeeze(0), index.squeeze(0)
    if input.is_floating_point() or 0 in input.shape:
        return NotImplemented
    places = []
    none = torch.zeros((), dtype=torch.bool, device=input.device)
    behind = torch.zeros((), dtype=torch.int64, device=input.device)
    for d, size in enumerate(input.shape[-rank:]):
        free = size + 2 * before[d] - spread[d] * (kernel[d] - 1) - 1
        count = (free + (step[d] - 1 if ceil_mode else 0)) // step[d] + 1
        if ceil_mode and (count - 1) * step[d] >= size + before[d]:
            count -= 1
        first = torch.arange(count, device=input.device) * step[d] - before[d]
        place = first.unsqueeze(1) + torch.arange(kernel[d], device=input.device) * spread[d]
        # Outside of the image: the first or the last place of the window that is inside.
        place = torch.where(place < 0, place % spread[d], place)
        shape = [-1] + [1] * (rank - 1 - d)
        none = none | (place[:, 0] >= size).view(shape)
        behind = behind * size + place[:, 0].view(shape)
        place = torch.where(place >= size, size - 1 - (size - 1 - place) % spread[d], place)
        places.append(place.clamp(min=0))
    best, index = _max_of_windows(input, places)
    if all(gap <= size for gap, size in zip(spread, input.shape[-rank:], strict=True)):
        return best, index  # No step leads over the image.
    return torch.where(none, torch.iinfo(input.dtype).min, best), torch.where(none, behind, index)


def _max_pool2d(input: Tensor, *args: Any) -> tuple[Tensor, Tensor]:
    return _max_pool(input, 2, *args)


def _max_pool3d(input: Tensor, *args: Any) -> tuple[Tensor, Tensor]:
    return _max_pool(input, 3, *args)


def _max_of_windows(input: Tensor, places: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """The largest element of each window, and where in the image it is first found.

    `places` has for each dimension of the image the places of each window, in order; its first
    or last one is repeated where a window is shorter.
    """
    sizes, rank = input.shape[-len(places) :], 2 * len(places)
    taken = input
    flat = torch.zeros((), dtype=torch.int64, device=input.device)
    for number, (place, size) in enumerate(zip(places, sizes, strict=True)):
        # Dimension `number` of the image becomes (window, place in the window).
        dim = input.dim() - len(places) + 2 * number
        taken = taken.index_select(dim, place.reshape(-1)).unflatten(dim, place.shape)
        shape = [1] * rank
        shape[2 * number : 2 * number + 2] = place.shape
        flat = flat * size + place.view(shape)
    order = [*range(-rank, 0, 2), *range(1 - rank, 0, 2)]
    lead = list(range(taken.dim() - rank))
    windows = taken.permute(lead + [d + taken.dim() for d in order]).flatten(-len(places))
    flat = flat.permute([d + rank for d in order]).flatten(-len(places))
    best, place = windows.max(-1)
    index = flat.expand(windows.shape).gather(-1, place.unsqueeze(-1)).squeeze(-1)
    return best, index


POOLING: dict[OpOverload, Callable] = {
    aten._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool_backward(2),
    aten._adaptive_avg_pool3d_backward.default: _adaptive_avg_pool_backward(3),
    aten.adaptive_max_pool2d.default: _adaptive_max_pool,
    aten.adaptive_max_pool3d.default: _adaptive_max_pool,
    aten.avg_pool2d.default: _avg_pool2d,
    aten.avg_pool3d.default: _avg_pool3d,
    aten.avg_pool2d_backward.default: partial(_avg_pool_backward, 2),
    aten.avg_pool3d_backward.default: partial(_avg_pool_backward, 3),
    aten.max_pool2d_with_indices.default: _max_pool2d,
    aten.max_pool3d_with_indices.default: _max_pool3d,
}
