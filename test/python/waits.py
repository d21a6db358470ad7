# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which waits of a program could go.

A wait orders an instruction after all that stands before a post. It could go if the other waits
and the queues imply that order anyway: what an instruction knows to be complete is a vector clock
with a component for each unit. A product that takes an entry of the stream buffer knows nothing of
what the memory unit did before that stream, so streams imply no order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

UNITS = ("icp", "sma", "sxe", "vxe")
UNIT_OF = {
    **dict.fromkeys(("copy", "gather", "scatter", "stream"), "sma"),
    "mm": "sxe",
    "vec": "vxe",
    **dict.fromkeys(("li", "ld", "alu", "trace", "halt"), "icp"),
}
INSTRUCTION = re.compile(r"^\s*lpuisa\.(\w+)")
SYNC = re.compile(r"^\s*lpuisa\.(post|wait) (\w+), (\d+), 1")


@dataclass
class Unit:
    # For each unit, how many of its instructions are known to be complete.
    clock: dict[str, int] = field(default_factory=lambda: dict.fromkeys(UNITS, 0))
    count: int = 0
    # Waits since the last instruction: number, how far they order after which unit, and what that knew.
    waits: list[tuple[int, str, int, dict[str, int]]] = field(default_factory=list)


def _join(clock: dict[str, int], other: dict[str, int]) -> None:
    for unit in UNITS:
        clock[unit] = max(clock[unit], other[unit])


def count_waits(isa: str) -> tuple[int, int]:
    """Of a straight-line program at stage `isa`: all waits, and those that others imply."""
    total, redundant = find_waits(isa)
    return total, len(redundant)


def find_waits(isa: str) -> tuple[int, set[int]]:
    """How many waits there are, and the numbers of those that others imply."""
    units = {name: Unit() for name in UNITS}
    posts: dict[int, list[tuple[str, int, dict[str, int]]]] = {}
    total = 0
    redundant: set[int] = set()
    for line in isa.splitlines():
        if sync := SYNC.match(line):
            kind, name, semaphore = sync[1], sync[2], int(sync[3])
            unit = units[name]
            if kind == "post":
                done = {**unit.clock, name: unit.count}
                posts.setdefault(semaphore, []).append((name, unit.count, done))
            else:
                unit.waits.append((total, *posts[semaphore].pop(0)))
                total += 1
            continue
        found = INSTRUCTION.match(line)
        if not found or found[1] not in UNIT_OF:
            continue
        name = UNIT_OF[found[1]]
        unit = units[name]
        _join(unit.clock, units["icp"].clock)  # It was issued after what the ICP waited for.
        for number, producer, position, _ in unit.waits:
            without = dict(unit.clock)
            for other, _, _, known in unit.waits:
                if other != number:
                    _join(without, known)
            if without[producer] >= position:
                redundant.add(number)
        for _, _, _, known in unit.waits:
            _join(unit.clock, known)
        unit.waits.clear()
        unit.count += 1
        unit.clock[name] = unit.count - 1
    return total, redundant
