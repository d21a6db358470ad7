# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sampling of images and volumes at computed places; half precision in float32."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._decomp.decompositions import grid_sampler_2d as stock_grid_sampler_2d
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

_BILINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER, _REFLECTION = range(3)


def _place(coordinate: Tensor, size: int, padding: int, align_corners: bool) -> Tensor:
    """From [-1, 1] to elements along one dimension, brought inside if the padding says so."""
    if align_corners:
        place = (coordinate + 1) / 2 * (size - 1)
    else:
        place = ((coordinate + 1) * size - 1) / 2
    if padding == _ZEROS:
        # Two places outside suffice. A NaN is outside.
        return torch.where(torch.isnan(place), -2.0, place).clamp(-2, size + 1)
    if padding == _REFLECTION:
        place = _reflect(place, size, align_corners)
    # Eager's order of comparisons takes a NaN to the end.
    return torch.where(torch.isnan(place), float(size - 1), place).clamp(0, size - 1)


def _reflect(place: Tensor, size: int, align_corners: bool) -> Tensor:
    low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
    if span <= 0:
        return torch.zeros_like(place)
    distance = (place - low).abs()
    flips = torch.floor(distance / span)
    rest = torch.fmod(distance, span)
    odd = torch.remainder(flips, 2.0) != 0
    return torch.where(odd, span - rest, rest) + low


def _grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    if interpolation_mode not in (_BILINEAR, _NEAREST) or input.numel() == 0 or grid.numel() == 0:
        return NotImplemented
    dtype = compute_dtype(input)
    batch, channels = input.shape[:2]
    sizes = list(input.shape[2:])
    flat = input.reshape(batch, channels, -1).to(dtype)
    # The grid's last dimension counts from the input's last.
    places = [
        _place(grid[..., 2 - axis].to(dtype), sizes[axis], padding_mode, align_corners) for axis in range(3)
    ]

    def take(index: list[Tensor]) -> Tensor:
        """The elements at whole places, zero outside."""
        inside = torch.ones((), dtype=torch.bool, device=input.device)
        offset = torch.zeros((), dtype=torch.int64, device=input.device)
        for value, size in zip(index, sizes, strict=True):
            inside = inside & (value >= 0) & (value <= size - 1)
            offset = offset * size + value.clamp(0, size - 1).to(torch.int64)
        offset = offset.reshape(batch, 1, -1).expand(batch, channels, -1)
        taken = flat.gather(2, offset)
        return torch.where(inside.reshape(batch, 1, -1), taken, 0.0)

    if interpolation_mode == _NEAREST:
        result = take([torch.round(place) for place in places])
    else:
        below = [torch.floor(place) for place in places]
        result = torch.zeros((), dtype=dtype, device=input.device)
        for corner in itertools.product((0, 1), repeat=3):
            weight = torch.ones((), dtype=dtype, device=input.device)
            for place, base, side in zip(places, below, corner, strict=True):
                weight = weight * (place - base if side else base + 1 - place)
            taken = take([base + side for base, side in zip(below, corner, strict=True)])
            result = result + taken * weight.reshape(batch, 1, -1)
    return result.reshape([batch, channels, *grid.shape[1:4]]).to(input.dtype)


def _grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """The stock form, which on half precision would round places and weights too.

    It has zeros where a place is no number. Eager has there the place 0 if the padding brings
    places inside; else its weights are NaN, also at an infinite place. Nearest places have none.
    """
    dtype = compute_dtype(input)
    at = grid.to(dtype)
    bounded = padding_mode != _ZEROS and interpolation_mode in (_BILINEAR, _NEAREST)
    if bounded:
        unknown = torch.isnan(at) if padding_mode == _BORDER else ~torch.isfinite(at)
        at = torch.where(unknown, -1.0, at)
    result = stock_grid_sampler_2d(input.to(dtype), at, interpolation_mode, padding_mode, align_corners)
    if not bounded and interpolation_mode != _NEAREST:
        result = torch.where(torch.isfinite(at).all(-1).unsqueeze(1), result, math.nan)
    return result.to(input.dtype)


def _smooth(image: Tensor, dim: int, size: int, scale: float) -> Tensor:
    """Along one dimension: each element is an average under a triangle around its place."""
    length, device = image.shape[dim], image.device
    support = max(scale, 1.0)
    taps = math.ceil(support) * 2 + 1
    center = (torch.arange(size, device=device).to(image.dtype) + 0.5) * scale
    first = (center - support + 0.5).to(torch.int64).clamp(min=0)
    count = (center + support + 0.5).to(torch.int64).clamp(max=length) - first
    tap = torch.arange(taps, device=device)
    place = first.unsqueeze(1) + tap
    distance = (place.to(image.dtype) - center.unsqueeze(1) + 0.5) / support
    inside = tap < count.unsqueeze(1)
    weight = torch.where(inside, (1 - distance.abs()).clamp(min=0), 0.0)
    total = weight.sum(1, keepdim=True)
    weight = torch.where(total == 0, weight, weight / total)
    rows = image.movedim(dim, -1)
    taken = rows.index_select(-1, place.clamp(max=length - 1).reshape(-1)).unflatten(-1, (size, taps))
    return (taken * weight).sum(-1).movedim(-1, dim)


def _upsample_bilinear2d_aa(
    input: Tensor,
    output_size: Sequence[int],
    align_corners: bool,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Tensor:
    """With antialiasing; bytes are in fixed point in eager."""
    if input.dtype != torch.float32 or input.numel() == 0:
        return NotImplemented
    for dim, scale in ((-1, scales_w), (-2, scales_h)):
        length, size = input.shape[dim], output_size[dim]
        if align_corners:
            step = (length - 1) / (size - 1) if size > 1 else 0.0
        else:
            step = 1 / scale if scale else length / size
        input = _smooth(input, dim, size, step)
    return input


GRIDS: dict[OpOverload, Callable] = {
    aten._upsample_bilinear2d_aa.default: _upsample_bilinear2d_aa,
    aten.grid_sampler_2d.default: _grid_sampler_2d,
    aten.grid_sampler_3d.default: _grid_sampler_3d,
}
