# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare` found out: plain data, one line of verdict, a table, JSON.

The JSON is `dataclasses.asdict` of a `Comparison` and its verdict:

    {"verdict": str, "stable": bool,
     "ops": [{"graph", "kind", "name", "op", "dtype", "shape", "file", "line", "module", "runs_on",
              "error", "ulp", "eager_error", "eager_ulp", "chain_error", "verdict", "instructions",
              "reference", "is_view"}],
     "results": [{"graph", "place", "dtype", "shape", "error", "ulp", "eager_error", "eager_ulp", "verdict",
                  "reference"}]}

Errors are the largest of a tensor against float64. `error` and `eager_error`
are of this op alone, on the values that the LPU gave it; `chain_error` adds up
from the start of the graph; null stands for infinitely many. `ops` are those of
the normalised graph, `results` are those of Dynamo's graphs, held against what
these were before decomposition. `verdict` is
"ok", "diverges", "inherited" (off because of an op before it) or "not
compared" (random or undefined, or nothing of its graph compiles). `reference`
is "float64", or "eager" for what has no float64 form: an op was then held
against eager's value in its own type, and a result against a chain that has
such an op in it.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from .explanation import count, place_of_op, to_text

# What a value was held against.
FLOAT64, EAGER = "float64", "eager"

# Instructions that the verdict of a table shows.
SHOWN_INSTRUCTIONS = 8


@dataclass(frozen=True)
class ComparedOp:
    graph: int
    kind: str
    name: str
    op: str
    dtype: str
    shape: tuple[int, ...]
    file: str | None
    line: int | None
    module: str
    runs_on: str  # "program 0" of its graph, or "host".
    error: float
    ulp: float
    eager_error: float
    eager_ulp: float
    chain_error: float
    verdict: str
    instructions: tuple[str, ...]
    reference: str = FLOAT64
    is_view: bool = False  # The table leaves it out, if it is right.

    @property
    def where(self) -> str:
        return place_of_op(self)


@dataclass(frozen=True)
class ComparedResult:
    graph: int
    place: int
    dtype: str
    shape: tuple[int, ...]
    error: float
    ulp: float
    eager_error: float
    eager_ulp: float
    verdict: str
    reference: str = FLOAT64


@dataclass(frozen=True)
class Comparison:
    """A function on the LPU against float64, op by op."""

    ops: tuple[ComparedOp, ...]
    results: tuple[ComparedResult, ...]
    stable: bool = True  # The results have the same bits when every op returns its value too.

    @property
    def first(self) -> ComparedOp | None:
        """The first op that diverges itself."""
        return next((op for op in self.ops if op.verdict == "diverges"), None)

    @property
    def ok(self) -> bool:
        return self.first is None and self.stable and all(r.verdict != "diverges" for r in self.results)

    @property
    def verdict(self) -> str:
        """All of it in one line."""
        number = sum(op.verdict != "not compared" for op in self.ops)
        if not number:
            return f"nothing was compared: no op reached the {'LPU' if self.ops else 'backend'}"
        first = self.first
        if first is not None:
            return (
                f"the first op that diverges is {first.op} ({first.dtype}) at {first.where}: "
                f"error {first.error:.3g} ({_ulp(first.ulp)} ulp), eager's {first.eager_error:.3g}"
            )
        wrong = [result for result in self.results if result.verdict == "diverges"]
        if wrong:
            return (
                f"every op agrees, but result {wrong[0].place} of graph {wrong[0].graph} is off by "
                f"{wrong[0].error:.3g}: a decomposition is wrong (`minify` finds it)"
            )
        if not self.stable:
            return "every op agrees, but the results have other bits without the other values: report this"
        worst = max(self.ops, key=lambda op: op.ulp, default=None)
        most = (
            f", at most {_ulp(worst.ulp)} ulp off ({worst.op} at {worst.where})"
            if worst and worst.ulp
            else ""
        )
        return f"all {count(number, 'op')} agree with float64{most}{self._exceptions}"

    @property
    def _exceptions(self) -> str:
        compared = [op for op in self.ops if op.verdict != "not compared" and op.reference == EAGER]
        if not compared:
            return ""
        names = ", ".join(dict.fromkeys(f"{op.op} ({op.dtype})" for op in compared))
        return f"; {names} against eager in the same type, for want of a float64 form"

    def to_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = _finite({"verdict": self.verdict, **asdict(self)})
        return record

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def table(self) -> Any:
        """Ops, results, and the instructions of the first divergence, for rich."""
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = [Text(self.verdict), self._op_table(), self._result_table()]
        if self.first is not None and self.first.instructions:
            shown = self.first.instructions[:SHOWN_INSTRUCTIONS]
            rest = len(self.first.instructions) - len(shown)
            parts.append(Text(f"instructions of {self.first.name}, in {self.first.runs_on}:"))
            parts += [Text(f"  {line}") for line in shown]
            parts += [Text(f"  and {rest} more")] if rest else []
        return Group(*parts)

    def _op_table(self) -> Any:
        columns = ("", "op", "line", "dtype", "shape", "runs on", "error", "ulp", "eager ulp", "verdict")
        table = _table("ops", columns)
        first = self.first
        for op in self.ops:
            if op.is_view and op.verdict == "ok":
                continue
            mark = ">" if op is first else ""
            errors = f"{op.error:.2g}", _ulp(op.ulp), _ulp(op.eager_ulp)
            table.add_row(
                mark, op.op, op.where, op.dtype, _shape(op.shape), op.runs_on, *errors, _verdict(op)
            )
        return table

    def _result_table(self) -> Any:
        table = _table(
            "results", ("graph", "place", "dtype", "shape", "error", "ulp", "eager ulp", "verdict")
        )
        for r in self.results:
            errors = f"{r.error:.2g}", _ulp(r.ulp), _ulp(r.eager_ulp)
            table.add_row(str(r.graph), str(r.place), r.dtype, _shape(r.shape), *errors, _verdict(r))
        return table

    def __str__(self) -> str:
        return to_text(self.table(), 110)


def _verdict(row: ComparedOp | ComparedResult) -> str:
    compared = row.reference == EAGER and row.verdict != "not compared"
    return f"{row.verdict} (eager)" if compared else row.verdict


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _table(title: str, columns: tuple[str, ...]) -> Any:
    from rich.table import Table

    table = Table(title=title)
    for column in columns:
        right = column in ("error", "ulp", "eager ulp")
        table.add_column(column, justify="right" if right else "left", no_wrap=column in ("op", "verdict"))
    return table


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _ulp(ulp: float) -> str:
    return "-" if math.isinf(ulp) else f"{ulp:.1f}" if ulp < 1000 else f"{ulp:.1e}"
