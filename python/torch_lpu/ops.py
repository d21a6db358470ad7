# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of our own in FX graphs.

`lpu::attention` and `lpu::scatter` stay whole from FX to the machine.

PyTorch's default decompositions destroy both: attention turns into two batched
matrix products over a repeated K and a softmax with a test for -inf, a row
write into one scatter per element. `lpu::product` is what ATen has no CPU
kernel for: the float32 product of two half-precision matrices, or batches of
them, as the machine accumulates it. Each operation has an eager kernel (so a
graph that falls back still runs) and a shape function, nothing else.
"""

from __future__ import annotations

import torch
from torch import Tensor

_LIBRARY = torch.library.Library("lpu", "DEF")
_LIBRARY.define(
    "attention(Tensor query, Tensor key, Tensor value, Tensor? mask, float scale, bool causal) -> Tensor"
)
_LIBRARY.define("product(Tensor left, Tensor right) -> Tensor")
_LIBRARY.define("scatter(Tensor cache, Tensor index, Tensor value, int axis, bool wrap_negative) -> Tensor")


def _attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float, causal: bool
) -> Tensor:
    grouped = query.shape[1] != key.shape[1]
    result = torch.ops.aten.scaled_dot_product_attention(
        query, key, value, mask, 0.0, causal, scale=scale, enable_gqa=grouped
    )
    return result.contiguous()


def _attention_shape(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, scale: float, causal: bool
) -> Tensor:
    return query.new_empty((*query.shape[:-1], value.shape[-1]))


def _product(left: Tensor, right: Tensor) -> Tensor:
    return left.float() @ right.float()


def _product_shape(left: Tensor, right: Tensor) -> Tensor:
    return left.new_empty((*left.shape[:-1], right.shape[-1]), dtype=torch.float32)


def _scatter(cache: Tensor, index: Tensor, value: Tensor, axis: int, wrap_negative: bool) -> Tensor:
    result = cache.clone(memory_format=torch.contiguous_format)
    if wrap_negative:
        result[(slice(None),) * axis + (index,)] = value
        return result
    return result.index_copy_(axis, index, value)


def _scatter_shape(cache: Tensor, index: Tensor, value: Tensor, axis: int, wrap_negative: bool) -> Tensor:
    return torch.empty_like(cache, memory_format=torch.contiguous_format)


for _name, _kernel, _shape in (
    ("attention", _attention, _attention_shape),
    ("product", _product, _product_shape),
    ("scatter", _scatter, _scatter_shape),
):
    _LIBRARY.impl(_name, _kernel, "CompositeExplicitAutograd")
    torch.library.register_fake(f"lpu::{_name}", _shape, lib=_LIBRARY)

attention = torch.ops.lpu.attention.default
product = torch.ops.lpu.product.default
scatter = torch.ops.lpu.scatter.default

OWN_OPS = (attention, product, scatter)
