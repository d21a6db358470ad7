# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of sampling an image at computed places.

A sample is a sum over taps: elements at whole places around the place, weighted along each
dimension by functions of the distance. So the image gets each weight times the gradient at the
tap's place, and the place gets the slopes of the weights times what the taps held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload

from ..moments import compute_dtype

aten = torch.ops.aten

_BILINEAR, _NEAREST, _BICUBIC = range(3)
_ZEROS, _BORDER, _REFLECTION = range(3)

# (whole place, weight, slope of the weight by the place)
Tap = tuple[Tensor, Tensor, Tensor]

# Of the cubic convolution.
_A = -0.75


def _inside(place: Tensor, size: int, padding: int, align_corners: bool) -> tuple[Tensor, Tensor]:
    """The place that the padding makes of it, and the slope of that."""
    slope = torch.ones_like(place)
    if padding == _REFLECTION:
        low, span = (0.0, float(size - 1)) if align_corners else (-0.5, float(size))
        if span <= 0:
            return torch.zeros_like(place), torch.zeros_like(place)
        distance = (place - low).abs()
        odd = torch.remainder(torch.floor(distance / span), 2.0) != 0
        rest = torch.fmod(distance, span)
        slope = torch.where((place < low) ^ odd, -slope, slope)
        place = torch.where(odd, span - rest, rest) + low
    if padding != _ZEROS:
        slope = torch.where((place <= 0) | (place >= size - 1), 0.0, slope)
        place = place.clamp(0, size - 1)
    return place, slope


def _cubic(distance: Tensor, far: bool) -> tuple[Tensor, Tensor]:
    """The weight at a distance of up to 1, or from 1 to 2, and its slope by the distance."""
    d = distance
    if far:
        return ((_A * d - 5 * _A) * d + 8 * _A) * d - 4 * _A, (3 * _A * d - 10 * _A) * d + 8 * _A
    return ((_A + 2) * d - (_A + 3)) * d * d + 1, (3 * (_A + 2) * d - 2 * (_A + 3)) * d


def _taps(coordinate: Tensor, size: int, mode: int, padding: int, align_corners: bool) -> list[Tap]:
    """Along one dimension, for a coordinate in [-1, 1]; slopes are by the coordinate."""
    scale = (size - 1) / 2 if align_corners else size / 2
    place = (coordinate + 1) * scale if align_corners else (coordinate + 1) * scale - 0.5
    if mode != _BICUBIC:
        place, slope = _inside(place, size, padding, align_corners)
        if mode == _NEAREST:
            return [(torch.round(place), torch.ones_like(place), torch.zeros_like(place))]
        below = torch.floor(place)
        slope = slope * scale
        return [(below, below + 1 - place, -slope), (below + 1, place - below, slope)]
    below = torch.floor(place)
    rest = place - below
    taps = []
    for offset, distance, sign in ((-1, rest + 1, 1), (0, rest, 1), (1, 1 - rest, -1), (2, 2 - rest, -1)):
        weight, slope = _cubic(distance, offset in (-1, 2))
        whole, _ = _inside(below + offset, size, padding, align_corners)
        taps.append((whole, weight, slope * (sign * scale)))
    return taps


def _grid_sampler_2d_backward(
    grad: Tensor,
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None]:
    if input.numel() == 0 or grid.numel() == 0:
        return NotImplemented
    dtype = compute_dtype(input)
    batch, channels, height, width = input.shape
    flat, gradient = input.reshape(batch, channels, -1).to(dtype), grad.reshape(batch, channels, -1).to(dtype)
    places = grid.to(dtype).reshape(batch, -1, 2)
    how = interpolation_mode, padding_mode, align_corners
    columns, rows = _taps(places[..., 0], width, *how), _taps(places[..., 1], height, *how)
    for_input = torch.zeros_like(flat)
    for_x, for_y = torch.zeros_like(places[..., 0]), torch.zeros_like(places[..., 1])
    for y, weight_y, slope_y in rows:
        for x, weight_x, slope_x in columns:
            inside = ((y >= 0) & (y <= height - 1) & (x >= 0) & (x <= width - 1)).to(dtype).unsqueeze(1)
            at = y.clamp(0, height - 1).to(torch.int64) * width + x.clamp(0, width - 1).to(torch.int64)
            at = at.unsqueeze(1).expand(batch, channels, -1)
            here = gradient * inside
            if output_mask[0]:
                for_input = for_input.scatter_add(2, at, here * (weight_y * weight_x).unsqueeze(1))
            if output_mask[1]:
                held = (flat.gather(2, at) * here).sum(1)
                for_x, for_y = for_x + held * weight_y * slope_x, for_y + held * slope_y * weight_x
    return (
        for_input.view(input.shape).to(input.dtype) if output_mask[0] else None,
        torch.stack((for_x, for_y), -1).view(grid.shape).to(grid.dtype) if output_mask[1] else None,
    )


GRID_GRADIENTS: dict[OpOverload, Callable[..., Any]] = {
    aten.grid_sampler_2d_backward.default: _grid_sampler_2d_backward,
}
