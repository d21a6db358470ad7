# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The strategy: which inputs and which operations a program has, and what programs consist of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import strategies
from reference.choices import Choices

from . import moves
from .drawing import Drawing
from .operations import OPERATIONS
from .program import Program, load
from .values import DTYPES, FLOATS, INTEGERS

MIN_OPS, MAX_OPS = 10, 40
_ATTEMPTS = 6  # For each operation.

#: How often a kind of operations is drawn.
WEIGHTS = {
    "function": 3,
    "unary": 2,
    "binary": 4,
    "scalar": 3,
    "comparison": 2,
    "ternary": 2,
    "conversion": 2,
    "reduction": 4,
    "position": 2,
    "scan": 2,
    "normalisation": 2,
    "product": 4,
    "convolution": 2,
    "pooling": 1,
    "view": 6,
    "copy": 3,
    "join": 2,
    "pad": 2,
    "gather": 3,
    "scatter": 3,
    "creation": 1,
    "in place": 6,
}
_KINDS = [kind for kind, weight in WEIGHTS.items() for _ in range(weight)]
LAYOUTS = ("contiguous", "transposed", "stepped", "shifted", "repeated", "shared")


def draw_program(choices: Choices) -> Program:
    drawing = Drawing(choices)
    sizes = [choices.one_of((3, 2, 4, 5, 7, 8, 1)) for _ in range(3)]
    sizes += [choices.one_of((1, 1, 1, 0, 6))]
    dtypes = _dtypes(choices)
    for _ in range(choices.integer(2, 5)):
        _draw_input(drawing, sizes, dtypes)
    count = choices.integer(MIN_OPS, MAX_OPS)
    for _ in range(_ATTEMPTS * count):
        if len(drawing.statements) == count:
            break
        table = OPERATIONS[choices.one_of(_KINDS)]
        table[choices.one_of(list(table))](drawing)
    return drawing.finish()


def _dtypes(choices: Choices) -> list[torch.dtype]:
    """A program has few types, so that values meet."""
    floating = choices.one_of(FLOATS)
    return [floating, floating, choices.one_of(INTEGERS), choices.one_of(DTYPES)]


def _draw_input(drawing: Drawing, sizes: list[int], dtypes: list[torch.dtype]) -> None:
    choices = drawing.choices
    layout = choices.one_of(("contiguous", "contiguous", "contiguous", *LAYOUTS[1:]))
    if layout == "shared" and drawing.values:
        base = choices.one_of(drawing.values)
        if base.tensor.dim() > 0:
            turned = base.tensor.dim() > 1 and choices.chance(50)
            drawing.new_input(f"{base}.mT" if turned else f"{base}{moves.sliced(drawing, base)}")
            return
    dtype = choices.one_of(dtypes)
    rank = choices.one_of((2, 1, 3, 2, 4, 3, 0))
    shape = tuple(choices.one_of(sizes) for _ in range(rank))
    kind = choices.one_of(("plain", "plain", "plain", "plain", "wide", "wide", "odd"))
    text = f"values({shape}, {dtype}, '{kind}', {drawing.seed()})"
    if layout == "repeated" and shape and 0 not in shape:
        dim = choices.integer(0, rank - 1)
        text = f"repeated({text}, {dim}, {shape[dim]})"
    elif layout in ("transposed", "stepped", "shifted"):
        text = f"{layout}({text})"
    drawing.new_input(text)


@strategies.composite
def programs(draw: Callable[[Any], Any]) -> Program:
    return draw_program(Choices.drawn(draw))


def seeded_program(seed: int) -> Program:
    return draw_program(Choices.seeded(seed))


# --- What programs consist of ------------------------------------------------------


def expected_features() -> set[str]:
    """What many programs together have to have."""
    features = {f"op {name}" for kind, table in OPERATIONS.items() if kind != "pad" for name in table}
    features |= {f"op pad {name}" for name in OPERATIONS["pad"]}
    features |= {f"type {dtype}" for dtype in DTYPES} | {f"rank {rank}" for rank in range(5)}
    features |= {f"size {size}" for size in ("zero", "one", "odd", "even")}
    features |= {f"layout {layout}" for layout in LAYOUTS}
    features |= {f"changes {what}" for what in ("an input", "a value", "a view of an input", "a view")}
    features |= {f"result {what}" for what in ("an input", "a view of an input", "a value", "a view")}
    return features | {"broadcast", "promotion", "NaN"}


def features(program: Program) -> Counter[str]:
    found: Counter[str] = Counter(f"op {statement.op}" for statement in program.statements)
    inputs = load(str(program))["inputs"]()
    environment = dict(zip((i.name for i in program.inputs), inputs, strict=True))
    memory_of_inputs = {_memory(tensor) for tensor in inputs}
    for item, tensor in zip(program.inputs, inputs, strict=True):
        layout = "contiguous" if item.text.startswith(("values", "indices", "positions")) else "shared"
        layout = next((name for name in LAYOUTS[1:5] if item.text.startswith(name)), layout)
        found.update([f"layout {layout}"])
        if tensor.is_floating_point() and bool(tensor.isnan().any()):
            found.update(["NaN"])
    views: set[str] = set()

    def what(name: str) -> str:
        if name in (item.name for item in program.inputs):
            return "an input"
        if _memory(environment[name]) in memory_of_inputs:
            return "a view of an input"
        return "a view" if name in views else "a value"

    for statement in program.statements:
        operands = [environment[name] for name in statement.operands()]
        memories = {_memory(operand) for operand in operands}
        exec(str(statement), {"torch": torch}, environment)
        if statement.changes:
            found.update([f"changes {what(statement.changes)}"])
        views |= {name for name in statement.targets if _memory(environment[name]) in memories}
        if statement.op in (*OPERATIONS["binary"], *OPERATIONS["comparison"]) and len(operands) == 2:
            found["broadcast"] += operands[0].shape != operands[1].shape
            found["promotion"] += operands[0].dtype != operands[1].dtype
    found.update(f"result {what(name)}" for name in program.results)
    for tensor in environment.values():
        found.update([f"type {tensor.dtype}", f"rank {tensor.dim()}"])
        found.update({f"size {_size(size)}" for size in tensor.shape})
    return found


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _size(size: int) -> str:
    return {0: "zero", 1: "one"}.get(size, "odd" if size % 2 else "even")
