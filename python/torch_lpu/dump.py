# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`dump_dir`: every stage of every program as a file, and a script that replays each step."""

from __future__ import annotations

import fcntl
import os
import shlex
import tempfile
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor
from torch.fx import GraphModule

from . import torchmlir
from .compiler import FILES, PIPELINE_STAGES, Compilation, pipeline
from .options import RUN_LIMITS, OptionError
from .report import Run, RunHook

# A run's arguments are kept up to this size; weights of a large model are not.
MAX_ARGUMENT_BYTES = 64 << 20

_lock = threading.Lock()
_used: dict[Path, int] = {}
# By (process, dump_dir): a forked process does not write where its parent does.
_roots: dict[tuple[int, Path], Path] = {}


def next_directory(dump_dir: str) -> Path:
    """The directory itself for the first program, `graph-1`, `graph-2`, ... inside it for later ones.

    While a process dumps into a directory, another one gets `process-<id>` inside it.
    """
    given = Path(dump_dir).resolve()
    directory = given
    try:
        with _lock:
            owner = (os.getpid(), given)
            if owner not in _roots:
                _roots[owner] = _claim(given)
            root = _roots[owner]
            number = _used.get(root, 0)
            _used[root] = number + 1
        directory = root / f"graph-{number}" if number else root
        directory.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise OptionError(f"option 'dump_dir': cannot write to {directory}: {error.strerror}.") from None
    return directory


def _claim(directory: Path) -> Path:
    """The directory, locked until this process ends; one inside it if another process holds the lock."""
    directory.mkdir(parents=True, exist_ok=True)
    lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return directory / f"process-{os.getpid()}"
    return directory


def dump_compilation(directory: Path, gm: GraphModule, compilation: Compilation) -> None:
    (directory / FILES["fx"]).write_text(f"{gm.graph}\n")
    for stage, product in compilation.products.items():
        path = directory / FILES[stage]
        path.write_bytes(product) if isinstance(product, bytes) else path.write_text(product)
    script = directory / "repro.sh"
    script.write_text(repro_script(compilation))
    os.chmod(script, 0o755)


def dump_run(directory: Path, inputs: Sequence[Tensor], run_options: dict[str, Any]) -> RunHook:
    """Keeps what a run starts from; the result writes its trace and report, and how to replay it."""
    command = ["lpu-sim", FILES["bin"], "--dma", run_options["dma"]]
    command += ["--interleave", run_options["interleave"], "--check", run_options["checks"]]
    for name in RUN_LIMITS:
        if name in run_options:
            command += ["--" + name.replace("_", "-"), str(run_options[name])]
    if sum(tensor.nbytes for tensor in inputs) <= MAX_ARGUMENT_BYTES:
        (directory / "arguments").mkdir(exist_ok=True)
        for number, tensor in enumerate(inputs):
            name = f"arguments/{number:03}.npy"
            numpy.save(directory / name, _to_numpy(tensor))
            command += ["--arg", name]
    outputs = {"--trace": FILES["trace"], "--report": FILES["report"]}
    command += [word for option, name in outputs.items() for word in (option, f"replay/{name}")]

    def finish(run: Run) -> None:
        (directory / FILES["trace"]).write_text(f"{run.trace}\n")  # As lpu-sim writes them.
        (directory / FILES["report"]).write_text(f"{run.to_json()}\n")
        with open(directory / "repro.sh", "a") as script:
            script.write(f"\necho '{FILES['bin']} -> {FILES['trace']}'\n{shlex.join(command)}\n")
            if "--arg" in command:
                script.writelines(f"cmp {name} replay/{name}\n" for name in outputs.values())

    return finish


def _to_numpy(tensor: Tensor) -> numpy.ndarray:
    """NumPy has no bfloat16: its bits."""
    tensor = tensor.detach()
    return (tensor.view(torch.uint16) if tensor.dtype == torch.bfloat16 else tensor).numpy()


def repro_script(compilation: Compilation) -> str:
    """Replays each stage from the file before it and compares the result byte for byte."""
    steps = [("torch", "linalg", ("torch-mlir-opt", *torchmlir.command()[1:]))]
    for start, stop in pairwise(PIPELINE_STAGES):
        passes = pipeline(compilation.options, start, stop)
        steps.append((start, stop, ("lpu-opt", "--mlir-print-debuginfo", f"--pass-pipeline={passes}")))
    steps.append(("isa", "bin", ("lpu-translate", "--mlir-to-lpubin")))
    lines = [
        "#!/bin/sh",
        "# Replays every stage with the command-line tools; what they write to replay/ must equal the dump.",
        "set -e",
        'cd "$(dirname "$0")"',
        "mkdir -p replay",
    ]
    for start, stop, command in steps:
        lines.append("")
        lines.append(f"echo '{FILES[start]} -> {FILES[stop]}'")
        lines.append(f"{shlex.join(command)} {FILES[start]} -o replay/{FILES[stop]}")
        lines.append(f"cmp {FILES[stop]} replay/{FILES[stop]}")
    lines.append("")
    return "\n".join(lines)
