# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where tensors are in memory: which of them overlap, and which overlap themselves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

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
    """Whether two elements of a tensor are at one place.

    They are if steps along the dimensions, not all of them zero, lead back to where they began. The search
    goes from large strides to small ones and takes only steps that the remaining dimensions can undo: by
    their reach, and by the greatest common divisor of their strides. With up to two dimensions it takes
    no loop, and what is larger than its span is known at once.
    """
    if 0 in sizes:
        return False
    dimensions = sorted(
        ((stride, size - 1) for size, stride in zip(sizes, strides, strict=True) if size > 1), reverse=True
    )
    remaining = [_Remaining(0, 0)]
    for stride, last in reversed(dimensions):
        if stride == 0:
            return True
        below = remaining[-1]
        remaining.append(_Remaining(below.reach + stride * last, math.gcd(below.divisor, stride)))
    if math.prod(last + 1 for _, last in dimensions) > remaining[-1].reach + 1:
        return True
    return _returns(dimensions, remaining[-2::-1], 0, False)


class _Remaining(NamedTuple):
    """What dimensions with smaller strides can undo: multiples of `divisor` up to `reach`."""

    reach: int
    divisor: int


def _returns(
    dimensions: Sequence[tuple[int, int]], remaining: Sequence[_Remaining], distance: int, moved: bool
) -> bool:
    """Whether steps along the dimensions undo a distance; they are not all zero unless it has `moved`.

    `dimensions` are strides and the largest steps, `remaining` what is left after each of them.
    """
    if not dimensions:
        return moved and distance == 0
    (stride, last), (reach, divisor) = dimensions[0], remaining[0]
    if distance % math.gcd(stride, divisor):
        return False
    lowest = max(-last if moved else 0, -((reach + distance) // stride))  # The way back is a way too.
    highest = min(last, (reach - distance) // stride)
    if divisor == 0:  # The last dimension is alone.
        steps: Iterable[int] = (-distance // stride,)
    else:
        every = divisor // math.gcd(stride, divisor)
        first = -distance // math.gcd(stride, divisor) * pow(stride // math.gcd(stride, divisor), -1, every)
        steps = range(lowest + (first - lowest) % every, highest + 1, every)
    return any(
        _returns(dimensions[1:], remaining[1:], distance + stride * step, moved or step != 0)
        for step in steps
        if lowest <= step <= highest
    )
