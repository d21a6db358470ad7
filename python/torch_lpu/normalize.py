# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings graphs into the form that the importer takes.

`normalize` runs a table of small rewrites on AOTAutograd's functional graph and
turns the in-place tail (`aten.copy_` into a placeholder) into `Mutation`s:
result k is the new value of input j.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from . import ops
from .attention import convert_flash_attention, group_queries
from .bytes import make_bytes, widen_bytes
from .options import Options
from .precision import (
    COMPARISONS,
    keep_numbers,
    numbers_as_floats,
    promote_compared,
    round_compared,
    round_once,
)
from .rewriting import args_of, call, shape_of
from .signature import inverse, memory_order
from .support import DTYPES, VIEW_OPS

aten = torch.ops.aten


@dataclass(frozen=True)
class Mutation:
    """The graph's result number `result` is the new value of placeholder number `input`."""

    result: int
    input: int


def keep_scatter(graph: Graph) -> None:
    """Writes of whole rows at the positions of one index vector -> `lpu::scatter`."""
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        match = _row_write(node)
        if match is None:
            continue
        cache, index, value, axis, wrap_negative = match
        rows = shape_of(cache)
        rows[axis] = shape_of(index)[0] if shape_of(index) else 1
        if cache.meta["val"].dtype != value.meta["val"].dtype:
            continue
        with graph.inserting_before(node):
            if not shape_of(index):
                index = call(graph, node, aten.view.default, index, [1])
            if index.meta["val"].dtype != torch.int64:
                index = call(graph, node, aten._to_copy.default, index, dtype=torch.int64)
            if shape_of(value) != rows:
                value = call(graph, node, aten.expand.default, value, rows)
            whole = call(graph, node, ops.scatter, cache, index, value, axis, wrap_negative)
        node.replace_all_uses_with(whole)
        graph.erase_node(node)


def _row_write(node: Node) -> tuple[Node, Node, Node, int, bool] | None:
    """(cache, index, value, axis, wrap_negative) if the node writes whole rows."""
    if node.target is aten.index_copy.default:
        cache, axis, index, value = args_of(node)
        if not shape_of(cache) or len(shape_of(index)) > 1:
            return None
        return cache, index, value, axis % len(shape_of(cache)), False
    if node.target is not aten.index_put.default:
        return None
    cache, indices, value, *rest = args_of(node)
    accumulate = rest[0] if rest else node.kwargs.get("accumulate", False)
    used = [(axis, index) for axis, index in enumerate(indices) if index is not None]
    if accumulate or len(used) != 1:
        return None
    axis, index = used[0]
    if len(shape_of(index)) != 1 or index.meta["val"].dtype not in (torch.int64, torch.int32):
        return None
    return cache, index, value, axis, True


def count_from_the_end(graph: Graph) -> None:
    """Writes at negative indices: torch-mlir counts from the end where it reads, but not here."""
    for node in graph.find_nodes(op="call_function", target=aten.index_put.default):
        table, indices = node.args[:2]
        wrapped: list[Any] = list(indices)
        for axis, index in enumerate(indices):
            if index is None or index.meta["val"].dtype == torch.bool:
                continue
            with graph.inserting_before(node):
                negative = call(graph, node, aten.lt.Scalar, index, 0)
                other = call(graph, node, aten.add.Tensor, index, shape_of(table)[axis])
                index = call(graph, node, aten.where.self, negative, other, index)
                wrapped[axis] = call(graph, node, aten._to_copy.default, index, dtype=torch.int64)
        node.update_arg(1, wrapped)


def put_copies(graph: Graph) -> None:
    """Copies of rows by index that did not stay whole are writes at indices."""
    for node in list(graph.find_nodes(op="call_function", target=aten.index_copy.default)):
        table, axis, index, value = args_of(node)
        if not shape_of(table) or len(shape_of(index)) != 1:
            continue
        indices = [None] * (axis % len(shape_of(table))) + [index]
        with graph.inserting_before(node):
            put = call(graph, node, aten.index_put.default, table, indices, value)
        node.replace_all_uses_with(put)
        graph.erase_node(node)


def wrap_numbers(graph: Graph) -> None:
    """PyTorch wraps a number to the type of the integers beside it; torch-mlir extends them."""
    for node in list(graph.nodes):
        if node.target not in COMPARISONS and node.target is not aten.remainder.Scalar:
            continue
        operand, number = node.args
        dtype = operand.meta["val"].dtype
        if type(number) is not int or dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
            continue
        limits = torch.iinfo(dtype)
        node.update_arg(1, (number - limits.min) % (limits.max - limits.min + 1) + limits.min)


def keep_nan(graph: Graph) -> None:
    """torch-mlir folds `x == x` to true, which NaN is not."""
    for node in graph.find_nodes(op="call_function", target=aten.eq.Tensor):
        left, right = node.args
        if left is right and left.meta["val"].is_floating_point():
            with graph.inserting_before(node):
                different = call(graph, node, aten.ne.Tensor, left, right)
                equal = call(graph, node, aten.logical_not.default, different)
            node.replace_all_uses_with(equal)
            graph.erase_node(node)


# Writes at indices -> the place of the indices among the arguments.
_WRITES = {
    aten.index_copy.default: 2,
    aten.index_put.default: 1,
    aten.scatter.src: 2,
    aten.scatter.value: 2,
    aten.scatter_add.default: 2,
    aten.scatter_reduce.two: 2,
}


def drop_empty_writes(graph: Graph) -> None:
    """What is written nowhere is as it was: torch-mlir divides by the number of places."""
    for target, position in _WRITES.items():
        for node in graph.find_nodes(op="call_function", target=target):
            indices = node.args[position]
            indices = indices if isinstance(indices, list | tuple) else [indices]
            if all(index is None or 0 not in shape_of(index) for index in indices):
                continue
            with graph.inserting_before(node):
                same = call(graph, node, aten.clone.default, node.args[0])
                same.meta["val"] = node.meta["val"]
            node.replace_all_uses_with(same)
            graph.erase_node(node)


def widen_indices(graph: Graph) -> None:
    """torch-mlir compares indices of 32 bits with sizes of 64."""
    for node in graph.find_nodes(op="call_function", target=aten.index.Tensor):
        indices = list(node.args[1])
        for axis, index in enumerate(indices):
            if index is not None and index.meta["val"].dtype == torch.int32:
                with graph.inserting_before(node):
                    indices[axis] = call(graph, node, aten._to_copy.default, index, dtype=torch.int64)
        node.update_arg(1, indices)


def broadcast_choices(graph: Graph) -> None:
    """torch-mlir folds a choice between equal values to the value, although the condition is larger."""
    for node in graph.find_nodes(op="call_function", target=aten.where.self):
        _, chosen, other = node.args
        shape = list(node.meta["val"].shape)
        if shape in (shape_of(chosen), shape_of(other)):
            continue
        with graph.inserting_before(node):
            node.update_arg(1, call(graph, node, aten.expand.default, chosen, shape))


# What makes memory without values, after decomposition.
_UNINITIALISED = (aten.empty.memory_format, aten.empty_strided.default, aten.new_empty_strided.default)


def fold_empty(graph: Graph) -> None:
    """What has no elements, or is made of tensors without elements, depends on no data: a constant."""
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(node.target, OpOverload) or not isinstance(value, Tensor) or _is_symbolic(value):
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
        or not all(isinstance(o, Tensor) and not _is_symbolic(o) and o.numel() == 0 for o in operands)
    ):
        return None
    with unset_fake_temporarily():
        args, kwargs = map_arg(
            (node.args, node.kwargs),
            lambda operand: torch.empty(operand.meta["val"].shape, dtype=operand.meta["val"].dtype),
        )
        target: Any = node.target
        result = target(*args, **kwargs)
        first = result.reshape(-1)[0]
        same = torch.equal(result, first.expand_as(result)) or bool(result.isnan().all())
        return first.item() if same else None


def repeat_elements(graph: Graph) -> None:
    """A strided view of a value of one element is that element: torch-mlir indexes one without dimensions."""
    for node in graph.find_nodes(op="call_function", target=aten.as_strided.default):
        base = _base_of(node)
        value = base.meta["val"]
        # Around an input may lie more than what is its own.
        if (
            base.op == "placeholder"
            or not isinstance(value, Tensor)
            or _is_symbolic(value)
            or value.numel() != 1
        ):
            continue
        shape = shape_of(node)
        with graph.inserting_before(node):
            element = call(graph, node, aten.view.default, base, [1] * len(shape))
            node.replace_all_uses_with(call(graph, node, aten.expand.default, element, shape))
        graph.erase_node(node)


def _base_of(node: Node) -> Node:
    """What a view shows, without change of type: bits as another type are another number."""
    while node.target in VIEW_OPS and node.target is not aten.view.dtype and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    return node


def fold_constants(graph: Graph) -> None:
    """What is computed element by element of constants is one, as PyTorch computes it: torch-mlir folds
    `trunc` of 1 to -1, a remainder with the sign of the wrong operand and negative numbers without sign."""
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(node.target, OpOverload) or torch.Tag.pointwise not in node.target.tags:
            continue
        if torch.Tag.nondeterministic_seeded in node.target.tags or node.target._schema.is_mutable:
            continue
        if not isinstance(value, Tensor) or _is_symbolic(value) or value.dtype not in DTYPES:
            continue
        constants = {operand: _constant(operand) for operand in node.all_input_nodes}
        if not constants or None in constants.values():
            continue
        with unset_fake_temporarily():
            args, kwargs = map_arg((node.args, node.kwargs), constants.__getitem__)
            target: Any = node.target
            filling = target(*args, **kwargs).reshape(-1)[0].item()
        with graph.inserting_before(node):
            full = call(graph, node, aten.full.default, list(value.shape), filling, dtype=value.dtype)
        node.replace_all_uses_with(full)
        graph.erase_node(node)


def _constant(node: Node) -> Tensor | None:
    """One element of a tensor whose elements are all the same number, in as many dimensions."""
    value = node.meta["val"]
    node = _base_of(node)
    target: Any = node.target
    place = {aten.full.default: 1, aten.full_like.default: 1, aten.scalar_tensor.default: 0}.get(target)
    if place is None or not isinstance(value, Tensor) or not isinstance(node.meta["val"], Tensor):
        return None
    if node.meta["val"].dtype not in DTYPES:
        return None
    with unset_fake_temporarily():
        return torch.full([1] * value.dim(), args_of(node)[place], dtype=node.meta["val"].dtype)


def forget_old_values(graph: Graph) -> None:
    """A functional copy is its source in the shape and type of a tensor that it does not read."""
    for node in graph.find_nodes(op="call_function", target=aten.copy.default):
        source, wanted = node.args[1], node.meta["val"]
        with graph.inserting_before(node):
            if source.meta["val"].dtype != wanted.dtype:
                source = call(graph, node, aten._to_copy.default, source, dtype=wanted.dtype)
            if source.meta["val"].shape != wanted.shape:
                source = call(graph, node, aten.expand.default, source, list(wanted.shape))
            if _memory_is_seen(node):  # It is a copy: not the memory of its source.
                source = call(graph, node, aten.clone.default, source)
                source.meta["val"] = wanted
        node.replace_all_uses_with(source)
        graph.erase_node(node)
    graph.eliminate_dead_code()


def _memory_is_seen(node: Node) -> bool:
    """Whether who gets a result can tell what shares memory with the node, or how it lies there."""
    for user in node.users:
        if user.op == "output" or user.target is aten.as_strided.default:
            return True
        if (user.target in VIEW_OPS or user.target is operator.getitem) and _memory_is_seen(user):
            return True
    return False


def fill_uninitialised(graph: Graph) -> None:
    """Memory without values is zeros, so that what a program gives is the same each time.

    A program that gave away what no instruction has written is one that the machine may
    refuse to run. Memory that is overwritten part by part needs no zeros.
    """
    for target in _UNINITIALISED:
        for node in graph.find_nodes(op="call_function", target=target):
            value = node.meta["val"]
            order = None if _is_symbolic(value) else memory_order(value)
            if order is None or value.dtype not in DTYPES or _is_overwritten(node):
                continue
            with graph.inserting_before(node):
                shape = [value.shape[dim] for dim in order]
                zeros = call(graph, node, aten.full.default, shape, 0, dtype=value.dtype)
                zeros.meta["val"] = value.permute(order)
                if order != tuple(range(value.dim())):
                    zeros = call(graph, node, aten.permute.default, zeros, inverse(order))
            node.replace_all_uses_with(zeros)
            graph.erase_node(node)


def _is_overwritten(node: Node) -> bool:
    """Whether slices are written one after the other until nothing is left of the value."""
    with unset_fake_temporarily():
        left = torch.ones(node.meta["val"].shape, dtype=torch.bool)
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


def _is_symbolic(value: Tensor) -> bool:
    return any(not isinstance(size, int) for size in value.shape)


def drop_identities(graph: Graph) -> None:
    """`aten.alias` says nothing in a functional graph, nor do strides."""
    for target in (aten.alias.default, aten.detach.default):
        for node in graph.find_nodes(op="call_function", target=target):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    for node in graph.find_nodes(op="call_function", target=torch.ops.prims.copy_strided.default):
        node.target, node.args = aten.clone.default, node.args[:1]  # Its value keeps the strides.


# Rewrites in order; a name is the optimisation that switches the rewrite off.
_REWRITES: tuple[tuple[str | None, Callable[[Graph], None]], ...] = (
    (None, drop_identities),
    (None, fold_empty),
    (None, forget_old_values),
    (None, fill_uninitialised),
    (None, repeat_elements),
    (None, fold_constants),
    (None, wrap_numbers),
    (None, keep_nan),
    (None, drop_empty_writes),
    (None, widen_indices),
    (None, broadcast_choices),
    (None, round_compared),
    (None, promote_compared),
    (None, keep_numbers),
    (None, numbers_as_floats),
    (None, round_once),
    (None, make_bytes),
    (None, widen_bytes),
    ("attention", convert_flash_attention),
    ("grouped-query", group_queries),
    ("scatter", keep_scatter),
    (None, count_from_the_end),  # What is no write of rows.
    (None, put_copies),  # These do not count from the end.
)


def normalize(gm: GraphModule, options: Options) -> list[Mutation]:
    """Rewrites the graph in place; mutations become leading results.

    Afterwards the graph is functional, and its output is one flat tuple.
    """
    mutations = _strip_copies(gm.graph)  # First: what converts a copy is rewritten too.
    for name, rewrite in _REWRITES:
        if name is None or options.enabled(name):
            rewrite(gm.graph)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return mutations


def _strip_copies(graph: Graph) -> list[Mutation]:
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    (output,) = graph.find_nodes(op="output")
    returned = output.args[0]
    results: list[Any] = list(returned) if isinstance(returned, list | tuple) else [returned]
    values: list[Node] = []
    mutations: list[Mutation] = []
    for node in graph.find_nodes(op="call_function", target=aten.copy_.default):
        destination, value = node.args[0], node.args[1]
        if destination not in placeholders:
            continue  # Not functional: stays, and is reported as unsupported.
        wanted, given = destination.meta["val"], value.meta["val"]
        with graph.inserting_before(node):
            if given.dtype != wanted.dtype:
                value = call(graph, node, aten._to_copy.default, value, dtype=wanted.dtype)
            if given.shape != wanted.shape:
                value = call(graph, node, aten.expand.default, value, list(wanted.shape))
        mutations.append(Mutation(len(values), placeholders.index(destination)))
        values.append(value)
        # Who returns the copy returns the changed input itself.
        results = [destination if result is node else result for result in results]
        node.replace_all_uses_with(value)
        graph.erase_node(node)
    output.args = ((*values, *results),)
    return mutations
