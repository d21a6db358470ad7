# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random instructions of SMA and SXE on given buffers, and what each reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from .random_micro import MicroGenerator
from .random_views import Buffer, Context, Shape, shape, sizes, view
from .syntax import Copy, Gather, Mm, Scatter, Statement, Stream, Vec, View

ROWS_PER_PASS = 4  # Of the machine `tiny`.
INDEX_LIMIT = 4  # Indices are in [-INDEX_LIMIT, INDEX_LIMIT), or not negative.

UNIT_OF: dict[type, str] = {Copy: "sma", Gather: "sma", Scatter: "sma", Stream: "sma", Mm: "sxe", Vec: "vxe"}


def unit_of(statement: Statement) -> str:
    return UNIT_OF.get(type(statement)) or getattr(statement, "unit", "icp")


def operands(statement: Statement) -> tuple[list[View], list[View]]:
    """The views that it reads and those that it writes."""
    match statement:
        case Copy():
            return [statement.source], [statement.destination]
        case Gather() | Scatter():
            return [statement.source, statement.index], [statement.destination]
        case Stream():
            return [statement.source], []
        case Mm():
            return [statement.lhs, *([statement.output] if statement.accumulate else [])], [statement.output]
        case Vec():
            used: dict[bool, list[View]] = {False: [], True: []}
            for section in statement.sections:
                for op in section.ops:
                    if op.opcode in ("load", "gather", "store", "scatter"):
                        used[op.opcode in ("store", "scatter")].append(statement.views[op.operand])
                    if op.opcode == "scatter":
                        used[False].append(statement.views[op.operand])
            return used[False], used[True]
    return [], []


@dataclass(frozen=True)
class Memory:
    """The buffers of a program. Those of `indices` hold what gather and scatter take."""

    data: Sequence[Buffer]
    indices: Sequence[Buffer]
    negative_indices: Sequence[Buffer]

    def of(self, dtype: str, written: bool = False) -> list[Buffer]:
        return [b for b in self.data if b.dtype == dtype and (b.writable or not written)]

    @property
    def dtypes(self) -> list[str]:
        """That some writable buffer has."""
        return sorted({b.dtype for b in self.data if b.writable})


def copy(context: Context, memory: Memory) -> list[Statement]:
    choices = context.choices
    dtype = choices.one_of(memory.dtypes)
    taken = shape(context, choices.integer(0, 8), 100)
    source, target = choices.one_of(memory.of(dtype)), choices.one_of(memory.of(dtype, written=True))
    return [Copy(view(context, target, taken), view(context, source, taken))]


def indexed(context: Context, memory: Memory, fault: bool = False) -> list[Statement]:
    choices = context.choices
    dtype = choices.one_of(memory.dtypes)
    rank = choices.integer(1, 5)
    slices = shape(context, rank, 60)
    axis = choices.integer(0, rank - 1)
    # As many slices as there are indices, from or to a table of another size.
    full = list(slices.sizes)
    full[axis] = choices.integer(INDEX_LIMIT, 7)
    is_dynamic = slices.dynamic_dim not in (None, axis)
    table = Shape(tuple(full), *((slices.dynamic_dim, slices.register) if is_dynamic else ()))
    is_gather, wrap = choices.chance(50), choices.chance(40)
    destination = choices.one_of(memory.of(dtype, written=True))
    source = choices.one_of(memory.of(dtype))
    numbers = choices.one_of(memory.negative_indices if wrap else memory.indices)
    if fault:
        numbers = choices.one_of(
            [b for b in memory.data if b.dtype in ("i64", "i32", "i16", "i8")] or [numbers]
        )
    if {numbers} & {source, destination}:
        return []
    to, from_ = (slices, table) if is_gather else (table, slices)
    index = view(context, numbers, slices.part([axis]))
    op = Gather if is_gather else Scatter
    return [op(view(context, destination, to), view(context, source, from_), index, axis, wrap)]


def product(context: Context, memory: Memory, fault: bool = False) -> list[Statement]:
    """A stream and the mm that takes it."""
    choices = context.choices
    pairs = [(t, t) for t in ("f32", "bf16", "f16")] + [("bf16", "f32"), ("f16", "f32"), ("i8", "i32")]
    pairs = [(a, b) for a, b in pairs if memory.of(a) and memory.of(b, written=True)]
    if not pairs:
        return []
    operand, result = choices.one_of(pairs)
    counts = [choices.one_of((0, 1, 1, 1, 2)) for _ in range(4)]
    limits = (3, 9, 6, choices.one_of((6, 70)))
    parts = [sizes(choices, count, limit) for count, limit in zip(counts, limits, strict=True)]
    if counts[3] and choices.chance(30):  # More than a block of bf16.
        parts[3] = (*(1,) * (counts[3] - 1), choices.integer(33, 80))
    every = tuple(size for part in parts for size in part)
    whole = Shape(every)
    if every and choices.chance(20):
        d = choices.integer(0, len(every) - 1)
        whole = Shape(every, d, context.within(every[d]))
    ends = [sum(counts[: n + 1]) for n in range(4)]
    batch, rows, cols, depth = (
        list(range(end - count, end)) for end, count in zip(ends, counts, strict=True)
    )
    lhs = view(context, choices.one_of(memory.of(operand)), whole.part(batch + rows + depth))
    entry = view(context, choices.one_of(memory.of(operand)), whole.part(batch + cols + depth))
    target = choices.one_of(memory.of(result, written=True))
    output = view(context, target, whole.part(batch + rows + cols))
    passes = max(1, -(-prod(parts[1]) // ROWS_PER_PASS)) + fault
    return [Stream(entry, passes), Mm(output, lhs, entry, *counts, choices.chance(40))]


def vector(context: Context, memory: Memory, fault: str | None = None) -> list[Statement]:
    buffers = [*memory.data, *memory.indices]
    return [MicroGenerator(context, buffers, fault).vec()]


def instruction(context: Context, memory: Memory) -> list[Statement]:
    kinds = (copy, indexed, product, product, vector, vector, vector)
    return context.choices.one_of(kinds)(context, memory)


def walk(statements: Sequence[Statement]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        yield from walk(getattr(statement, "body", ()))
