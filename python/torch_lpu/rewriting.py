# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for rewrites of FX graphs: new calls get their metadata and values as if they had been traced."""

from __future__ import annotations

import operator
from collections.abc import Collection
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor
from torch._guards import detect_fake_mode
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from .support import VIEW_OPS, tensors_of

aten = torch.ops.aten


def call(graph: Graph, like: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """Inserts a call with the metadata of `like` and the value that the call has under fake tensors."""
    node = graph.call_function(target, args, kwargs)
    node.meta = {key: value for key, value in like.meta.items() if key in ("stack_trace", "nn_module_stack")}
    # Of numbers alone a tensor is made in the mode and on the device of the graph: no operand tells these.
    operands, options = _values(args), _values(kwargs)
    device = next((tensor.device for tensor in tensors_of(like.meta.get("val"))), None)
    if device is not None and _makes_tensor(node):
        options = {"device": device, **options}
    with detect_fake_mode((like.meta.get("val"), *operands)) or nullcontext():
        node.meta["val"] = target(*operands, **options)
    return node


def _makes_tensor(node: Node) -> bool:
    """Whether there is no operand whose device the value would be on."""
    if not isinstance(node.target, OpOverload) or any(
        isinstance(operand.meta.get("val"), Tensor) for operand in node.all_input_nodes
    ):
        return False
    return any(argument.name == "device" for argument in node.target._schema.arguments)


def _values(tree: Any) -> Any:
    return map_arg(tree, lambda node: node.meta["val"])


def shape_of(node: Node) -> list[int]:
    return list(node.meta["val"].shape)


# What gives all elements one value -> the place of the value among the arguments.
FILLINGS: dict[Any, int] = {
    torch.ops.aten.full.default: 1,
    torch.ops.aten.full_like.default: 1,
    torch.ops.aten.scalar_tensor.default: 0,
}


def is_symbolic(value: Tensor) -> bool:
    return any(not isinstance(size, int) for size in value.shape)


def viewed(node: Node) -> Node:
    """What a view shows, without change of type: bits as another type are another number."""
    retyped = aten.view.dtype
    while node.target in VIEW_OPS and node.target is not retyped and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    return node


def memory_is_seen(node: Node) -> bool:
    """Whether who gets a result can tell what shares memory with the node, or how it lies there."""
    for user in node.users:
        if user.op == "output" or user.target is aten.as_strided.default:
            return True
        if (user.target in VIEW_OPS or user.target is operator.getitem) and memory_is_seen(user):
            return True
    return False


def args_of(node: Node) -> tuple[Any, ...]:
    """The positional arguments, whose types the op's schema knows and FX does not."""
    return node.args


def made_like(graph: Graph, node: Node, value: Node, wanted: Tensor) -> Node:
    """The value in the type and the shape of another one, with the metadata of `node`."""
    if value.meta["val"].dtype != wanted.dtype:
        value = call(graph, node, torch.ops.aten._to_copy.default, value, dtype=wanted.dtype)
    if value.meta["val"].shape != wanted.shape:
        value = call(graph, node, torch.ops.aten.expand.default, value, list(wanted.shape))
    return value


def compute_in(graph: Graph, node: Node, narrow: Collection[torch.dtype], wide: torch.dtype) -> None:
    """Replaces a call by one on `wide` instead of the types of `narrow`; results keep their types."""

    def enter(operand: Node) -> Node:
        if not _has_type(operand, narrow):
            return operand
        return call(graph, node, aten._to_copy.default, operand, dtype=wide)

    with graph.inserting_before(node):
        args, kwargs = map_arg((node.args, node.kwargs), enter)
        if kwargs.get("dtype") in narrow:
            kwargs = {**kwargs, "dtype": wide}
        result = call(graph, node, node.target, *args, **kwargs)
    elements = [user for user in node.users if user.target is operator.getitem]
    for value in elements or [node]:
        with graph.inserting_before(node):
            new = result if value is node else call(graph, node, operator.getitem, result, value.args[1])
            old, found = value.meta.get("val"), new.meta["val"]
            if (
                isinstance(old, Tensor) and found.dtype != old.dtype
            ):  # Beside a third type even in other ones.
                new = call(graph, node, aten._to_copy.default, new, dtype=old.dtype)
        value.replace_all_uses_with(new)
    for old in (*elements, node):
        graph.erase_node(old)


def _has_type(node: Node, dtypes: Collection[torch.dtype]) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype in dtypes
