# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid programs without races, and arguments for them.

A program is a block of instructions, loops, branches forwards (if) and backwards (repeat). What conflicts
within straight-line code is ordered by `Ordering`; before and after whatever may run more than once or not
at all stands a barrier, or all of it belongs to one unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies

from . import random_instructions as instructions
from .choices import Choices
from .harness import Arguments, elements
from .ordering import Ordering, interleaved
from .random_instructions import INDEX_LIMIT, Memory, operands, unit_of
from .random_views import Buffer, Context, Shape, view
from .syntax import (
    WIDTHS,
    Alu,
    Branch,
    Copy,
    Fault,
    Halt,
    Label,
    Ld,
    Li,
    Loop,
    Mm,
    Post,
    Program,
    Statement,
    Tensor,
    Trace,
    View,
    Wait,
)

VALUE_REGISTERS = tuple(range(8))
COUNTERS = (28, 29, 30, 31)  # Of backward branches, by nesting.
ALU = ("add", "sub", "mul", "min", "max", "cmp_eq", "cmp_lt", "cmp_le")
INTEGERS = ("i64", "i32", "i16", "i8", "bool")
FAULTS = (
    "fault",
    "offset",
    "size",
    "trips",
    "index",
    "micro",
    "passes",
    "stream",
    "post",
    "post",
    "wait",
    "wait",
)


@dataclass(frozen=True)
class Case:
    program: Program
    arguments: Arguments

    def __repr__(self) -> str:
        return str(self.program)


@strategies.composite
def cases(draw: Callable) -> Case:
    return _Generator(Choices.drawn(draw)).case()


def seeded_case(seed: int) -> Case:
    return _Generator(Choices.seeded(seed)).case()


class _Generator:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.ordering = Ordering(choices)
        self.inputs: list[Tensor] = []
        self.results: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.data: list[np.ndarray] = []
        self.rodata = b""
        self.used = {"lmu": 0, "scratch": 0}
        self.labels = 0
        self.fault = choices.one_of(FAULTS) if choices.chance(20) else None
        self.injected = False
        self.pending: list[Mm] = []  # Their streams have been issued.

    def case(self) -> Case:
        begin = self._memory()
        body = [*begin, *self._registers()]
        if self.fault in ("passes", "post", "wait", "stream"):
            body += self._unknown_path()
        body += self._block((), 0, self.choices.integer(2, 9))
        body += self.ordering.barrier() if self.choices.chance(30) else []
        body = interleaved(self.choices, body, unit_of)
        if self.fault in ("post", "wait"):
            body = self._without_one(body, Post if self.fault == "post" else Wait)
        outputs = [np.zeros(t.nbytes, np.uint8) for t in self.outputs]
        program = Program(
            "random",
            self.used["scratch"],
            self.used["lmu"],
            tuple(self.inputs),
            tuple(self.results),
            tuple(self.outputs),
            self.rodata,
            (*body, Halt()),
        )
        return Case(program, [*self.data, *outputs])

    # --- Memory -----------------------------------------------------------------
    def _memory(self) -> list[Statement]:
        """Buffers of some types in all memories. Those without initial value are written at once."""
        choices = self.choices
        rng = choices.numpy()
        mixes = (
            ("f32", "i64"), ("f32", "bf16", "bool"), ("f16", "f32", "i16"), ("i8", "i32", "f32"),
            ("bf16", "i8", "i32", "i64"), ("f32", "bf16", "f16", "i64", "bool"), ("i16", "i8", "bool", "f16"),
            ("f32", "i32", "i16", "i64"),
        )  # fmt: skip
        buffers: list[Buffer] = []
        for dtype in choices.one_of(mixes):
            size = choices.integer(128, 220)
            for _ in range(choices.integer(1, 2)):
                buffers.append(self._input(dtype, elements(rng, dtype, size), choices.chance(30)))
        sources = list(buffers)
        for source in sources:
            if choices.chance(40):
                buffers.append(self._constants(elements(rng, source.dtype, 140), source.dtype))
        self.indices = []
        for dtype, low in zip(choices.shuffled(INTEGERS[:4])[:2], (0, -INDEX_LIMIT), strict=True):
            numbers = rng.integers(low, INDEX_LIMIT, 64).astype(f"i{WIDTHS[dtype]}")
            self.indices.append(self._input(dtype, numbers, False))
        self.parameters = []
        for dtype in choices.shuffled(INTEGERS)[:2]:
            self.parameters.append(self._input(dtype, elements(rng, dtype, 16), False))
        targets = []
        for source in sources:
            for space in choices.shuffled(("arg", "lmu", "lmu", "scratch"))[: choices.integer(1, 3)]:
                targets.append((self._target(space, source.dtype, choices.integer(128, 200)), source))
        self.memory = Memory([*buffers, *(b for b, _ in targets)], self.indices[:1], self.indices[1:])
        context = Context(choices)
        begin: list[Statement] = []
        for target, source in targets:
            start, width = target.offset, WIDTHS[target.dtype]
            size = min(target.elements, source.elements)
            for first in range(0, target.elements, size):
                part = Shape((min(size, target.elements - first),))
                to = View(
                    target.space, target.argument, target.dtype, part.sizes, (1,), start + first * width
                )
                begin += self._ordered(Copy(to, view(context, source, part, "distinct")))
        return [*context.prologue, *begin]

    def _input(self, dtype: str, data: np.ndarray, writable: bool) -> Buffer:
        number = len(self.inputs)
        tensor = Tensor(f"x{number}", dtype, (data.size,))
        self.inputs.append(tensor)
        self.data.append(np.ascontiguousarray(data).view(np.uint8).copy())
        if writable:
            self.results.append(Tensor(f"x{number}.new", dtype, tensor.sizes, number, number))
        return Buffer("arg", number, dtype, 0, data.size, writable)

    def _constants(self, data: np.ndarray, dtype: str) -> Buffer:
        self.rodata += bytes(-len(self.rodata) % 8)
        offset = len(self.rodata)
        self.rodata += np.ascontiguousarray(data).tobytes()
        return Buffer("constant", 0, dtype, offset, data.size, False)

    def _target(self, space: str, dtype: str, size: int) -> Buffer:
        if space == "arg":
            # Inputs are all there by now.
            number = len(self.inputs) + len(self.outputs)
            tensor = Tensor(f"y{number}", dtype, (size,))
            self.outputs.append(tensor)
            self.results.append(replace(tensor, argument=number))
            return Buffer("arg", number, dtype, 0, size)
        offset = -(-self.used[space] // 8) * 8
        self.used[space] = offset + size * WIDTHS[dtype]
        return Buffer(space, 0, dtype, offset, size)

    def _buffer_of(self, taken: View) -> Buffer:
        for buffer in (
            *self.memory.data,
            *self.memory.indices,
            *self.memory.negative_indices,
            *self.parameters,
        ):
            place = (buffer.space, buffer.argument)
            end = buffer.offset + buffer.elements * WIDTHS[buffer.dtype]
            if place == (taken.space, taken.argument) and buffer.offset <= taken.offset < end:
                return buffer
        raise AssertionError(taken)

    def _ordered(self, statement: Statement) -> list[Statement]:
        """The instruction after what it has to wait for."""
        reads, writes = operands(statement)
        keys = [self._buffer_of(v) for v in reads], [self._buffer_of(v) for v in writes]
        return [*self.ordering.access(unit_of(statement), *keys), statement]

    # --- Registers --------------------------------------------------------------
    def _registers(self) -> list[Statement]:
        statements: list[Statement] = []
        for register in VALUE_REGISTERS:
            if self.choices.chance(60):
                statements.append(self._ld(register, Context(self.choices)))
            else:
                statements.append(Li(register, self._number()))
        return statements

    def _number(self) -> int:
        kind = self.choices.integer(0, 2)
        if kind == 0:
            return self.choices.integer(0, 12)
        if kind == 1:
            return self.choices.integer(-40, 400)
        return self.choices.integer(-(2**63), 2**63 - 1)

    def _ld(self, register: int, context: Context, parameters: bool = True) -> Statement:
        buffers = self.parameters if parameters else []
        buffers = buffers or [b for b in self.memory.data if b.dtype in INTEGERS] or self.parameters
        rank = self.choices.integer(0, 2)
        return Ld(register, view(context, self.choices.one_of(buffers), Shape((1,) * rank)))

    def _scalar(self, level: int) -> list[Statement]:
        choices = self.choices
        register = choices.one_of(VALUE_REGISTERS)
        kind = choices.integer(0, 9)
        if kind == 0:
            return [Trace("here")]
        if kind == 1:
            return [Li(register, self._number())]
        if kind == 2:
            return [self._ld(register, Context(choices))]
        if kind == 3 and level == 0 and not self.fault:
            load = self._ld(register, Context(choices), parameters=False)
            reads = [self._buffer_of(load.source)]
            return [*self.ordering.access("icp", reads, []), load]
        function = choices.one_of(ALU)
        if choices.chance(50):
            return [
                Alu(function, register, choices.one_of(VALUE_REGISTERS), rt=choices.one_of(VALUE_REGISTERS))
            ]
        immediate = choices.integer(-9, 300) if choices.chance(80) else choices.integer(-(2**31), 2**31 - 1)
        return [Alu(function, register, choices.one_of(VALUE_REGISTERS), immediate=immediate)]

    # --- Blocks -----------------------------------------------------------------
    def _block(self, trips: tuple[int, ...], level: int, length: int) -> list[Statement]:
        """`level` counts repeats and branches as well, `trips` are those of the loops around."""
        statements: list[Statement] = []
        for _ in range(length):
            kind = self.choices.integer(0, 99)
            if self.fault and not self.injected and level == 0 and self.choices.chance(40):
                statements += self._inject(trips)
            if kind < 62:
                statements += self._instruction(trips)
            elif kind < 78:
                statements += self._scalar(level)
            elif kind < 87 and len(trips) < 4:
                statements += self._flush() + self._loop(trips, level)
            elif kind < 93 and level < 4:
                statements += self._flush() + self._if(trips, level)
            elif kind < 96 and level < 3:
                statements += self._flush() + self._repeat(trips, level)
            elif len(trips) < 4:
                statements += self._flush() + self._loop_of_one_unit(trips)
        return statements + self._flush()

    def _instruction(self, trips: tuple[int, ...]) -> list[Statement]:
        context = Context(self.choices, trips)
        made = instructions.instruction(context, self.memory)
        if isinstance(made[-1] if made else None, Mm):
            # The mm may come later, if no register that it reads is set in between.
            stream = self._ordered(made[0])
            self.pending.append(made[1])
            later = not context.prologue and self.choices.chance(50)
            return [*context.prologue, *stream, *([] if later else self._flush())]
        statements: list[Statement] = list(context.prologue)
        for statement in made:
            statements += self._ordered(statement)
        return statements

    def _flush(self) -> list[Statement]:
        statements = [s for mm in self.pending for s in self._ordered(mm)]
        self.pending.clear()
        return statements

    def _trips(self, context: Context, depth: int) -> tuple[int, int | None]:
        """How often, and the register that says so."""
        bound = self.choices.integer(0, 4 if depth == 0 else 2)
        if self.choices.chance(35):
            return bound, context.within(bound)
        return bound, None

    def _loop(self, trips: tuple[int, ...], level: int) -> list[Statement]:
        context = Context(self.choices, trips)
        bound, register = self._trips(context, len(trips))
        before = self.ordering.barrier()
        body = self._body((*trips, bound), level + 1)
        return [*before, *context.prologue, Loop(bound, register, tuple(body))]

    def _body(self, trips: tuple[int, ...], level: int) -> list[Statement]:
        """Between two barriers, the first of which has been issued."""
        icp = dict(self.ordering.known["icp"])
        body = self._block(trips, level, self.choices.integer(0, 4) // (1 + (level > 2)))
        if len(trips) < 4 and level < 4 and self.choices.chance(45):
            body += self._loop(trips, level)
        body += self.ordering.barrier()
        # It may not have run at all.
        self.ordering.known["icp"] = icp
        return interleaved(self.choices, body, unit_of)

    def _loop_of_one_unit(self, trips: tuple[int, ...]) -> list[Statement]:
        """Without semaphores: its instructions wait for the others before the loop."""
        context = Context(self.choices, trips)
        bound, register = self._trips(context, len(trips))
        unit = self.choices.one_of(("sma", "vxe"))
        make = (
            instructions.vector
            if unit == "vxe"
            else self.choices.one_of((instructions.copy, instructions.indexed))
        )
        before: list[Statement] = []
        body: list[Statement] = []
        for _ in range(self.choices.integer(1, 2)):
            inner = Context(self.choices, (*trips, bound))
            for statement in make(inner, self.memory):
                *orders, statement = self._ordered(statement)
                before += orders
                body += [*inner.prologue, statement]
        return [*before, *context.prologue, Loop(bound, register, tuple(body))]

    def _label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def _condition(self) -> tuple[list[Statement], str, int]:
        register = self.choices.one_of(VALUE_REGISTERS)
        prologue: list[Statement] = []
        if self.choices.chance(60):
            function = self.choices.one_of(("cmp_eq", "cmp_lt", "cmp_le"))
            prologue = [Alu(function, 26, register, immediate=self.choices.integer(-4, 60))]
            register = 26
        return prologue, self.choices.one_of(("zero", "not_zero")), register

    def _if(self, trips: tuple[int, ...], level: int) -> list[Statement]:
        before = self.ordering.barrier()
        prologue, condition, register = self._condition()
        no, end = self._label(), self._label()
        statements = [*before, *prologue, Branch(condition, register, no)]
        statements += self._body(trips, level + 1)
        if self.choices.chance(50):
            statements += [Branch("always", None, end), Label(no)]
            statements += [*self._body(trips, level + 1), Label(end), Trace("end of if")]
        else:
            statements += [Label(no), Trace("end of if")]
        return statements

    def _repeat(self, trips: tuple[int, ...], level: int) -> list[Statement]:
        """A branch backwards, taken a few times."""
        before = self.ordering.barrier()
        counter, top = COUNTERS[level], self._label()
        statements = [*before, Li(counter, self.choices.integer(1, 3)), Label(top)]
        statements += self._body(trips, level + 1)
        return [*statements, Alu("sub", counter, counter, immediate=1), Branch("not_zero", counter, top)]

    # --- Faults -----------------------------------------------------------------
    def _inject(self, trips: tuple[int, ...]) -> list[Statement]:
        self.injected = True
        choices, context = self.choices, Context(self.choices, trips)
        made: list[Statement] = []
        dtype = choices.one_of(self.memory.dtypes)
        width = WIDTHS[dtype]
        buffer = choices.one_of(self.memory.of(dtype))
        source = View(buffer.space, buffer.argument, dtype, (3,), (1,), buffer.offset)
        match self.fault:
            case "fault":
                return [Fault(choices.one_of(("index", "runtime")), "as drawn")]
            case "offset":
                bad = choices.one_of((9 * width, -width, width + 1 if width > 1 else 99))
                bad_view = replace(source, offset_register=25, offset_bound=8 * width)
                return self._flush() + self._with_view(bad_view, bad)
            case "size":
                bad_view = replace(source, dynamic_dim=0, size_register=25)
                return self._flush() + self._with_view(bad_view, choices.one_of((4, -1, 2**40)))
            case "trips":
                return [Li(25, choices.one_of((-1, 3, 2**33))), Loop(2, 25, (Trace("never"),))]
            case "index":
                made = instructions.indexed(context, self.memory, fault=True)
            case "micro":
                made = instructions.vector(context, self.memory, choices.one_of(("index", "runtime")))
            case "passes":
                made = instructions.product(context, self.memory, fault=True)
            case "stream":
                made = instructions.product(context, self.memory)[:1]
        statements = [*self._flush(), *context.prologue]
        for statement in made:
            statements += self._ordered(statement)
        return statements

    def _with_view(self, source: View, bad: int) -> list[Statement]:
        target = self.choices.one_of(self.memory.of(source.dtype, written=True))
        to = replace(source, space=target.space, argument=target.argument, offset=target.offset)
        to = replace(to, offset_register=None, offset_bound=0)
        return [Li(25, bad), *self._ordered(Copy(to, source))]

    def _unknown_path(self) -> list[Statement]:
        """A branch, so that the loader cannot tell what will run."""
        label = self._label()
        return [Branch("always", None, label), Label(label), Trace("a path")]

    def _without_one(self, body: list[Statement], kind: type) -> list[Statement]:
        found = [n for n, s in enumerate(body) if isinstance(s, kind)]
        if not found:
            return body
        gone = self.choices.one_of(found)
        return [s for n, s in enumerate(body) if n != gone]
