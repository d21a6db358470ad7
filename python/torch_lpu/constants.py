# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What depends on no data: it becomes one number in a shape, computed by PyTorch when a graph is compiled.

PyTorch's own kernels compute it on the host, so that a program has the bits of eager: what torch-mlir
folds differs. Only a value whose elements are all the same becomes a constant, and a function element
by element of such values is computed for one element, so no binary and no time grows with a shape.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from .fitting import unfit_in
from .rewriting import FILLINGS, args_of, call, is_symbolic, viewed
from .signature import inverse, memory_order
from .support import DTYPES, REFUSED_BY_EAGER

aten = torch.ops.aten

# What makes memory without values, after decomposition.
_UNINITIALISED = (aten.empty.memory_format, aten.empty_strided.default, aten.new_empty_strided.default)


def fold_empty(graph: Graph) -> None:
    """What has no elements, or is made of tensors without elements, depends on no data: a constant."""
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(node.target, OpOverload) or not isinstance(value, Tensor) or is_symbolic(value):
            continue
        if value.dtype not in DTYPES or node.target._schema.is_mutable:
            continue
        filling = 0 if value.numel() == 0 else _value_of_nothing(node)
        if filling is None:
            continue
        with graph.inserting_before(node):
            full = graph.call_function(
                aten.full.default, (list(value.shape), filling), {"dtype": value.dtype}
            )
        full.meta = {key: item for key, item in node.meta.items() if key != "tensor_meta"}
        full.meta["val"] = value.contiguous()
        node.replace_all_uses_with(full)
        graph.erase_node(node)


def _value_of_nothing(node: Node) -> bool | int | float | None:
    """The one value of all elements of an op on empty tensors, if it is one: the sum of nothing is 0."""
    operands = [operand.meta.get("val") for operand in node.all_input_nodes]
    if (
        node.target in _UNINITIALISED
        or not operands
        or not all(isinstance(o, Tensor) and not is_symbolic(o) and o.numel() == 0 for o in operands)
    ):
        return None
    with unset_fake_temporarily():
        args, kwargs = map_arg(
            (node.args, node.kwargs),
            lambda operand: torch.empty(
                operand.meta["val"].shape, dtype=operand.meta["val"].dtype, device="cpu"
            ),
        )
        target: Any = node.target
        result = target(*args, **kwargs)
        first = result.reshape(-1)[0]
        same = torch.equal(result, first.expand_as(result)) or bool(result.isnan().all())
        return first.item() if same else None


def fold_constants(graph: Graph) -> None:
    """What is computed element by element of constants is one, as PyTorch computes it: torch-mlir folds
    `trunc` of 1 to -1, a remainder with the sign of the wrong operand and negative numbers without sign."""
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(node.target, OpOverload) or torch.Tag.pointwise not in node.target.tags:
            continue
        if torch.Tag.nondeterministic_seeded in node.target.tags or node.target._schema.is_mutable:
            continue
        if not isinstance(value, Tensor) or is_symbolic(value) or value.dtype not in DTYPES:
            continue
        constants = {operand: _constant(operand) for operand in node.all_input_nodes}
        if not constants or None in constants.values():
            continue
        with unset_fake_temporarily():
            args, kwargs = map_arg((node.args, node.kwargs), constants.__getitem__)
            if node.target in _DIVISIONS and not value.is_floating_point():
                args = _with_positive_divisor(args, value.dtype)
            target: Any = node.target
            try:
                filling = target(*args, **kwargs).reshape(-1)[0].item()
            except RuntimeError as error:  # As a division by zero.
                node.meta[REFUSED_BY_EAGER] = f"eager raises {str(error).splitlines()[0]!r} for its constants"
                continue
        with graph.inserting_before(node):
            node.replace_all_uses_with(_filled(graph, node, filling, memory_order(value)))
        graph.erase_node(node)


_DIVISIONS = (
    *(aten.div.Tensor_mode, aten.div.Scalar_mode, aten.fmod.Tensor, aten.fmod.Scalar),
    *(aten.remainder.Tensor, aten.remainder.Scalar, aten.remainder.Scalar_Tensor),
)


def _with_positive_divisor(args: tuple[Any, ...], dtype: torch.dtype) -> tuple[Any, ...]:
    """By 1 instead of -1, by which the host cannot divide the least integer."""
    if args[1] != -1:
        return args
    divisor = torch.full_like(args[1], 1, dtype=dtype) if isinstance(args[1], Tensor) else 1
    return -torch.as_tensor(args[0], dtype=dtype), divisor, *args[2:]


def _constant(node: Node) -> Tensor | None:
    """One element of a tensor whose elements are all the same number, in as many dimensions."""
    value = node.meta["val"]
    node = viewed(node)
    place = FILLINGS.get(node.target)
    if place is None or not isinstance(value, Tensor) or not isinstance(node.meta["val"], Tensor):
        return None
    dtype, filling = node.meta["val"].dtype, args_of(node)[place]
    if dtype not in DTYPES or isinstance(filling, Node):  # A number that a tensor gave.
        return None
    if unfit_in(node) is not None:  # The op is refused.
        return None
    with unset_fake_temporarily():
        return torch.full([1] * value.dim(), filling, dtype=dtype, device="cpu")


def _filled(graph: Graph, node: Node, filling: Any, order: tuple[int, ...] | None) -> Node:
    """A number in the place of the value of a node, in the same order of dimensions in memory."""
    value = node.meta["val"]
    if order is None or order == tuple(range(value.dim())):
        return call(graph, node, aten.full.default, list(value.shape), filling, dtype=value.dtype)
    shape = [value.shape[dim] for dim in order]
    full = call(graph, node, aten.full.default, shape, filling, dtype=value.dtype)
    return call(graph, node, aten.permute.default, full, inverse(order))


def fill_uninitialised(graph: Graph) -> None:
    """Memory without values is zeros, so that what a program gives is the same each time.

    A program that gave away what no instruction has written is one that the machine may
    refuse to run. Memory that is overwritten part by part needs no zeros.
    """
    for target in _UNINITIALISED:
        for node in graph.find_nodes(op="call_function", target=target):
            value = node.meta["val"]
            order = None if is_symbolic(value) else memory_order(value)
            if order is None or value.dtype not in DTYPES or _is_overwritten(node):
                continue
            with graph.inserting_before(node):
                node.replace_all_uses_with(_filled(graph, node, 0, order))
            graph.erase_node(node)


def _is_overwritten(node: Node) -> bool:
    """Whether slices are written one after the other until nothing is left of the value."""
    with unset_fake_temporarily():
        left = torch.ones(node.meta["val"].shape, dtype=torch.bool, device="cpu")
        while bool(left.any()):
            if len(node.users) != 1:
                return False
            (user,) = node.users
            if user.target is not aten.slice_scatter.default or user.args.count(node) != 1:
                return False
            if user.args[0] is not node:
                return False
            _, _, *region = args_of(user)
            aten.slice.Tensor(left, *region, **user.kwargs).fill_(False)
            node = user
    return True
