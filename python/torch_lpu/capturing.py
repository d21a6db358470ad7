# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a function on the LPU and keeps the graphs that it was, with what went in and came out.

Twice: as Dynamo captured it (`Source`), and as the compiler sees it
(`Compiled`). The caller's tensors are what they were afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule
from torch.utils._pytree import tree_leaves, tree_map

from . import backend, partition
from .apart import compile_apart
from .diagnostics import StageError
from .normalize import Mutation
from .options import Options

# A node's name in the normalised graph, kept through the copies of it.
ORIGIN = "torch_lpu.origin"


class Gradients:
    """The gradients of tensors as they were when the tensors were first seen."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Tensor, Tensor | None, Tensor | None]] = {}

    def keep(self, values: Sequence[Any]) -> None:
        for value in values:
            if isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
                grad = value.grad
                kept = value, grad, None if grad is None else grad.detach().clone()
                self._kept.setdefault(id(value), kept)

    def restore(self) -> None:
        with torch.no_grad():
            for tensor, grad, value in self._kept.values():
                if grad is not None and value is not None:
                    grad.copy_(value)
                tensor.grad = grad


class NoValuesError(ValueError):
    """A function is to be run on tensors that have no values."""


def require_values(values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, Tensor) and (value.is_meta or isinstance(value, FakeTensor)):
            kind = "fake" if isinstance(value, FakeTensor) else "meta"
            raise NoValuesError(
                f"torch-lpu: this runs the function, and an input of type {value.dtype} and shape "
                f"{list(value.shape)} is a {kind} tensor, which has no values; only `explain` needs none"
            )


def _require_values_of(fn: Any, args: Any, kwargs: Any) -> None:
    state = [*fn.parameters(), *fn.buffers()] if isinstance(fn, torch.nn.Module) else []
    require_values([*tree_leaves((tuple(args), dict(kwargs))), *state])


@dataclass
class Source:
    """A graph of Dynamo's, before decomposition."""

    gm: GraphModule
    inputs: list[Any]
    outputs: list[Any]


@dataclass
class Compiled:
    """A normalised ATen graph."""

    gm: GraphModule
    mutations: list[Mutation]
    names: dict[str, str]
    kind: str
    inputs: list[Any]
    outputs: list[Any]


@dataclass
class Capture:
    sources: list[Source] = field(default_factory=list)
    compiled: list[Compiled] = field(default_factory=list)
    error: Exception | None = None
    _seen: set[int] = field(default_factory=set)


def capture(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], options: Options
) -> Capture:
    """Runs the function once with copies of its tensors. An error is kept, with the graphs until then."""
    _require_values_of(fn, args, kwargs)
    found = Capture()
    restore: list[tuple[Tensor, Tensor, int]] = []
    gradients = Gradients()

    def compile_aten(graph: GraphModule, names: dict[str, str], kind: str) -> Callable[..., Any]:
        mutations, share = backend.prepare(graph, options, names)
        for node in graph.graph.nodes:
            node.meta[ORIGIN] = node.name
        try:
            region = backend.region_compiler(options, names)
            run, _ = backend.compile_parts(graph, mutations, options, region, lambda fallbacks: None)
        except StageError:
            run = partition.run_eagerly(partition.copy_graph_module(graph), mutations)

        def call(*inputs: Any) -> Any:
            before = snapshot(inputs)
            outputs = run(*inputs)
            if id(graph) not in found._seen:  # Its first run stands for all.
                found._seen.add(id(graph))
                found.compiled.append(Compiled(graph, mutations, names, kind, before, snapshot(outputs)))
            return share(outputs) if share else outputs

        return call

    def capturing(gm: GraphModule, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        source = partition.copy_graph_module(gm)
        compiled = backend.compile_captured(gm, example_inputs, options, compile_aten)

        def call(*inputs: Any) -> Any:
            require_values(inputs)
            before = snapshot(inputs)
            gradients.keep(inputs)
            pairs = zip(inputs, before, strict=True)
            restore.extend((x, y, x._version) for x, y in pairs if isinstance(x, Tensor))
            record = Source(source, before, [])
            if id(source) not in found._seen:
                found._seen.add(id(source))
                found.sources.append(record)
            outputs = compiled(*inputs)
            record.outputs = snapshot(outputs)
            return outputs

        return call

    compiled = compile_apart(fn, capturing)
    with torch.random.fork_rng(devices=[]):
        try:
            compiled(*copies(tuple(args)), **copies(dict(kwargs)))
        except Exception as error:
            found.error = error
    with torch.no_grad():
        for tensor, value, version in reversed(restore):
            if tensor is not value and tensor._version != version:
                tensor.copy_(value)
    gradients.restore()
    return found


def copies(tree: Any) -> Any:
    """The same with tensors of its own, which want gradients where these do."""

    def one(leaf: Any) -> Any:
        return leaf.detach().clone().requires_grad_(leaf.requires_grad) if isinstance(leaf, Tensor) else leaf

    return tree_map(one, tree)


def snapshot(values: Sequence[Any]) -> list[Any]:
    """The values as they are now. Parameters are not copied: no graph changes one in place."""

    def one(value: Any) -> Any:
        if not isinstance(value, Tensor) or isinstance(value, torch.nn.Parameter):
            return value
        return value.detach().clone()

    return [one(value) for value in values]


def capture_sources(fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Source]:
    """Dynamo's graphs of the function and what goes into them, from a run in eager."""
    _require_values_of(fn, args, kwargs)
    found: list[Source] = []
    gradients = Gradients()

    def recording(gm: GraphModule, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
        source = partition.copy_graph_module(gm)

        def call(*inputs: Any) -> Any:
            require_values(inputs)
            gradients.keep(inputs)
            if all(record.gm is not source for record in found):
                found.append(Source(source, snapshot(inputs), []))
            return gm.forward(*inputs)

        return call

    compiled = compile_apart(fn, recording)
    with torch.random.fork_rng(devices=[]):
        try:
            compiled(*copies(tuple(args)), **copies(dict(kwargs)))
        finally:
            gradients.restore()
    return found
