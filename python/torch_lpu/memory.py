# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where tensors are in memory: which of them overlap, and which overlap themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor

# Pairs of numbers of inputs; the first of a pair is changed.
Pairs = frozenset[tuple[int, int]]


def overlapping_pairs(inputs: Sequence[Any], changed: Collection[int]) -> Pairs:
    """Each changed input with each input whose range of memory meets its own."""
    sharing: dict[int, list[int]] = defaultdict(list)
    for number, value in enumerate(inputs):
        if isinstance(value, Tensor) and value.layout == torch.strided:
            sharing[value.untyped_storage()._cdata].append(number)
    pairs = set()
    for numbers in sharing.values():
        if len(numbers) == 1:
            continue
        ranges = {number: _range(inputs[number]) for number in numbers}
        for first in numbers:
            start, end = ranges[first]
            if first in changed:
                pairs |= {
                    (first, n) for n in numbers if n != first and start < ranges[n][1] and ranges[n][0] < end
                }
    return frozenset(pairs)


def overlaps(inputs: Sequence[Any], changed: Collection[int]) -> tuple[Any, ...]:
    """Which inputs overlap changed ones, and where each of them lies: AOTAutograd compiles for both."""
    pairs = overlapping_pairs(inputs, changed)
    involved = sorted({number for pair in pairs for number in pair})
    return pairs, *(_place(inputs[number]) for number in involved)


def _place(tensor: Tensor) -> tuple[Any, ...]:
    """What a program is made for that takes the tensors on one storage as one."""
    whole = tensor if tensor._base is None else tensor._base
    return (
        tensor.untyped_storage().nbytes(),
        tensor._base is None,
        *((part.dtype, part.shape, part.stride(), part.storage_offset()) for part in (tensor, whole)),
    )


def _range(tensor: Tensor) -> tuple[int, int]:
    """The bytes from the first element to the last one, in the storage."""
    if tensor.numel() == 0:
        return 0, 0
    last = sum((int(size) - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    start = int(tensor.storage_offset())
    return start * tensor.element_size(), (start + last + 1) * tensor.element_size()


def overlaps_itself(sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two elements of a tensor are at one place."""
    dimensions = sorted((stride, size) for size, stride in zip(sizes, strides, strict=True) if size > 1)
    if 0 in sizes or not _may_overlap(dimensions):
        return False
    places = {0}
    for stride, size in dimensions:
        found = {place + stride * i for place in places for i in range(size)}
        if len(found) < len(places) * size:
            return True
        places = found
    return False


def _may_overlap(dimensions: Sequence[tuple[int, int]]) -> bool:
    """Whether a step in a dimension is not beyond all that those with smaller strides reach."""
    reach = 0
    for stride, size in dimensions:
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
