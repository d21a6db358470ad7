# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the user hears: fallbacks (once per op) and internal failures (with a reproducer)."""

from __future__ import annotations

import os
import shlex
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count

from torch import Tensor
from torch.fx import Node

from .locations import describe
from .support import called


class FallbackWarning(UserWarning):
    """Part of a graph runs in eager PyTorch."""


class FallbackError(RuntimeError):
    """Part of a graph would run in eager PyTorch and `fallback="error"` forbids it.

    `fallbacks` are the ops: op, dtype, reason, where, advice. `torch.compile`
    wraps the error; it is the `inner_exception` of what is raised.
    """

    def __init__(self, message: str, fallbacks: Iterable[Fallback] = ()):
        super().__init__(message)
        self.fallbacks = tuple(fallbacks)


@dataclass(frozen=True)
class Fallback:
    """One node that runs in eager, and why."""

    op: str
    dtype: str
    reason: str
    where: str

    @property
    def advice(self) -> str:
        """What the user can do about it."""
        return advice(self.reason)

    def __str__(self) -> str:
        return f"{self.where}: {self.op} ({self.dtype}) runs in eager PyTorch: {self.reason}; {self.advice}"


# Part of a reason -> what to do. The first that fits.
_ADVICE: tuple[tuple[str, str], ...] = (
    ("has no float64", "convert to float32 before it (`x.float()`) if that is precise enough"),
    ("the machine has no", "convert to one of float32, bfloat16, float16 or an integer type before it"),
    ("random numbers", "draw the numbers outside of the compiled function and pass them in"),
    ("decides what Python does next", "keep the value in a tensor, or use torch.where or torch.cond"),
    ("a size is known only at run time", "use a fixed size and a mask"),
    ("in place", "write it with an operation that returns a new tensor"),
    ("custom operations", "give it a decomposition into ATen operations"),
    ("higher-order and Python", "write it with ATen operations"),
    ("internal failure", "please report it with the command"),
    ("stage '", "please report it with the command"),
    ("tensors are not lowered", "make it a dense tensor before it (`x.to_dense()`)"),
    ("are not the host's", "move it to the host before it (`x.cpu()`)"),
    ("", "write it with other operations, or leave it on the host with options={'fallback': 'allow'}"),
)


def advice(reason: str) -> str:
    return next(what for part, what in _ADVICE if part in reason)


@dataclass
class StageError(Exception):
    """A stage of the compiler failed.

    `nodes` are the FX nodes that its diagnostics name, `text` is the stage's
    input and `command` the one command that replays the failure on a file.
    """

    stage: str
    message: str
    nodes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    text: str = ""
    suffix: str = ".mlir"
    command: tuple[str, ...] = ()
    crashed: bool = field(default=False)

    @property
    def internal(self) -> bool:
        """Whether the stage is ours; what torch-mlir does not lower is no bug of ours."""
        return self.stage not in ("torch", "linalg")

    def __str__(self) -> str:
        return f"stage {self.stage!r} failed: {self.message}"


_reported: set[tuple[str, str, str]] = set()


def reset() -> None:
    """Forgets which fallbacks were reported."""
    _reported.clear()


def make_fallback(node: Node, reason: str) -> Fallback:
    return Fallback(op=op_name(node), dtype=dtype_name(node), reason=reason, where=describe(node))


def op_name(node: Node) -> str:
    target = called(node)
    name = getattr(target, "name", None)
    if callable(name):
        return str(name()).replace("::", ".")
    return getattr(target, "__name__", str(target))


def dtype_name(node: Node) -> str:
    value = node.meta.get("val", node.meta.get("example_value"))
    values = value if isinstance(value, list | tuple) else (value,)
    dtypes = {str(v.dtype).removeprefix("torch.") for v in values if isinstance(v, Tensor)}
    return ", ".join(sorted(dtypes)) or "no tensor"


def report_fallbacks(fallbacks: Iterable[Fallback], policy: str) -> None:
    """One warning per op, dtype and reason; or one error that lists them all."""
    fallbacks = list(fallbacks)
    if policy == "allow" or not fallbacks:
        return
    if policy == "error":
        lines = "\n".join(f"  {fallback}" for fallback in dict.fromkeys(fallbacks))
        raise FallbackError(
            f'torch-lpu: fallback="error" and not everything compiles for the LPU:\n{lines}', fallbacks
        )
    for fallback in fallbacks:
        key = (fallback.op, fallback.dtype, fallback.reason)
        if key not in _reported:
            _reported.add(key)
            warnings.warn(f"torch-lpu: {fallback}", FallbackWarning, stacklevel=2)


@cache
def _reproducer_directory() -> str:
    return tempfile.mkdtemp(prefix="torch-lpu-")


def write_reproducer(error: StageError, dump_dir: str | None) -> str:
    """Writes the failing stage's input; returns the command that replays the failure."""
    if not error.command:
        return ""
    if dump_dir is None:
        directory = _reproducer_directory()
    else:
        directory = dump_dir
        os.makedirs(directory, exist_ok=True)
    path = _unused(os.path.join(directory, f"failed-{error.stage}"), error.suffix)
    with open(path, "w") as file:
        file.write(error.text)
    return shlex.join((*error.command, path))


def _unused(stem: str, suffix: str) -> str:
    """`stem.suffix`, or the first of `stem-1.suffix`, `stem-2.suffix`, ... that does not exist."""
    names = (f"{stem}-{number}{suffix}" if number else f"{stem}{suffix}" for number in count())
    return next(name for name in names if not os.path.exists(name))


def report_internal_failure(error: StageError, dump_dir: str | None, nodes: Sequence[Node]) -> None:
    """An internal failure is a bug of ours: say so, what it costs, and how to see it again.

    `nodes` are all that compute in the graph.
    """
    command = write_reproducer(error, dump_dir)
    lines = [f"torch-lpu: internal failure, {error}"]
    if command:
        lines.append(f"Replay with: {command}")
    if nodes:
        ops = ", ".join(dict.fromkeys(op_name(node) for node in nodes[:8])) + (", ..." if nodes[8:] else "")
        lines.append(
            f"The whole graph up to {describe(nodes[-1])} runs in eager PyTorch: {ops}; {advice(str(error))}"
        )
    warnings.warn("\n".join(lines), FallbackWarning, stacklevel=2)
