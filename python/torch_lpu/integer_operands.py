# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that a graph computes with, but that shape nothing, become operands of the program.

Dynamo hands over a Python integer that has changed (the length of a sliding
window's cache, say) as a symbol. Where it only enters integer arithmetic and
elementwise operations with tensors, its value need not be compiled in: the
integer arithmetic stays on the host, and what reaches a tensor is handed over
as a tensor of no dimensions.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.symbolic_shapes import free_symbols

# Host arithmetic on integers.
_INTEGER_OPS = frozenset(
    {
        operator.add,
        operator.floordiv,
        operator.mod,
        operator.mul,
        operator.neg,
        operator.sub,
        torch.sym_max,
        torch.sym_min,
        torch.sym_sum,
    }
)

# Operations on a tensor and a number whose result is the same with a tensor of no dimensions.
_TENSOR_OPS = frozenset(
    {
        operator.add,
        operator.eq,
        operator.ge,
        operator.gt,
        operator.iadd,
        operator.imul,
        operator.isub,
        operator.le,
        operator.lt,
        operator.mul,
        operator.ne,
        operator.sub,
    }
)


@dataclass(frozen=True)
class Integers:
    """A graph without its run-time integers.

    `graph` takes the arguments at places `kept`, then one tensor for each of the
    first `operands` results of `host`; the other results are the integers that
    the original returns, at the places of `returned`. `host` takes all arguments.
    """

    graph: GraphModule
    host: GraphModule
    kept: tuple[int, ...]
    operands: int
    returned: tuple[int, ...]

    def enter(self, args: Sequence[Any]) -> tuple[list[Any], list[int]]:
        """The arguments of `graph`, and the integers to return."""
        values = self.host(*args)
        tensors = [torch.tensor(value) for value in values[: self.operands]]
        return [args[place] for place in self.kept] + tensors, values[self.operands :]

    def leave(self, results: Sequence[Any], integers: Sequence[int]) -> tuple[Any, ...]:
        """The results of the original graph."""
        merged = list(results)
        for place, value in zip(self.returned, integers, strict=True):
            merged.insert(place, value)
        return tuple(merged)


def lift_integers(gm: GraphModule) -> Integers | None:
    """Splits the run-time integers off a copy of Dynamo's graph; None if it has none."""
    integers = _runtime_integers(gm.graph)
    if not integers:
        return None
    graph = Graph()
    copies: dict[Node, Node] = {}
    graph.output(graph.graph_copy(gm.graph, copies))
    output = gm.graph.output_node()
    places = output.args[0]
    assert isinstance(places, tuple | list)
    entering = [
        node for node in integers if any(user not in integers and user is not output for user in node.users)
    ]
    returned = tuple(place for place, node in enumerate(places) if node in integers)
    host = _host_graph(gm, integers, [*entering, *(places[place] for place in returned)])
    kept = [node for node in gm.graph.find_nodes(op="placeholder") if node not in integers]
    _replace_integers(graph, [copies[node] for node in integers], [copies[node] for node in entering])
    number = {node: place for place, node in enumerate(gm.graph.find_nodes(op="placeholder"))}
    return Integers(
        GraphModule(gm, graph), host, tuple(number[node] for node in kept), len(entering), returned
    )


def _runtime_integers(graph: Graph) -> dict[Node, None]:
    """Integer nodes, in order, that depend on a symbol which shapes nothing."""
    placeholders = graph.find_nodes(op="placeholder")
    shaping = set().union(*(_shape_symbols(node) for node in graph.nodes))
    sources = {node for node in placeholders if _is_integer(node) and _symbols(node) - shaping}
    while True:
        integers: dict[Node, None] = {}
        origins: dict[Node, set[Node]] = {}
        for node in graph.nodes:
            if node in sources:
                integers[node], origins[node] = None, {node}
            elif _is_integer(node) and any(operand in integers for operand in node.all_input_nodes):
                integers[node] = None
                origins[node] = set().union(*(origins.get(n, set()) for n in node.all_input_nodes))
        compiled_in = {
            source for node in integers if not _can_be_runtime(node, integers) for source in origins[node]
        }
        if not compiled_in:
            return integers
        sources -= compiled_in


def _is_integer(node: Node) -> bool:
    value = node.meta.get("example_value")
    known = node.op == "placeholder" or node.target in _INTEGER_OPS
    return known and isinstance(value, int | torch.SymInt) and not isinstance(value, bool)


def _symbols(node: Node) -> set[Any]:
    value = node.meta.get("example_value")
    return set(free_symbols(value)) if isinstance(value, torch.SymInt) else set()


def _shape_symbols(node: Node) -> set[Any]:
    value = node.meta.get("example_value")
    values = value if isinstance(value, tuple | list) else (value,)
    return set().union(*(free_symbols(v) for v in values if isinstance(v, Tensor)))


def _can_be_runtime(node: Node, integers: dict[Node, None]) -> bool:
    """Operands are placeholders and host arithmetic; users take a tensor in the place of the integer."""
    if node.op != "placeholder" and not all(_is_integer(operand) for operand in node.all_input_nodes):
        return False
    return all(
        user in integers or (_returns(user) if user.op == "output" else _takes_tensor(user, node))
        for user in node.users
    )


def _returns(output: Node) -> bool:
    """Whether the graph returns a flat tuple, as Dynamo's do."""
    places = output.args[0]
    return isinstance(places, tuple | list) and all(not isinstance(p, tuple | list | dict) for p in places)


def _takes_tensor(user: Node, integer: Node) -> bool:
    if user.op != "call_function" or user.target not in _TENSOR_OPS or user.kwargs or len(user.args) != 2:
        return False
    left, right = user.args
    other = right if left is integer else left
    value = other.meta.get("example_value") if isinstance(other, Node) else None
    # Types that stay what they are beside an int64 tensor of no dimensions.
    if not isinstance(value, Tensor):
        return False
    return value.dtype == torch.int64 or (value.dtype == torch.float32 and value.dim() > 0)


def _host_graph(gm: GraphModule, integers: dict[Node, None], results: Sequence[Any]) -> GraphModule:
    graph = Graph()
    copies: dict[Node, Node] = {}
    for node in gm.graph.nodes:
        if node.op == "placeholder" or node in integers or _feeds(node, integers):
            copies[node] = graph.node_copy(node, lambda operand: copies[operand])
    graph.output(tuple(copies[node] for node in results))
    graph.eliminate_dead_code()
    return GraphModule(torch.nn.Module(), graph)


def _feeds(node: Node, integers: dict[Node, None]) -> bool:
    """Integer arithmetic on sizes alone that run-time integers depend on, perhaps through more of it."""
    return _is_integer(node) and any(user in integers or _feeds(user, integers) for user in node.users)


def _replace_integers(graph: Graph, integers: Sequence[Node], entering: Sequence[Node]) -> None:
    """The integers leave the graph; tensors enter after its placeholders for those that meet tensors."""
    output = graph.output_node()
    removed = set(integers)
    places = output.args[0]
    assert isinstance(places, tuple | list)
    output.args = (tuple(place for place in places if place not in removed),)
    last = graph.find_nodes(op="placeholder")[-1]
    for integer in entering:
        with graph.inserting_after(last):
            last = graph.placeholder(f"{integer.name}_operand")
        for user in list(integer.users):
            if user not in removed:
                user.replace_input_with(integer, last)
    for integer in reversed(integers):
        graph.erase_node(integer)
