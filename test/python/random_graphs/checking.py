# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program on the LPU against eager.

Integers, bools and what only moves data have to be equal. A floating result
may be as far from its float64 value as roundings can bring it: eager is one
sample of that, and programs whose every rounding is moved by a random unit in
the last place (see `program.py`) are others. So the bound follows the graph:
it grows where values cancel or are divided by small ones, and no result is
excused by the size of another. As it is several times the largest of these
samples, rounding alone practically never reaches it; a mismatch is a real one.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torch_lpu import diagnostics, support

from .program import Program, Wide, load, shrink, widen

SAMPLES = 4
#: Of the largest sample.
FACTOR = 10.0


@dataclass(frozen=True)
class Failure:
    kind: str  # What it has in common with the failure of a shorter program.
    text: str
    place: str = ""  # The value that is wrong.


#: PyTorch itself, without a compiler behind its tracing, does not do what eager does: not our failure.
PYTORCH = "PyTorch"

_LPU: dict[str, Any] = {"backend": "lpu", "options": {"fallback": "error"}}


def check(program: Program) -> Failure | None:
    """What is wrong with the compiled program, if something is."""
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        failure = _check(program, _LPU)
        if failure is None:
            return None
        theirs = _check(program, {"backend": "aot_eager"})
        if theirs is not None and (theirs.kind, theirs.place) == (failure.kind, failure.place):
            return Failure(PYTORCH, failure.text)
        return failure


def _check(program: Program, how: dict[str, Any]) -> Failure | None:
    namespace = load(str(program))
    inputs, function = namespace["inputs"], namespace["function"]
    arguments = inputs()
    expected = [*function(*arguments), *arguments]
    try:
        first, second = _run_twice(function, inputs, how)
    except Exception as error:
        return Failure(_kind(error), traceback.format_exc(limit=-3))
    wide, *samples = (_wide(program, inputs(), seed) for seed in (None, *range(SAMPLES)))
    exact = _exact(program, inputs())
    names = (*program.results, *(item.name for item in program.inputs))
    for place, name in enumerate(names):
        parts = [sample[place] for sample in samples]
        message = _difference(first[place], expected[place], wide[place], parts, exact[place])
        if message is None and not _same_values(first[place], second[place]):
            message = "a second run gives other values"
        if message is not None:
            eager = expected[place]
            return Failure("mismatch", f"{name}, of {eager.dtype} {list(eager.shape)}: {message}", name)
    message = _other_aliases(first, expected, len(program.inputs))
    return Failure("alias", message) if message else None


def _run_twice(
    function: Callable[..., Any], inputs: Callable[[], list[Tensor]], how: dict[str, Any]
) -> list[list[Tensor]]:
    """Results and inputs after each of two calls, each with inputs of its own."""
    torch._dynamo.reset()
    diagnostics.reset()
    support.forget()
    compiled = torch.compile(function, fullgraph=True, dynamic=False, **how)
    runs = []
    for _ in range(2):
        arguments = inputs()
        runs.append([*compiled(*arguments), *arguments])
    return runs


def report(program: Program, failure: Failure) -> str:
    """The failure of the shortest program that fails in the same way."""
    shorter = shrink(program, lambda candidate: _fails(candidate, failure.kind))
    found = check(shorter) or failure
    return f"{found.kind}\n{found.text}\n\n{shorter}"


def _fails(program: Program, kind: str) -> bool:
    try:
        failure = check(program)
    except Exception:  # What is left is not a program that eager runs.
        return False
    return failure is not None and failure.kind == kind


def _kind(error: Exception) -> str:
    """The type of an error, and its message without names, numbers, places and the backend that raised it."""
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("backend=")]
    place = next((i for i, line in enumerate(lines) if "random graph" in line), 0)
    text = re.sub(r"<.*?>|[0-9]+", "#", lines[place]) if lines else ""
    return f"{type(error).__name__}: {text[:160]}"


def _wide(program: Program, inputs: Sequence[Tensor], seed: int | None) -> list[Tensor]:
    return [tensor.clone() for tensor in program.run_wide(widen(inputs), Wide(seed))]


def _exact(program: Program, inputs: Sequence[Tensor]) -> list[bool]:
    """Whether nothing that machines round differently is in a result."""
    environment = {item.name: tensor for item, tensor in zip(program.inputs, inputs, strict=True)}
    inexact: set[int] = set()

    def memory(name: str) -> int:
        return environment[name].untyped_storage()._cdata

    keep = list(inputs)
    for statement in program.statements:
        touched = any(memory(name) in inexact for name in statement.operands())
        exec(str(statement), {"torch": torch}, environment)
        names = (statement.changes,) if statement.changes else statement.targets
        keep += [environment[name] for name in names]
        if touched or statement.rounds is not None:
            inexact |= {memory(name) for name in names}
    names = (*program.results, *(item.name for item in program.inputs))
    return [not environment[n].is_floating_point() or memory(n) not in inexact for n in names]


def _difference(
    actual: Tensor, eager: Tensor, wide: Tensor, samples: Sequence[Tensor], exact: bool
) -> str | None:
    if actual.dtype != eager.dtype or actual.shape != eager.shape:
        return f"is of {actual.dtype} {list(actual.shape)}"
    if exact:
        same = (actual == eager) | (actual.isnan() & eager.isnan())
        return None if bool(same.all()) else _first(actual, eager, ~same, "eager")
    result, reference = actual.double(), wide.double()
    finite = reference.isfinite()
    same = torch.where(
        finite, result.isfinite(), (result == reference) | (result.isnan() & reference.isnan())
    )
    limits = torch.finfo(actual.dtype)
    spread = (eager.double() - reference).abs()
    for sample in samples:
        spread = torch.maximum(spread, (sample.double() - reference).abs())
    unit = limits.eps * reference.abs().clamp(min=limits.smallest_normal)
    bound = FACTOR * torch.where(finite, spread, 0) + 2 * unit
    wrong = ~same | (finite & ((result - reference).abs() > bound))
    if not bool(wrong.any()):
        return None
    place = tuple(int(i) for i in wrong.nonzero()[0])
    return _first(actual, reference, wrong, "float64") + f", eager {eager[place]}, bound {bound[place]:.3g}"


def _first(actual: Tensor, expected: Tensor, wrong: Tensor, name: str) -> str:
    place = tuple(int(i) for i in wrong.nonzero()[0])
    count = int(wrong.sum())
    return f"{count} of {wrong.numel()} wrong; [{place}] is {actual[place]}, {name} {expected[place]}"


def _same_values(first: Tensor, second: Tensor) -> bool:
    same = (first == second) | (first.isnan() & second.isnan())
    return bool(same.all())


def _other_aliases(actual: Sequence[Tensor], expected: Sequence[Tensor], inputs: int) -> str:
    """Results are views of the inputs of which they are in eager."""

    def bases(tensors: Sequence[Tensor]) -> list[set[int]]:
        memories = [tensor.untyped_storage()._cdata for tensor in tensors]
        end = len(tensors) - inputs
        return [{i for i in range(end, len(tensors)) if memories[i] == memory} for memory in memories[:end]]

    for place, (found, wanted) in enumerate(zip(bases(actual), bases(expected), strict=True)):
        if found != wanted:
            return f"result {place} shares memory with inputs {found}, in eager with {wanted}"
    return ""
