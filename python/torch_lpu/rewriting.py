# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for rewrites of FX graphs: new calls get their metadata and values as if they had been traced."""

from __future__ import annotations

import logging
import operator
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch._guards import detect_fake_mode
from torch._ops import OpOverload
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from .support import VIEW_OPS, tensors_of

aten = torch.ops.aten

# In the metadata of a call that computes in a wider type, with its own `dtype`, and of its widened operands.
_WIDENED = "torch_lpu_widened"


def call(graph: Graph, like: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """Inserts a call with the metadata of `like` and the value that the call has under fake tensors."""
    node = graph.call_function(target, args, kwargs)
    node.meta = {key: value for key, value in like.meta.items() if key in ("stack_trace", "nn_module_stack")}
    # Of numbers alone a tensor is made in the mode and on the device of the graph: no operand tells these.
    operands, options = _values(args), _values(kwargs)
    device = next((tensor.device for tensor in tensors_of(like.meta.get("val"))), None)
    if device is not None and _makes_tensor(node):
        options = {"device": device, **options}
    try:
        with detect_fake_mode((like.meta.get("val"), *operands)) or nullcontext():
            node.meta["val"] = target(*operands, **options)
    except Exception:
        graph.erase_node(node)
        raise
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
    aten.full.default: 1,
    aten.full_like.default: 1,
    aten.scalar_tensor.default: 0,
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
        value = call(graph, node, aten._to_copy.default, value, dtype=wanted.dtype)
    if value.meta["val"].shape != wanted.shape:
        value = call(graph, node, aten.expand.default, value, list(wanted.shape))
    return value


def compute_in(graph: Graph, node: Node, narrow: Collection[torch.dtype], wide: torch.dtype) -> None:
    """Replaces a call by one on `wide` instead of the types of `narrow`; results keep their types.

    An op that insists on its types stays as it is.
    """

    def enter(operand: Node) -> Node:
        if not _has_type(operand, narrow):
            return operand
        copy = call(graph, node, aten._to_copy.default, operand, dtype=wide)
        copy.meta[_WIDENED] = True
        return copy

    with graph.inserting_before(node):
        args, kwargs = map_arg((node.args, node.kwargs), enter)
        if kwargs.get("dtype") in narrow:
            kwargs = {**kwargs, "dtype": wide}
        try:
            with _unlogged():
                result = call(graph, node, node.target, *args, **kwargs)
        except (RuntimeError, TypeError, ValueError):
            return
    result.meta[_WIDENED] = node.kwargs.get("dtype")
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


@contextmanager
def _unlogged() -> Iterator[None]:
    """PyTorch logs each error under fake tensors, also one that is met."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = disabled


def undo_compute_in(node: Node) -> bool:
    """Gives a call that `compute_in` made its narrow operands back; False if it made none of the call.

    For what eager runs after all: its kernels know what the narrow types are.
    """
    if _WIDENED not in node.meta:
        return False
    dtype = node.meta.pop(_WIDENED)

    def leave(operand: Node) -> Node:
        return operand.all_input_nodes[0] if _WIDENED in operand.meta else operand

    node.args, kwargs = map_arg((node.args, node.kwargs), leave)
    node.kwargs = {**kwargs, "dtype": dtype} if "dtype" in kwargs else kwargs
    target: Any = node.target
    with detect_fake_mode(tuple(_values(node.all_input_nodes))) or nullcontext():
        node.meta["val"] = target(*_values(node.args), **_values(node.kwargs))
    for user in list(node.users):
        if user.target is operator.getitem:
            user.meta["val"] = node.meta["val"][user.args[1]]
            _drop_conversions(user)
    if isinstance(node.meta["val"], Tensor):
        _drop_conversions(node)
    return True


def _drop_conversions(value: Node) -> None:
    """Who converts to the type that the value has, if by way of another type's bits, takes the value."""
    dtype = value.meta["val"].dtype
    copies = [u for u in value.users if u.target is aten._to_copy.default and set(u.kwargs) == {"dtype"}]
    for copy in copies:
        if copy.kwargs["dtype"] == dtype:
            copy.replace_all_uses_with(value)
        for bits in list(copy.users):
            if bits.target is aten.view.dtype and bits.args[1] == dtype == torch.uint8:
                bits.replace_all_uses_with(value)


def _has_type(node: Node, dtypes: Collection[torch.dtype]) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype in dtypes
