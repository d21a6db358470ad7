# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state while a program is drawn: its values so far, with what they are in eager and in float64.

Each statement runs as soon as it is drawn. One that eager refuses, that
overflows or loses its precision, or whose results are too large is taken back;
so what is kept has results that a comparison can be held to.

A value is *exact* if every machine has to get the same bits. Only of exact
values may comparisons, indices or roundings be taken, as all others would make
a small difference a large one. Data moves, integers, and +, -, * and / (IEEE
rounds them, and float64 is wide enough that to round its result to the type is
the same) keep values exact.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from reference.choices import Choices
from torch import Tensor

from . import values
from .program import Input, Program, Statement, Wide, widen
from .values import DTYPES

MAX_ELEMENTS = 400
MAX_RANK = 5
#: Of floats. Beyond, types differ in what is infinite.
LIMITS = {torch.float32: 1e6, torch.bfloat16: 1e5, torch.float16: 4e3}
#: How far eager may be from float64, relative to the largest element or to one.
MAX_ERROR = 0.05


@dataclass(frozen=True)
class Value:
    name: str
    tensor: Tensor  # As eager has it now.

    @property
    def dtype(self) -> torch.dtype:
        return self.tensor.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tensor.shape)

    def __str__(self) -> str:
        return self.name


class Drawing:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.inputs: list[Input] = []
        self.statements: list[Statement] = []
        self.values: list[Value] = []
        self._wide: dict[str, Any] = {}
        self._inexact: set[int] = set()  # Storages.
        self._keep: list[Tensor] = []  # So that no storage is taken for a later one.
        self._runner = Wide()

    # --- Values ---------------------------------------------------------------

    def is_exact(self, value: Value) -> bool:
        return not value.tensor.is_floating_point() or _storage(value.tensor) not in self._inexact

    def pick(self, suits: Callable[[Tensor], bool] = lambda _: True, exact: bool = False) -> Value | None:
        """One of the values that suit, one of the last more likely than others."""

        def fits(value: Value) -> bool:
            try:
                return suits(value.tensor) and (not exact or self.is_exact(value))
            except (RuntimeError, IndexError, NotImplementedError):
                return False

        found = [value for value in self.values if fits(value)]
        if not found:
            return None
        return self.choices.one_of(found[-4:] if self.choices.chance(50) else found)

    def new_input(self, text: str, name: str | None = None) -> Value:
        name = name or f"x{len(self.inputs)}"
        names: dict[str, Any] = {"torch": torch, **vars(values)}
        names |= {value.name: value.tensor for value in self.values}
        value = Value(name, eval(text, names))
        self.inputs.append(Input(name, text))
        self.values.append(value)
        self._keep.append(value.tensor)
        base = [other for other in self.values[:-1] if _storage(other.tensor) == _storage(value.tensor)]
        if base:  # A view of another input has to be one of its wide form as well.
            names |= {other.name: self._wide[other.name] for other in self.values[:-1]}
            self._wide[name] = eval(text, names)
        else:
            self._wide[name] = widen([value.tensor])[0]
        return value

    def seed(self) -> int:
        return self.choices.integer(0, 2**16)

    # --- Statements -----------------------------------------------------------

    def add(
        self,
        op: str,
        text: str,
        operands: Sequence[Value] = (),
        *,
        targets: int = 1,
        changes: Value | None = None,
        inexact: bool = False,
    ) -> bool:
        """Adds a statement if it runs, and its results are what they should be.

        `inexact` says that a floating result is rounded as a machine likes. Else
        it is exact if the operands are.
        """
        names = () if changes else tuple(f"v{len(self.statements)}_{i}" for i in range(targets))
        names = (f"v{len(self.statements)}",) if len(names) == 1 else names
        before = _Snapshot(self._wide, self.values, changes)
        environment: dict[str, Any] = {"torch": torch} | {v.name: v.tensor for v in self.values}
        statement = Statement(op, names, text, changes.name if changes else None)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(str(statement), environment)
                results = [changes.tensor] if changes else [environment[name] for name in names]
                tainted = inexact or not all(self.is_exact(operand) for operand in operands)
                statement = self._with_rounding(statement, results, inexact, tainted)
                self._runner.run(statement, self._wide)
        except (RuntimeError, IndexError, ValueError, TypeError, ZeroDivisionError, OverflowError):
            before.restore()
            return False
        wide = [self._wide[changes.name]] if changes else [self._wide[name] for name in names]
        if not all(_is_good(a, b, tainted) for a, b in zip(results, wide, strict=True)):
            before.restore()
            return False
        self.statements.append(statement)
        self._keep += results
        for result in results:
            if tainted and result.is_floating_point():
                self._inexact.add(_storage(result))
        if not changes:
            self.values += [Value(name, result) for name, result in zip(names, results, strict=True)]
        return True

    def _with_rounding(
        self, statement: Statement, results: list[Any], inexact: bool, tainted: bool
    ) -> Statement:
        floats = [r.dtype for r in results if isinstance(r, Tensor) and r.is_floating_point()]
        fresh = statement.changes or all(
            isinstance(r, Tensor) and all(_storage(r) != _storage(v.tensor) for v in self.values)
            for r in results
        )
        if not floats or not fresh or statement.op in MOVES:
            return statement
        rounds, exact = (floats[0], None) if tainted else (None, floats[0])
        return Statement(statement.op, statement.targets, statement.text, statement.changes, rounds, exact)

    # --- The end --------------------------------------------------------------

    def finish(self) -> Program:
        """Every value that nothing reads is a result, and some others are, inputs among them."""
        read = {name for statement in self.statements for name in statement.operands()}
        results = [v.name for v in self.values if v.name not in read and v.name.startswith("v")]
        for _ in range(self.choices.integer(0, 3)):
            results.insert(self.choices.integer(0, len(results)), self.choices.one_of(self.values).name)
        return Program(tuple(self.inputs), tuple(self.statements), tuple(results))


#: What only moves data, rounding nothing, whatever the operands are.
MOVES: set[str] = set()


class _Snapshot:
    """What a statement may change, to take it back."""

    def __init__(self, wide: dict[str, Any], values: Sequence[Value], changes: Value | None) -> None:
        self._wide, self._names = wide, set(wide)
        tensors = [changes.tensor, wide[changes.name]] if changes else []
        self._storages = [tensor.untyped_storage() for tensor in tensors]
        self._copies = [storage.clone() for storage in self._storages]

    def restore(self) -> None:
        for name in set(self._wide) - self._names:
            del self._wide[name]
        for storage, copy in zip(self._storages, self._copies, strict=True):
            storage.copy_(copy)


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _is_good(eager: Any, wide: Any, tainted: bool) -> bool:
    """Whether a comparison can be held to the result."""
    if not isinstance(eager, Tensor) or eager.dtype not in DTYPES:
        return False
    if eager.dim() > MAX_RANK or eager.numel() > MAX_ELEMENTS or eager.shape != wide.shape:
        return False
    if not eager.is_floating_point():
        return torch.equal(eager, wide)
    if wide.dtype != torch.float64:
        return False
    same = torch.where(eager.isfinite(), wide.isfinite(), (eager == wide) | (eager.isnan() & wide.isnan()))
    finite = eager.isfinite() & same
    if not bool(same.all()):
        return False
    if not tainted and not torch.equal(eager.double()[finite], wide[finite]):
        return False
    size = torch.where(finite, wide.abs(), 0).max().item() if eager.numel() else 0.0
    error = torch.where(finite, (eager.double() - wide).abs(), 0).max().item() if eager.numel() else 0.0
    return size <= LIMITS[eager.dtype] and error <= MAX_ERROR * max(1.0, size)
