# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`vec`: sections of micro-operations over the rows and elements of a domain.

The text says: for each row, for each section, for each element, for each operation. Most programs cannot
tell whether all elements go through an operation together, so the registers are arrays of (rows, elements)
and that is what happens. Where operations meet in memory (two operands on the same bytes, a table that is
used twice), the order of the text is kept, an element at a time.
"""

from __future__ import annotations

from math import prod

import numpy as np

from . import floats, micro
from .floats import F32
from .memory import RAW, MachineFault, Memories, Place, offsets, overlaps
from .syntax import Micro, Section, Vec

Array = np.ndarray

PARTIALS = 64

_WRITES = ("store", "scatter")


class VectorRun:
    """One execution of a `vec` on places."""

    def __init__(self, vec: Vec, places: list[Place], memories: Memories) -> None:
        self.vec, self.places, self.memories = vec, places, memories
        tables = {op.operand for s in vec.sections for op in s.ops if op.opcode in ("gather", "scatter")}
        shaped = [place.sizes for n, place in enumerate(places) if n not in tables]
        sizes = shaped[0] if shaped else ()
        self.row_sizes, self.element_sizes = sizes[: vec.parallel], sizes[vec.parallel :]
        self.num_rows, self.num_elements = prod(self.row_sizes), prod(self.element_sizes)
        # Byte offsets of rows and of elements within a row, by operand.
        self.offsets = {
            n: (
                offsets(self.row_sizes, place.steps[: vec.parallel]).reshape(-1),
                offsets(self.element_sizes, place.steps[vec.parallel :]).reshape(-1),
            )
            for n, place in enumerate(places)
            if n not in tables
        }
        self.is_ordered = self._meets_in_memory()

    def run(self) -> None:
        rows = np.arange(self.num_rows)
        groups = [rows[i : i + 1] for i in rows] if self.is_ordered else [rows]
        for group in groups:
            if group.size:
                _RowsRun(self, group).run()

    def _meets_in_memory(self) -> bool:
        """Whether some operation could see what another one of another element wrote."""
        accesses: dict[int, list[str]] = {}
        for section in self.vec.sections:
            for op in section.ops:
                if op.opcode in ("load", "store", "gather", "scatter"):
                    accesses.setdefault(op.operand, []).append(op.opcode)
        for n, opcodes in accesses.items():
            if not set(opcodes) & set(_WRITES):
                continue
            others = [m for m in accesses if m != n and overlaps(self.places[n], self.places[m])]
            is_alone = len(opcodes) == 1 and not others
            is_in_place = all(self.places[m] == self.places[n] for m in others) and self._is_distinct(n)
            if not is_alone and not is_in_place:
                return True
        return False

    def _is_distinct(self, operand: int) -> bool:
        """Whether no two indices have the same element, so that operations meet at one index only."""
        if operand not in self.offsets:
            return False
        rows, elements = self.offsets[operand]
        addresses = rows[:, None] + elements
        return np.unique(addresses).size == addresses.size


class _RowsRun:
    """All sections of some rows. Registers are arrays that broadcast to (rows, elements)."""

    def __init__(self, run: VectorRun, rows: Array) -> None:
        self.vec, self.memories, self.places = run.vec, run.memories, run.places
        self.parent, self.rows = run, rows
        self.registers: dict[str, Array] = {}

    def run(self) -> None:
        for section in self.vec.sections:
            if section.kind == "rows":
                self.section = "rows"
                self._evaluate(section, np.zeros(1, np.int64))
                continue
            self._run_elements(section)

    def _run_elements(self, section: Section) -> None:
        self.section = "elements"
        ops = {op.opcode: op for op in section.ops}
        elements = np.arange(self.parent.num_elements)
        one_by_one = self.parent.is_ordered or "carry" in ops
        self.collected: dict[str, list[Array]] = {}
        shape = (self.rows.size, 1)
        for op in section.ops:  # A carry may start with a constant of its own section.
            if op.opcode == "const":
                self.registers[op.result] = micro.constant(op)
            elif op.opcode == "carry":
                self.registers[op.result] = np.broadcast_to(self.registers[op.inputs[0]], shape)
        for group in [elements[i : i + 1] for i in elements] if one_by_one else [elements]:
            if group.size == 0:
                continue
            self.nexts: dict[str, Array] = {}
            self._evaluate(section, group)
            self.registers.update(self.nexts)
        for op in section.ops:
            if op.opcode == "reduce":
                values = self.collected.get(op.result, [])
                self.registers[op.result] = reduce(op, values, self.rows.size)

    def _evaluate(self, section: Section, elements: Array) -> None:
        self.elements = elements
        for op in section.ops:
            inputs = [self.registers[name] for name in op.inputs]
            result = self._operation(op, inputs)
            if result is not None:
                self.registers[op.result] = result

    def _operation(self, op: Micro, inputs: list[Array]) -> Array | None:
        shape = (self.rows.size, self.elements.size)
        match op.opcode:
            case "const":
                return micro.constant(op)
            case "load":
                return self._read(op, self._addresses(op.operand))
            case "store":
                self._write(op, self._addresses(op.operand), np.broadcast_to(inputs[0], shape))
            case "gather":
                return self._read(op, self._table_addresses(op.operand, np.broadcast_to(inputs[0], shape)))
            case "scatter":
                self._scatter(op, *(np.broadcast_to(x, shape) for x in inputs))
            case "iota":
                return self._iota(op.operand)
            case "assert":
                if not np.broadcast_to(inputs[0], shape).all():
                    raise MachineFault(op.selector, op.message)
            case "reduce":
                self.collected.setdefault(op.result, []).append(np.broadcast_to(inputs[0], shape))
            case "carry":
                pass
            case "next":
                self.nexts[op.inputs[0]] = np.broadcast_to(inputs[1], shape)
            case _:
                return micro.compute(op, inputs)
        return None

    # --- Memory -----------------------------------------------------------------
    def _addresses(self, operand: int) -> Array:
        rows, elements = self.parent.offsets[operand]
        within = elements[self.elements] if self.section == "elements" else np.zeros(1, np.int64)
        return self.places[operand].base + rows[self.rows][:, None] + within

    def _table_addresses(self, operand: int, numbers: Array) -> Array:
        place = self.places[operand]
        if numbers.size and (numbers.min() < 0 or numbers.max() >= place.sizes[0]):
            raise MachineFault("index", f"an element number is not in [0, {place.sizes[0]})")
        return place.base + numbers * place.steps[0]

    def _read(self, op: Micro, addresses: Array) -> Array:
        place = self.places[op.operand]
        raw = self.memories.read_at(place.memory, place.dtype, addresses)
        return to_register(raw, place.dtype)

    def _write(self, op: Micro, addresses: Array, values: Array) -> None:
        place = self.places[op.operand]
        self.memories.write_at(place.memory, place.dtype, addresses, to_stored(values, place.dtype))

    def _scatter(self, op: Micro, numbers: Array, values: Array) -> None:
        addresses = self._table_addresses(op.operand, numbers)
        if op.selector == "set":
            return self._write(op, addresses, values)
        for address, value in zip(addresses.flat, values.flat, strict=True):
            where = np.array([[address]])
            old = self._read(op, where)
            self._write(op, where, micro.combine(op.selector, op.type, old, np.array([[value]], value.dtype)))
        return None

    def _iota(self, dimension: int) -> Array:
        parallel = self.vec.parallel
        if dimension < parallel:
            return _index(self.parent.row_sizes, dimension)[self.rows][:, None]
        return _index(self.parent.element_sizes, dimension - parallel)[self.elements][None, :]


def _index(sizes: tuple[int, ...], dimension: int) -> Array:
    """The index along one dimension, for every linear index."""
    return offsets(sizes, [int(d == dimension) for d in range(len(sizes))]).reshape(-1)


def to_register(raw: Array, dtype: str) -> Array:
    if dtype == "bool":
        return (raw != 0).astype(np.int64)
    return floats.widen(raw, dtype) if dtype in ("f32", "bf16", "f16") else raw.astype(np.int64)


def to_stored(values: Array, dtype: str) -> Array:
    """Integers in registers are values of their type already."""
    return floats.narrow(values, dtype) if dtype in ("f32", "bf16", "f16") else values.astype(RAW[dtype])


def reduce(op: Micro, collected: list[Array], rows: int) -> Array:
    """num_reduce: 64 partials by the element's number modulo 64, then a tree."""
    how, type_ = op.selector, op.type
    values = np.concatenate(collected, axis=1) if collected else np.zeros((rows, 0), F32)
    partials = np.broadcast_to(micro.identity(how, type_), (rows, PARTIALS)).copy()
    for first in range(0, values.shape[1], PARTIALS):
        chunk = values[:, first : first + PARTIALS]
        width = chunk.shape[1]
        partials[:, :width] = micro.combine(how, type_, partials[:, :width], chunk)
    half = PARTIALS // 2
    while half:
        partials[:, :half] = micro.combine(how, type_, partials[:, :half], partials[:, half : 2 * half])
        half //= 2
    return partials[:, :1]
