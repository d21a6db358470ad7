# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations on the simulated machine, against the least cycles that it could take.

The least is the longest of three: compulsory bytes at the nominal HBM bandwidth,
multiply-accumulates on all of the SXE, and one pass over the elements on all
lanes of the VXE. No latency is in it, so a small operation cannot come near.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from torch_lpu.machines import machine_text
from torch_lpu.program import running
from torch_lpu.report import format_bytes, profile

from .harness import host, names, parse, parser, publish
from .models import DTYPES


@dataclass(frozen=True)
class Op:
    """A function, the shapes of its operands, and its work."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    macs: int = 0
    elements: int = 0


def linear(rows: int, depth: int, columns: int) -> Op:
    return Op(F.linear, ((rows, depth), (columns, depth)), macs=rows * depth * columns)


def over_rows(function: Callable[..., Any], rows: int, size: int) -> Op:
    return Op(function, ((rows, size),), elements=rows * size)


def rms_norm(x: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, x.shape[-1:])


def softmax(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1)


def gelu(x: torch.Tensor) -> torch.Tensor:
    return F.gelu(x)


OPS: dict[str, Op] = {
    "linear 1x2048x8192": linear(1, 2048, 8192),
    "linear 64x2048x2048": linear(64, 2048, 2048),
    "softmax 1x32768": over_rows(softmax, 1, 32768),
    "softmax 64x2048": over_rows(softmax, 64, 2048),
    "rms_norm 1x8192": over_rows(rms_norm, 1, 8192),
    "rms_norm 64x2048": over_rows(rms_norm, 64, 2048),
    "gelu 64x2048": over_rows(gelu, 64, 2048),
}


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser((__doc__ or "").splitlines()[0])
    options.add_argument("--ops", type=lambda text: names(text), default=list(OPS), metavar="A,B")
    options.add_argument("--dtypes", type=names, default=["f32", "bf16"], metavar="A,B")
    parsed = parse(options, arguments)
    machine = tomllib.loads(machine_text(parsed.machine))
    result: dict[str, Any] = {"benchmark": "ops", "host": host(), "machine": parsed.machine, "ops": []}
    for name in parsed.ops:
        for dtype in parsed.dtypes:
            result["ops"].append(
                {"op": name, "dtype": dtype, **measure(OPS[name], dtype, parsed.machine, machine)}
            )
    publish(result, [_table(result)], parsed.json)
    return result


@torch.no_grad()
def measure(op: Op, dtype: str, name: str, machine: dict[str, Any]) -> dict[str, Any]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    operands = [torch.randn(shape).to(DTYPES[dtype]) for shape in op.shapes]
    options = {"machine": name, "fallback": "error"}
    function = torch.compile(op.function, backend="lpu", fullgraph=True, dynamic=False, options=options)
    function(*operands)
    with running(threads=torch.get_num_threads()), profile(trace=False) as report:
        function(*operands)
    limits = {
        "hbm": report.compulsory_bytes * machine["clock_ghz"] / machine["hbm_gbps"],
        "sxe": op.macs / (machine["trees"] * machine["width"]),
        "vxe": op.elements / machine["vxe_lanes"],
    }
    bound = max(limits, key=lambda unit: limits[unit])
    least = max(1, math.ceil(limits[bound]))
    return {
        "cycles": report.cycles,
        "least_cycles": least,
        "bound": bound,
        "ratio": report.cycles / least,
        "bytes_moved": report.hbm_bytes,
        "compulsory_bytes": report.compulsory_bytes,
        "lmu_bytes": report.lmu_bytes,
        "busy": report.busy_share(),
    }


def _table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=f"ops: simulated {result['machine']}")
    for column in ("op", "type", "cycles", "least", "bound by", "cycles / least", "moved", "peak LMU"):
        table.add_column(column, justify="left" if column in ("op", "type", "bound by") else "right")
    for row in result["ops"]:
        table.add_row(
            row["op"],
            row["dtype"],
            f"{row['cycles']:,}",
            f"{row['least_cycles']:,}",
            row["bound"],
            f"{row['ratio']:.2f}",
            format_bytes(row["bytes_moved"]),
            format_bytes(row["lmu_bytes"]),
        )
    return table


if __name__ == "__main__":
    main()
