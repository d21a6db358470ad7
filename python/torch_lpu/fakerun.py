# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of a compiled function that computes nothing.

The function's tensors become fake ones (shapes and types without memory), and
what stands for a compiled graph returns fake tensors too, so that Dynamo meets
every graph of the function without a kernel being run. A function that is one
graph is left before its side effects. Where a graph breaks, the Python code
between the graphs does run, on fake tensors; if it asks for a value, it is
told one (`ANSWERS`), both ones for a condition, and the assumption is noted.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.utils import get_compilation_metrics, graph_break_reasons
from torch._functorch import config as functorch_config
from torch._guards import TracingContext
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    ShapeEnv,
    StatelessSymbolicContext,
)
from torch.utils._pytree import tree_map

from .apart import compile_apart
from .explanation import GraphBreak, first_line, place

# At most so many ways through the conditions of the Python code.
MAX_PATHS = 16


class Finished(BaseException):
    """The only graph was seen: nothing more is to be learned. Not for `except Exception`."""


@dataclass
class _Path:
    """Answers to conditions, in the order in which they were asked: the given ones, then True."""

    given: list[bool]
    asked: list[bool] = field(default_factory=list)

    def answer(self) -> bool:
        value = self.given[len(self.asked)] if len(self.asked) < len(self.given) else True
        self.asked.append(value)
        return value

    def next(self) -> list[bool] | None:
        """The answers of the next path in depth-first order."""
        answers = list(self.asked)
        while answers and not answers[-1]:
            answers.pop()
        return [*answers[:-1], False] if answers else None


class _Mode(FakeTensorMode):
    """A fake mode that answers when Python asks for a value outside of a trace."""

    path: _Path
    note: Callable[[str], None]

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        # Inside of a trace Dynamo does what it does at any compilation.
        if func is torch.ops.aten._local_scalar_dense.default and TracingContext.try_get() is None:
            dtype = args[0].dtype
            value = self.path.answer() if dtype == torch.bool else 1.0 if dtype.is_floating_point else 1
            name = str(dtype).removeprefix("torch.")
            told = "both true and false, in turn" if dtype == torch.bool else value
            self.note(f"a {name} that {_user_line()} asks for is {told}")
            return value
        result = super().dispatch(func, types, args, kwargs)
        if torch.Tag.dynamic_output_shape in func.tags and TracingContext.try_get() is None:
            size = args[0].numel()
            self.note(f"a size that depends on values at {_user_line()} is {size}")
            return tree_map(lambda value: _of_known_size(value, size), result)
        return result


def _of_known_size(value: Any, size: int) -> Any:
    if not isinstance(value, Tensor):
        return value
    sizes = [size if isinstance(s, torch.SymInt) and not s.node.has_hint() else s for s in value.shape]
    return torch.empty(sizes, dtype=value.dtype, device=value.device)


@dataclass
class FakeRun:
    """What was met: the breaks, the answers that were given, and whether the end was reached."""

    breaks: list[GraphBreak] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    complete: bool = True
    _known_breaks: int = 0
    _known_metrics: frozenset[int] = frozenset()

    def start(self) -> None:
        self._known_breaks = len(graph_break_reasons)
        self._known_metrics = frozenset(map(id, get_compilation_metrics()))

    @property
    def broken(self) -> bool:
        return len(graph_break_reasons) > self._known_breaks or bool(self._failures())

    def _failures(self) -> list[Any]:
        """Functions that Dynamo gave up: it measures them, but lists no break."""
        new = [m for m in get_compilation_metrics() if id(m) not in self._known_metrics]
        return [metrics for metrics in new if metrics.fail_reason]

    def assume(self, text: str) -> None:
        if text not in self.assumptions:
            self.assumptions.append(text)

    def collect_breaks(self) -> None:
        found = []
        for reason in graph_break_reasons[self._known_breaks :]:
            frame = _own_frame(reason.user_stack)
            place = (frame.filename, frame.lineno) if frame else (None, None)
            found.append(_make_break(reason.reason, *place))
        for metrics in self._failures():
            place = metrics.fail_user_frame_filename, metrics.fail_user_frame_lineno
            whole = f"; all of `{metrics.co_name}` is left to Python"
            listed = _make_break(metrics.fail_reason, *place)
            found = [entry for entry in found if entry != listed]
            found.append(_make_break(metrics.fail_reason, *place, whole))
        self.breaks = list(dict.fromkeys(found))


def run_fake(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    make_backend: Callable[[FakeRun], Callable[..., Any]],
    dynamic: bool | None = None,
) -> FakeRun:
    """Compiles and calls the function with fake tensors, on each way through its conditions."""
    run = FakeRun()
    mode = _Mode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
    mode.note = run.assume
    compiled = compile_apart(function, make_backend(run), dynamic)
    run.start()
    answers: list[bool] | None = []
    for _ in range(MAX_PATHS):
        mode.path = _Path(answers)
        fake_args, fake_kwargs = tree_map(
            lambda value: _to_fake(value, mode, dynamic), (tuple(args), dict(kwargs))
        )
        with _quiet(), torch.set_grad_enabled(torch.is_grad_enabled()), mode:
            try:
                compiled(*fake_args, **fake_kwargs)
            except Finished:
                break
            except TorchDynamoException:
                raise
            except Exception as error:
                if not run.broken:
                    raise  # The function itself is wrong.
                run.complete = False
                name = type(error).__name__
                run.assume(f"stopped at {_place_of(error)}: {name}: {first_line(str(error))}")
        answers = mode.path.next()
        if answers is None:
            break
    else:
        run.complete = False
    run.collect_breaks()
    return run


def output_like(outputs: Sequence[Any]) -> list[Any]:
    """Tensors like those that a graph returns, in the fake mode that is active."""
    return [_like(value) if isinstance(value, Tensor) else hint(value) for value in outputs]


def _like(value: Tensor) -> Tensor:
    sizes, strides = _hints(value.shape), _hints(value.stride())
    result = torch.empty_strided(sizes, strides, dtype=value.dtype, device=value.device)
    return result.requires_grad_(value.requires_grad)


def call_concrete(function: Callable[..., Any], inputs: Sequence[Any]) -> list[Any]:
    """Calls a function of a symbolic graph with the sizes of this call in place of symbols.

    It has a fake mode of its own, without symbols: else what is compiled for these
    sizes would be given new ones, its parameters too.
    """
    with unset_fake_temporarily(), FakeTensorMode(allow_non_fake_inputs=True):
        values = [_like(value) if isinstance(value, FakeTensor) else hint(value) for value in inputs]
        outputs = function(*values)
    return output_like(outputs)


def hint(value: Any) -> Any:
    """The number that a symbol stands for in this call."""
    return value.node.hint if isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool) else value


def _hints(sizes: Sequence[Any]) -> list[int]:
    return [hint(size) for size in sizes]


def _to_fake(value: Any, mode: FakeTensorMode, dynamic: bool | None) -> Any:
    if not isinstance(value, Tensor):
        return value
    marked = getattr(value, "_dynamo_dynamic_indices", set())
    if not (dynamic or marked):
        return mode.from_tensor(value, static_shapes=True)
    sizes = [
        DimDynamic.DYNAMIC if (dynamic and size > 1) or dimension in marked else DimDynamic.STATIC
        for dimension, size in enumerate(value.shape)
    ]
    context = StatelessSymbolicContext(dynamic_sizes=sizes)
    return mode.from_tensor(value, symbolic_context=context)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings about the trace, and with backward graphs compiled at once."""
    with warnings.catch_warnings(), functorch_config.patch(force_non_lazy_backward_lowering=True):
        warnings.simplefilter("ignore")
        yield


def _make_break(text: str, file: str | None, line: int | None, consequence: str = "") -> GraphBreak:
    """Dynamo's message: a title, then lines that start with `Explanation:` or `Hint:`."""
    lines = text.splitlines() or ["unknown"]
    told: dict[str, list[str]] = {"Explanation": [], "Hint": []}
    for entry in lines[1:]:
        kind, separator, rest = entry.strip().partition(": ")
        if separator and kind in told:
            told[kind].append(rest)
    return GraphBreak(
        reason=_REASONS.get(lines[0].split(" ")[0], lines[0]) + consequence,
        explanation=" ".join(told["Explanation"]),
        hints=tuple(told["Hint"]),
        file=file,
        line=line,
    )


# Names of bytecodes say little to a user.
_REASONS = {"generic_jump": "a condition depends on the values of a tensor"}


def _own_frame(stack: Sequence[traceback.FrameSummary]) -> traceback.FrameSummary | None:
    """The innermost frame of the user's, neither PyTorch's nor ours, if there is one."""
    own = [frame for frame in stack if not frame.filename.startswith(_FOREIGN)]
    return own[-1] if own else stack[-1] if stack else None


_FOREIGN = (os.path.dirname(torch.__file__) + os.sep, os.path.dirname(__file__) + os.sep, "<")


def _user_line() -> str:
    return _place(_own_frame(traceback.extract_stack()))


def _place_of(error: Exception) -> str:
    return _place(_own_frame(traceback.extract_tb(error.__traceback__)))


def _place(frame: traceback.FrameSummary | None) -> str:
    return place(frame.filename, frame.lineno) if frame else place(None, None)
