# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Smaller sizes of an ATen graph for which something is still true of it.

A size is a number that dimensions of the inputs have. All dimensions of one
size become smaller at once, and with them the numbers in the graph that are
that size or a multiple of it (`view` as batch times sequence). What a number
means is guessed; whether the guess was right, and the graph still runs, is what
the caller's test finds out. Afterwards dimensions are tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import GraphModule, Node
from torch.utils._pytree import tree_map

from .partition import copy_graph_module
from .signature import inverse, memory_order

# A graph and its inputs -> whether they still show what they are kept for.
Test = Callable[[GraphModule, list[Tensor]], bool]

# So many smaller graphs that run are tested at the most: a test may compile.
MAX_TESTS = 100

# No size is larger; such a number says "to the end".
LARGEST_SIZE = 1 << 40

aten = torch.ops.aten


def shrink_sizes(gm: GraphModule, inputs: Sequence[Tensor], test: Test) -> tuple[GraphModule, list[Tensor]]:
    """The graph with the smallest sizes found that pass the test."""
    inputs = list(inputs)
    tests = 0
    progress = True
    while progress:
        progress = False
        for graph, values in _smaller(gm, inputs):
            if not _runs(graph, values):
                continue
            tests += 1
            if test(graph, values):
                gm, inputs, progress = graph, values, True
                break
            if tests == MAX_TESTS:
                return gm, inputs
    return gm, inputs


def _runs(gm: GraphModule, inputs: Sequence[Tensor]) -> bool:
    try:
        with torch.no_grad():
            gm(*(value.clone() for value in inputs))
    except Exception:
        return False
    return True


def _smaller(gm: GraphModule, inputs: Sequence[Tensor]) -> Iterator[tuple[GraphModule, list[Tensor]]]:
    """Candidates: the largest sizes first, and first all dimensions of a size."""
    places = [(i, d) for i, value in enumerate(inputs) for d in range(value.dim())]
    sizes = sorted({size for value in inputs for size in value.shape if size > 1}, reverse=True)
    for size in sizes:
        chosen = {(i, d) for i, d in places if inputs[i].shape[d] == size}
        for new in _smaller_than(size):
            yield from _resized(gm, inputs, chosen, size, new)
    for i, d in places:
        for new in _smaller_than(inputs[i].shape[d]):
            yield from _resized(gm, inputs, {(i, d)}, inputs[i].shape[d], new)


def _smaller_than(size: int) -> list[int]:
    """The smallest first: most failures do not need a size at all."""
    return sorted({1, 2, (size + 1) // 2} & set(range(1, size)))


def _resized(
    gm: GraphModule, inputs: Sequence[Tensor], chosen: set[tuple[int, int]], size: int, new: int
) -> Iterator[tuple[GraphModule, list[Tensor]]]:
    others = {s for value in inputs for s in value.shape} - {size}
    equal: Callable[[int], bool] = lambda number: number == size  # noqa: E731
    own: Callable[[int], bool] = lambda number: number % size == 0 and number not in others  # noqa: E731
    multiple: Callable[[int], bool] = lambda number: number % size == 0  # noqa: E731
    seen = set()
    for wrap, means_size in product((False, True), (equal, own, multiple)):
        graph = _with_numbers(gm, lambda n, means=means_size: n // size * new if means(n) else n)
        values = [_cut(value, [d for j, d in chosen if j == i], new, wrap) for i, value in enumerate(inputs)]
        if (wrap, graph.code) not in seen:
            seen.add((wrap, graph.code))
            yield graph, values


def _with_numbers(gm: GraphModule, replace: Callable[[int], int]) -> GraphModule:
    """A copy in which arguments that may be sizes are others."""
    copy = copy_graph_module(gm)

    def one(value: Any) -> Any:
        return replace(value) if type(value) is int and 1 < value < LARGEST_SIZE else value

    for node in copy.graph.nodes:
        node.meta = {key: value for key, value in node.meta.items() if key not in ("val", "tensor_meta")}
        if not isinstance(node.target, OpOverload):
            continue
        arguments = node.target._schema.arguments
        node.args = tuple(
            tree_map(one, value) if _is_size(node, argument) else value
            for argument, value in zip(arguments, node.args, strict=False)
        )
        named = {argument.name: argument for argument in arguments}
        node.kwargs = {
            name: tree_map(one, value) if _is_size(node, named[name]) else value
            for name, value in node.kwargs.items()
        }
    copy.recompile()
    return copy


def _is_size(node: Node, argument: Any) -> bool:
    kind = argument.real_type
    while hasattr(kind, "getElementType"):  # Lists, and what may be None.
        kind = kind.getElementType()
    packet = node.target.overloadpacket if isinstance(node.target, OpOverload) else None
    return isinstance(kind, torch.SymIntType) or packet is aten.arange


def _cut(value: Tensor, dimensions: Sequence[int], new: int, wrap: bool) -> Tensor:
    """The first elements, in the same order in memory; whole numbers may be indices into what was cut."""
    order = memory_order(value) or tuple(range(value.dim()))
    for dimension in dimensions:
        value = value.narrow(dimension, 0, new)
    if wrap and not value.is_floating_point() and value.dtype != torch.bool:
        value = value.remainder(new)
    return value.permute(order).clone(memory_format=torch.contiguous_format).permute(inverse(order))
