# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings graphs into the form that the importer takes.

`normalize` runs a table of small rewrites on AOTAutograd's functional graph and
turns the in-place tail (`aten.copy_` into a placeholder) into `Mutation`s:
result k is the new value of input j. Here stand the table and the rewrites that
belong to this form; those with an idea of their own are in the files that it imports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from .attention import convert_flash_attention, group_queries
from .byte_arithmetic import make_bytes, widen_bytes
from .constants import fill_uninitialised, fold_constants, fold_empty
from .options import Options
from .precision import (
    keep_numbers,
    numbers_as_floats,
    promote_compared,
    round_compared,
    round_once,
)
from .repairs import broadcast_choices, keep_nan, repeat_elements, widen_indices, wrap_numbers
from .rewriting import call, made_like, memory_is_seen
from .writes import count_from_the_end, drop_empty_writes, keep_scatter, put_copies

aten = torch.ops.aten


@dataclass(frozen=True)
class Mutation:
    """The graph's result number `result` is the new value of placeholder number `input`."""

    result: int
    input: int


def drop_identities(graph: Graph) -> None:
    """`aten.alias` says nothing in a functional graph, nor do strides."""
    for target in (aten.alias.default, aten.detach.default):
        for node in graph.find_nodes(op="call_function", target=target):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    for node in graph.find_nodes(op="call_function", target=torch.ops.prims.copy_strided.default):
        node.target, node.args = aten.clone.default, node.args[:1]  # Its value keeps the strides.


def forget_old_values(graph: Graph) -> None:
    """A functional copy is its source in the shape and type of a tensor that it does not read."""
    for node in graph.find_nodes(op="call_function", target=aten.copy.default):
        source, wanted = node.args[1], node.meta["val"]
        with graph.inserting_before(node):
            source = made_like(graph, node, source, wanted)
            if memory_is_seen(node):  # It is a copy: not the memory of its source.
                source = call(graph, node, aten.clone.default, source)
                source.meta["val"] = wanted
        node.replace_all_uses_with(source)
        graph.erase_node(node)
    graph.eliminate_dead_code()


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
        with graph.inserting_before(node):
            value = made_like(graph, node, value, destination.meta["val"])
        mutations.append(Mutation(len(values), placeholders.index(destination)))
        values.append(value)
        # Who returns the copy returns the changed input itself.
        results = [destination if result is node else result for result in results]
        node.replace_all_uses_with(value)
        graph.erase_node(node)
    output.args = ((*values, *results),)
    return mutations
