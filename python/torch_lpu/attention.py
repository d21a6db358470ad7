# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention stays whole: `lpu::attention` from Dynamo's graph to the machine.

Before AOTAutograd the calls of Dynamo's graph are made opaque; afterwards what
only ATen graphs show is converted, and repeated K/V heads become a group count.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from . import ops
from .rewriting import args_of, call, shape_of

aten = torch.ops.aten


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
    torch._C._nn.scaled_dot_product_attention,  # pyright: ignore[reportAttributeAccessIssue]
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


def convert_flash_attention(graph: Graph) -> None:
    """`_scaled_dot_product_flash_attention_for_cpu` whose log-sum-exp is unused -> `lpu::attention`."""
    target = aten._scaled_dot_product_flash_attention_for_cpu.default
    for node in graph.find_nodes(op="call_function", target=target):
        arguments: dict[str, Any] = dict(
            zip(("query", "key", "value", "dropout_p", "is_causal"), node.args, strict=False), **node.kwargs
        )
        query = arguments["query"]
        users = list(node.users)
        if arguments.get("dropout_p", 0.0) != 0.0 or len(shape_of(query)) != 4:
            continue
        if any(user.target is not operator.getitem or user.args[1] != 0 for user in users):
            continue
        scale = arguments.get("scale")
        with graph.inserting_before(node):
            mask = arguments.get("attn_mask")
            if mask is not None and len(shape_of(mask)) < 4:
                mask = call(
                    graph, node, aten.view.default, mask, [1] * (4 - len(shape_of(mask))) + shape_of(mask)
                )
            factor = 1.0 / math.sqrt(shape_of(query)[-1]) if scale is None else float(scale)
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
        query, key, value, *rest = args_of(node)
        few_keys, few_values = _unrepeated_heads(key), _unrepeated_heads(value)
        if few_keys is None or few_values is None or shape_of(few_keys)[1] != shape_of(few_values)[1]:
            continue
        node.args = (query, few_keys, few_values, *rest)


def _unrepeated_heads(node: Node) -> Node | None:
    repeated = shape_of(node)
    while node.target in (
        aten.view.default,
        aten._unsafe_view.default,
        aten.reshape.default,
        aten.clone.default,
    ):
        node = args_of(node)[0]
    if node.target is not aten.expand.default:
        return None
    wide = shape_of(node)
    node = args_of(node)[0]
    if node.target is not aten.unsqueeze.default or node.args[1] not in (2, -3):
        return None
    source = args_of(node)[0]
    if len(wide) != 5 or len(shape_of(source)) != 4:
        return None
    batch, heads, count, length, depth = wide
    if shape_of(source) != [batch, heads, length, depth] or repeated != [batch, heads * count, length, depth]:
        return None
    return source


def _scores(query: Tensor, key: Tensor, is_causal: bool, mask: Tensor | None, scale: float) -> Tensor:
    """What the softmax takes, in float32."""
    scores = (query.float() @ key.float().transpose(-2, -1)) * scale
    if is_causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if mask is None:
        return scores
    return scores.masked_fill(mask.logical_not(), -math.inf) if mask.dtype == torch.bool else scores + mask


def _probabilities(scores: Tensor, logsumexp: Tensor) -> Tensor:
    """Zero in a row that attends to nothing."""
    return torch.exp(scores - logsumexp.unsqueeze(-1)).masked_fill(scores == -math.inf, 0.0)


def _factor(query: Tensor, scale: float | None) -> float:
    return 1.0 / math.sqrt(query.shape[-1]) if scale is None else float(scale)


def _flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """With the log-sum-exp that the gradient starts from; PyTorch's table returns the probabilities there."""
    if not _has_gradient(query, key, dropout_p):
        return NotImplemented
    scores = _scores(query, key, is_causal, attn_mask, _factor(query, scale))
    logsumexp = scores.logsumexp(-1)
    return (_probabilities(scores, logsumexp) @ value.float()).to(query.dtype), logsumexp


def _flash_attention_backward(
    gradient: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Tensor | None = None,
    scale: float | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    if not _has_gradient(query, key, dropout_p):
        return NotImplemented
    factor = _factor(query, scale)
    probabilities = _probabilities(_scores(query, key, is_causal, attn_mask, factor), logsumexp)
    wide = gradient.float()
    of_value = probabilities.transpose(-2, -1) @ wide
    of_probabilities = wide @ value.float().transpose(-2, -1)
    mean = (wide * out.float()).sum(-1, keepdim=True)
    of_scores = probabilities * (of_probabilities - mean) * factor
    of_query = of_scores @ key.float()
    of_key = of_scores.transpose(-2, -1) @ query.float()
    return of_query.to(query.dtype), of_key.to(key.dtype), of_value.to(value.dtype)


def _has_gradient(query: Tensor, key: Tensor, dropout_p: float) -> bool:
    """What is refused stays one op in the forward and in the backward graph, and runs in eager."""
    return dropout_p == 0.0 and query.dim() == 4 and query.shape[1] == key.shape[1]


ATTENTION_GRADIENTS = {
    aten._scaled_dot_product_flash_attention_for_cpu.default: _flash_attention,
    aten._scaled_dot_product_flash_attention_for_cpu_backward.default: _flash_attention_backward,
}
