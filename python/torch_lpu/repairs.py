# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repairs of single calls that torch-mlir lowers to something else than PyTorch computes, or dies of.

They stand here and not among the decompositions (corrections.py) where the repair looks at more than one
call of the graph, or would be decomposed again.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.fx import Graph

from .fitting import wrapped
from .precision import COMPARISONS
from .rewriting import call, is_symbolic, shape_of, viewed

aten = torch.ops.aten


def wrap_numbers(graph: Graph) -> None:
    """PyTorch wraps a number to the type of the integers beside it; torch-mlir extends them."""
    for node in list(graph.nodes):
        if node.target not in COMPARISONS and node.target is not aten.remainder.Scalar:
            continue
        operand, number = node.args
        dtype = operand.meta["val"].dtype
        if type(number) is not int:
            continue
        node.update_arg(1, wrapped(number, dtype))


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


def repeat_elements(graph: Graph) -> None:
    """A strided view of a value of one element is that element: torch-mlir indexes one without dimensions."""
    for node in graph.find_nodes(op="call_function", target=aten.as_strided.default):
        base = viewed(node)
        value = base.meta["val"]
        # Around an input may lie more than what is its own.
        if (
            base.op == "placeholder"
            or not isinstance(value, Tensor)
            or is_symbolic(value)
            or value.numel() != 1
        ):
            continue
        shape = shape_of(node)
        with graph.inserting_before(node):
            element = call(graph, node, aten.view.default, base, [1] * len(shape))
            node.replace_all_uses_with(call(graph, node, aten.expand.default, element, shape))
        graph.erase_node(node)
