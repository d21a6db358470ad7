# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Semaphores for a random program: what touches the same buffer in two units gets ordered.

For each unit we keep how far it knows the others to be: the last of their instructions that happens before
whatever it does next. Each ordered pair of units has semaphores of its own, which one posts and the other
waits for in the same order, so a count never goes to the wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable

from .choices import Choices
from .syntax import Post, Statement, Wait

UNITS = ("icp", "sma", "sxe", "vxe")
QUEUES = UNITS[1:]
PER_PAIR = 5

Key = object  # Of a buffer.


class Ordering:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.clock = 0
        self.known = {unit: dict.fromkeys(UNITS, 0) for unit in UNITS}
        self.reads: dict[tuple[Key, str], int] = {}
        self.writes: dict[tuple[Key, str], int] = {}
        self.is_quiet = True  # Nothing was issued since the last barrier.

    def access(self, unit: str, reads: Iterable[Key], writes: Iterable[Key]) -> list[Statement]:
        """The posts and waits that an instruction of `unit` needs before it."""
        reads, writes = list(reads), list(writes)
        statements: list[Statement] = []
        for other in UNITS:
            if other in (unit, "icp"):  # What the ICP has read it read before it issued this.
                continue
            last = [self.writes.get((key, other), 0) for key in reads + writes]
            last += [self.reads.get((key, other), 0) for key in writes]
            if max(last, default=0) > self.known[unit][other]:
                statements += self.order(other, unit)
        if self.choices.chance(8):
            statements += self.order(*self.choices.shuffled(QUEUES)[:2])
        self.clock += 1
        for keys, last_access in ((reads, self.reads), (writes, self.writes)):
            for key in keys:
                last_access[key, unit] = self.clock
        self.is_quiet = False
        return statements

    def order(self, first: str, then: str) -> list[Statement]:
        """What `first` has been given so far happens before what `then` is given from now on."""
        count = 1 if self.choices.chance(80) else self.choices.integer(1, 3)
        self.known[then][first] = self.clock
        for unit in UNITS:  # And what happened before that.
            self.known[then][unit] = max(self.known[then][unit], self.known[first][unit])
        if then == "icp":  # All queues are given things by the ICP.
            for unit in QUEUES:
                for other in UNITS:
                    self.known[unit][other] = max(self.known[unit][other], self.known["icp"][other])
        semaphore = self._semaphore(first, then)
        return [Post(first, semaphore, count), Wait(then, semaphore, count)]

    def _semaphore(self, first: str, then: str) -> int:
        pairs = [(a, b) for a in UNITS for b in UNITS if a != b]
        return pairs.index((first, then)) * PER_PAIR + self.choices.integer(0, PER_PAIR - 1)

    def barrier(self) -> list[Statement]:
        """Everything so far happens before everything from now on."""
        if self.is_quiet:
            return []
        self.is_quiet = True
        statements: list[Statement] = []
        if self.choices.chance(50):
            for unit in QUEUES:
                statements += self.order(unit, "icp")
            return statements
        posts, waits = [], []
        for first in QUEUES:
            for then in QUEUES:
                if first != then:
                    post, wait = self.order(first, then)
                    posts.append(post)
                    waits.append(wait)
        return posts + waits


def interleaved(choices: Choices, statements: list[Statement], unit_of) -> list[Statement]:
    """The same queues, issued in another order. Statements of the ICP stay where they are."""
    result: list[Statement] = []
    run: list[Statement] = []

    def flush() -> None:
        queues = {unit: [s for s in run if unit_of(s) == unit] for unit in QUEUES}
        run.clear()
        while left := [unit for unit in QUEUES if queues[unit]]:
            result.append(queues[choices.one_of(left)].pop(0))

    for statement in statements:
        if unit_of(statement) in QUEUES:
            run.append(statement)
            continue
        flush()
        result.append(statement)
    flush()
    return result
