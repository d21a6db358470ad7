# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The road from an FX graph to a binary: an ordered table of stages.

Each stage is a function from the text before it to the text (or bytes) after
it. Its name is the dump's suffix, the pipeline's option and the test folder.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

from torch.fx import GraphModule

from . import torchmlir
from .cache import Cache, cache_key
from .diagnostics import StageError
from .importer import import_graph
from .options import Options
from .signature import Signature

# The stages that lpu-opt's pipeline knows, in order.
PIPELINE_STAGES = ("linalg", "lpu", "tiled", "buffer", "alloc", "isa")

# Dump files by stage.
FILES: dict[str, str] = {
    "fx": "00-fx.txt",
    "torch": "10-torch.mlir",
    "linalg": "20-linalg.mlir",
    "lpu": "30-lpu.mlir",
    "tiled": "40-tiled.mlir",
    "buffer": "50-buffer.mlir",
    "alloc": "60-alloc.mlir",
    "isa": "70-isa.mlir",
    "bin": "80-bin.lpubin",
    "trace": "90-run.trace.json",
    "report": "91-run.report.json",
}


@dataclass
class Compilation:
    """What one compilation made: the product of each stage, and its seconds."""

    options: Options
    products: dict[str, str | bytes] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def binary(self) -> bytes:
        product = self.products["bin"]
        assert isinstance(product, bytes)
        return product


def pipeline(options: Options, start: str, stop: str) -> str:
    """The pipeline between two stages, in the textual syntax of lpu-opt."""
    arguments = [f"from={start}", f"to={stop}", f"machine={_quoted(options.machine)}"]
    disabled = [name for stage in PIPELINE_STAGES for name in options.disabled_in(stage)]
    if disabled:
        arguments.append(f"disable={','.join(disabled)}")
    return f"builtin.module(lpu-pipeline{{{' '.join(arguments)}}})"


def _quoted(text: str) -> str:
    """A value for the pipeline's options, which are separated by blanks; MLIR counts braces."""
    text = re.sub(r"""[{}\\"'\n]""", lambda match: f"\\x{ord(match[0]):02x}", text)
    return f"'{text}'" if any(character.isspace() for character in text) else text


def _run_pipeline(start: str, stop: str) -> Callable[[str, Options], str]:
    def run(text: str, options: Options) -> str:
        from .mlir._mlir_libs._lpu import run_pipeline

        passes = pipeline(options, start, stop)
        command = ("lpu-opt", "--mlir-print-debuginfo", f"--pass-pipeline={passes}")
        try:
            return f"{run_pipeline(text, passes)}\n"  # As lpu-opt writes it.
        except RuntimeError as error:
            raise _stage_error(stop, str(error), text, command) from None
        except MemoryError:
            raise _stage_error(stop, "it takes more memory than there is", text, command) from None

    return run


def _translate(text: str, options: Options) -> bytes:
    from .mlir._mlir_libs._lpu import translate_to_binary

    try:
        return translate_to_binary(text)
    except RuntimeError as error:
        raise _stage_error("bin", str(error), text, ("lpu-translate", "--mlir-to-lpubin")) from None


def _stage_error(stage: str, diagnostics: str, text: str, command: tuple[str, ...]) -> StageError:
    return StageError(
        stage=stage,
        message=torchmlir.first_error(diagnostics),
        nodes=torchmlir.nodes_in(diagnostics),
        operations=torchmlir.operations_in(diagnostics),
        text=text,
        command=command,
    )


# Stage -> function from the product of the stage before it.
STAGES: dict[str, Callable[[str, Options], str | bytes]] = {
    "linalg": lambda text, options: torchmlir.lower(text),
    **{stop: _run_pipeline(start, stop) for start, stop in pairwise(PIPELINE_STAGES)},
    "bin": _translate,
}


_recorders: list[dict[str, float]] = []


@contextmanager
def record_seconds(into: dict[str, float]) -> Iterator[None]:
    """Adds the seconds of every stage that runs inside the `with` block to `into`."""
    _recorders.append(into)
    try:
        yield
    finally:
        _recorders[:] = [recorder for recorder in _recorders if recorder is not into]


@contextmanager
def _timed(compilation: Compilation, stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds = time.perf_counter() - started
    for record in (compilation.seconds, *_recorders):
        record[stage] = record.get(stage, 0.0) + seconds


def lower_to(stage: str, text: str, options: Options) -> None:
    """Runs the stages up to `stage` for their failures alone."""
    product: str | bytes = text
    for name, run in STAGES.items():
        assert isinstance(product, str)
        product = run(product, options)
        if name == stage:
            return


def compile_graph(
    gm: GraphModule, signature: Signature, options: Options, cache: Cache | None
) -> Compilation:
    """Runs all stages, or takes the binary of an identical graph from the cache."""
    compilation = Compilation(options)
    text: str | bytes
    with _timed(compilation, "torch"):
        text = import_graph(gm, signature, outline_layers=options.enabled("repeated-layers"))
    compilation.products["torch"] = text
    key = cache_key(text, options)
    if cache is not None:
        binary = cache.get(key)
        if binary is not None:
            compilation.products["bin"] = binary
            return compilation
    for stage, run in STAGES.items():
        assert isinstance(text, str)
        with _timed(compilation, stage):
            text = run(text, options)
        compilation.products[stage] = text
    if cache is not None:
        cache.put(key, compilation.binary)
    return compilation
