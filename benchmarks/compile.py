# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first call of SmolLM2-135M's decoding step: where its time goes, against other backends.

Every first call is cold: no compilation of an earlier one is reused, but the
libraries are loaded and warm.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from torch_lpu import compiler
from torch_lpu.cache import process_cache

from .harness import host, names, parse, parser, publish, ratio, verdict
from .models import DTYPES, MODELS, Call

# Seconds that our own stages may take.
STAGES_LIMIT = 10.0
# `aot_eager` compiles nothing: what it takes is Dynamo's and AOTAutograd's part.
PEERS = ("aot_eager", "inductor")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser((__doc__ or "").splitlines()[0])
    options.add_argument("--model", choices=MODELS, default="smollm2", help="(default: %(default)s)")
    options.add_argument("--dtype", choices=DTYPES, default="f32", help="(default: %(default)s)")
    options.add_argument(
        "--peers", type=names, default=list(PEERS), metavar="A,B", help=f"(default: {','.join(PEERS)})"
    )
    options.add_argument("--position", type=int, default=100, help="(default: %(default)s)")
    options.add_argument("--cache", type=int, default=128, help="rows of the cache (default: %(default)s)")
    options.add_argument("--repetitions", type=int, default=1, help="(default: %(default)s)")
    parsed = parse(options, arguments)

    call = Call(MODELS[parsed.model]().to(DTYPES[parsed.dtype]), 1, parsed.position, parsed.cache)
    lpu = {"machine": parsed.machine, "fallback": "error"}
    candidates: dict[str, Callable[[], Any]] = {
        "lpu": lambda: call.compiled("lpu", lpu),
        **{peer: lambda peer=peer: call.compiled(peer) for peer in parsed.peers},
    }
    first: dict[str, list[float]] = {name: [] for name in candidates}
    first_cpu: dict[str, list[float]] = {name: [] for name in candidates}
    second: dict[str, list[float]] = {name: [] for name in candidates}
    stages: dict[str, float] = {}
    for name in candidates:
        _warm_up(name)
    for _ in range(parsed.repetitions):
        for name, make in candidates.items():
            with _cold(), compiler.record_seconds(stages):
                function = make()
                cpu = _cpu_seconds()
                first[name].append(_seconds(function))
                first_cpu[name].append(_cpu_seconds() - cpu)
            second[name].append(_seconds(function))
    result = {
        "benchmark": "compile",
        "host": host(),
        "model": parsed.model,
        "dtype": parsed.dtype,
        "machine": parsed.machine,
        "first_call_s": {name: statistics.median(values) for name, values in first.items()},
        "first_call_cpu_s": {name: statistics.median(values) for name, values in first_cpu.items()},
        "second_call_s": {name: statistics.median(values) for name, values in second.items()},
        "stages_s": {name: seconds / parsed.repetitions for name, seconds in stages.items()},
    }
    result["stages_total_s"] = sum(result["stages_s"].values())
    result["ratio"] = {
        peer: ratio(result["first_call_s"]["lpu"], result["first_call_s"][peer]) for peer in parsed.peers
    }
    result["cpu_ratio"] = {
        peer: ratio(result["first_call_cpu_s"]["lpu"], result["first_call_cpu_s"][peer])
        for peer in parsed.peers
    }
    publish(result, [_calls_table(result), _stages_table(result)], parsed.json)
    return result


def _seconds(function: Callable[[], Any]) -> float:
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def _cpu_seconds() -> float:
    """CPU time of this process and of the children that it waited for."""
    return sum(os.times()[:4])


def _warm_up(backend: str) -> None:
    """Loads what a backend loads when it compiles for the first time."""
    torch._dynamo.reset()
    torch.compile(lambda x: x + 1, backend=backend)(torch.ones(2))


@contextmanager
def _cold() -> Iterator[None]:
    """No compilation is found in any cache."""
    from torch._inductor.utils import fresh_cache

    torch._dynamo.reset()
    process_cache.clear()
    with fresh_cache():
        yield


def _calls_table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=f"compile: {result['model']}, {result['dtype']}, seconds on the host")
    for column in ("backend", "first call", "its CPU", "second call", "lpu / it", "CPU"):
        table.add_column(column, justify="left" if column == "backend" else "right")
    for name, seconds in result["first_call_s"].items():
        against, cpu = result["ratio"].get(name), result["cpu_ratio"].get(name)
        table.add_row(
            name,
            f"{seconds:.2f}",
            f"{result['first_call_cpu_s'][name]:.2f}",
            f"{result['second_call_s'][name]:.3f}",
            f"{against:.3g}" if against else "",
            f"{cpu:.3g}" if cpu else "",
        )
    return table


def _stages_table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    whole = result["first_call_s"]["lpu"]
    table = Table(title="compile: first call of lpu by stage")
    for column in ("stage", "seconds", "share"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    for name, seconds in result["stages_s"].items():
        table.add_row(name, f"{seconds:.2f}", f"{seconds / whole:.1%}")
    table.add_section()
    total = result["stages_total_s"]
    table.add_row("all stages", verdict(total, STAGES_LIMIT), f"{total / whole:.1%}")
    rest = whole - total
    table.add_row("Dynamo, AOTAutograd, FX, run", f"{rest:.2f}", f"{rest / whole:.1%}")
    return table


if __name__ == "__main__":
    main()
