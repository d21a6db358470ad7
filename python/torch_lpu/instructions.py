# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which instructions of a program came from an FX node, by the locations of its `isa` text.

An instruction is numbered by its place in the text. What a vector instruction
holds (micro-operations) counts as part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ALIAS = re.compile(r"^#(loc\d*) = loc\((.*)\)$")
_REFERENCE = re.compile(r"#(loc\d*)\b")
_NAME = re.compile(r'^"([^"]*)"(?:\(|$)')
_INSTRUCTION = re.compile(r"^\s+lpuisa\.(\w+)")
_LOCATION = re.compile(r" loc\(#(loc\d*)\)$")
# Parts of a vector instruction, and what encloses all.
_NO_INSTRUCTION = frozenset({"micro", "rows", "elements", "program"})


@dataclass(frozen=True)
class MachineInstruction:
    number: int
    opcode: str
    text: str

    def __str__(self) -> str:
        return f"{self.number}: {self.text}"


def instructions_of(isa: str, node: str) -> list[MachineInstruction]:
    """The instructions that compute or move for the node; not those that only order units."""
    matches = [_ALIAS.match(line) for line in isa.splitlines()]
    aliases = {match.group(1): match.group(2) for match in matches if match}
    wanted = {alias for alias in aliases if node in _names(alias, aliases, frozenset())}
    found: dict[int, MachineInstruction] = {}
    for instruction, locations in _located(isa):
        if wanted & locations and instruction.opcode not in ("post", "wait"):
            found[instruction.number] = instruction
    return list(found.values())


def _names(alias: str, aliases: dict[str, str], seen: frozenset[str]) -> set[str]:
    """The FX nodes that a location names, itself or by what it is fused of."""
    if alias in seen:
        return set()
    text = aliases.get(alias, "")
    name = _NAME.match(text)
    if name:
        return {name.group(1)}
    inner = _REFERENCE.findall(text)
    return set().union(*(_names(other, aliases, seen | {alias}) for other in inner))


def _located(isa: str) -> Iterator[tuple[MachineInstruction, set[str]]]:
    current: MachineInstruction | None = None
    number = 0
    for line in isa.splitlines():
        start = _INSTRUCTION.match(line)
        if start and start.group(1) not in _NO_INSTRUCTION:
            current = MachineInstruction(number, start.group(1), _LOCATION.sub("", line).strip())
            number += 1
        location = _LOCATION.search(line)
        if current is not None and location:
            yield current, {location.group(1)}
