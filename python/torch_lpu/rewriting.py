# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for rewrites of FX graphs: new calls get their metadata and values as if they had been traced."""

from __future__ import annotations

from typing import Any

from torch.fx import Graph, Node
from torch.fx.node import map_arg


def call(graph: Graph, like: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """Inserts a call with the metadata of `like` and the value that the call has under fake tensors."""
    node = graph.call_function(target, args, kwargs)
    node.meta = {key: value for key, value in like.meta.items() if key in ("stack_trace", "nn_module_stack")}
    node.meta["val"] = target(*_values(args), **_values(kwargs))
    return node


def _values(tree: Any) -> Any:
    return map_arg(tree, lambda node: node.meta["val"])


def args_of(node: Node) -> tuple[Any, ...]:
    """The arguments of a call whose schema says what each is, which FX's types do not."""
    return node.args


def shape_of(node: Node) -> list[int]:
    return list(node.meta["val"].shape)


def arguments(node: Node) -> tuple[Any, ...]:
    """The positional arguments, whose types the op's schema knows and FX does not."""
    return node.args
