# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows from a sort, and what counts smaller elements: medians, modes, searches, histograms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten


def _sort_stable(
    input: Tensor, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Tensor, Tensor]:
    """The machine's sort is stable as it is."""
    return aten.sort.default(input, dim, descending)


def _is_nan(input: Tensor) -> Tensor:
    return input != input


def _take_along(input: Tensor, dim: int, place: Tensor, keepdim: bool) -> Tensor:
    taken = input.gather(dim, place)
    return taken if keepdim else taken.squeeze(dim)


def _median_along(skip_nan: bool) -> Callable[..., Any]:
    """The lower of two; NaN is the greatest, and the median where one is, unless it is skipped."""

    def decompose(input: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
        if input.dim() == 0:
            return input.clone(), torch.zeros((), dtype=torch.int64, device=input.device)
        size = input.shape[dim]
        if size == 0:
            return NotImplemented
        values, places = aten.sort.default(input, dim)
        numbers = (~_is_nan(input)).sum(dim, keepdim=True)
        if skip_nan:
            place = ((numbers - 1) // 2).clamp(min=0)
        else:
            middle = torch.full_like(numbers, (size - 1) // 2)
            place = torch.where(numbers < size, numbers, middle)
        return _take_along(values, dim, place, keepdim), _take_along(places, dim, place, keepdim)

    return decompose


def _median_of_all(skip_nan: bool) -> Callable[..., Any]:
    def decompose(input: Tensor) -> Tensor:
        if input.numel() == 0:
            return NotImplemented
        return _median_along(skip_nan)(input.reshape(-1), 0)[0]

    return decompose


def _mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest of the most frequent values, and the last place that has it."""
    if input.dim() == 0:
        return input.clone(), torch.zeros((), dtype=torch.int64, device=input.device)
    values, places = aten.sort.default(input, dim)
    rows = values.movedim(dim, -1)
    frequency = (rows.unsqueeze(-1) == rows.unsqueeze(-2)).sum(-1)
    first = frequency.argmax(-1, keepdim=True)
    last = (first + frequency.gather(-1, first) - 1).clamp(min=0).movedim(-1, dim)
    return _take_along(values, dim, last, keepdim), _take_along(places, dim, last, keepdim)


def _searchsorted(
    sequence: Tensor,
    values: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Counts the elements before each value. NaN is behind all, as if it were the greatest."""
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    right = right if side is None else side == "right"
    if sequence.dim() == 1:
        elements = sequence.view([1] * values.dim() + [-1])
    else:
        elements = sequence.unsqueeze(-2)
    wanted = values.unsqueeze(-1)
    before = elements <= wanted if right else elements < wanted
    if values.is_floating_point():
        before = before | (wanted != wanted)
    count = before.sum(-1)
    return count.to(torch.int32) if out_int32 else count


def _searchsorted_number(sequence: Tensor, value: Any, **kwargs: Any) -> Tensor:
    dtype = torch.result_type(sequence, value)
    return _searchsorted(sequence, torch.full((), value, dtype=dtype, device=sequence.device), **kwargs)


def _histc(input: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """Bins of equal width; where no range is given it is that of the data, widened if that is one number."""
    if not input.is_floating_point() or input.numel() == 0:
        return NotImplemented
    values = input.reshape(-1)
    low = torch.full((), min, dtype=input.dtype, device=input.device)
    high = torch.full((), max, dtype=input.dtype, device=input.device)
    if min == max:
        low, high = values.amin(), values.amax()
        same = low == high
        low, high = torch.where(same, low - 1, low), torch.where(same, high + 1, high)
    inside = (values >= low) & (values <= high)
    place = ((values - low) * bins / (high - low)).to(torch.int64).clamp(max=bins - 1)
    numbers = torch.arange(bins, device=input.device)
    hits = (place.unsqueeze(0) == numbers.unsqueeze(1)) & inside.unsqueeze(0)
    return hits.sum(1).to(input.dtype)


def _edges(input: Tensor, bins: int, range: Sequence[float] | None) -> Tensor:
    """Even steps over the range, or over that of the data; a single value gets a bin around it."""
    if range is not None:
        low, high = (torch.full((), bound, dtype=input.dtype, device=input.device) for bound in range)
    else:
        low, high = input.amin(), input.amax()
    same = low == high
    low, high = torch.where(same, low - 0.5, low), torch.where(same, high + 0.5, high)
    return torch.linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)


def _histogram_of(
    input: Tensor, edges: Tensor, weight: Tensor | None, density: bool
) -> tuple[Tensor, Tensor]:
    """Bins are open above, except for the last."""
    values, bins = input.reshape(-1), edges.shape[0] - 1
    place = (_searchsorted(edges, values, right=True) - 1).clamp(max=bins - 1)
    inside = (values >= edges[0]) & (values <= edges[-1])
    hits = (place.unsqueeze(0) == torch.arange(bins, device=input.device).unsqueeze(1)) & inside.unsqueeze(0)
    if weight is None:
        counts = hits.sum(1).to(input.dtype)
    else:
        counts = torch.where(hits, weight.reshape(1, -1), 0.0).sum(1)
    if density:
        counts = counts / counts.sum() / (edges[1:] - edges[:-1])
    return counts, edges


def _histogram(
    input: Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    if input.dtype != torch.float32 or input.numel() == 0:
        return NotImplemented
    return _histogram_of(input, _edges(input, bins, range), weight, density)


def _histogram_at(
    input: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    if input.dtype != torch.float32 or input.numel() == 0:
        return NotImplemented
    return _histogram_of(input, bins.clone(), weight, density)


def _edges_of_columns(
    input: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> list[Tensor]:
    if input.dtype != torch.float32 or input.numel() == 0:
        return NotImplemented
    columns = input.reshape(-1, len(bins)).unbind(1)
    ranges = [None if range is None else range[2 * d : 2 * d + 2] for d, _ in enumerate(bins)]
    return [_edges(*column) for column in zip(columns, bins, ranges, strict=True)]


def _histogram_of_rows(
    input: Tensor, edges: Sequence[Tensor], *, weight: Tensor | None = None, density: bool = False
) -> Tensor:
    """A row falls into one bin of each of its columns, or is not counted."""
    if input.dtype != torch.float32 or input.numel() == 0:
        return NotImplemented
    rows = input.reshape(-1, len(edges))
    flat = torch.zeros_like(rows[:, 0], dtype=torch.int64)
    inside = torch.ones_like(flat, dtype=torch.bool)
    bins = [borders.shape[0] - 1 for borders in edges]
    for d, (borders, count) in enumerate(zip(edges, bins, strict=True)):
        column = rows[:, d].contiguous()
        place = (_searchsorted(borders, column, right=True) - 1).clamp(max=count - 1)
        flat = flat * count + place
        inside = inside & (column >= borders[0]) & (column <= borders[-1])
    numbers = torch.arange(math.prod(bins), device=input.device)
    hits = (flat.unsqueeze(0) == numbers.unsqueeze(1)) & inside.unsqueeze(0)
    counts = hits.to(input.dtype) if weight is None else torch.where(hits, weight.reshape(1, -1), 0.0)
    result = counts.sum(1).reshape(bins)
    if density:
        result = result / result.sum()
        for d, borders in enumerate(edges):
            shape = [-1 if d == other else 1 for other, _ in enumerate(edges)]
            result = result / (borders[1:] - borders[:-1]).view(shape)
    return result


def _histogram_of_columns(
    input: Tensor,
    bins: Sequence[int],
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Tensor:
    edges = _edges_of_columns(input, bins, range=range)
    if edges is NotImplemented:
        return NotImplemented
    return _histogram_of_rows(input, edges, weight=weight, density=density)


ORDER: dict[OpOverload, Callable] = {
    aten._histogramdd_bin_edges.default: _edges_of_columns,
    aten._histogramdd_from_bin_cts.default: _histogram_of_columns,
    aten._histogramdd_from_bin_tensors.default: _histogram_of_rows,
    aten.histc.default: _histc,
    aten.histogram.bin_ct: _histogram,
    aten.histogram.bins_tensor: _histogram_at,
    aten.median.default: _median_of_all(skip_nan=False),
    aten.median.dim: _median_along(skip_nan=False),
    aten.mode.default: _mode,
    aten.nanmedian.default: _median_of_all(skip_nan=True),
    aten.nanmedian.dim: _median_along(skip_nan=True),
    aten.searchsorted.Scalar: _searchsorted_number,
    aten.searchsorted.Tensor: _searchsorted,
    aten.sort.stable: _sort_stable,
}
