# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a forward pass: on the host against other backends, and on the simulated machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import torch

from torch_lpu.program import running
from torch_lpu.report import format_bytes, format_seconds, profile

from .harness import host, measure_in_turns, names, parse, parser, publish, ratio, verdict
from .models import DTYPES, MODELS, Call

# What the project allows itself: host time over eager's.
HOST_LIMIT = 2.0


def options(description: str, tokens: int, position: int) -> argparse.ArgumentParser:
    result = parser(description)
    result.add_argument("--model", choices=MODELS, default="smollm2", help="(default: %(default)s)")
    result.add_argument(
        "--dtypes", type=names, default=["f32", "bf16"], metavar="A,B", help="(default: f32,bf16)"
    )
    result.add_argument(
        "--peers",
        type=names,
        default=["eager"],
        metavar="A,B",
        help="backends to compare with: eager,inductor",
    )
    result.add_argument("--tokens", type=int, default=tokens, help="tokens in a pass (default: %(default)s)")
    result.add_argument(
        "--position", type=int, default=position, help="tokens before them (default: %(default)s)"
    )
    result.add_argument("--cache", type=int, default=128, help="rows of the cache (default: %(default)s)")
    result.add_argument("--repetitions", type=int, default=15, help="(default: %(default)s)")
    return result


def run(
    title: str,
    description: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    bytes_limit: float | None = None,
) -> dict[str, Any]:
    """`bytes_limit` is what bytes moved over compulsory bytes may be at most."""
    parsed = parse(description, arguments)
    result: dict[str, Any] = {
        "benchmark": title,
        "host": host(),
        "model": parsed.model,
        "machine": parsed.machine,
        "tokens": parsed.tokens,
        "position": parsed.position,
        "cache": parsed.cache,
        "dtypes": {},
    }
    model = MODELS[parsed.model]()
    for dtype in parsed.dtypes:
        result["dtypes"][dtype] = measure(model.to(DTYPES[dtype]), parsed)
    publish(result, [_host_table(result), _machine_table(result, bytes_limit)], parsed.json)
    return result


def measure(model: Any, parsed: argparse.Namespace) -> dict[str, Any]:
    torch._dynamo.reset()
    call = Call(model, parsed.tokens, parsed.position, parsed.cache)
    lpu = call.compiled("lpu", {"machine": parsed.machine, "fallback": "error"})
    candidates = {"lpu": lpu, **{peer: call.compiled(peer) for peer in parsed.peers}}
    logits = {name: candidate() for name, candidate in candidates.items()}  # Compiles.
    with running(threads=torch.get_num_threads()):
        times = measure_in_turns(candidates, parsed.repetitions)
    with profile(trace=False) as report:
        lpu()
    host_times = {name: time.summary() for name, time in times.items()}
    return {
        "host": host_times,
        "host_ratio": {
            peer: ratio(host_times["lpu"]["wall_ms"], host_times[peer]["wall_ms"]) for peer in parsed.peers
        },
        "cpu_ratio": {
            peer: ratio(host_times["lpu"]["cpu_ms"], host_times[peer]["cpu_ms"]) for peer in parsed.peers
        },
        "same_token": {
            peer: bool((logits["lpu"][:, -1].argmax(-1) == logits[peer][:, -1].argmax(-1)).all())
            for peer in parsed.peers
        },
        "cycles": report.cycles,
        "us": report.seconds * 1e6,
        "share_of_peak": report.utilization,
        "bytes_moved": report.hbm_bytes,
        "compulsory_bytes": report.compulsory_bytes,
        "bytes_ratio": ratio(report.hbm_bytes, report.compulsory_bytes),
        "lmu_bytes": report.lmu_bytes,
        "scratch_bytes": report.scratch_bytes,
        "busy": report.busy_share(),
        "instructions": report.instructions,
        "mm_operands": report.mm_operands,
    }


def _host_table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=f"{result['benchmark']}: host, medians")
    for column in ("type", "candidate", "wall ms", "least", "CPU ms", "lpu / it", "CPU", "token"):
        table.add_column(column, justify="left" if column in ("type", "candidate") else "right")
    for dtype, measured in result["dtypes"].items():
        for name, time in measured["host"].items():
            against, cpu = (measured[kind].get(name) for kind in ("host_ratio", "cpu_ratio"))
            table.add_row(
                dtype,
                name,
                *(f"{time[key]:.1f}" for key in ("wall_ms", "wall_ms_min", "cpu_ms")),
                verdict(against, HOST_LIMIT) if name == "eager" else f"{against:.3g}" if against else "",
                f"{cpu:.3g}" if cpu else "",
                {True: "same", False: "other"}.get(measured["same_token"].get(name), ""),
            )
    return table


def _machine_table(result: dict[str, Any], bytes_limit: float | None) -> Any:
    from rich.table import Table

    tokens = result["tokens"]
    table = Table(title=f"{result['benchmark']}: simulated {result['machine']}")
    table.add_column("what")
    rows: dict[str, list[str]] = {}
    for dtype, measured in result["dtypes"].items():
        table.add_column(dtype, justify="right")
        values = {
            "cycles": f"{measured['cycles']:,}",
            "time per token": format_seconds(measured["us"] * 1e-6 / tokens),
            "share of HBM peak": f"{measured['share_of_peak']:.1%}",
            "bytes moved": format_bytes(measured["bytes_moved"]),
            "moved / compulsory": verdict(measured["bytes_ratio"], bytes_limit),
            "peak LMU": format_bytes(measured["lmu_bytes"]),
            "scratch": format_bytes(measured["scratch_bytes"]),
            **{f"{unit} busy": f"{share:.1%}" for unit, share in measured["busy"].items()},
            "mm by type": ", ".join(f"{count} {kind}" for kind, count in measured["mm_operands"].items()),
        }
        for name, value in values.items():
            rows.setdefault(name, []).append(value)
    for name, row in rows.items():
        table.add_row(name, *row)
    return table
