# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The boundary between Python tensors and a program's contiguous buffers.

A program sees contiguous, row-major tensors only. A tensor that is dense in
another order of its dimensions (a transposed weight, a channels-last image) is
handed over as what it is in memory, and a permute in the graph gives it its
shape; so no copy is made and results come back with eager's strides. Only a
result with gaps between its elements is copied into such memory; strides that
step over nothing are but written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Graph, GraphModule, Node

from .memory import overlaps_itself
from .rewriting import call

aten = torch.ops.aten


@dataclass(frozen=True)
class Buffer:
    """One tensor of the program: `sizes` in memory order; `order[i]` is the tensor's dimension at place i."""

    name: str
    dtype: torch.dtype
    sizes: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def permuted(self) -> bool:
        return self.order != tuple(range(len(self.order)))

    @property
    def strides(self) -> tuple[int, ...]:
        """Those of the tensor that `to_logical` gives."""
        return self.to_logical(torch.empty(self.sizes, device="meta")).stride()

    def to_memory(self, tensor: Tensor) -> Tensor:
        """The tensor with its dimensions in memory order."""
        return tensor.permute(self.order) if self.permuted else tensor

    def to_logical(self, memory: Tensor) -> Tensor:
        """The inverse of `to_memory`."""
        return memory.permute(inverse(self.order)) if self.permuted else memory


@dataclass(frozen=True)
class Argument:
    """An input of the program: call argument number `source`, or a constant of the graph."""

    buffer: Buffer
    source: int = -1
    constant: Tensor | None = None


@dataclass(frozen=True)
class ProgramResult:
    """A result of the program; with `alias` it is the new value of that argument.

    `strides` are those the caller is promised where the buffer has other ones.
    """

    buffer: Buffer
    alias: int | None = None
    strides: tuple[int, ...] | None = None

    def to_caller(self, memory: Tensor) -> Tensor:
        """The buffer's content with the sizes and strides of eager's result."""
        dense = self.buffer.to_logical(memory)
        if self.strides is None:
            return dense
        if _same_places(dense, self.strides):
            return dense.as_strided(dense.shape, self.strides)
        result = torch.empty_strided(dense.shape, self.strides, dtype=dense.dtype)
        return result.copy_(dense)


@dataclass(frozen=True)
class Output:
    """What the caller gets at one place: a program's result, a call argument, a constant, or no elements.

    `empty` is their sizes, strides and type.
    """

    result: int | None = None
    source: int | None = None
    constant: Any = None
    empty: tuple[tuple[int, ...], tuple[int, ...], torch.dtype] | None = None


@dataclass(frozen=True)
class Signature:
    arguments: tuple[Argument, ...]
    results: tuple[ProgramResult, ...]
    outputs: tuple[Output, ...]


def memory_order(tensor: Tensor) -> tuple[int, ...] | None:
    """Dimensions from outermost to innermost if the tensor is dense, else None."""
    identity = tuple(range(tensor.dim()))
    if tensor.is_contiguous():
        return identity
    order = tuple(sorted(identity, key=lambda d: (-tensor.stride(d), d)))
    return order if tensor.permute(order).is_contiguous() else None


def promised_strides(tensor: Tensor, buffer: Buffer) -> tuple[int, ...] | None:
    """The strides of a tensor, if its buffer does not give them: because of gaps between its elements, or
    where nothing is stepped over. None if it shares places with itself."""
    if not is_static(tensor) or overlaps_itself(tensor.shape, tensor.stride()):
        return None
    return None if buffer.strides == tensor.stride() else tensor.stride()


def _same_places(tensor: Tensor, strides: Sequence[int]) -> bool:
    """Whether the elements lie where they would with other strides: no step is made in a size of 1."""
    steps = zip(tensor.shape, tensor.stride(), strides, strict=True)
    return tensor.numel() == 0 or all(size == 1 or old == new for size, old, new in steps)


def is_static(tensor: Tensor) -> bool:
    """Whether sizes and strides are numbers."""
    return all(isinstance(size, int) for size in (*tensor.shape, *tensor.stride()))


def inverse(order: Sequence[int]) -> list[int]:
    result = [0] * len(order)
    for place, dimension in enumerate(order):
        result[dimension] = place
    return result


def make_buffer(name: str, tensor: Tensor) -> Buffer:
    order = memory_order(tensor) or tuple(range(tensor.dim()))
    return Buffer(name, tensor.dtype, tuple(tensor.shape[d] for d in order), order)


def bind_signature(gm: GraphModule, aliases: dict[int, int], names: dict[str, str]) -> Signature:
    """Makes every input and result of the graph contiguous and says how a call maps to them.

    `aliases` maps places of the output tuple to placeholder numbers whose new
    value they are; these places do not come back to the caller. `names` maps
    placeholder names to the user's names.
    """
    placeholders = gm.graph.find_nodes(op="placeholder")
    _move_to_front(gm.graph, placeholders)
    (output,) = gm.graph.find_nodes(op="output")
    returned = output.args[0]
    places: Sequence[Any] = returned if isinstance(returned, list | tuple) else (returned,)
    source_of = {node: i for i, node in enumerate(placeholders)}

    results, outputs, nodes = _bind_results(places, aliases, source_of)
    output.args = (tuple(nodes),)
    for i, result in enumerate(results):
        if result.buffer.permuted:
            with gm.graph.inserting_before(output):
                nodes[i] = call(gm.graph, nodes[i], aten.permute.default, nodes[i], list(result.buffer.order))
    output.args = (tuple(nodes),)

    arguments, number = _bind_arguments(gm, placeholders, set(aliases.values()), names)
    tied = tuple(
        replace(result, alias=None if result.alias is None else number[result.alias]) for result in results
    )
    gm.graph.lint()
    gm.recompile()
    return Signature(tuple(arguments), tied, tuple(outputs))


def _bind_results(
    places: Sequence[Any], aliases: dict[int, int], source_of: dict[Node, int]
) -> tuple[list[ProgramResult], list[Output], list[Node]]:
    results: list[ProgramResult] = []
    outputs: list[Output] = []
    nodes: list[Node] = []
    plain: dict[Node, int] = {}
    inputs = list(source_of)
    for place, node in enumerate(places):
        if place in aliases:
            like = inputs[aliases[place]].meta["val"]
            results.append(ProgramResult(make_buffer(node.name, like), aliases[place]))
            nodes.append(node)
        elif not isinstance(node, Node):
            outputs.append(Output(constant=node))
        elif node in source_of:
            outputs.append(Output(source=source_of[node]))
        elif _is_no_bytes(node.meta["val"]):
            value = node.meta["val"]
            outputs.append(Output(empty=(tuple(value.shape), value.stride(), torch.uint8)))
        else:
            if node not in plain:
                plain[node] = len(results)
                value = node.meta["val"]
                buffer = make_buffer(node.name, value)
                results.append(ProgramResult(buffer, strides=promised_strides(value, buffer)))
                nodes.append(node)
            outputs.append(Output(result=plain[node]))
    return results, outputs, nodes


def _is_no_bytes(value: Tensor) -> bool:
    """Unsigned bytes without elements are no program's result: torch-mlir has no literal of them."""
    return value.dtype == torch.uint8 and value.numel() == 0


def _bind_arguments(
    gm: GraphModule, placeholders: Sequence[Node], aliased: set[int], names: dict[str, str]
) -> tuple[list[Argument], dict[int, int]]:
    arguments: list[Argument] = []
    number: dict[int, int] = {}
    for source, node in enumerate(placeholders):
        value = node.meta.get("val")
        if not isinstance(value, Tensor) or not (node.users or source in aliased):
            if not node.users:
                gm.graph.erase_node(node)
            continue
        buffer = make_buffer(names.get(node.name, node.name), value)
        _enter_memory_order(gm, node, buffer)
        number[source] = len(arguments)
        arguments.append(Argument(buffer, source=source))
    _lift_constants(gm, arguments)
    return arguments, number


def _enter_memory_order(gm: GraphModule, node: Node, buffer: Buffer) -> None:
    """Gives the placeholder its shape in memory; its users see it permuted back."""
    value = node.meta["val"]
    node.meta.pop("tensor_meta", None)
    with torch.no_grad():
        node.meta["val"] = buffer.to_memory(value).contiguous()
    if not buffer.permuted:
        return
    users = list(node.users)
    with gm.graph.inserting_before(_first_computation(gm.graph)):
        logical = call(gm.graph, node, aten.permute.default, node, inverse(buffer.order))
    for user in users:
        user.replace_input_with(node, logical)


def _move_to_front(graph: Graph, placeholders: Sequence[Node]) -> None:
    """In a region of a split graph they stand where they are first used."""
    for node in reversed(placeholders):
        if node.prev.op != "root":
            next(iter(graph.nodes)).prepend(node)


def _first_computation(graph: Graph) -> Node:
    return next(node for node in graph.nodes if node.op != "placeholder")


def _lift_constants(gm: GraphModule, arguments: list[Argument]) -> None:
    """Tensors that the graph holds become arguments too: programs hold no data of the user's."""
    lifted: dict[str, Node] = {}
    for node in gm.graph.find_nodes(op="get_attr"):
        if node.target not in lifted:
            with unset_fake_temporarily():  # The compiler is called under AOTAutograd's fake mode.
                constant = getattr(gm, node.target).detach().contiguous()
            with gm.graph.inserting_before(_first_computation(gm.graph)):
                lifted[node.target] = gm.graph.placeholder(f"constant{len(lifted)}")
            lifted[node.target].meta["val"] = node.meta["val"].contiguous()
            identity = tuple(range(constant.dim()))
            buffer = Buffer(f"constant{len(lifted) - 1}", constant.dtype, tuple(constant.shape), identity)
            arguments.append(Argument(buffer, constant=constant))
        node.replace_all_uses_with(lifted[node.target])
        gm.graph.erase_node(node)
