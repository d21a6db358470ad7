# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the repeated layers of a graph, so that each kind is lowered once.

A layer is a stretch of nodes that comes again, right behind itself, with other
operands. Nodes get labels (operation, constants, types); a stretch of labels
that repeats with some period is a candidate; what then decides is that the
edges inside the stretches are the same. All that comes from outside (weights,
caches, the previous layer's result, the mask) is an operand of the layer, so
no kind of operand is special. What does not fit stays as it is.

The labels' repeats are found by the distances at which short windows of labels
come again: a window that is once in a layer comes again after one period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node
from torch.fx.node import map_arg

from . import ops
from .support import VIEW_OPS, signature

aten = torch.ops.aten

# A shorter stretch costs more to call than to lower again.
MIN_PERIOD = 8
# What stamping has to save, in nodes, to be worth a function.
MIN_SAVED = 16
# Distances that are tried as periods, and places where a layer may begin.
MAX_PERIODS = 16
MAX_STARTS = 4

# What runs on the matrix unit, which takes in moves of data and nothing that computes.
_PRODUCTS = frozenset(
    (aten.addmm.default, aten.bmm.default, aten.convolution.default, aten.mm.default, ops.attention)
)
_MOVES = VIEW_OPS | {aten.clone.default}


@dataclass(frozen=True)
class Repeat:
    """`matches` consecutive items from `start` are equal to the item one `period` later."""

    start: int
    period: int
    matches: int

    @property
    def count(self) -> int:
        return self.matches // self.period + 1

    @property
    def slack(self) -> int:
        """How far the start may move with all the stretches still equal."""
        return self.matches % self.period

    @property
    def saved(self) -> int:
        return (self.count - 1) * self.period


@dataclass(frozen=True)
class Layers:
    """Stretches of nodes that compute the same from other operands.

    `segments[k][place]` are the nodes. The places in `shared` have the same
    value in every segment and are computed once, before the first; `body` are
    the places that the function of the layer computes, from `operands[k]` in
    the call number k, and `results` those that others use.
    """

    segments: tuple[tuple[Node, ...], ...]
    shared: tuple[int, ...]
    body: tuple[int, ...]
    operands: tuple[tuple[Node, ...], ...]
    results: tuple[int, ...]


def find_repeats(items: Sequence[int], min_period: int = MIN_PERIOD) -> list[Repeat]:
    """Stretches of items that come again right behind themselves, those that save most first."""
    last: dict[tuple[int, ...], int] = {}
    support: Counter[int] = Counter()
    for i in range(len(items) - min_period + 1):
        window = tuple(items[i : i + min_period])
        if window in last:
            distance = i - last[window]
            # Of what is too short for a layer, several together are one.
            support[distance * -(-min_period // distance)] += 1
        last[window] = i
    periods = sorted(support, key=lambda period: (-period * support[period], period))
    repeats = [repeat for period in periods[:MAX_PERIODS] for repeat in _repeats_of_period(items, period)]
    return sorted(repeats, key=lambda repeat: (-repeat.saved, repeat.period, repeat.start))


def _repeats_of_period(items: Sequence[int], period: int) -> Iterator[Repeat]:
    start = 0
    for equal, group in groupby(zip(items, items[period:], strict=False), lambda pair: pair[0] == pair[1]):
        matches = sum(1 for _ in group)
        if equal and matches >= period:
            yield Repeat(start, period, matches)
        start += matches


def canonical_order(graph: Graph) -> list[Node]:
    """The nodes behind the placeholders; constants and views of arguments stand at their only user.

    Those belong to the layer that uses them, wherever they were made.
    """
    order: list[Node] = []
    floating: set[Node] = set()

    def place(node: Node) -> None:
        for operand in node.all_input_nodes:
            if operand in floating:
                floating.discard(operand)
                place(operand)
        order.append(node)

    for node in graph.nodes:
        if node.op == "placeholder":
            continue
        if _floats(node, floating):
            floating.add(node)
        else:
            place(node)
    return order


def _floats(node: Node, floating: set[Node]) -> bool:
    if node.op != "call_function" or len(node.users) != 1:
        return False
    operands = node.all_input_nodes
    return not operands or (
        node.target in VIEW_OPS
        and all(operand.op == "placeholder" or operand in floating for operand in operands)
    )


def find_layers(order: Sequence[Node]) -> list[Layers]:
    """The repeated layers among `order`, which ends with the output; they do not overlap."""
    nodes = order[:-1]
    numbers: dict[str, int] = {}
    labels = [numbers.setdefault(_label(node), len(numbers)) for node in nodes]
    found: list[Layers] = []
    ranges = [(0, len(nodes))]
    while ranges:
        low, high = ranges.pop()
        layers = _best(nodes[low:high], labels[low:high])
        if layers is None:
            continue
        found.append(layers)
        first, last = layers.segments[0][0], layers.segments[-1][-1]
        ranges += [(low, nodes.index(first, low, high)), (nodes.index(last, low, high) + 1, high)]
    return found


def _label(node: Node) -> str:
    return f"{signature(node)} -> {_types(node.meta.get('val'))}"


def _types(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{','.join(_types(item) for item in value)}]"
    return repr(value)


def _best(nodes: Sequence[Node], labels: Sequence[int]) -> Layers | None:
    best: Layers | None = None
    saved = MIN_SAVED - 1
    position = {node: i for i, node in enumerate(nodes)}
    for repeat in find_repeats(labels):
        if repeat.saved <= saved:
            break
        for start in _starts(nodes, position, repeat):
            layers = _verified(nodes, position, start, repeat)
            if layers is not None and (gain := repeat.period * (len(layers.segments) - 1)) > saved:
                best, saved = layers, gain
            if saved == repeat.saved:
                break
    return best


def _starts(nodes: Sequence[Node], position: dict[Node, int], repeat: Repeat) -> list[int]:
    """Where a layer may begin, the best first.

    In front of a matrix product, and of the moves of data that it takes in,
    nothing is fused, so a seam there costs nothing. Elsewhere it is best where
    few values pass from one layer to the next.
    """
    begin, period = repeat.start, repeat.period
    last_use = [
        max((position.get(user, -1) for user in node.users), default=-1)
        for node in nodes[begin : begin + 2 * period]
    ]

    def quality(start: int) -> tuple[bool, bool, int, int]:
        stretch = nodes[start : start + period]
        first = next((node for node in stretch if node.target not in _MOVES), stretch[0])
        uses = last_use[start - begin : start - begin + period]
        return (
            first.target not in _PRODUCTS,
            stretch[-1].target in _MOVES,
            sum(use >= start + period for use in uses),
            start,
        )

    return sorted(range(begin, begin + repeat.slack + 1), key=quality)[:MAX_STARTS]


def _verified(nodes: Sequence[Node], position: dict[Node, int], start: int, repeat: Repeat) -> Layers | None:
    """The longest row of stretches whose edges are the same, if it is at least two."""
    period = repeat.period
    begins = range(start, start + repeat.count * period, period)
    shapes = groupby(begins, lambda begin: _shape(nodes[begin : begin + period], position, begin))
    rows = [list(row) for _, row in shapes]
    longest = max(rows, key=len)
    if len(longest) < 2:
        return None
    return _make_layers([tuple(nodes[begin : begin + period]) for begin in longest])


def _shape(segment: Sequence[Node], position: dict[Node, int], begin: int) -> tuple[int, ...]:
    """For each operand the place that makes it, or which of the values from outside it is."""
    outside: dict[Node, int] = {}
    shape: list[int] = []
    for node in segment:
        for operand in _operands(node):
            place = position.get(operand, -1) - begin
            shape.append(place if place >= 0 else -1 - outside.setdefault(operand, len(outside)))
    return tuple(shape)


def _make_layers(segments: Sequence[tuple[Node, ...]]) -> Layers | None:
    places = [{node: place for place, node in enumerate(segment)} for segment in segments]
    constant, shared = _shared_places(segments, places)
    body = tuple(place for place in range(len(segments[0])) if place not in shared or place in constant)
    operands = tuple(
        _operands_of_layer(segments[0], segment, places[0], body, shared - constant) for segment in segments
    )
    used_outside = [
        place
        for place in range(len(segments[0]))
        if any(
            user not in place_of
            for segment, place_of in zip(segments, places, strict=True)
            for user in segment[place].users
        )
    ]
    crossing = (*operands[0], *(segments[0][place] for place in used_outside))
    results = tuple(place for place in used_outside if place in body)
    if not results or not all(isinstance(node.meta.get("val"), Tensor) for node in crossing):
        return None
    return Layers(tuple(segments), tuple(sorted(shared)), body, operands, results)


def _operands_of_layer(
    first: Sequence[Node],
    segment: Sequence[Node],
    place_of: dict[Node, int],
    body: Sequence[int],
    shared: set[int],
) -> tuple[Node, ...]:
    """What `segment` reads where the first one reads a value from outside or a shared one."""
    operands: dict[Node, Node] = {}
    for place in body:
        for operand, own in zip(_operands(first[place]), _operands(segment[place]), strict=True):
            inner = place_of.get(operand)
            if inner is None:
                operands[operand] = own
            elif inner in shared:
                operands[operand] = operand
    return tuple(operands.values())


def _shared_places(
    segments: Sequence[tuple[Node, ...]], places: Sequence[dict[Node, int]]
) -> tuple[set[int], set[int]]:
    """The places that are constants, and those whose value is the same in all segments and computed once.

    A view costs nothing, and a constant is better known inside: they are among
    the shared only where something shared is computed from them.
    """
    constant: set[int] = set()
    same: set[int] = set()
    shared: set[int] = set()
    for place, node in enumerate(segments[0]):
        columns = list(zip(*(_operands(segment[place]) for segment in segments), strict=True))
        inner = [places[0].get(column[0]) for column in columns]
        if all(i in constant for i in inner):
            constant.add(place)
        elif all(
            len(set(column)) == 1 if i is None else i in same or i in constant
            for i, column in zip(inner, columns, strict=True)
        ):
            same.add(place)
            if node.target not in VIEW_OPS:
                shared.add(place)
    for place in reversed(range(len(segments[0]))):
        if place in shared:
            inner = [places[0].get(operand) for operand in _operands(segments[0][place])]
            shared.update(i for i in inner if i is not None)
    return constant, shared


def _operands(node: Node) -> list[Node]:
    """The nodes among the arguments in their order, as often as they stand there."""
    operands: list[Node] = []
    map_arg((node.args, node.kwargs), operands.append)
    return operands
