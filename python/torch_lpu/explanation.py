# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `explain` found out: plain data, one line of verdict, a table, JSON.

The JSON is `dataclasses.asdict` of an `Explanation` and its verdict:

    {"verdict": str, "complete": bool, "assumptions": [str],
     "graphs": [{"number", "kind", "dynamic", "regions", "bytes_to_host",
                 "ops": [{"name", "op", "dtype", "stage", "compiled", "region", "reason", "advice",
                          "file", "line", "module", "bytes_to_host"}]}],
     "breaks": [{"reason", "explanation", "hints", "file", "line"}]}

`stage` is the last stage that was reached: a stage of the compiler, `bin` for
what compiles, `fx` for what is refused by its looks. `bytes_to_host` of an op
on the host are those of its operands that a program made and of its results
that a program reads; in a graph's each such value counts once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

# Fallbacks and breaks that the verdict names; the table has them all.
NAMED = 3


@dataclass(frozen=True)
class ExplainedOp:
    """One ATen operation of a graph, as the compiler sees it: decomposed and normalised."""

    name: str  # Of the FX node.
    op: str
    dtype: str
    stage: str
    compiled: bool
    region: int | None  # The program it is part of, in its graph.
    reason: str | None
    advice: str | None  # What to do about it.
    file: str | None
    line: int | None
    module: str  # The path of the nn.Module, or "".
    bytes_to_host: int  # What crosses between LPU and host because this runs on the host.

    @property
    def where(self) -> str:
        return place_of_op(self)


@dataclass(frozen=True)
class ExplainedGraph:
    """A graph that reached the backend. Its `kind` is "inference", "forward" or "backward"."""

    number: int
    kind: str
    dynamic: bool  # It has symbolic sizes: these are the facts for the sizes of the call.
    regions: int
    bytes_to_host: int  # What crosses between LPU and host, each value once.
    ops: tuple[ExplainedOp, ...]


@dataclass(frozen=True)
class GraphBreak:
    """Where PyTorch cut the function, or left it to Python."""

    reason: str
    explanation: str
    hints: tuple[str, ...]
    file: str | None
    line: int | None

    @property
    def where(self) -> str:
        return place(self.file, self.line)


@dataclass(frozen=True)
class Explanation:
    """What of a function runs on the LPU, and why the rest does not."""

    graphs: tuple[ExplainedGraph, ...]
    breaks: tuple[GraphBreak, ...]
    assumptions: tuple[str, ...] = field(default=())  # Values that only a run would know.
    complete: bool = True  # False if what follows a break could not be followed.

    @property
    def ops(self) -> tuple[ExplainedOp, ...]:
        return tuple(op for graph in self.graphs for op in graph.ops)

    @property
    def fallbacks(self) -> tuple[ExplainedOp, ...]:
        return tuple(op for op in self.ops if not op.compiled)

    @property
    def bytes_to_host(self) -> int:
        return sum(graph.bytes_to_host for graph in self.graphs)

    @property
    def ok(self) -> bool:
        """Whether all of the function is on the LPU: no op falls back, no graph breaks."""
        return self.complete and not self.fallbacks and not self.breaks

    @property
    def verdict(self) -> str:
        """All of it in one line."""
        if not self.graphs:
            said = "no graph reaches the backend" if self.breaks else "there is nothing to compile"
        elif not self.fallbacks:
            said = f"all {count(len(self.ops), 'op')} of {count(len(self.graphs), 'graph')} compile"
        else:
            distinct = list(dict.fromkeys(f"{op.op} ({op.dtype}) at {op.where}" for op in self.fallbacks))
            said = f"{len(self.fallbacks)} of {count(len(self.ops), 'op')} fall back: {_some(distinct)}"
        if self.breaks:
            causes = [f"{b.reason} at {b.where}" for b in self.breaks]
            said += f"; {count(len(self.breaks), 'graph break')}: {_some(causes)}"
        return said if self.complete else f"{said}; what follows was not traced"

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": self.verdict, **asdict(self)}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def table(self, all_ops: bool = True) -> Any:
        """Graphs, ops and breaks, for rich; `print(explanation)` shows it as text."""
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = [Text(self.verdict)]
        parts += [_graph_table(graph, all_ops) for graph in self.graphs if graph.ops]
        if self.breaks:
            parts.append(_break_table(self.breaks))
        for advice in dict.fromkeys(op.advice for op in self.fallbacks if op.advice):
            names = dict.fromkeys(op.op for op in self.fallbacks if op.advice == advice)
            parts.append(Text(f"{', '.join(names)}: {advice}"))
        parts += [Text(f"assumed: {assumption}") for assumption in self.assumptions]
        return Group(*parts)

    def __str__(self) -> str:
        return to_text(self.table())


def to_text(renderable: Any, width: int = 100) -> str:
    from rich.console import Console

    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return capture.get()


def place(file: str | None, line: int | None) -> str:
    return f"{os.path.basename(file)}:{line}" if file else "an unknown line"


def place_of_op(op: Any) -> str:
    """The line; of what no line of the user's stands for the module, or the FX node."""
    if op.file:
        return place(op.file, op.line)
    return f"module {op.module}" if op.module else f"FX node {op.name}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def first_line(text: str) -> str:
    return text.splitlines()[0] if text else "no message"


def _some(texts: list[str]) -> str:
    rest = len(texts) - NAMED
    return ", ".join(texts[:NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _graph_table(graph: ExplainedGraph, all_ops: bool) -> Any:
    from rich.table import Table

    symbolic = ", symbolic sizes" if graph.dynamic else ""
    title = (
        f"graph {graph.number} ({graph.kind}{symbolic}): "
        f"{count(len(graph.ops), 'op')}, {count(graph.regions, 'program')}"
    )
    table = Table(title=title)
    for column in ("op", "dtype", "line", "stage", "runs on", "host bytes", "reason"):
        table.add_column(column, justify="right" if column == "host bytes" else "left", overflow="fold")
    for (op, dtype, where, stage, runs_on, reason), group in _grouped(graph.ops):
        if all_ops or reason:
            moved = sum(member.bytes_to_host for member in group)
            times = f" x {len(group)}" if len(group) > 1 else ""
            table.add_row(op + times, dtype, where, stage, runs_on, f"{moved:,} B" if moved else "", reason)
    return table


def _grouped(ops: Iterable[ExplainedOp]) -> Iterable[tuple[tuple[str, ...], list[ExplainedOp]]]:
    """Equal rows are one, in the order in which they first appear."""
    groups: dict[tuple[str, ...], list[ExplainedOp]] = {}
    for op in ops:
        runs_on = f"program {op.region}" if op.compiled else "host"
        key = (op.op, op.dtype, op.where, op.stage, runs_on, op.reason or "")
        groups.setdefault(key, []).append(op)
    return groups.items()


def _break_table(breaks: Iterable[GraphBreak]) -> Any:
    from rich.table import Table

    table = Table(title="graph breaks")
    for column in ("line", "reason", "what to do"):
        table.add_column(column, overflow="fold")
    for entry in breaks:
        table.add_row(entry.where, entry.reason, " ".join(entry.hints))
    return table
