# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random views that stay in their buffer for every register value and iteration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from .choices import Choices
from .syntax import WIDTHS, Alu, Statement, View


@dataclass(frozen=True)
class Buffer:
    """A range of one memory that holds elements of one type, and shares no byte with another buffer."""

    space: str
    argument: int
    dtype: str
    offset: int  # Bytes.
    elements: int
    writable: bool = True


@dataclass
class Context:
    """What surrounds an instruction: trip counts of its loops, and the registers that may be used."""

    choices: Choices
    trips: tuple[int, ...] = ()  # Upper bounds, the outermost loop first.
    sources: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)  # Registers with any value.
    scratch: tuple[int, ...] = tuple(range(8, 24))  # Registers to prepare operands in.
    prologue: list[Statement] = field(default_factory=list)  # Of the ICP, before the instruction.
    next_scratch: int = 0

    def within(self, bound: int, scale: int = 1) -> int:
        """A register that holds `scale` times a number from 0 to bound, made from one that holds anything."""
        register = self.scratch[self.next_scratch % len(self.scratch)]
        self.next_scratch += 1
        source = self.choices.one_of(self.sources)
        self.prologue.append(Alu("max", register, source, immediate=0))
        self.prologue.append(Alu("min", register, register, immediate=bound))
        if scale != 1:
            self.prologue.append(Alu("mul", register, register, immediate=scale))
        return register


def sizes(choices: Choices, rank: int, limit: int) -> tuple[int, ...]:
    """Of a product of at most `limit`; now and then with a zero in it."""
    result = []
    for _ in range(rank):
        size = choices.integer(1, max(1, min(limit, 40 if choices.chance(30) else 5)))
        limit //= size
        result.append(size)
    if rank and choices.chance(3):
        result[choices.integer(0, rank - 1)] = 0
    return tuple(choices.shuffled(result))


@dataclass(frozen=True)
class Shape:
    """Sizes, one of which may be dynamic: views of one instruction share it."""

    sizes: tuple[int, ...]
    dynamic_dim: int | None = None
    register: int | None = None

    def part(self, dimensions: Sequence[int]) -> Shape:
        """Some of the dimensions, in this order."""
        taken = tuple(self.sizes[d] for d in dimensions)
        if self.dynamic_dim in dimensions:
            return Shape(taken, list(dimensions).index(self.dynamic_dim), self.register)
        return Shape(taken)


def shape(context: Context, rank: int, limit: int) -> Shape:
    choices = context.choices
    taken = sizes(choices, rank, limit)
    if rank and choices.chance(20):
        d = choices.integer(0, rank - 1)
        return Shape(taken, d, context.within(taken[d]))
    return Shape(taken)


def view(context: Context, buffer: Buffer, shape: Shape, kind: str = "any") -> View:
    """`kind`: any; distinct (elements share no byte); stores (they do through strides of 0 only)."""
    choices, width = context.choices, WIDTHS[buffer.dtype]
    strides = _strides(choices, shape.sizes, buffer.elements, kind)
    reaches = [max(size - 1, 0) * stride for size, stride in zip(shape.sizes, strides, strict=True)]
    start = -sum(reach for reach in reaches if reach < 0)
    slack = buffer.elements - 1 - start - sum(reach for reach in reaches if reach > 0)
    parts: dict = {}
    if shape.dynamic_dim is not None:
        parts |= {"dynamic_dim": shape.dynamic_dim, "size_register": shape.register}
    if context.trips and choices.chance(60):
        increments, start, slack = _increments(context, start, slack)
        if any(increments):
            parts["loop_increments"] = tuple(increment * width for increment in increments)
    if choices.chance(20):
        bound = choices.integer(0, slack)
        slack -= bound
        parts |= {"offset_register": context.within(bound, width), "offset_bound": bound * width}
    start += choices.integer(0, slack)
    return View(
        buffer.space,
        buffer.argument,
        buffer.dtype,
        shape.sizes,
        strides,
        buffer.offset + start * width,
        **parts,
    )


def _increments(context: Context, start: int, slack: int) -> tuple[list[int], int, int]:
    """Elements an iteration of each level, and where the view starts and what is free then."""
    increments = []
    for trips in context.trips:
        step = slack // max(trips - 1, 1)
        step = context.choices.integer(0, min(step, 7)) if trips > 1 else context.choices.integer(0, 3)
        reach = step * max(trips - 1, 0)
        slack -= reach
        if step and context.choices.chance(30):
            start += reach
            step = -step
        increments.append(step)
    return increments, start, slack


def _strides(choices: Choices, sizes: Sequence[int], available: int, kind: str) -> tuple[int, ...]:
    strides = [0] * len(sizes)
    free = available - 1  # What the sum of all reaches may be.
    order = list(reversed(range(len(sizes)))) if choices.chance(50) else None
    order = order or choices.shuffled(range(len(sizes)))
    if kind == "any" and (choices.chance(40) or prod(max(size, 1) for size in sizes) > available):
        for d in order:  # Windows, broadcasts, whatever fits.
            most = free // max(sizes[d] - 1, 1)
            stride = choices.integer(0, min(most, 9))
            free -= stride * max(sizes[d] - 1, 0)
            strides[d] = stride
    else:
        broadcast = kind != "distinct" and choices.chance(30)
        step, needed = 1, prod(max(size, 1) for size in sizes)
        for d in order:
            if broadcast and choices.chance(50):
                continue
            # A gap if what is still to come has room for it.
            if step * 2 * needed <= available and choices.chance(25):
                step *= 2
            strides[d] = step
            step *= max(sizes[d], 1)
            needed //= max(sizes[d], 1)
    return tuple(-stride if choices.chance(15) else stride for stride in strides)
