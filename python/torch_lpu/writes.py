# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes at indices: whole rows stay one op, the others become what torch-mlir writes as PyTorch does."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, Node

from . import ops
from .rewriting import args_of, call, shape_of

aten = torch.ops.aten


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
