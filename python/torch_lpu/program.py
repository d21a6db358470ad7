# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled program as a Python callable.

A call checks its tensors against the signature, hands their data pointers to
the simulator without copying, and allocates the results. Only a tensor that is
not laid out as at compile time is copied, and copied back if the program
changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

import torch
from torch import Tensor

from . import report as reports
from .compiler import Compilation
from .options import RUN_OPTIONS, check_choice
from .signature import Argument, Buffer, Signature
from .support import DTYPES

_overrides: ContextVar[dict[str, Any]] = ContextVar("torch_lpu.running", default={})


@contextmanager
def running(**run_options: Any) -> Iterator[None]:
    """All programs inside the `with` block run with these options of the simulator (`dma`, `max_work`, ...).

    Other threads are not inside of it.
    """
    for name in RUN_OPTIONS:
        if name in run_options:
            check_choice(name, run_options[name])
    token = _overrides.set({**_overrides.get(), **run_options})
    try:
        yield
    finally:
        _overrides.reset(token)


class Executable(Protocol):
    """What runs a binary: the simulator's `Program`, later a device's."""

    def run(self, pointers: Sequence[int], **options: Any) -> Any: ...


class Program:
    """Calls an executable with tensors; `signature` says which tensor goes where."""

    def __init__(
        self,
        executable: Executable,
        signature: Signature,
        compilation: Compilation,
        run_options: dict[str, Any],
    ):
        self.executable = executable
        self.signature = signature
        self.compilation = compilation
        self.run_options = run_options
        self.on_first_run: Callable[[Sequence[Tensor]], reports.RunHook] | None = None
        self._outputs = [result for result in signature.results if result.alias is None]

    def __call__(self, *args: Any) -> list[Any]:
        with torch.no_grad():
            return self._call(args)

    def _call(self, args: Sequence[Any]) -> list[Any]:
        inputs: list[Tensor] = []
        pointers: list[int] = []
        for argument in self.signature.arguments:
            tensor = argument.constant if argument.constant is not None else args[argument.source]
            memory = _enter(argument, tensor)
            inputs.append(memory)
            pointers.append(memory.data_ptr())
        outputs = [torch.empty(result.buffer.sizes, dtype=result.buffer.dtype) for result in self._outputs]
        pointers.extend(tensor.data_ptr() for tensor in outputs)
        self._run(pointers, inputs)
        results: list[Tensor | None] = []
        fresh = iter(outputs)
        for result in self.signature.results:
            if result.alias is None:
                results.append(result.to_caller(next(fresh)))
            else:
                results.append(None)
                self._write_back(self.signature.arguments[result.alias], inputs[result.alias], args)
        return [self._output(output, results, args) for output in self.signature.outputs]

    def _run(self, pointers: list[int], inputs: Sequence[Tensor]) -> None:
        hook = None
        if self.on_first_run is not None:
            hook, self.on_first_run = self.on_first_run(inputs), None
        collectors = reports.collectors()
        timing = bool(collectors) or hook is not None
        trace = hook is not None or any(collector.trace for collector in collectors)
        run = self.executable.run(
            pointers, timing=timing, trace=trace, **{**self.run_options, **_overrides.get()}
        )
        for collector in collectors:
            collector.add(run)
        if hook is not None:
            hook(run)

    @staticmethod
    def _output(output: Any, results: Sequence[Tensor | None], args: Sequence[Any]) -> Any:
        if output.result is not None:
            return results[output.result]
        if output.empty is not None:
            shape, strides, dtype = output.empty
            return torch.empty_strided(shape, strides, dtype=dtype)
        return args[output.source] if output.source is not None else output.constant

    @staticmethod
    def _write_back(argument: Argument, memory: Tensor, args: Sequence[Any]) -> None:
        """The program changed a copy: the caller's tensor gets the new value."""
        tensor = args[argument.source]
        if tensor.data_ptr() != memory.data_ptr():
            tensor.copy_(argument.buffer.to_logical(memory))


def _enter(argument: Argument, tensor: Any) -> Tensor:
    """The argument as contiguous memory: the tensor's own if its layout allows."""
    buffer = argument.buffer
    if not isinstance(tensor, Tensor):
        raise TypeError(f"argument {buffer.name}: expected {_describe(buffer)}, got {type(tensor).__name__}")
    tensor = tensor.resolve_neg()  # A view may have its signs still to be changed.
    memory = (
        buffer.to_memory(tensor.detach()) if buffer.permuted and tensor.dim() == len(buffer.order) else tensor
    )
    if memory.dtype != buffer.dtype or tuple(memory.shape) != buffer.sizes:
        got = f"{DTYPES.get(tensor.dtype, tensor.dtype)}{list(tensor.shape)}"
        raise TypeError(f"argument {buffer.name}: expected {_describe(buffer)}, got {got}")
    if memory.device.type != "cpu":
        raise TypeError(
            f"argument {buffer.name}: expected a tensor in host memory, got one on {memory.device}"
        )
    return memory if memory.is_contiguous() else memory.contiguous()


def _describe(buffer: Buffer) -> str:
    sizes = [0] * len(buffer.sizes)
    for place, dimension in enumerate(buffer.order):
        sizes[dimension] = buffer.sizes[place]
    return f"{DTYPES[buffer.dtype]}{sizes}"
