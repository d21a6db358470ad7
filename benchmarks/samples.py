# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs samples of PyTorch's operator database through `torch.compile(backend="lpu")`.

A sample is compiled once and run twice: in the open, for its values and for what
the compiler says it left out, and inside a trap for ATen kernels, for what it
does not say. Both runs are compared with eager. Transfers are early in one
and late in the other, with all checks of the simulator.
"""

from __future__ import annotations

import copy
import itertools
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("PYTORCH_TESTING_DEVICE_ONLY_FOR", "cpu")

import torch
import torch._dynamo
from torch._dynamo.utils import counters
from torch.utils._pytree import tree_map_only

from torch_lpu import diagnostics
from torch_lpu.diagnostics import FallbackWarning
from torch_lpu.program import running

from .agreement import disagreement

sys.path.append(str(Path(__file__).parent.parent / "test" / "python"))
from trap import HiddenFallback, trap

# What can become of a sample, from best to worst; an entry is what its worst sample is.
STATUSES = ("refused", "compiled", "not captured", "fell back", "wrong", "hung", "crashed")

# The types that a sweep can ask for; first those that it asks for of itself.
DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "bool": torch.bool,
    "float16": torch.float16,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
}
DEFAULT_DTYPES = ("float32", "bfloat16", "int64", "bool")

# Of these only types, shapes and strides can be compared.
UNINITIALISED = ("empty", "new_empty", "resize_")

# Which of several equal elements these find is not specified: their values are compared, not their
# places. The number is the position of `dim` among the arguments.
PLACE_OF_TIES = {"argsort": 0, "kthvalue": 1, "median": 0, "mode": 0, "nanmedian": 0, "sort": 0, "topk": 1}


@dataclass(frozen=True)
class Outcome:
    """What became of one sample: `refused` is one that eager itself does not take."""

    status: str
    detail: str = ""
    seconds: float = 0.0


@cache
def entries() -> dict[str, Any]:
    """The operator database by name and variant."""
    from torch.testing._internal import common_methods_invocations as database

    database.wrapper_set_seed = _call
    return {name_of(op): op for op in database.op_db}


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Instead of the database's wrapper around it, which sets a seed and which Dynamo does not look into."""
    return function(*args, **kwargs)


def name_of(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def dtypes_of(op: Any) -> list[str]:
    """The types of the sweep that the entry supports."""
    supported = op.supported_dtypes("cpu")
    return [name for name, dtype in DTYPES.items() if dtype in supported]


def samples_of(op: Any, dtype: str, start: int, stop: int) -> Iterator[Any]:
    """The same samples in every process."""
    seed()
    return itertools.islice(op.sample_inputs("cpu", DTYPES[dtype], requires_grad=False), start, stop)


def seed() -> None:
    random.seed(0)
    torch.manual_seed(0)


def run_task(entry: str, dtype: str, start: int, stop: int) -> Iterator[Outcome]:
    """The outcomes of the samples from `start` on."""
    op = entries()[entry]
    torch.set_num_threads(1)
    samples = samples_of(op, dtype, start, stop)
    while True:
        begun = time.perf_counter()
        try:
            sample = next(samples)
        except StopIteration:
            return
        except Exception as error:
            yield Outcome("refused", f"the database makes no sample: {_brief(error)}")
            return
        status, detail = run_sample(op, sample)
        yield Outcome(status, detail, round(time.perf_counter() - begun, 3))


def run_sample(op: Any, sample: Any) -> tuple[str, str]:
    """(status, detail) of one sample."""

    def function(input: Any, args: Any, kwargs: Any) -> Any:
        return op.op(input, *args, **kwargs)

    def specified(run: Any) -> Any:
        return _specified(op, sample, run)

    return run_function(function, (sample.input, sample.args, sample.kwargs), specified)


def run_function(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    specified: Callable[[Any], Any] = lambda run: run,
) -> tuple[str, str]:
    """(status, detail) of a call; `specified` takes from results and arguments what is to be compared."""
    with torch.no_grad(), warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        try:
            expected = _run(function, arguments)
        except Exception as error:
            return "refused", _brief(error)
        truth = _truth(function, arguments)
        compiled = _compile(function, "lpu")
        try:
            with running(dma="early"):
                first = _run(compiled, arguments)
            captured = counters["stats"]["unique_graphs"] > 0
        except Exception as error:
            return _failed(function, arguments, error)
        hidden = ""
        try:
            with running(dma="late", checks="all"):
                second = _run(compiled, arguments, trap)
        except HiddenFallback as error:
            hidden, second = (
                str(error).removeprefix("aten::").removesuffix(" inside a compiled program"),
                first,
            )
        except Exception as error:
            return "crashed", f"second run: {_brief(error)}"
    for result in (first, second):
        difference = disagreement(specified(result), specified(expected), truth)
        if difference is not None:
            return "wrong", difference
    reasons = dict.fromkeys(_fallback_reasons(record))
    breaks = [f"graph break: {_first_line(reason)}" for reason in counters["graph_break"]]
    if not captured:
        return "not captured", "; ".join(breaks) or hidden or "no operation in it"
    if reasons or hidden:
        return "fell back", "; ".join(reasons) or "; ".join(filter(None, [hidden, *breaks]))
    return "compiled", ""


def _compile(function: Callable[..., Any], backend: str) -> Callable[..., Any]:
    torch._dynamo.reset()
    counters.clear()
    diagnostics.reset()
    return torch.compile(function, backend=backend, dynamic=False)


def _run(function: Callable[..., Any], arguments: Any, around: Callable[[], Any] | None = None) -> Any:
    """Results and arguments after a call on copies."""
    arguments = copy.deepcopy(arguments)
    seed()
    if around is None:
        results = function(*arguments)
    else:
        with around():
            results = function(*arguments)
    return results, arguments


def _truth(function: Callable[..., Any], arguments: Any) -> Any:
    """The same in float64, if eager can."""

    def widen(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.double() if tensor.is_floating_point() else tensor

    try:
        return _run(function, tree_map_only(torch.Tensor, widen, arguments))
    except Exception:
        return None


def _failed(function: Callable[..., Any], arguments: Any, error: Exception) -> tuple[str, str]:
    """A compilation raised: whose fault that is, another backend tells."""
    try:
        _run(_compile(function, "aot_eager"), arguments)
    except Exception as other:
        return "not captured", f"raises with aot_eager too: {_brief(other)}"
    return "crashed", _brief(error)


def _specified(op: Any, sample: Any, run: Any) -> Any:
    """Results and arguments, without what the operation leaves open."""
    if op.name.startswith(UNINITIALISED):
        return tree_map_only(torch.Tensor, lambda tensor: (torch.zeros_like(tensor), _steps(tensor)), run)
    results, arguments = run
    if op.name not in PLACE_OF_TIES or sample.kwargs.get("stable") or sample.input.dim() == 0:
        return run
    if isinstance(results, torch.Tensor) and op.name != "argsort":
        return run
    values, places = (None, results) if op.name == "argsort" else results
    position = PLACE_OF_TIES[op.name]
    given = sample.args[position] if len(sample.args) > position else -1
    dim = sample.kwargs.get("dim", given)
    whole = places if places.dim() == sample.input.dim() else places.unsqueeze(dim)
    return (values, sample.input.gather(dim, whole)), arguments


def _steps(tensor: torch.Tensor) -> list[int]:
    """The strides that mean something."""
    if tensor.numel() == 0:
        return []
    return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]


def _fallback_reasons(record: list[warnings.WarningMessage]) -> Iterator[str]:
    """`aten.op (dtype): reason`, without the places in Python."""
    for warning in record:
        if not issubclass(warning.category, FallbackWarning):
            continue
        text = str(warning.message).removeprefix("torch-lpu: ").partition("; replay with:")[0]
        what, found, reason = text.partition(" runs in eager PyTorch: ")
        yield f"{what.rpartition(': ')[2]}: {reason}" if found else text


def _brief(error: BaseException) -> str:
    error = getattr(error, "inner_exception", error)  # Of a backend, as Dynamo reports it.
    return f"{type(error).__name__}: {_first_line(str(error))}"


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
