# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces functions as the backend does, and stops before anything is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.fx import GraphModule

from torch_lpu import backend
from torch_lpu.importer import import_graph
from torch_lpu.normalize import Mutation, normalize
from torch_lpu.options import Options
from torch_lpu.signature import Signature, bind_signature


class Traced(Exception):
    """Leaves the compilation with what it had."""

    def __init__(self, gm: GraphModule, mutations: list[Mutation], names: dict[str, str]):
        self.gm, self.mutations, self.names = gm, mutations, names


def trace(function: Callable[..., Any], *args: Any, grad: bool = False, **options: Any) -> Traced:
    """The normalised ATen graph of a call."""
    result: list[Traced] = []

    def stop(gm: GraphModule, checked: Options, names: dict[str, str]) -> Callable[..., Any]:
        result.append(Traced(gm, normalize(gm, checked), names))
        raise result[0]

    original = backend.compile_fx
    backend.compile_fx = stop
    try:
        with torch.set_grad_enabled(grad):
            torch.compile(
                function, backend=backend.lpu, fullgraph=True, dynamic=False, options=options or None
            )(*args)
    except Exception:
        if not result:
            raise
    finally:
        backend.compile_fx = original
        torch._dynamo.reset()
    return result[0]


def bind(traced: Traced) -> Signature:
    aliases = {mutation.result: mutation.input for mutation in traced.mutations}
    return bind_signature(traced.gm, aliases, traced.names)


def torch_text(function: Callable[..., Any], *args: Any, **options: Any) -> str:
    """The torch-dialect module of a call."""
    traced = trace(function, *args, **options)
    signature = bind(traced)
    return import_graph(traced.gm, signature)


def targets(gm: GraphModule) -> list[str]:
    return [node.target.name() for node in gm.graph.nodes if hasattr(node.target, "name")]
