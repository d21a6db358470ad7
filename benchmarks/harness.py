# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmarks share: the command line, measuring in turns, and what comes out.

Candidates are measured in turns (A B C A B C ...), so that whatever else the host
does meets all of them, and compared by their medians. Wall-clock time is what a
user waits; CPU time, summed over threads, changes less on a busy host.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass
class Times:
    """Milliseconds of the repetitions of one candidate."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        return {
            "wall_ms": statistics.median(self.wall),
            "wall_ms_min": min(self.wall),
            "cpu_ms": statistics.median(self.cpu),
        }


def measure_in_turns(
    candidates: Mapping[str, Callable[[], Any]],
    repetitions: int,
    prepare: Callable[[], Any] = lambda: None,
) -> dict[str, Times]:
    """Times each candidate `repetitions` times, taking turns; `prepare` runs before each, untimed."""
    times = {name: Times() for name in candidates}
    for _ in range(repetitions):
        for name, call in candidates.items():
            prepare()
            cpu, wall = time.process_time(), time.perf_counter()
            call()
            times[name].wall.append((time.perf_counter() - wall) * 1e3)
            times[name].cpu.append((time.process_time() - cpu) * 1e3)
    return times


def ratio(a: float, b: float) -> float | None:
    return a / b if b else None


def host() -> dict[str, Any]:
    """The host that the numbers are from, and how busy it was."""
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": _cpu_name(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def _cpu_name() -> str:
    """The name, and family and model, since a virtual machine may have a vague name."""
    found: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                key, _, value = line.partition(":")
                found.setdefault(key.strip(), value.strip())
    except OSError:
        return platform.processor() or platform.machine()
    numbers = f" (family {found.get('cpu family', '?')}, model {found.get('model', '?')})"
    return found.get("model name", platform.machine()) + numbers


def parser(description: str) -> argparse.ArgumentParser:
    """A command line with what every benchmark takes."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument(
        "--machine", default="lpu-hbm3", help="preset or TOML file to simulate (default: %(default)s)"
    )
    result.add_argument("--json", metavar="PATH", help="write the numbers to this file")
    result.add_argument(
        "--threads", type=int, metavar="N", help="host threads, of all candidates (default: PyTorch's choice)"
    )
    return result


def parse(options: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    parsed = options.parse_args(arguments)
    if parsed.threads:
        torch.set_num_threads(parsed.threads)
    return parsed


def names(text: str) -> list[str]:
    """A list on the command line: `eager,inductor`."""
    return [name for name in text.split(",") if name]


def publish(result: dict[str, Any], tables: Sequence[Any], path: str | None) -> None:
    """Prints the tables below the host's description, and writes the numbers."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=110)
    console.print(", ".join(f"{key} {value}" for key, value in result["host"].items()), highlight=False)
    for table in tables:
        console.print(table)
    if path is not None:
        with open(path, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")


def verdict(value: float | None, limit: float | None) -> str:
    """A ratio, next to what it may be at most."""
    if value is None:
        return "-"
    if limit is None:
        return f"{value:.3g}"
    return f"{value:.3g} (limit {limit:g})" if value <= limit else f"{value:.3g} (ABOVE {limit:g})"
