# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program as data: inputs, statements and results, printed as Python and run from what is printed.

It is run in three ways. As it stands, in eager or compiled. Wide: floating
types are float64, and only what IEEE rounds alike on every machine is rounded
to the type that it has. Perturbed: wide, and each rounding that is free to
differ is played by a random relative change of a unit in the last place, of
the result and of the operands: what of the results that moves is how far they
may be from the wide ones.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from . import values

_NAME = re.compile(r"\b[vx]\d+(?:_\d+)?\b")
_FLOAT = re.compile(r"torch\.(float32|bfloat16|float16)\b")
_CONVERSION = re.compile(r"\.to\((torch\.\w+)\)")


@dataclass(frozen=True)
class Input:
    name: str
    text: str  # May name inputs before it, whose memory it then shares.


@dataclass(frozen=True)
class Statement:
    """`targets = text`, or `text` alone, which changes the value `changes` in place."""

    op: str
    targets: tuple[str, ...]
    text: str
    changes: str | None = None
    #: Where machines may differ in their rounding: the type that is rounded to.
    rounds: torch.dtype | None = None
    #: Where they may not, although float64 is not rounded: the type of the result.
    exact: torch.dtype | None = None

    def __str__(self) -> str:
        return f"{', '.join(self.targets)} = {self.text}" if self.targets else self.text

    def operands(self) -> set[str]:
        return set(_NAME.findall(self.text))


@dataclass(frozen=True)
class Program:
    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    results: tuple[str, ...]

    def __str__(self) -> str:
        parameters = ", ".join(i.name for i in self.inputs)
        lines = ["def inputs():", *(f"    {i.name} = {i.text}" for i in self.inputs)]
        lines += [f"    return [{parameters}]", "", "", f"def function({parameters}):"]
        lines += [f"    {statement}" for statement in self.statements]
        return "\n".join([*lines, f"    return [{', '.join(self.results)}]", ""])

    def run_wide(self, arguments: Sequence[Tensor], wide: Wide) -> list[Tensor]:
        """Results and changed inputs. `arguments` are those of `widen`."""
        environment = dict(zip((i.name for i in self.inputs), arguments, strict=True))
        for statement in self.statements:
            wide.run(statement, environment)
        return [environment[name] for name in (*self.results, *(i.name for i in self.inputs))]


def load(source: str) -> dict[str, Any]:
    """The functions `inputs` and `function` of a printed program. Its lines can be shown in messages."""
    name = f"<random graph {hash(source):x}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"torch": torch, **vars(values)}
    exec(compile(source, name, "exec"), namespace)
    return namespace


def widen(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The same values in the same places of other memory, which holds float64 where it held floats."""
    memories: dict[int, Tensor] = {}

    def one(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in memories:
            everything = torch.empty(0, dtype=tensor.dtype).set_(storage)
            floating = tensor.is_floating_point()
            memories[storage._cdata] = everything.double() if floating else everything.clone()
        memory = memories[storage._cdata]
        return memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

    return [one(tensor) for tensor in tensors]


#: The logarithm of a sum that is near one: the sum's rounding is as large as if the result was.
SUMS_NEAR_ONE = frozenset({"log_softmax", "logsumexp", "logaddexp", "logcumsumexp"})


class Wide:
    """Runs statements in float64, perturbed if there is a seed."""

    def __init__(self, seed: int | None = None) -> None:
        self._generator = None if seed is None else torch.Generator().manual_seed(seed)

    def run(self, statement: Statement, environment: dict[str, Any]) -> None:
        text = _CONVERSION.sub(r".to(\1, copy=True)", statement.text)
        text = _FLOAT.sub("torch.float64", text)
        namespace: dict[str, Any] = {"torch": torch, **environment}
        if statement.rounds is not None and self._generator is not None:
            text = self._perturb_operands(statement, text, namespace)
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            exec(f"{', '.join(statement.targets)} = {text}" if statement.targets else text, namespace)
        finally:
            torch.set_default_dtype(before)
        environment.update((name, namespace[name]) for name in statement.targets)
        for name in statement.targets if statement.changes is None else (statement.changes,):
            self._round(statement, environment[name])

    def _perturb_operands(self, statement: Statement, text: str, namespace: dict[str, Any]) -> str:
        def copy(name: str) -> Any:
            value = namespace[name]
            if not isinstance(value, Tensor) or not value.is_floating_point() or name == statement.changes:
                return value
            return self._perturb(value.clone(), statement.rounds)

        namespace["__operands"] = {name: copy(name) for name in statement.operands()}
        return _NAME.sub(lambda match: f"__operands['{match[0]}']", text)

    def _perturb(self, value: Tensor, dtype: torch.dtype | None) -> Tensor:
        assert dtype is not None
        units = torch.rand(value.shape, generator=self._generator, dtype=torch.float64) * 2 - 1
        return value.mul_(1 + units * torch.finfo(dtype).eps)

    def _round(self, statement: Statement, value: Tensor) -> None:
        if not value.is_floating_point():
            return
        if statement.exact is not None:
            value.copy_(value.to(statement.exact))
        elif statement.rounds is not None and self._generator is not None:
            self._perturb(value, statement.rounds)
            if statement.op in SUMS_NEAR_ONE:
                value.add_(self._perturb(torch.ones_like(value), torch.float32) - 1)


def simplified(program: Program) -> Iterator[Program]:
    """Programs that are a little shorter: fewer results, fewer statements, fewer inputs."""
    for count in (len(program.results) // 2, 1):
        for start in range(0, len(program.results), count or 1):
            left = program.results[:start] + program.results[start + count :]
            if count and left:
                yield _without_unused(Program(program.inputs, program.statements, left))
    for index in reversed(range(len(program.statements))):
        rest = _without_statement(program, index)
        if rest is not None:
            yield rest


def _without_statement(program: Program, index: int) -> Program | None:
    """Without the statement, and what reads it; its operands are results instead."""
    gone: set[str] = set(program.statements[index].targets)
    kept = list(program.statements[:index])
    for statement in program.statements[index + 1 :]:
        if statement.operands() & gone:
            gone |= set(statement.targets)
        else:
            kept.append(statement)
    results = tuple(name for name in program.results if name not in gone)
    results = results or tuple(kept[-1].targets[:1] if kept else ())
    return _without_unused(Program(program.inputs, tuple(kept), results)) if results else None


def _without_unused(program: Program) -> Program:
    """Without statements and inputs on which nothing depends; what changes a value stays with it."""
    needed = set(program.results)
    kept: list[Statement] = []
    for statement in reversed(program.statements):
        if statement.changes is not None or needed & set(statement.targets):
            needed |= statement.operands()
            kept.append(statement)
    for item in reversed(program.inputs):
        if item.name in needed:
            needed |= set(_NAME.findall(item.text))
    inputs = tuple(item for item in program.inputs if item.name in needed)
    return Program(inputs, tuple(reversed(kept)), program.results)


def shrink(program: Program, fails: Callable[[Program], bool], attempts: int = 400) -> Program:
    """Greedily, as long as it fails."""
    progress = True
    while progress:
        progress = False
        for candidate in simplified(program):
            attempts -= 1
            if attempts < 0:
                return program
            if candidate != program and fails(candidate):
                program, progress = candidate, True
                break
    return program
