# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a stage's failure to the nodes that it is about, so that they can be left out.

Diagnostics mostly name the node (locations carry it) or the operation. After a
crash they may name nothing; then each kind of node is lowered alone.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Iterable

from torch._ops import OpOverload
from torch.fx import Graph, GraphModule, Node

from . import compiler, support
from .diagnostics import StageError
from .importer import import_graph
from .options import Options
from .rewriting import undo_compute_in
from .signature import bind_signature

# Isolating stops after this long; what is found by then is left out.
ISOLATION_SECONDS = 60.0


def learn(gm: GraphModule, error: StageError, options: Options, command: str = "") -> bool:
    """Remembers the failing nodes of the graph; False if the failure cannot be pinned on any.

    `command` replays an internal failure and becomes part of the reason.
    """
    nodes = _named(gm, error) or _isolated(gm, error, options)
    for node in nodes:
        support.learn(node, _reason(error, command), error.stage)
    return bool(nodes)


def undo_refused(gm: GraphModule) -> None:
    """What would compute in a wider type, and is left to eager, computes in its own type again."""
    for node in list(gm.graph.nodes):
        learned = support.learned(node)
        if learned is not None and undo_compute_in(node):
            support.learn(node, *learned)
    gm.graph.eliminate_dead_code()


def _reason(error: StageError, command: str) -> str:
    producer = f"internal failure, stage {error.stage!r}" if error.internal else "torch-mlir"
    replay = f"; replay with: {command}" if command else ""
    return f"{producer} does not lower it ({_shorten(error.message)}){replay}"


def _shorten(message: str, limit: int = 160) -> str:
    return message if len(message) <= limit else message[:limit] + "..."


def _candidates(gm: GraphModule) -> list[Node]:
    return [
        node
        for node in gm.graph.nodes
        if node.op == "call_function"
        and node.target is not operator.getitem
        and support.reason_to_refuse(node) is None
    ]


def _named(gm: GraphModule, error: StageError) -> list[Node]:
    candidates = _candidates(gm)
    by_name = [node for node in candidates if node.name in error.nodes]
    if by_name:
        # The first name is the operation the diagnostic is about; others are its surroundings.
        first = min(by_name, key=lambda node: error.nodes.index(node.name))
        return [first]
    return [node for node in candidates if _mlir_name(node) in error.operations]


def _mlir_name(node: Node) -> str:
    if not isinstance(node.target, OpOverload):
        return ""
    name = node.target.name().replace("::", ".")
    return f"torch.{name.removesuffix('.default')}"


def _isolated(gm: GraphModule, error: StageError, options: Options) -> list[Node]:
    """Lowers every kind of node alone, as far as the stage that failed."""
    deadline = time.monotonic() + ISOLATION_SECONDS
    kinds = _one_per_kind(_candidates(gm))
    failing: list[Node] = []
    for node in kinds:
        if time.monotonic() > deadline:
            break
        try:
            single = single_node_graph(node)
            compiler.lower_to(error.stage, import_graph(single, bind_signature(single, {}, {})), options)
        except StageError:
            failing.append(node)
    # A stage of ours on which every node fails has a fault that is no node's.
    return [] if error.internal and len(failing) == len(kinds) else failing


def _one_per_kind(nodes: Iterable[Node]) -> list[Node]:
    kinds: dict[str, Node] = {}
    for node in nodes:
        kinds.setdefault(support.signature(node), node)
    return list(kinds.values())


def single_node_graph(node: Node) -> GraphModule:
    """A graph that computes the node alone from placeholders."""
    graph = Graph()
    placeholders: dict[Node, Node] = {}
    for operand in node.all_input_nodes:
        placeholders[operand] = graph.placeholder(operand.name)
        placeholders[operand].meta = dict(operand.meta)
    copy = graph.node_copy(node, lambda operand: placeholders[operand])
    results = [copy]
    value = node.meta.get("val")
    if isinstance(value, list | tuple):
        results = []
        for i, item in enumerate(value):
            element = graph.call_function(operator.getitem, (copy, i))
            element.meta["val"] = item
            results.append(element)
    graph.output(tuple(results))
    return GraphModule({}, graph)
