# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that share memory: results that do so in eager PyTorch, and elements of one input.

A program's results are buffers of their own. Where a graph returns several
views of one value, the program returns that value, and the views of it are
made from it on the host, which moves nothing: who writes through one sees it
in the others. So are views of an input, and what shows one element at many
places (`expand`), which has eager's strides then and is never written out.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from .memory import overlaps_itself
from .normalize import Mutation
from .rewriting import args_of
from .signature import is_static, memory_order
from .support import VIEW_OPS

aten = torch.ops.aten

# The results of the graph that is left -> the results that were asked for.
Share = Callable[[Sequence[Any]], list[Any]]


def keep_sharing(gm: GraphModule, mutations: Sequence[Mutation]) -> Share | None:
    """Takes the views off the end of a normalised graph; None if no results share memory."""
    output = gm.graph.output_node()
    places = list(args_of(output)[0])
    hidden, returned = places[: len(mutations)], places[len(mutations) :]
    placeholders = gm.graph.find_nodes(op="placeholder")
    changed = {placeholders[mutation.input] for mutation in mutations}
    base_of = {node: base for node in returned if (base := _base(node)) and base not in changed}
    members = Counter(base_of[node] for node in returned if node in base_of)
    shared = {
        node
        for node, base in base_of.items()
        if members[base] > 1 or (node is not base and (base.op == "placeholder" or _repeats(node)))
    }
    if not shared:
        return None
    kept = list(dict.fromkeys(base_of[n] if n in shared else n for n in returned if isinstance(n, Node)))
    views = _view_graph(returned, base_of, shared, kept)
    output.args = ((*hidden, *kept),)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return lambda results: list(views(*results))


def _base(node: Any) -> Node | None:
    """What the node is a view of, itself if it is none; None if its views depend on more than its value."""
    if not isinstance(node, Node) or not isinstance(node.meta.get("val"), Tensor):
        return None
    if not is_static(node.meta["val"]):
        return None
    while _is_view(node):
        node = node.all_input_nodes[0]
    value = node.meta.get("val")
    if not isinstance(value, Tensor) or not is_static(value):
        return None
    # What is not dense comes back contiguous: without the strides that its views were made for.
    return node if node.op == "placeholder" or memory_order(value) is not None else None


def _is_view(node: Node) -> bool:
    if len(node.all_input_nodes) != 1:  # Others depend on a size that is known only at run time.
        return False
    if node.target is operator.getitem:
        return args_of(node)[0].target in VIEW_OPS
    return node.op == "call_function" and node.target in VIEW_OPS


def _repeats(node: Node) -> bool:
    return overlaps_itself(node.meta["val"].shape, node.meta["val"].stride())


def _view_graph(
    returned: Sequence[Any], base_of: dict[Node, Node], shared: set[Node], kept: Sequence[Node]
) -> GraphModule:
    """From what is kept to what was returned."""
    graph = Graph()
    copies = {node: graph.placeholder(f"result{place}") for place, node in enumerate(kept)}
    given: set[Node] = set()

    def copy(node: Node) -> Node:
        if node not in copies:
            copies[node] = graph.node_copy(node, copy)
            if node.target is aten.view.default:  # The host may have given it other strides.
                copies[node].target = aten.reshape.default
        return copies[node]

    def result(node: Any) -> Any:
        if not isinstance(node, Node):
            return node
        if node in given:  # Another tensor on the same memory.
            return graph.call_function(aten.alias.default, (copies[node],))
        given.add(node)
        return copy(node)

    graph.output(tuple(result(node) for node in returned))
    return GraphModule({}, graph)


def check_written(gm: GraphModule, mutations: Sequence[Mutation], names: Mapping[str, str]) -> None:
    """Raises if an input is written of which several elements are one place in memory.

    What they hold afterwards would depend on the order of the writes.
    """
    placeholders = gm.graph.find_nodes(op="placeholder")
    for mutation in mutations:
        node = placeholders[mutation.input]
        value = node.meta["val"]
        if is_static(value) and overlaps_itself(value.shape, value.stride()):
            name = names.get(node.name, node.name)
            raise RuntimeError(
                f"torch-lpu: {name} is changed in place, but more than one of its elements refers to a "
                f"single memory location (sizes {list(value.shape)}, strides {list(value.stride())}); "
                f"clone() it before"
            )
