# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nn.Transformer's fused inference operations, taken apart again.

In evaluation mode PyTorch's modules call one fused op per encoder layer or per
attention. Here they become their parts, with the attention whole.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._ops import OpOverload

from .attention import whole_attention

aten = torch.ops.aten

# How the fused ops say what a mask covers.
_ATTENTION_MASK, _PADDING_MASK, _FULL_MASK = 0, 1, 2


def _mask(mask: Tensor | None, mask_type: int | None, batch: int, length: int) -> Tensor | None:
    """The mask in scaled_dot_product_attention's form: broadcastable to [B, H, L, S], true = attend."""
    if mask is None:
        return None
    if mask_type == _PADDING_MASK or (mask_type is None and mask.shape == (batch, length)):
        mask = mask.reshape(batch, 1, 1, -1)
    return mask.logical_not() if mask.dtype == torch.bool else mask


def _attend(
    source: Tensor,
    heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor | None,
    projection: tuple[Tensor, Tensor | None],
    mask: Tensor | None,
    mask_type: int | None,
) -> Tensor:
    batch, length, width = source.shape
    parts = F.linear(source, qkv_weight, qkv_bias).chunk(3, -1)
    query, key, value = (part.reshape(batch, length, heads, -1).transpose(1, 2) for part in parts)
    attended = whole_attention(query, key, value, _mask(mask, mask_type, batch, length))
    return F.linear(attended.transpose(1, 2).reshape(batch, length, width), *projection)


def _multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_head: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    mask: Tensor | None = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> tuple[Tensor, Tensor]:
    if need_weights or key is not query or value is not query:
        return NotImplemented
    projection = proj_weight, proj_bias
    result = _attend(query, num_head, qkv_weight, qkv_bias, projection, mask, mask_type)
    return result, query.new_empty((0,))


def _encoder_layer(
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Tensor,
    norm_bias_1: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> Tensor:
    def attend(x: Tensor) -> Tensor:
        projection = proj_weight, proj_bias
        return _attend(x, num_heads, qkv_weight, qkv_bias, projection, mask, mask_type)

    def feed_forward(x: Tensor) -> Tensor:
        activation = F.gelu if use_gelu else F.relu
        return F.linear(activation(F.linear(x, ffn_weight_1, ffn_bias_1)), ffn_weight_2, ffn_bias_2)

    def norm_1(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm_2(x: Tensor) -> Tensor:
        return F.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    if src.is_nested or mask_type == _FULL_MASK:
        return NotImplemented
    if norm_first:
        src = src + attend(norm_1(src))
        return src + feed_forward(norm_2(src))
    src = norm_1(src + attend(src))
    return norm_2(src + feed_forward(src))


FASTPATHS: dict[OpOverload, Callable] = {
    aten._native_multi_head_attention.default: _multi_head_attention,
    aten._transformer_encoder_layer_fwd.default: _encoder_layer,
}
