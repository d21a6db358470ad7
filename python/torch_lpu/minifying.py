# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`minify`: the smallest part of a function that still fails, as a script.

A function fails if the LPU's results are wrong, if it crashes, or if part of it
falls back. Its graphs are taken as ATen operations before any decomposition of
ours, and functorch's minifier cuts them down: it drops ends of the graph and
puts recorded values in place of beginnings, for as long as the same failure is
left. Then its sizes are cut down (shrinking.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from . import backend
from .capturing import Source, capture_sources, snapshot
from .comparing import compare_results, trace_source
from .diagnostics import FallbackError, StageError, op_name
from .explanation import first_line
from .options import Options
from .partition import copy_graph_module
from .rewriting import args_of
from .shrinking import shrink_sizes

# Tensors of at most so many elements are written into the script.
WRITTEN_ELEMENTS = 64


class NothingToMinify(ValueError):
    """The function compiles, and its results are right."""


@dataclass(frozen=True)
class Failure:
    """How a function fails. Two failures are the same if `kind` and `key` are."""

    kind: str  # "differs", "crashes" or "falls back".
    key: str
    text: str


@dataclass(frozen=True)
class Reproducer:
    """A script that fails as the function did: exit status 1, and 0 once it is mended."""

    path: str
    failure: Failure
    ops: tuple[str, ...]

    def __str__(self) -> str:
        number = f"{len(self.ops)} op{'' if len(self.ops) == 1 else 's'}"
        return f"{self.path}: {number} ({', '.join(self.ops)}) {self.failure.kind}: {self.failure.text}"


def minify(
    fn: Callable[..., Any],
    *args: Any,
    path: str | Path = "reproducer.py",
    options: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Reproducer:
    """Writes the smallest reproducer of what is wrong with `fn(*args, **kwargs)` on the LPU to `path`.

    Inputs that are more than a few numbers go to a file beside it, unless any
    numbers will do. Raises `NothingToMinify` if nothing is wrong.
    """
    checked = backend.check_options(options)
    for source in capture_sources(fn, args, kwargs):
        gm, inputs = _without_constants(trace_source(source), source.inputs)
        failure = failure_of(gm, inputs, checked)
        if failure is not None:
            gm, inputs = _shrink(gm, inputs, failure, checked)
            inputs = _with_any_numbers(gm, inputs, failure, checked)
            _write(Path(path), gm, inputs, failure, options or {})
            return Reproducer(str(path), failure, tuple(_ops(gm)))
    raise NothingToMinify("torch-lpu: every graph compiles, nothing falls back, and the results are right")


def failure_of(
    gm: GraphModule, inputs: Sequence[Any], options: Options, kind: str | None = None
) -> Failure | None:
    """What is wrong with an ATen graph on the LPU; with `kind`, only that is looked for."""
    allowed = dataclasses.replace(options, fallback="allow", cache=False)
    if kind != "falls back":
        try:
            outputs = _run(gm, inputs, allowed)
        except Exception as error:
            return Failure("crashes", type(error).__name__, first_line(f"{type(error).__name__}: {error}"))
        for row in compare_results(0, Source(gm, list(inputs), outputs)):
            if row.verdict == "diverges":
                text = f"result {row.place} ({row.dtype}) is off by {row.error:.3g}"
                return Failure("differs", "", f"{text}, eager's by {row.eager_error:.3g}")
    if kind in (None, "falls back"):
        try:
            _compile(gm, inputs, dataclasses.replace(options, fallback="error", cache=False))
        except FallbackError as error:
            if isinstance(error.__cause__, StageError):  # Of no op in particular.
                return Failure("falls back", error.__cause__.stage, first_line(str(error.__cause__)))
            first = error.fallbacks[0]
            text = f"{first.op} ({first.dtype}): {first.reason}"
            return Failure("falls back", f"{first.op} {first.dtype}", first_line(text))
    return None


def replay(function: Callable[..., Any], inputs: Sequence[Any], options: Mapping[str, Any]) -> int:
    """Says whether the function still fails; the exit status of a reproducer."""
    with torch.no_grad():
        gm = make_fx(function)(*snapshot(inputs))
    failure = failure_of(gm, inputs, backend.check_options(options))
    if failure is None:
        print("torch-lpu: this does not fail any more")
        return 0
    print(f"torch-lpu: it {failure.kind}: {failure.text}")
    return 1


def _compile(gm: GraphModule, inputs: Sequence[Any], options: Options) -> Callable[..., Any]:
    with torch.no_grad():
        return backend.compile_captured(copy_graph_module(gm), snapshot(inputs), options)


def _run(gm: GraphModule, inputs: Sequence[Any], options: Options) -> list[Any]:
    compiled = _compile(gm, inputs, options)
    with torch.no_grad():
        return list(compiled(*snapshot(inputs)))


def _ops(gm: GraphModule) -> list[str]:
    return [op_name(node) for node in gm.graph.nodes if node.op == "call_function"]


def _without_constants(gm: GraphModule, inputs: Sequence[Any]) -> tuple[GraphModule, list[Any]]:
    """Tensors that the graph holds become inputs, numbers among the inputs part of the graph."""
    graph, given = gm.graph, list(inputs)
    kept = []
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for node, value in zip(placeholders, given, strict=True):
        if isinstance(value, Tensor):
            kept.append(value.detach())
        else:
            node.replace_all_uses_with(value)
            graph.erase_node(node)
    for node in [node for node in graph.nodes if node.op == "get_attr"]:
        first = next(n for n in graph.nodes if n.op != "placeholder")
        with graph.inserting_before(first):
            constant = graph.placeholder(f"constant{len(kept)}")
        kept.append(getattr(gm, str(node.target)).detach())
        node.replace_all_uses_with(constant)
        graph.erase_node(node)
    output = graph.output_node()
    returned = args_of(output)[0]
    places = returned if isinstance(returned, list | tuple) else (returned,)
    output.args = (tuple(place for place in places if isinstance(place, Node)),)
    graph.eliminate_dead_code()
    gm.recompile()
    return gm, kept


def _shrink(
    gm: GraphModule, inputs: Sequence[Any], failure: Failure, options: Options
) -> tuple[GraphModule, list[Any]]:
    from functorch.compile import minifier

    def fails(candidate: GraphModule, values: Sequence[Any]) -> bool:
        return _is_same(candidate, values, failure, options)

    with contextlib.redirect_stderr(io.StringIO()), torch.no_grad():  # It tells of every step.
        small, values = minifier(gm, list(inputs), fails, dump_state=lambda *_: None)
    return shrink_sizes(small, [value.detach() for value in values], fails)


def _is_same(gm: GraphModule, inputs: Sequence[Any], failure: Failure, options: Options) -> bool:
    if not _ops(gm):
        return False
    try:
        gm(*snapshot(inputs))
    except Exception:
        return False  # Not even eager runs this.
    found = failure_of(gm, inputs, options, failure.kind)
    return found is not None and (found.kind, found.key) == (failure.kind, failure.key)


def _with_any_numbers(
    gm: GraphModule, inputs: Sequence[Tensor], failure: Failure, options: Options
) -> list[Tensor | str]:
    """Seeded numbers in place of large recorded tensors, as source text, where the failure stays."""
    if all(value.numel() <= WRITTEN_ELEMENTS for value in inputs):
        return list(inputs)
    texts = [_random_text(value) for value in inputs]
    torch_state = torch.get_rng_state()
    try:
        torch.manual_seed(0)
        values = [eval(text, {"torch": torch}) for text in texts]
    finally:
        torch.set_rng_state(torch_state)
    return list(texts) if _is_same(gm, values, failure, options) else list(inputs)


def _random_text(value: Tensor) -> str:
    shape = tuple(value.shape)
    if value.is_floating_point():
        return f"torch.randn({shape}).to({value.dtype})"
    return f"torch.randint(0, 2, {shape}).to({value.dtype})"


def _write(
    path: Path,
    gm: GraphModule,
    inputs: Sequence[Tensor | str],
    failure: Failure,
    options: Mapping[str, Any],
) -> None:
    stored: list[Tensor] = []
    texts = []
    for value in inputs:
        if isinstance(value, str):
            texts.append(value)
        elif value.numel() == 0:
            texts.append(f"torch.empty({tuple(value.shape)}, dtype={value.dtype})")
        elif value.numel() <= WRITTEN_ELEMENTS and value.is_contiguous():
            texts.append(f"torch.tensor({value.tolist()}, dtype={value.dtype})")
        else:
            texts.append(f"stored[{len(stored)}]")
            stored.append(value)
    lines = ["torch.manual_seed(0)"] if any(text.startswith("torch.rand") for text in texts) else []
    if stored:
        torch.save(stored, path.with_suffix(".pt"))
        lines.append('stored = torch.load(Path(__file__).with_suffix(".pt"))')
    body = "\n".join([*lines, f"return [{', '.join(texts)}]"])
    path.write_text(
        _SCRIPT.format(
            failure=f"{failure.kind}: {failure.text}".replace("\\", "\\\\").replace('"', "'"),
            function=_function_text(gm),
            inputs=textwrap.indent(body, "    "),
            options=dict(options),
            path_import="from pathlib import Path\n\n" if stored else "",
        )
    )


def _function_text(gm: GraphModule) -> str:
    gm.recompile()
    code = re.sub(r";  (?:\w+ = )+None", "", gm.code).strip()
    return re.sub(r"def forward\(self,? ?", "def function(", code)


_SCRIPT = '''"""A reproducer that torch_lpu.minify wrote; exit status 1 as long as it fails.

It {failure}
"""

{path_import}import torch
from torch import device, inf, nan

from torch_lpu.minifying import replay


{function}


def inputs():
{inputs}


def example():
    """For `torch-lpu compare` and `torch-lpu explain`."""
    return function, inputs()


if __name__ == "__main__":
    raise SystemExit(replay(function, inputs(), {options!r}))
'''
