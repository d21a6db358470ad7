# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of bytes: rewrites of FX graphs around what torch-mlir takes for signed, or dies of."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Graph, Node

from . import ops
from .fitting import unfit_in
from .rewriting import FILLINGS, args_of, call, compute_in, is_symbolic, memory_is_seen
from .support import VIEW_OPS, reason_to_refuse

aten = torch.ops.aten

# Moves of data: a byte is a byte.
_MOVES = VIEW_OPS | {
    ops.scatter,
    aten._to_copy.default,
    aten.clone.default,
    aten.constant_pad_nd.default,
    aten.embedding.default,
    aten.flip.default,
    aten.gather.default,
    aten.index.Tensor,
    aten.index_put.default,
    aten.index_select.default,
    aten.lift_fresh_copy.default,
    aten.repeat.default,
    aten.select_scatter.default,
    aten.slice_scatter.default,
}


_BYTES = (torch.int8, torch.uint8)


# What wide operands give other low bytes of.
_NARROWING = frozenset(
    {
        aten.div.Tensor_mode,
        aten.floor_divide.default,
        aten.fmod.Tensor,
        aten.maximum.default,
        aten.minimum.default,
        aten.remainder.Tensor,
    }
)


def widen_bytes(graph: Graph) -> None:
    """Bytes compute as 32-bit integers.

    torch-mlir forgets that some are unsigned, and dies of numbers beside the others. What
    changes its operand, or runs in eager anyway, is left alone.
    """
    for node in list(graph.nodes):
        computes = isinstance(node.target, OpOverload) and node.target not in _MOVES
        if not computes or not any(_is_bytes(operand) for operand in node.all_input_nodes):
            continue
        if node.target._schema.is_mutable or reason_to_refuse(node) is not None:
            continue
        if node.target in _NARROWING:
            _narrow_operands(graph, node)
        compute_in(graph, node, _BYTES, torch.int32)
    for node in graph.find_nodes(op="call_function", target=aten._to_copy.default):
        if _is_unsigned(node):
            _convert_to_bytes(graph, node)


def make_bytes(graph: Graph) -> None:
    """torch-mlir folds unsigned bytes that are all the same to signed ones, and crashes on a count of bytes.

    Both are made of a count in wider integers, which it does not fold.
    """
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(value, Tensor) or value.dtype not in _BYTES or is_symbolic(value):
            continue
        same = node.target in FILLINGS and value.dtype == torch.uint8
        if not same and node.target is not aten.arange.start_step:
            continue
        args = args_of(node)
        numbers = (args[FILLINGS[node.target]],) if same else args
        if any(isinstance(number, Node) for number in numbers):
            continue  # A tensor gave it.
        if unfit_in(node) is not None:
            continue  # It is refused.
        start, stop, step = (int(numbers[0]), int(numbers[0]) + 1, 1) if same else (*numbers, 1)[:3]
        with graph.inserting_before(node):
            wide = call(graph, node, aten.arange.start_step, start, stop, step, dtype=torch.int32)
            made = call(graph, node, aten._to_copy.default, wide, dtype=value.dtype)
            if same:
                made = call(graph, node, aten.view.default, made, [1] * value.dim())
                made = call(graph, node, aten.expand.default, made, list(value.shape))
                if memory_is_seen(node):  # Each element is a byte of its own.
                    made = call(graph, node, aten.clone.default, made)
                    made.meta["val"] = value
        node.replace_all_uses_with(made)
        graph.erase_node(node)


def _convert_to_bytes(graph: Graph, node: Node) -> None:
    """A float becomes a wider integer first, or it would stop at the largest signed byte. Then a signed
    byte has the bits: torch-mlir cannot fold a constant to an unsigned one."""
    (value,) = node.all_input_nodes
    types = [torch.int32] if value.meta["val"].is_floating_point() else []
    with graph.inserting_before(node):
        for dtype in (*types, torch.int8):
            value = call(graph, node, aten._to_copy.default, value, dtype=dtype)
        value = call(graph, node, aten.view.dtype, value, torch.uint8)
    node.replace_all_uses_with(value)
    graph.erase_node(node)


def _narrow_operands(graph: Graph, node: Node) -> None:
    """A scalar tensor beside bytes is a byte first, in eager too."""
    dtype = node.meta["val"].dtype
    for operand in node.all_input_nodes:
        value = operand.meta["val"]
        if dtype in _BYTES and value.dtype not in (dtype, torch.bool):
            with graph.inserting_before(node):
                node.replace_input_with(
                    operand, call(graph, node, aten._to_copy.default, operand, dtype=dtype)
                )


def _is_bytes(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype in _BYTES


def _is_unsigned(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype == torch.uint8
