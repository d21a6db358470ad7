# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of runs: `profile()` collects them, `Report` adds them up and shows them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

# Where the cycles of a unit go, in the order in which they are shown.
UNIT_STATES = ("busy", "waiting_for_data", "waiting_for_semaphore", "idle")
# Rows of the critical path that `print(report)` shows.
SHOWN_PATH_ROWS = 12


class Run(Protocol):
    """The simulator's report of one run of one program."""

    program: str
    machine: str
    cycles: int
    seconds: float
    hbm_gbps: float
    hbm_bytes: int
    compulsory_bytes: int
    lmu_bytes: int
    scratch_bytes: int
    units: dict[str, dict[str, Any]]
    critical_path: list[dict[str, Any]]
    instructions: dict[str, int]
    mm_operands: dict[str, int]
    trace: str | None

    def to_json(self) -> str: ...


RunHook = Callable[[Run], None]


@dataclass(frozen=True)
class PathRow:
    """A part of the critical path: the steps of one source line, opcode, unit and reason.

    The path is the chain of steps that determines the time of a run: each starts when the one
    before it ends, so that their cycles add up to the total, and making anything else faster
    changes nothing. Reasons are `busy` (the unit computes, or moves bytes of the LMU), `hbm
    bandwidth`, `hbm latency`, `stream buffer` (latency that a larger buffer would hide),
    `pipeline` (fill, depth, latency of the LMU), `semaphore`, `issue` and `control`.
    """

    file: str
    line: int
    name: str  # The FX node, or "" in a table by line.
    opcode: str
    unit: str
    reason: str
    cycles: int
    steps: int
    share: float  # Of all cycles of the report.

    @property
    def place(self) -> str:
        file = f"{os.path.basename(self.file)}:{self.line}" if self.file else ""
        return " ".join(part for part in (self.name, file) if part) or "-"


@dataclass
class Report:
    """All runs inside one `profile()`, added up. Times are the simulated machine's."""

    runs: list[Run] = field(default_factory=list)
    trace: bool = True

    def add(self, run: Run) -> None:
        self.runs.append(run)

    @property
    def cycles(self) -> int:
        return sum(run.cycles for run in self.runs)

    @property
    def seconds(self) -> float:
        return sum(run.seconds for run in self.runs)

    @property
    def hbm_bytes(self) -> int:
        """Bytes that moved to and from HBM, in whole bursts."""
        return sum(run.hbm_bytes for run in self.runs)

    @property
    def compulsory_bytes(self) -> int:
        """Bytes of arguments that the programs read or wrote at least once."""
        return sum(run.compulsory_bytes for run in self.runs)

    @property
    def utilization(self) -> float:
        """Share of peak: compulsory bytes / (time x nominal HBM peak)."""
        possible = sum(run.seconds * run.hbm_gbps * 1e9 for run in self.runs)
        return self.compulsory_bytes / possible if possible else 0.0

    @property
    def units(self) -> dict[str, dict[str, int]]:
        """Cycles by unit and state."""
        total: dict[str, dict[str, int]] = {}
        for run in self.runs:
            for unit, states in run.units.items():
                row = total.setdefault(unit, dict.fromkeys(UNIT_STATES, 0))
                for state in UNIT_STATES:
                    row[state] += states[state]
        return total

    @property
    def data_waits(self) -> dict[str, dict[str, int]]:
        """What the `waiting_for_data` of each unit consists of, by kind.

        `bandwidth`: the HBM serves this or an earlier request; `latency`: data is on its way or
        the pipeline drains; `buffer_space`: the stream buffer is full; `overlap`: an earlier
        instruction of the unit touches the same bytes; `supply`: the SMA has not yet requested
        what the SXE needs next.
        """
        return {
            unit: _sum_by_key(run.units[unit]["data_waits"] for run in self.runs)
            for unit in (self.runs[0].units if self.runs else ())
        }

    def critical_path(self, top: int | None = None, by: str = "line") -> list[PathRow]:
        """What the cycles were spent on along the chain that determines them, most first.

        Grouped by Python line, or by FX node (`by="node"`), opcode, unit and reason. The rows add
        up to `cycles`; with `top`, the last one is the rest.
        """
        if by not in ("line", "node"):
            raise ValueError(f"by={by!r}, expected 'line' or 'node'")
        found: dict[tuple[str, int, str, str, str, str], list[int]] = {}
        for run in self.runs:
            for row in run.critical_path:
                name = row["name"] if by == "node" else ""
                key = (row["file"], row["line"], name, row["opcode"], row["unit"], row["reason"])
                sums = found.setdefault(key, [0, 0])
                sums[0] += row["cycles"]
                sums[1] += row["steps"]
        whole = max(self.cycles, 1)
        rows = [PathRow(*key, cycles, steps, cycles / whole) for key, (cycles, steps) in found.items()]
        rows.sort(key=lambda row: -row.cycles)
        if top is None or len(rows) <= top:
            return rows
        cycles, steps = sum(row.cycles for row in rows[top:]), sum(row.steps for row in rows[top:])
        return [*rows[:top], PathRow("", 0, "rest", "", "", "", cycles, steps, cycles / whole)]

    @property
    def lmu_bytes(self) -> int:
        """Peak use of the on-chip memory."""
        return max((run.lmu_bytes for run in self.runs), default=0)

    @property
    def scratch_bytes(self) -> int:
        """Peak use of HBM for intermediate values."""
        return max((run.scratch_bytes for run in self.runs), default=0)

    @property
    def instructions(self) -> dict[str, int]:
        """Executed instructions by opcode."""
        return _sum_by_key(run.instructions for run in self.runs)

    @property
    def mm_operands(self) -> dict[str, int]:
        """Executed matrix instructions by the type of their operands."""
        return _sum_by_key(run.mm_operands for run in self.runs)

    def busy_share(self) -> dict[str, float]:
        return {unit: row["busy"] / max(sum(row.values()), 1) for unit, row in self.units.items()}

    def table(self, top: int = SHOWN_PATH_ROWS, by: str = "line") -> Any:
        """Units, their waits for data and the critical path, for rich; `print(report)` shows it as text."""
        from rich.console import Group

        tables = [self._unit_table(), self._wait_table()]
        if any(run.critical_path for run in self.runs):
            tables.append(self._path_table(top, by))
        return Group(*tables)

    def _unit_table(self) -> Any:
        from rich.table import Table

        table = Table(
            title=f"{len(self.runs)} run(s), {self.cycles:,} cycles, {format_seconds(self.seconds)}"
        )
        for column in ("unit", *(state.replace("_", " ") for state in UNIT_STATES)):
            table.add_column(column, justify="left" if column == "unit" else "right")
        for unit, row in self.units.items():
            total = max(sum(row.values()), 1)
            table.add_row(unit, *(f"{row[state] / total:.1%}" for state in UNIT_STATES))
        table.caption = (
            f"HBM {format_bytes(self.hbm_bytes)}, compulsory {format_bytes(self.compulsory_bytes)},"
            f" share of peak {self.utilization:.1%}\n"
            f"LMU {format_bytes(self.lmu_bytes)}, scratch {format_bytes(self.scratch_bytes)},"
            f" matrix instructions: {', '.join(f'{n:,} {t}' for t, n in self.mm_operands.items()) or 'none'}"
        )
        return table

    def _wait_table(self) -> Any:
        from rich.table import Table

        waits = self.data_waits
        kinds = list(next(iter(waits.values()), {}))
        table = Table(title="waiting for data")
        for column in ("unit", *(kind.replace("_", " ") for kind in kinds)):
            table.add_column(column, justify="left" if column == "unit" else "right")
        for unit, row in waits.items():
            table.add_row(unit, *(f"{row[kind] / max(self.cycles, 1):.1%}" for kind in kinds))
        return table

    def _path_table(self, top: int, by: str) -> Any:
        from rich.table import Table

        table = Table(title="critical path")
        for column in ("line", "opcode", "unit", "reason", "cycles", "share"):
            table.add_column(column, justify="right" if column in ("cycles", "share") else "left")
        for row in self.critical_path(top, by):
            table.add_row(row.place, row.opcode, row.unit, row.reason, f"{row.cycles:,}", f"{row.share:.1%}")
        return table

    def __str__(self) -> str:
        from rich.console import Console

        console = Console(width=100, color_system=None)
        with console.capture() as capture:
            console.print(self.table())
        return capture.get()

    def to_perfetto(self, path: str | os.PathLike[str]) -> None:
        """Writes the runs one after the other as one trace for ui.perfetto.dev."""
        events: list[dict[str, Any]] = []
        offset = 0.0
        for run in self.runs:
            if run.trace is None:
                raise ValueError("the runs were profiled without a trace: use profile(trace=True)")
            trace = json.loads(run.trace)
            for event in trace["traceEvents"]:
                if "ts" in event:
                    event["ts"] += offset
                    events.append(event)
                elif event not in events:  # Names of processes and threads, once.
                    events.append(event)
            offset += run.seconds * 1e6
        with open(path, "w") as file:
            json.dump({"traceEvents": events, "displayTimeUnit": "ns"}, file)


def _sum_by_key(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for count in counts:
        for key, number in count.items():
            total[key] = total.get(key, 0) + number
    return total


def format_seconds(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= factor:
            return f"{seconds / factor:.3f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


def format_bytes(count: float) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.2f} {unit}"
    return f"{count:.0f} B"


_lock = threading.Lock()
_collectors: list[Report] = []


def collectors() -> list[Report]:
    with _lock:
        return list(_collectors)


@contextmanager
def profile(trace: bool = True) -> Iterator[Report]:
    """Collects the reports of all programs that run inside the `with` block.

    `trace=False` leaves out what `to_perfetto` needs, which takes time and memory.
    """
    report = Report(trace=trace)
    with _lock:
        _collectors.append(report)
    try:
        yield report
    finally:
        with _lock:
            _collectors[:] = [collector for collector in _collectors if collector is not report]
