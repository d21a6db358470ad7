# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits a functional graph into what the LPU runs and what eager PyTorch runs.

The split is torch.fx's CapabilityBasedPartitioner over `support.py`'s verdicts.
The result is one module: calls of compiled programs, eager nodes between them,
and at the end a copy into each changed input that no program changed in place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner, Partition
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

from .diagnostics import Fallback, make_fallback
from .normalize import Mutation
from .rewriting import args_of
from .support import VIEW_OPS, reason_to_refuse

aten = torch.ops.aten

# Compiles a subgraph; the second operand maps places of its results to the
# placeholders whose new value they are.
CompileGraph = Callable[[GraphModule, dict[int, int]], Callable[..., Any]]


class _Support(OperatorSupportBase):
    """Nodes without a reason against them; a getitem goes where its producer goes."""

    def __init__(self, refused: dict[Node, str]):
        super().__init__()
        self.refused = refused

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        if node.op != "call_function":
            return False
        producer = node.args[0] if node.target is operator.getitem else node
        return producer not in self.refused and node not in self.refused


def refused_nodes(gm: GraphModule) -> dict[Node, str]:
    """Every node that the LPU does not take, with the reason."""
    reasons: dict[Node, str] = {}
    for node in gm.graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        reason = reason_to_refuse(node)
        if reason is not None:
            reasons[node] = reason
    return reasons


def computes(node: Node) -> bool:
    return node.op == "call_function" and node.target is not operator.getitem and node.target not in VIEW_OPS


def is_told(node: Node, refused: Mapping[Node, str]) -> bool:
    """Whether a refused node is worth telling of.

    A getitem fails with its producer. A view costs nothing on the host, unless it
    cuts a program in two: one makes what it shows, and another one reads it.
    """
    if node not in refused:
        return False
    return computes(node) or (_is_view(node) and _is_made(node, refused) and _is_read(node, refused))


def _is_view(node: Node) -> bool:
    return node.op == "call_function" and not computes(node)


def _is_made(node: Node, refused: Mapping[Node, str]) -> bool:
    """Whether a program makes what the view shows."""
    while _is_view(node) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return computes(node) and node not in refused


def _is_read(node: Node, refused: Mapping[Node, str]) -> bool:
    return any(
        _is_read(user, refused) if _is_view(user) else computes(user) and user not in refused
        for user in node.users
    )


def fallbacks_of(refused: Mapping[Node, str]) -> list[Fallback]:
    return [make_fallback(node, reason) for node, reason in refused.items() if is_told(node, refused)]


def copy_graph_module(gm: GraphModule) -> GraphModule:
    """A copy whose nodes may be changed; tensors and metadata values are shared."""
    graph = Graph()
    graph.output(graph.graph_copy(gm.graph, {}))
    return GraphModule(gm, graph)


def compile_graph(
    gm: GraphModule, mutations: Sequence[Mutation], compile_region: CompileGraph
) -> Callable[..., Any]:
    """Compiles a normalised graph; a call returns the places that are not mutations. Changes `gm`."""
    refused = refused_nodes(gm)
    aliases = {mutation.result: mutation.input for mutation in mutations}
    if not refused and (aliases or any(computes(node) for node in gm.graph.nodes)):
        return compile_region(gm, aliases)
    return _compile_split(_split(gm, refused), aliases, compile_region)


def run_eagerly(gm: GraphModule, mutations: Sequence[Mutation]) -> Callable[..., Any]:
    """The whole graph in eager. Changes `gm`."""
    aliases = {mutation.result: mutation.input for mutation in mutations}
    _finish(gm, aliases, frozenset(aliases))
    gm.recompile()
    return gm.forward


def _compile_split(
    split: GraphModule, aliases: dict[int, int], compile_region: CompileGraph
) -> Callable[..., Any]:
    regions = split.graph.find_nodes(op="call_module")
    # What a region changes in place is decided for all before anything is compiled.
    hidden = frozenset(aliases)
    changed = {region: _change_in_place(split, region, aliases, hidden) for region in regions}
    _finish(split, aliases, hidden)
    # A program's result need not have the strides that the trace saw.
    for view in split.graph.find_nodes(op="call_function", target=aten.view.default):
        view.target = aten.reshape.default
    for region, region_aliases in changed.items():
        name = str(region.target)
        setattr(split, name, _Region(compile_region(getattr(split, name), region_aliases)))
    split.graph.lint()
    split.recompile()
    return split.forward


class _Region(torch.nn.Module):
    """A compiled program inside the split module."""

    def __init__(self, program: Callable[..., Any]):
        super().__init__()
        self.program = program

    def forward(self, *args: Any) -> Any:
        return self.program(*args)


def _split(gm: GraphModule, refused: dict[Node, str]) -> GraphModule:
    partitioner = CapabilityBasedPartitioner(gm, _Support(refused), allows_single_node_partition=True)
    partitions: list[Partition] = partitioner.propose_partitions()
    worthwhile = [
        partition.nodes for partition in partitions if any(computes(node) for node in partition.nodes)
    ]
    order = {node: i for i, node in enumerate(gm.graph.nodes)}
    worthwhile.sort(key=lambda nodes: min(order[node] for node in nodes))
    return fuse_by_partitions(gm, worthwhile, prefix="region", always_return_tuple=True)


def _places(split: GraphModule) -> list[Any]:
    return list(args_of(split.graph.output_node())[0])


def _change_in_place(
    split: GraphModule, region: Node, aliases: dict[int, int], hidden: frozenset[int]
) -> dict[int, int]:
    """The mutations that the region may do itself: nobody else sees the old value, or gets the new one.

    They leave `aliases`; other users of the new value see the changed input.
    Returns places of the region's results -> the region's placeholders.
    """
    placeholders = split.graph.find_nodes(op="placeholder")
    places = _places(split)
    returned = {node for place, node in enumerate(places) if place not in hidden}
    result: dict[int, int] = {}
    for place, source in list(aliases.items()):
        value, changed = places[place], placeholders[source]
        if value.target is not operator.getitem or value.args[0] is not region or value in returned:
            continue
        if value.args[1] in result or set(changed.users) != {region} or region.args.count(changed) != 1:
            continue
        result[value.args[1]] = region.args.index(changed)
        del aliases[place]
        value.replace_all_uses_with(changed)
        places = _places(split)
    for user in list(region.users):
        if user.args[1] in result:
            split.graph.erase_node(user)
        else:
            place = args_of(user)[1]
            user.args = (region, place - sum(other < place for other in result))
    return result


def _finish(split: GraphModule, aliases: dict[int, int], hidden: frozenset[int]) -> None:
    """Copies the remaining new values into their inputs; what is returned is what is left."""
    placeholders = split.graph.find_nodes(op="placeholder")
    output = split.graph.output_node()
    places = _places(split)
    with split.graph.inserting_before(output):
        # All values are taken before the first input changes: they may be views of inputs.
        values = {place: places[place] for place in aliases}
        for place, value in values.items():
            if not _is_fresh(value):
                values[place] = split.graph.call_function(aten.clone.default, (value,))
        for place, source in aliases.items():
            split.graph.call_function(aten.copy_.default, (placeholders[source], values[place]))
    output.args = (tuple(node for place, node in enumerate(places) if place not in hidden),)


def _is_fresh(node: Node) -> bool:
    """Whether the value is in memory of its own: a program's result."""
    return node.target is operator.getitem and args_of(node)[0].op == "call_module"
