# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ICP, the queues and the semaphores: control flow and what order instructions run in.

The ICP goes through the text and puts instructions into queues, their views resolved. Queues run whenever
they can, one instruction at a time and whole; which of them goes first is drawn from a seed, for a program
without races must not care. A run ends at `halt`, or with a fault.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from . import matrix
from .memory import MachineFault, Memories, Place, resolve
from .syntax import (
    Alu,
    Branch,
    Copy,
    Fault,
    Gather,
    Halt,
    Label,
    Ld,
    Li,
    Loop,
    Mm,
    Post,
    Program,
    Scatter,
    Statement,
    Stream,
    Trace,
    Vec,
    View,
    Wait,
)
from .vector import VectorRun

ROWS_PER_PASS = {"tiny": 4, "lpu-hbm3": 8, "lpu-lpddr5x": 128}


class _Halted(Exception):
    pass


def run(program: Program, arguments: Sequence[np.ndarray], seed: int = 0, steps: int = 100_000) -> None:
    """Changes the arguments; a fault of the program is raised as MachineFault."""
    with np.errstate(all="ignore"):
        _Machine(program, arguments, random.Random(seed), steps).run()


@dataclass
class _Queued:
    """An instruction in a queue: `ready` says whether it may run, `act` runs it."""

    ready: Callable[[], bool]
    act: Callable[[], None]
    what: str


@dataclass
class _Entry:
    """An entry of the stream buffer."""

    view: View
    passes: int
    values: np.ndarray


def _always() -> bool:
    return True


class _Machine:
    def __init__(
        self, program: Program, arguments: Sequence[np.ndarray], order: random.Random, steps: int
    ) -> None:
        self.program = program
        self.memories = Memories(arguments, program.rodata, program.scratch, program.lmu)
        self.registers = [0] * 32
        self.iterations = [0] * 4
        self.semaphores = [0] * 64
        self.queues: dict[str, deque[_Queued]] = {unit: deque() for unit in ("sma", "sxe", "vxe")}
        self.buffer: deque[_Entry] = deque()
        self.order, self.steps = order, steps
        base = program.machine.get("base", '"lpu-hbm3"').strip('"')
        self.rows_per_pass = int(program.machine.get("rows_per_pass", ROWS_PER_PASS[base]))

    def run(self) -> None:
        try:
            self._block(self.program.body, 0)
            raise AssertionError("the text has no end")
        except _Halted:
            pass
        self._drain()
        stuck = [f"{unit}: {queue[0].what}" for unit, queue in self.queues.items() if queue]
        if stuck:
            raise MachineFault("deadlock", f"waiting for ever: {'; '.join(stuck)}")
        if left := [f"{s}: {n}" for s, n in enumerate(self.semaphores) if n]:
            raise MachineFault("deadlock", f"posts left over: {', '.join(left)}")
        if self.buffer:
            raise MachineFault("deadlock", f"{len(self.buffer)} stream entries left over")

    # --- Control flow -----------------------------------------------------------
    def _block(self, body: Sequence[Statement], level: int) -> None:
        labels = {s.name: i for i, s in enumerate(body) if isinstance(s, Label)}
        at = 0
        while at < len(body):
            statement = body[at]
            at += 1
            self.steps -= 1
            if self.steps < 0:
                raise AssertionError("the program takes too many steps")
            if isinstance(statement, Branch):
                if self._taken(statement):
                    at = labels[statement.target]
            elif isinstance(statement, Loop):
                self._loop(statement, level)
            else:
                self._instruction(statement)

    def _taken(self, branch: Branch) -> bool:
        return branch.condition == "always" or (self.registers[branch.rs] == 0) == (
            branch.condition == "zero"
        )

    def _loop(self, loop: Loop, level: int) -> None:
        trips = loop.trips
        if loop.register is not None:
            trips = self.registers[loop.register]
            if not 0 <= trips <= loop.trips:
                raise MachineFault("index", f"trip count {trips} is not in [0, {loop.trips}]")
        for iteration in range(trips):
            self.iterations[level] = iteration
            self._block(loop.body, level + 1)
        self.iterations[level] = 0

    # --- Instructions -----------------------------------------------------------
    def _instruction(self, s: Statement) -> None:
        match s:
            case Halt():
                raise _Halted
            case Fault():
                raise MachineFault(s.kind, s.message)
            case Label() | Trace():
                pass
            case Li():
                self.registers[s.rd] = _signed(s.value)
            case Ld():
                self.registers[s.rd] = int(self.memories.read(self._place(s.source)).reshape(-1)[0])
            case Alu():
                self._alu(s)
            case Post():
                self._post(s)
            case Wait():
                self._wait(s)
            case Copy():
                places = self._place(s.destination), self._place(s.source)
                self._issue("sma", s, lambda: self._copy(*places))
            case Gather() | Scatter():
                places = self._place(s.destination), self._place(s.source), self._place(s.index)
                move = self._gather if isinstance(s, Gather) else self._scatter
                self._issue("sma", s, lambda: move(s, *places))
            case Stream():
                place = self._place(s.source)
                self._issue("sma", s, lambda: self._stream(s, place))
            case Mm():
                places = self._place(s.output), self._place(s.lhs), self._place(s.streamed)
                self._issue("sxe", s, lambda: self._mm(s, *places), lambda: bool(self.buffer))
            case Vec():
                places = [self._place(view) for view in s.views]
                self._issue("vxe", s, lambda: VectorRun(s, places, self.memories).run())
            case _:
                raise NotImplementedError(s)

    def _place(self, view: View) -> Place:
        return resolve(view, self.registers, self.iterations)

    def _alu(self, s: Alu) -> None:
        left = self.registers[s.rs]
        right = self.registers[s.rt] if s.rt is not None else s.immediate
        functions = {
            "add": lambda: left + right,
            "sub": lambda: left - right,
            "mul": lambda: left * right,
            "min": lambda: min(left, right),
            "max": lambda: max(left, right),
            "cmp_eq": lambda: int(left == right),
            "cmp_lt": lambda: int(left < right),
            "cmp_le": lambda: int(left <= right),
        }
        self.registers[s.rd] = _signed(functions[s.function]())

    # --- Queues and semaphores --------------------------------------------------
    def _issue(
        self, unit: str, s: Statement, act: Callable[[], None], ready: Callable[[], bool] = _always
    ) -> None:
        self.queues[unit].append(_Queued(ready, act, str(s)))
        # Now and then the units catch up; a program without races cannot tell when.
        if self.order.random() < 0.5:
            self._drain()

    def _post(self, s: Post) -> None:
        def act() -> None:
            self.semaphores[s.semaphore] += s.count

        act() if s.unit == "icp" else self._issue(s.unit, s, act)

    def _wait(self, s: Wait) -> None:
        def ready() -> bool:
            return self.semaphores[s.semaphore] >= s.count

        def act() -> None:
            self.semaphores[s.semaphore] -= s.count

        if s.unit != "icp":
            self._issue(s.unit, s, act, ready)
            return
        while not ready():
            if not self._step():
                raise MachineFault("deadlock", f"icp: {s}")
        act()

    def _step(self) -> bool:
        """One instruction of some queue that can go on."""
        able = [queue for queue in self.queues.values() if queue and queue[0].ready()]
        if not able:
            return False
        self.order.choice(able).popleft().act()
        return True

    def _drain(self) -> None:
        while self._step():
            pass

    # --- Memory and matrix ------------------------------------------------------
    def _copy(self, destination: Place, source: Place) -> None:
        self.memories.write(destination, self.memories.read(source))

    def _indices(self, s: Gather | Scatter, index: Place, size: int) -> np.ndarray:
        numbers = self.memories.read(index).astype(np.int64)
        if s.wrap_negative:
            numbers = np.where(numbers < 0, numbers + size, numbers)
        if numbers.size and (numbers.min() < 0 or numbers.max() >= size):
            raise MachineFault("index", f"an index is not in [0, {size})")
        return numbers

    def _gather(self, s: Gather, destination: Place, source: Place, index: Place) -> None:
        numbers = self._indices(s, index, source.sizes[s.axis])
        self._slices(s.axis, destination, range(numbers.size), source, numbers)

    def _scatter(self, s: Scatter, destination: Place, source: Place, index: Place) -> None:
        numbers = self._indices(s, index, destination.sizes[s.axis])
        self._slices(s.axis, destination, numbers, source, range(numbers.size))

    def _slices(
        self, axis: int, target: Place, targets: Sequence[int], source: Place, sources: Sequence[int]
    ) -> None:
        """One after the other, each as copy does it."""
        to, from_ = target.addresses(), source.addresses()
        for i, k in zip(targets, sources, strict=True):
            where = np.take(from_, int(k), axis=axis)
            values = self.memories.read_at(source.memory, source.dtype, where)
            where = np.take(to, int(i), axis=axis)
            self.memories.write_at(target.memory, target.dtype, where, values)

    def _stream(self, s: Stream, place: Place) -> None:
        self.buffer.append(_Entry(s.source, s.passes, self.memories.read(place)))

    def _mm(self, s: Mm, output: Place, lhs: Place, streamed: Place) -> None:
        entry = self.buffer.popleft()
        rows = prod(s.lhs.sizes[s.batch : s.batch + s.rows])  # A dynamic size counts as its bound.
        if entry.view != s.streamed or (rows > 0 and entry.passes != -(-rows // self.rows_per_pass)):
            raise MachineFault("runtime", f"the entry is {entry.view}, {entry.passes} passes, not for {s}")
        # The entry has the sizes that its registers held when it was pushed.
        batch, depth = lhs.sizes[: s.batch], lhs.sizes[s.batch + s.rows :]
        if entry.values.shape != batch + output.sizes[s.batch + s.rows :] + depth:
            raise MachineFault("runtime", f"the entry has sizes {entry.values.shape}, not for {s}")
        old = self.memories.read(output)
        types = lhs.dtype, output.dtype
        self.memories.write(output, matrix.multiply(s, self.memories.read(lhs), entry.values, old, types))


def _signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63
