# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings graphs into the form that the importer takes.

Two steps. Before AOTAutograd, `keep_attention` makes attention calls of
Dynamo's graph opaque. After it, `normalize` runs a table of small rewrites on
the functional ATen graph and turns the in-place tail (`aten.copy_` into a
placeholder) into `Mutation`s: result k is the new value of input j.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from . import ops
from .options import Options
from .support import DTYPES, VIEW_OPS

aten = torch.ops.aten


@dataclass(frozen=True)
class Mutation:
    """The graph's result number `result` is the new value of placeholder number `input`."""

    result: int
    input: int


# --- Before AOTAutograd: attention stays whole -------------------------------


def whole_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """scaled_dot_product_attention as one `lpu::attention` on 4-d operands where that says the same."""
    if not _can_stay_whole(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa):
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    mask = attn_mask
    if query.dim() == 3:  # No heads: one head.
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        mask = mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask
        squeezed = True
    else:
        squeezed = False
    if mask is not None and mask.dim() < 4:
        mask = mask.reshape((1,) * (4 - mask.dim()) + tuple(mask.shape))
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
    result = ops.attention(query, key, value, mask, factor, is_causal)
    return result.squeeze(1) if squeezed else result


def _can_stay_whole(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    enable_gqa: bool,
) -> bool:
    tensors = [t for t in (query, key, value, mask) if t is not None]
    if dropout_p != 0.0 or (mask is not None and is_causal):
        return False
    if torch.is_autocast_enabled("cpu") or (
        torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
    ):
        return False
    if query.dtype not in (torch.float32, torch.bfloat16, torch.float16):
        return False
    if key.dtype != query.dtype or value.dtype != query.dtype:
        return False
    if query.dim() not in (3, 4) or key.dim() != query.dim() or value.dim() != query.dim():
        return False
    if any(size == 0 for t in tensors for size in t.shape):
        return False
    if key.shape[0] != query.shape[0] or value.shape[0] != query.shape[0] or key.shape[-2] != value.shape[-2]:
        return False
    if query.dim() == 4:
        same_heads = query.shape[1] == key.shape[1] == value.shape[1]
        grouped = key.shape[1] == value.shape[1] and query.shape[1] % key.shape[1] == 0
        if not (same_heads or (enable_gqa and grouped)):
            return False
    if mask is None:
        return True
    full = (*query.shape[:-1], key.shape[-2])
    if mask.dtype not in (torch.bool, query.dtype) or not 2 <= mask.dim() <= query.dim():
        return False
    return all(m in (1, f) for m, f in zip(mask.shape, full[len(full) - mask.dim() :], strict=True))


_ATTENTION_CALLS = (
    torch.nn.functional.scaled_dot_product_attention,
    torch._C._nn.scaled_dot_product_attention,
    aten.scaled_dot_product_attention,
    aten.scaled_dot_product_attention.default,
)


def keep_attention(gm: GraphModule) -> None:
    """Replaces attention calls in Dynamo's graph (and its nested graphs) by `whole_attention`."""
    for module in gm.modules():
        if not isinstance(module, GraphModule):
            continue
        changed = False
        for node in module.graph.nodes:
            if node.op == "call_function" and node.target in _ATTENTION_CALLS:
                node.target = whole_attention
                changed = True
        if changed:
            module.recompile()


# --- After AOTAutograd --------------------------------------------------------


def call(graph: Graph, like: Node, target: Any, *args: Any, **kwargs: Any) -> Node:
    """Inserts a call with the metadata of `like` and the value that the call has under fake tensors."""
    node = graph.call_function(target, args, kwargs)
    node.meta = {key: value for key, value in like.meta.items() if key in ("stack_trace", "nn_module_stack")}
    node.meta["val"] = target(*_values(args), **_values(kwargs))
    return node


def _values(tree: Any) -> Any:
    return map_arg(tree, lambda node: node.meta["val"])


def _shape(node: Node) -> list[int]:
    return list(node.meta["val"].shape)


def convert_flash_attention(graph: Graph) -> None:
    """`_scaled_dot_product_flash_attention_for_cpu` whose log-sum-exp is unused -> `lpu::attention`."""
    target = aten._scaled_dot_product_flash_attention_for_cpu.default
    for node in graph.find_nodes(op="call_function", target=target):
        arguments = dict(
            zip(("query", "key", "value", "dropout_p", "is_causal"), node.args, strict=False), **node.kwargs
        )
        query = arguments["query"]
        users = list(node.users)
        if arguments.get("dropout_p", 0.0) != 0.0 or len(_shape(query)) != 4:
            continue
        if any(user.target is not operator.getitem or user.args[1] != 0 for user in users):
            continue
        scale = arguments.get("scale")
        with graph.inserting_before(node):
            mask = arguments.get("attn_mask")
            if mask is not None and len(_shape(mask)) < 4:
                mask = call(
                    graph, node, aten.view.default, mask, [1] * (4 - len(_shape(mask))) + _shape(mask)
                )
            factor = 1.0 / math.sqrt(_shape(query)[-1]) if scale is None else float(scale)
            whole = call(
                graph,
                node,
                ops.attention,
                query,
                arguments["key"],
                arguments["value"],
                mask,
                factor,
                bool(arguments.get("is_causal", False)),
            )
        for user in users:
            user.replace_all_uses_with(whole)
            graph.erase_node(user)
        graph.erase_node(node)


def group_queries(graph: Graph) -> None:
    """Attention over K and V repeated along the heads -> attention over K and V themselves.

    The repeat is `unsqueeze(2), expand, clone, view` (what `repeat_interleave`
    of heads or its hand-written form traces to); the group count is then
    implied by the operands' head counts.
    """
    for node in graph.find_nodes(op="call_function", target=ops.attention):
        query, key, value, *rest = node.args
        few_keys, few_values = _unrepeated_heads(key), _unrepeated_heads(value)
        if few_keys is None or few_values is None or _shape(few_keys)[1] != _shape(few_values)[1]:
            continue
        node.args = (query, few_keys, few_values, *rest)


def _unrepeated_heads(node: Node) -> Node | None:
    repeated = _shape(node)
    while node.target in (
        aten.view.default,
        aten._unsafe_view.default,
        aten.reshape.default,
        aten.clone.default,
    ):
        node = node.args[0]
    if node.target is not aten.expand.default:
        return None
    wide = _shape(node)
    node = node.args[0]
    if node.target is not aten.unsqueeze.default or node.args[1] not in (2, -3):
        return None
    source = node.args[0]
    if len(wide) != 5 or len(_shape(source)) != 4:
        return None
    batch, heads, count, length, depth = wide
    if _shape(source) != [batch, heads, length, depth] or repeated != [batch, heads * count, length, depth]:
        return None
    return source


def keep_scatter(graph: Graph) -> None:
    """Writes of whole rows at the positions of one index vector -> `lpu::scatter`."""
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        match = _row_write(node)
        if match is None:
            continue
        cache, index, value, axis, wrap_negative = match
        rows = _shape(cache)
        rows[axis] = _shape(index)[0] if _shape(index) else 1
        if cache.meta["val"].dtype != value.meta["val"].dtype:
            continue
        with graph.inserting_before(node):
            if not _shape(index):
                index = call(graph, node, aten.view.default, index, [1])
            if index.meta["val"].dtype != torch.int64:
                index = call(graph, node, aten._to_copy.default, index, dtype=torch.int64)
            if _shape(value) != rows:
                value = call(graph, node, aten.expand.default, value, rows)
            whole = call(graph, node, ops.scatter, cache, index, value, axis, wrap_negative)
        node.replace_all_uses_with(whole)
        graph.erase_node(node)


def _row_write(node: Node) -> tuple[Node, Node, Node, int, bool] | None:
    """(cache, index, value, axis, wrap_negative) if the node writes whole rows."""
    if node.target is aten.index_copy.default:
        cache, axis, index, value = node.args
        if not _shape(cache) or len(_shape(index)) > 1:
            return None
        return cache, index, value, axis % len(_shape(cache)), False
    if node.target is not aten.index_put.default:
        return None
    cache, indices, value, *rest = node.args
    accumulate = rest[0] if rest else node.kwargs.get("accumulate", False)
    used = [(axis, index) for axis, index in enumerate(indices) if index is not None]
    if accumulate or len(used) != 1:
        return None
    axis, index = used[0]
    if len(_shape(index)) != 1 or index.meta["val"].dtype not in (torch.int64, torch.int32):
        return None
    return cache, index, value, axis, True


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


def widen_bytes(graph: Graph) -> None:
    """Unsigned bytes compute as 32-bit integers, since torch-mlir forgets that they are unsigned."""
    for node in list(graph.nodes):
        computes = isinstance(node.target, OpOverload) and node.target not in _MOVES
        if not computes or not any(_is_bytes(operand) for operand in node.all_input_nodes):
            continue
        with graph.inserting_before(node):
            args, kwargs = map_arg(
                (node.args, node.kwargs), lambda operand: _converted(graph, operand, torch.int32)
            )
            wide = call(graph, node, node.target, *args, **kwargs)
        elements = [user for user in node.users if user.target is operator.getitem]
        for value in elements or [node]:
            with graph.inserting_before(node):
                result = wide if value is node else call(graph, node, operator.getitem, wide, value.args[1])
                if _is_bytes(value):
                    result = call(graph, node, aten._to_copy.default, result, dtype=torch.uint8)
            value.replace_all_uses_with(result)
        for old in (*elements, node):
            graph.erase_node(old)


def _is_bytes(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.dtype == torch.uint8


def _converted(graph: Graph, node: Node, dtype: torch.dtype) -> Node:
    return call(graph, node, aten._to_copy.default, node, dtype=dtype) if _is_bytes(node) else node


def fold_empty(graph: Graph) -> None:
    """A tensor without elements has no value to compute."""
    for node in list(graph.nodes):
        value = node.meta.get("val")
        if not isinstance(node.target, OpOverload) or not isinstance(value, Tensor) or _is_symbolic(value):
            continue
        if value.numel() == 0 and value.dtype in DTYPES and not node.target._schema.is_mutable:
            with graph.inserting_before(node):
                empty = graph.call_function(aten.full.default, (list(value.shape), 0), {"dtype": value.dtype})
            empty.meta = {key: item for key, item in node.meta.items() if key != "tensor_meta"}
            empty.meta["val"] = value.contiguous()
            node.replace_all_uses_with(empty)
            graph.erase_node(node)


def _is_symbolic(value: Tensor) -> bool:
    return any(not isinstance(size, int) for size in value.shape)


def drop_identities(graph: Graph) -> None:
    """`aten.alias` says nothing in a functional graph."""
    for target in (aten.alias.default, aten.detach.default):
        for node in graph.find_nodes(op="call_function", target=target):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)


# Rewrites in order; a name is the optimisation that switches the rewrite off.
_REWRITES: tuple[tuple[str | None, Callable[[Graph], None]], ...] = (
    (None, drop_identities),
    (None, fold_empty),
    (None, keep_nan),
    (None, widen_bytes),
    ("attention", convert_flash_attention),
    ("grouped-query", group_queries),
    ("scatter", keep_scatter),
)


def normalize(gm: GraphModule, options: Options) -> list[Mutation]:
    """Rewrites the graph in place; mutations become leading results.

    Afterwards the graph is functional, and its output is one flat tuple.
    """
    for name, rewrite in _REWRITES:
        if name is None or options.enabled(name):
            rewrite(gm.graph)
    mutations = _strip_copies(gm.graph)
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
        wanted, given = destination.meta["val"], value.meta["val"]
        with graph.inserting_before(node):
            if given.dtype != wanted.dtype:
                value = call(graph, node, aten._to_copy.default, value, dtype=wanted.dtype)
            if given.shape != wanted.shape:
                value = call(graph, node, aten.expand.default, value, list(wanted.shape))
        mutations.append(Mutation(len(values), placeholders.index(destination)))
        values.append(value)
        # Who returns the copy returns the changed input itself.
        results = [destination if result is node else result for result in results]
        node.replace_all_uses_with(value)
        graph.erase_node(node)
    output.args = ((*values, *results),)
    return mutations
