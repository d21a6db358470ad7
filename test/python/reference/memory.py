# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memories, and views on them (ISA.md, Memory and views).

A view is resolved when its instruction is issued: registers and iterations are read, and what is left
is a base, sizes and strides in bytes. Elements are bytes as stored; types come later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .syntax import WIDTHS, View

#: How numpy holds the elements of a type as they are stored.
RAW = {
    "f32": np.float32,
    "bf16": np.uint16,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "bool": np.uint8,
}


class MachineFault(Exception):
    """A fault of the program; `kind` is index, runtime, bounds or deadlock."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Place:
    """A view with registers and iterations applied; `steps` are bytes."""

    view: View
    base: int
    sizes: tuple[int, ...]

    @property
    def memory(self) -> tuple[str, int]:
        return self.view.space, self.view.argument

    @property
    def dtype(self) -> str:
        return self.view.dtype

    @property
    def steps(self) -> tuple[int, ...]:
        return tuple(stride * WIDTHS[self.dtype] for stride in self.view.strides)

    def addresses(self) -> np.ndarray:
        """Of the first byte of each element, an array of the view's sizes."""
        return self.base + offsets(self.sizes, self.steps)


def offsets(sizes: Sequence[int], steps: Sequence[int]) -> np.ndarray:
    """sum(index[d] * steps[d]) for every index."""
    total = np.zeros(tuple(sizes), np.int64)
    for d, (size, step) in enumerate(zip(sizes, steps, strict=True)):
        shape = [1] * len(sizes)
        shape[d] = size
        total = total + (np.arange(size, dtype=np.int64) * step).reshape(shape)
    return total


def resolve(view: View, registers: Sequence[int], iterations: Sequence[int]) -> Place:
    """view_f1 is what can fail here."""
    base, sizes = view.offset, list(view.sizes)
    if view.offset_register is not None:
        value = registers[view.offset_register]
        if not 0 <= value <= view.offset_bound or value % WIDTHS[view.dtype]:
            raise MachineFault("index", f"offset {value} is not in [0, {view.offset_bound}], or misaligned")
        base += value
    if view.dynamic_dim is not None:
        value, bound = registers[view.size_register], sizes[view.dynamic_dim]
        if not 0 <= value <= bound:
            raise MachineFault("index", f"size {value} is not in [0, {bound}]")
        sizes[view.dynamic_dim] = value
    for iteration, increment in zip(iterations, view.loop_increments, strict=False):
        base += iteration * increment
    return Place(view, base, tuple(sizes))


class Memories:
    """Arguments (changed in place), constants, scratch and LMU, as bytes."""

    def __init__(self, arguments: Sequence[np.ndarray], rodata: bytes, scratch: int, lmu: int) -> None:
        self.bytes: dict[tuple[str, int], np.ndarray] = {
            ("constant", 0): np.frombuffer(rodata, np.uint8),
            ("scratch", 0): np.full(scratch, 0xA5, np.uint8),
            ("lmu", 0): np.full(lmu, 0x5A, np.uint8),
        }
        for number, argument in enumerate(arguments):
            self.bytes["arg", number] = argument.reshape(-1).view(np.uint8)

    def read(self, place: Place) -> np.ndarray:
        return self.read_at(place.memory, place.dtype, place.addresses())

    def read_at(self, memory: tuple[str, int], dtype: str, addresses: np.ndarray) -> np.ndarray:
        width = WIDTHS[dtype]
        self._check(memory, addresses, width)
        data = self.bytes[memory][addresses[..., None] + np.arange(width)]
        return np.ascontiguousarray(data).view(RAW[dtype]).reshape(addresses.shape)

    def write(self, place: Place, values: np.ndarray) -> None:
        self.write_at(place.memory, place.dtype, place.addresses(), values)

    def write_at(
        self, memory: tuple[str, int], dtype: str, addresses: np.ndarray, values: np.ndarray
    ) -> None:
        """In row-major order: of elements that coincide the last one stays."""
        width = WIDTHS[dtype]
        self._check(memory, addresses, width)
        addresses = addresses.reshape(-1)
        values = np.ascontiguousarray(values, RAW[dtype]).reshape(-1)
        _, last = np.unique(addresses[::-1], return_index=True)
        last = addresses.size - 1 - last
        data = values[last].view(np.uint8).reshape(last.size, width)
        self.bytes[memory][addresses[last][:, None] + np.arange(width)] = data

    def _check(self, memory: tuple[str, int], addresses: np.ndarray, width: int) -> None:
        """view_c2 promises that this cannot happen."""
        if addresses.size == 0:
            return
        if addresses.min() < 0 or addresses.max() + width > self.bytes[memory].size:
            raise AssertionError(f"{memory}: bytes {addresses.min()} to {addresses.max() + width}")


def overlaps(a: Place, b: Place) -> bool:
    """Whether the bounding ranges of two places share a byte."""
    if a.memory != b.memory or 0 in a.sizes or 0 in b.sizes:
        return False
    (low_a, high_a), (low_b, high_b) = span(a), span(b)
    return low_a < high_b and low_b < high_a


def span(place: Place) -> tuple[int, int]:
    """First byte of the lowest element and the byte after the highest one."""
    reaches = [(size - 1) * step for size, step in zip(place.sizes, place.steps, strict=True)]
    low = place.base + sum(reach for reach in reaches if reach < 0)
    high = place.base + sum(reach for reach in reaches if reach > 0)
    return low, high + WIDTHS[place.dtype]
