# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the simulator is, on one token of SmolLM2-135M: instructions a second.

Time alone needs no values, and so no weights; a run for values is a call of the
compiled function, with or without the count of cycles beside it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from torch_lpu import _simulator
from torch_lpu.program import running
from torch_lpu.report import profile

from . import passes
from .harness import host, measure_in_turns, parse, publish, verdict
from .models import DTYPES, MODELS, Call

# Milliseconds that timing without values may take.
TIMING_ONLY_LIMIT = 50.0

# The ways to run the program, and what they are called.
KINDS = {
    "timing": "timing only",
    "timing_without_path": "timing only, no critical path",
    "values": "values only",
    "values_and_timing": "values and timing",
}


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = passes.options(__doc__ or "", tokens=1, position=100)
    parsed = parse(options, arguments)
    result: dict[str, Any] = {
        "benchmark": "simulator",
        "host": host(),
        "model": parsed.model,
        "machine": parsed.machine,
        "tokens": parsed.tokens,
        "limit_ms": TIMING_ONLY_LIMIT,
        "dtypes": {},
    }
    model = MODELS[parsed.model]()
    for dtype in parsed.dtypes:
        result["dtypes"][dtype] = measure(model.to(DTYPES[dtype]), parsed)
    publish(result, [_table(result)], parsed.json)
    return result


def measure(model: Any, parsed: argparse.Namespace) -> dict[str, Any]:
    torch._dynamo.reset()
    call = Call(model, parsed.tokens, parsed.position, parsed.cache)
    with tempfile.TemporaryDirectory() as folder:
        compiled = call.compiled(
            "lpu", {"machine": parsed.machine, "fallback": "error", "dump_dir": folder, "cache": False}
        )
        compiled()
        (binary,) = Path(folder).rglob("80-bin.lpubin")
        program = _simulator.Program.load(binary.read_bytes())
    nothing = [None] * (len(program.inputs) + len(program.outputs))

    def timed() -> None:
        with profile(trace=False):
            compiled()

    candidates: dict[str, Callable[[], Any]] = {
        "timing": lambda: program.run(nothing, values=False),
        "timing_without_path": lambda: program.run(nothing, values=False, critical_path=False),
        "values": compiled,
        "values_and_timing": timed,
    }
    for candidate in candidates.values():
        candidate()
    with running(threads=torch.get_num_threads()):
        times = measure_in_turns(candidates, parsed.repetitions)
    report = program.run(nothing, values=False)
    summaries = {name: time.summary() for name, time in times.items()}
    count = report.instruction_count
    return {
        "instructions": count,
        "cycles": report.cycles,
        "host": summaries,
        "instructions_per_second": {
            name: count / (summary["wall_ms"] * 1e-3) for name, summary in summaries.items()
        },
    }


def _table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title="simulator: host, medians")
    for column in ("type", "run", "instructions", "wall ms", "least", "CPU ms", "instructions / s"):
        table.add_column(column, justify="left" if column in ("type", "run") else "right")
    for dtype, measured in result["dtypes"].items():
        for name, time in measured["host"].items():
            limit = result["limit_ms"] if name == "timing" else None
            table.add_row(
                dtype,
                KINDS[name],
                f"{measured['instructions']:,}",
                verdict(time["wall_ms"], limit),
                f"{time['wall_ms_min']:.3g}",
                f"{time['cpu_ms']:.3g}",
                f"{measured['instructions_per_second'][name]:,.0f}",
            )
    return table


if __name__ == "__main__":
    main()
