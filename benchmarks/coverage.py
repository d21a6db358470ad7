# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own operator database through `torch.compile(backend="lpu")`: what compiles, and what does not.

Every entry, its first samples in each type that it supports. A sample is
  compiled      the whole of it ran on the LPU, and is right;
  fell back     part of it ran in eager, with the reason, and is right;
  not captured  its graph never reached the backend, and it is right;
  wrong         other values, types or shapes than eager's (agreement.py has the tolerances);
  hung          not done within the limit;  crashed: the process died, or compiling raised.
`coverage_excluded.txt` lists the entries that a compiler of tensor programs does
not promise; the others are counted beside the whole.
"""

from __future__ import annotations

import argparse
import dataclasses
import fnmatch
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .harness import host, names, parser, publish
from .samples import DEFAULT_DTYPES, DTYPES, STATUSES, Outcome, dtypes_of, entries, run_task
from .workers import Task, run_tasks

EXCLUDED_FILE = Path(__file__).parent / "coverage_excluded.txt"

Results = dict[tuple[str, str], list[Outcome]]


def excluded() -> dict[str, str]:
    """The written list: entry -> why it is not promised."""
    result = {}
    for line in EXCLUDED_FILE.read_text().splitlines():
        name, _, reason = line.partition("#")
        if name.strip():
            result[name.strip()] = reason.strip()
    return result


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser((__doc__ or "").splitlines()[0])
    options.add_argument(
        "--dtype",
        type=_dtypes,
        default=list(DEFAULT_DTYPES),
        metavar="A,B",
        help=f"of {', '.join(DTYPES)} (default: {', '.join(DEFAULT_DTYPES)})",
    )
    options.add_argument(
        "--op", type=names, default=["*"], metavar="PATTERNS", help="only entries like these: 'nn.*,sort'"
    )
    options.add_argument("--samples", type=int, default=4, metavar="N", help="per entry and type")
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    options.add_argument(
        "--limit", type=float, default=60, metavar="SECONDS", help="a sample over it is hung"
    )
    options.add_argument(
        "--resume",
        metavar="PATH",
        help="a file to keep results in as they come; what it has is not run again",
    )
    parsed = options.parse_args(arguments)
    tasks = [
        Task((name, dtype), parsed.samples)
        for name, op in entries().items()
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in parsed.op)
        for dtype in dtypes_of(op)
        if dtype in parsed.dtype
    ]
    results = sweep(tasks, parsed.jobs, parsed.limit, parsed.resume)
    result = {"benchmark": "coverage", "host": host(), "samples": parsed.samples, **summary(results)}
    publish(result, [*_listings(results), _totals_table(result)], parsed.json)
    return result


def _dtypes(text: str) -> list[str]:
    wanted = names(text)
    unknown = [name for name in wanted if name not in DTYPES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no type {', '.join(unknown)}; there are {', '.join(DTYPES)}")
    return wanted


def sweep(tasks: Sequence[Task], jobs: int, limit: float, resume: str | None) -> Results:
    """Runs the tasks that the file does not have yet, and adds them to it."""
    results = {key: value for key, value in _read(resume).items() if key in {t.arguments for t in tasks}}
    missing = [task for task in tasks if task.arguments not in results]
    for task in run_tasks(run_task, missing, jobs, limit, _lost):
        name, dtype = task.arguments
        results[name, dtype] = task.outcomes
        if resume is not None:
            line = {"entry": name, "dtype": dtype, "outcomes": [dataclasses.asdict(o) for o in task.outcomes]}
            with open(resume, "a") as file:
                file.write(json.dumps(line) + "\n")
    return results


def _read(path: str | None) -> Results:
    if path is None or not Path(path).exists():
        return {}
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return {
        (line["entry"], line["dtype"]): [Outcome(**outcome) for outcome in line["outcomes"]] for line in lines
    }


def _lost(how: str) -> Outcome:
    status, _, detail = how.partition(": ")
    return Outcome(status, detail)


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    """What an entry is: its worst sample."""
    return max(outcomes, key=lambda outcome: STATUSES.index(outcome.status), default=Outcome("refused"))


def summary(results: Results) -> dict[str, Any]:
    """Totals by type, over all entries and over those that are not on the list; and every entry."""
    listed = excluded()
    totals: dict[str, Any] = {}
    for dtype in DTYPES:
        status = {name: worst(o).status for (name, type_), o in results.items() if type_ == dtype}
        inside = {name: what for name, what in status.items() if name not in listed}
        if not status:
            continue
        judged = [what for what in inside.values() if what != "refused"]
        totals[dtype] = {
            "entries": dict(Counter(status.values())),
            "samples": dict(
                Counter(o.status for (_, t), outcomes in results.items() if t == dtype for o in outcomes)
            ),
            "entries_not_excluded": dict(Counter(inside.values())),
            "share_compiled": judged.count("compiled") / len(judged) if judged else None,
        }
    rows = [
        {
            "entry": name,
            "dtype": dtype,
            "status": worst(outcomes).status,
            "detail": worst(outcomes).detail,
            "excluded": listed.get(name),
            "outcomes": [dataclasses.asdict(outcome) for outcome in outcomes],
        }
        for (name, dtype), outcomes in results.items()
    ]
    return {"totals": totals, "entries": rows}


def _listings(results: Results) -> list[Any]:
    """For each status but the good one: entry, types, what was seen."""
    from rich.markup import escape
    from rich.table import Table

    listed = excluded()
    tables = []
    for status in reversed(STATUSES[2:]):
        lines: dict[tuple[str, str], list[str]] = {}
        for (name, dtype), outcomes in results.items():
            found = worst(outcomes)
            if found.status == status:
                lines.setdefault(
                    (name, re.sub(rf"\(({'|'.join(DTYPES)})\)", "(..)", found.detail)), []
                ).append(dtype)
        if not lines:
            continue
        table = Table("entry", "types", "what", title=status)
        for (name, detail), dtypes in lines.items():
            mark = " (excluded)" if name in listed else ""
            table.add_row(escape(name + mark), ", ".join(dtypes), escape(detail))
        tables.append(table)
    return tables


def _totals_table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    totals = result["totals"].values()
    seen = len({row["entry"] for row in result["entries"]})
    caption = f"{seen} of {len(entries())} entries have these types; {len(excluded())} are on the list"
    table = Table(
        title="coverage: entries by their worst sample (without those on the list)", caption=caption
    )
    table.add_column("")
    for dtype in result["totals"]:
        table.add_column(dtype, justify="right")
    for status in STATUSES:
        table.add_row(status, *[_count(total, status) for total in totals])
    table.add_section()
    shares = [total["share_compiled"] for total in totals]
    table.add_row("compiled", *[f"({share:.1%})" if share is not None else "-" for share in shares])
    return table


def _count(total: dict[str, Any], status: str) -> str:
    return f"{total['entries'].get(status, 0)} ({total['entries_not_excluded'].get(status, 0)})"


if __name__ == "__main__":
    main()
