# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with symbolic sizes: one static compilation per concrete shape.

Dynamo hands over a symbolic graph once a size has changed. Programs have
static shapes, so the graph is compiled when it is called, for the sizes of
that call and what overlaps in it, and the compilation is kept by these sizes: of each graph, the
`CAPACITY` programs that were used last. An integer that is no size stays an
operand (integer_operands.py): its values share one compilation.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule

from .integer_operands import lift_integers
from .memory import overlaps

CAPACITY = 64

SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)

Compile = Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]


def needs_specialization(example_inputs: Sequence[Any]) -> bool:
    return any(_is_symbolic(value) for value in example_inputs)


def _is_symbolic(value: Any) -> bool:
    if isinstance(value, SYMBOLS):
        return True
    return isinstance(value, Tensor) and any(isinstance(size, SYMBOLS) for size in value.shape)


def _key(args: Sequence[Any]) -> tuple[Any, ...]:
    return (torch.is_grad_enabled(), overlaps(args, range(len(args))), *map(_describe, args))


def _describe(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.dtype, tuple(value.shape), value.stride(), value.requires_grad
    return value


def specialize(gm: GraphModule, compile_static: Compile) -> Callable[..., Any]:
    """A callable that compiles the graph for the sizes it is called with."""
    integers = lift_integers(gm)
    if integers is None:
        return _specialize_sizes(gm, compile_static)
    compiled = _specialize_sizes(integers.graph, compile_static)

    @torch._dynamo.disable(reason="torch-lpu computes with run-time integers here")
    def call(*args: Any) -> Any:
        arguments, returned = integers.enter(args)
        return integers.leave(compiled(*arguments), returned)

    return call


class Programs:
    """The programs of one graph by what they were compiled for: the `CAPACITY` that were used last."""

    def __init__(self, gm: GraphModule, compile_static: Compile):
        self.gm = gm
        self.compile_static = compile_static
        self.compiled: OrderedDict[Hashable, Callable[..., Any]] = OrderedDict()
        self.lock = threading.RLock()

    def get(self, key: Hashable, args: Sequence[Any]) -> Callable[..., Any]:
        with self.lock:
            program = self.compiled.get(key)
            if program is None:
                program = self.compile_static(static_copy(self.gm), args)
            self.keep(key, program)
            return program

    def keep(self, key: Hashable, program: Callable[..., Any]) -> None:
        with self.lock:
            self.compiled[key] = program
            self.compiled.move_to_end(key)
            while len(self.compiled) > CAPACITY:
                self.compiled.popitem(last=False)


def _specialize_sizes(gm: GraphModule, compile_static: Compile) -> Callable[..., Any]:
    programs = Programs(gm, compile_static)

    @torch._dynamo.disable(reason="torch-lpu compiles for concrete sizes here")
    def call(*args: Any) -> Any:
        return programs.get(_key(args), args)(*args)

    return call


def static_copy(gm: GraphModule) -> GraphModule:
    """A copy without the symbolic example values, which would leak into the static trace."""
    static = copy.deepcopy(gm)
    for node in static.graph.nodes:
        node.meta.pop("example_value", None)
    return static
