# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a new size costs: the first call with a length that is marked dynamic, by what it is spent on.

Dynamo makes one graph for all lengths, and the first call with each compiles a program. The same
is measured of a peer that has static shapes too (`aot_eager`, which compiles nothing, with
`dynamic=False`) and, for scale, of one whose code takes any length (Inductor).
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch._dynamo
from torch import Tensor
from torch._dynamo.utils import compilation_time_metrics, counters

from torch_lpu import compiler
from torch_lpu.cache import process_cache

from .harness import host, names, parse, parser, publish, ratio

Call = Callable[[Tensor], Tensor]

# Backend -> whether its graph takes any length.
PEERS = {"aot_eager": False, "inductor": True}

# What of a first call is what; the rest is AOTAutograd's and FX's.
PARTS = {
    "import": ("torch", "linalg"),
    "passes": ("lpu", "tiled", "buffer", "alloc", "isa"),
    "encode": ("bin",),
}


class Layer(torch.nn.Module):
    """A layer of a transformer: attention and an MLP, with norms."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = torch.nn.RMSNorm(width), torch.nn.RMSNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        attended = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser((__doc__ or "").splitlines()[0])
    options.add_argument("--layers", type=int, default=2, help="(default: %(default)s)")
    options.add_argument("--width", type=int, default=128, help="(default: %(default)s)")
    options.add_argument("--sizes", type=int, default=8, help="new lengths to measure (default: %(default)s)")
    options.add_argument(
        "--peers", type=names, default=list(PEERS), metavar="A,B", help=f"(default: {','.join(PEERS)})"
    )
    parsed = parse(options, arguments)
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(Layer(parsed.width, 4) for _ in range(parsed.layers))).eval()
    lengths = [16 + 3 * number for number in range(parsed.sizes + 1)]
    lpu = {"machine": parsed.machine, "fallback": "error"}
    calls = {"eager": lambda x: model(x), "lpu": torch.compile(model, backend="lpu", options=lpu)}
    for peer in parsed.peers:
        calls[peer] = torch.compile(model, backend=peer, dynamic=None if PEERS.get(peer, True) else False)
    result = {
        "benchmark": "dynamic",
        "host": host(),
        "machine": parsed.machine,
        "layers": parsed.layers,
        "width": parsed.width,
        **measure(calls, lengths, parsed.width),
    }
    for name, of in (("ratio", "new_ms"), ("cpu_ratio", "new_cpu_ms")):
        result[name] = {peer: ratio(result[of]["lpu"], result[of][peer]) for peer in parsed.peers}
    publish(result, [_table(result), _parts_table(result)], parsed.json)
    return result


@torch.no_grad()
def measure(calls: dict[str, Call], lengths: Sequence[int], width: int) -> dict[str, Any]:
    """In turns: a first call with each length, then a second one. The first length warms up."""
    torch._dynamo.reset()
    process_cache.clear()
    new: dict[str, list[float]] = {name: [] for name in calls}
    new_cpu: dict[str, list[float]] = {name: [] for name in calls}
    seen: dict[str, list[float]] = {name: [] for name in calls}
    graphs = dict.fromkeys(calls, 0)
    parts: dict[str, list[float]] = {name: [] for name in ("Dynamo", *PARTS, "AOTAutograd, FX", "run")}
    # The backends share the limit: it counts the graphs of one function.
    limit = len(lengths) * len(calls)
    with torch._dynamo.config.patch(recompile_limit=limit, fail_on_recompile_limit_hit=True):
        for length in lengths:
            for name, call in calls.items():
                x = torch.randn(1, length, width)
                if PEERS.get(name, True):
                    torch._dynamo.maybe_mark_dynamic(x, 1)
                stages: dict[str, float] = {}
                made, dynamo = counters["stats"]["unique_graphs"], _dynamo_seconds()
                cpu = _cpu_seconds()
                with compiler.record_seconds(stages):
                    first = _milliseconds(call, x)
                cpu = (_cpu_seconds() - cpu) * 1e3
                dynamo = (_dynamo_seconds() - dynamo) * 1e3
                second = _milliseconds(call, x)
                if length == lengths[0]:
                    continue
                new[name].append(first)
                new_cpu[name].append(cpu)
                seen[name].append(second)
                graphs[name] += counters["stats"]["unique_graphs"] - made
                if name == "lpu":
                    spent = {part: sum(stages[stage] for stage in of) * 1e3 for part, of in PARTS.items()}
                    spent |= {"Dynamo": dynamo, "run": second}
                    spent["AOTAutograd, FX"] = first - sum(spent.values())
                    for part, value in spent.items():
                        parts[part].append(value)
    return {
        "sizes": list(lengths[1:]),
        "new_ms": {name: statistics.median(values) for name, values in new.items()},
        "new_cpu_ms": {name: statistics.median(values) for name, values in new_cpu.items()},
        "seen_ms": {name: statistics.median(values) for name, values in seen.items()},
        "dynamo_graphs": graphs,
        "parts_ms": {name: statistics.median(values) for name, values in parts.items()},
    }


def _milliseconds(call: Call, x: Tensor) -> float:
    started = time.perf_counter()
    call(x)
    return (time.perf_counter() - started) * 1e3


def _cpu_seconds() -> float:
    """CPU time of this process and of the children that it waited for."""
    return sum(os.times()[:4])


def _dynamo_seconds() -> float:
    """What Dynamo has spent on frames so far, with the backends that it called meanwhile."""
    return sum(compilation_time_metrics.get("_compile.compile_inner", []))


def _table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    model = f"{result['layers']} layers of width {result['width']}"
    table = Table(title=f"dynamic: {model}, {len(result['sizes'])} new lengths, ms on the host")
    for column in ("backend", "new length", "its CPU", "seen length", "Dynamo's graphs", "lpu / it", "CPU"):
        table.add_column(column, justify="left" if column == "backend" else "right")
    for name, value in result["new_ms"].items():
        against, cpu = result["ratio"].get(name), result["cpu_ratio"].get(name)
        table.add_row(
            name,
            f"{value:.1f}",
            f"{result['new_cpu_ms'][name]:.1f}",
            f"{result['seen_ms'][name]:.1f}",
            "" if name == "eager" else str(result["dynamo_graphs"][name]),
            f"{against:.3g}" if against else "",
            f"{cpu:.3g}" if cpu else "",
        )
    return table


def _parts_table(result: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title="dynamic: a new length of lpu by what it is spent on")
    for column in ("part", "ms"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for name, value in result["parts_ms"].items():
        table.add_row(name, f"{value:.1f}")
    return table


if __name__ == "__main__":
    main()
