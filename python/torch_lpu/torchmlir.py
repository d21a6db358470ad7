# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch dialect -> linalg text, by `torch-mlir-opt` in a child process.

torch-mlir aborts the process on some inputs, so it gets one of its own, with a
time limit. The passes are those of its linalg-on-tensors pipeline without the
first one, which inlines repeated layers, and the last one, which refuses calls
to private functions.
"""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
from functools import cache

from .diagnostics import StageError

_CANONICALIZE = "func.func(canonicalize)"

PASSES = (
    "func.func(torch-match-quantized-custom-ops)",
    "func.func(torch-reduce-op-variants)",
    _CANONICALIZE,
    "func.func(torch-decompose-complex-ops)",
    "func.func(torch-recompose-complex-ops)",
    _CANONICALIZE,
    "func.func(convert-torch-to-tmtensor{allow-non-finites=true})",
    _CANONICALIZE,
    "func.func(convert-torch-to-linalg{allow-non-finites=true})",
    _CANONICALIZE,
    "func.func(convert-torch-to-scf)",
    "func.func(convert-torch-to-arith)",
    "func.func(convert-torch-to-tensor)",
    "convert-torch-conversion-to-mlprogram",
    "func.func(memref-expand)",
    _CANONICALIZE,
    "func.func(resolve-shaped-type-result-dims)",
    "func.func(cse)",
    "torch-func-backend-type-conversion",
    _CANONICALIZE,
    "func.func(torch-finalizing-backend-type-conversion)",
    # Foldings that the passes above leave possible.
    _CANONICALIZE,
)

TIMEOUT_SECONDS = 600.0


@cache
def executable() -> str:
    """The tool itself: the script of that name costs a start of Python."""
    spec = importlib.util.find_spec("torch_mlir._mlir_libs")
    assert spec is not None and spec.origin is not None, "torch-mlir is a dependency"
    return os.path.join(os.path.dirname(spec.origin), "torch-mlir-opt")


def command() -> tuple[str, ...]:
    return (executable(), "--mlir-print-debuginfo", f"--pass-pipeline=builtin.module({','.join(PASSES)})")


def lower(torch_text: str) -> str:
    """Runs the passes; a failure names the operations and FX nodes that it is about."""
    try:
        done = subprocess.run(
            command(), input=torch_text, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _failure(torch_text, f"no result within {TIMEOUT_SECONDS:.0f} s", "", crashed=True) from None
    if done.returncode == 0:
        return done.stdout
    if done.returncode < 0 or "PLEASE submit a bug report" in done.stderr:
        raise _failure(torch_text, _how_it_died(done.returncode), done.stderr, crashed=True)
    raise _failure(torch_text, first_error(done.stderr), done.stderr, crashed=False)


def _how_it_died(status: int) -> str:
    if status >= 0:
        return f"torch-mlir-opt crashed with status {status}"
    if -status == signal.SIGKILL:
        return "torch-mlir-opt was killed, perhaps for want of memory"
    names = {number.value: number.name for number in signal.Signals}
    return f"torch-mlir-opt died of {names.get(-status, f'signal {-status}')}"


# `...: %0 = "torch.operator"(...)`: the node is named otherwise.
_PRINTED_OPERATION = re.compile(r"(?: that was explicitly marked illegal)?: %\S+ = .*")

_LOCATION_PREFIX = re.compile(r"^loc\(.*?\)+: ")


def first_error(diagnostics: str) -> str:
    """The first error line, without its location."""
    for line in diagnostics.splitlines():
        if "error: " in line:
            message = _LOCATION_PREFIX.sub("", line.split("error: ", 1)[1].strip())
            return _PRINTED_OPERATION.sub("", message)
    return diagnostics.strip().splitlines()[0] if diagnostics.strip() else "no diagnostics"


_OPERATION = re.compile(r"'(torch\.[\w.]+)'|\"(torch\.[\w.]+)\"")
_NODE = re.compile(r'loc\("([\w.]+)"\(')


def nodes_in(diagnostics: str) -> tuple[str, ...]:
    """FX nodes that the diagnostics name (the names of NameLocs), in order."""
    return tuple(dict.fromkeys(_NODE.findall(diagnostics)))


def operations_in(diagnostics: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(a or b for a, b in _OPERATION.findall(diagnostics)))


def _failure(text: str, message: str, diagnostics: str, *, crashed: bool) -> StageError:
    return StageError(
        stage="linalg",
        message=message,
        nodes=nodes_in(diagnostics),
        operations=operations_in(diagnostics),
        text=text,
        command=command(),
        crashed=crashed,
    )
