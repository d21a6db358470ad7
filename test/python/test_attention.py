# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention that stays whole in the graph."""

import math

import pytest
import torch
import torch.nn.functional as F
from graphs import targets, trace

from torch_lpu import ops


def attention_node(gm):
    (node,) = gm.graph.find_nodes(op="call_function", target=ops.attention)
    return node


def shapes(node):
    return [tuple(operand.meta["val"].shape) for operand in node.args if isinstance(operand, torch.fx.Node)]


class TestAttention:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
    def test_causal(self, dtype):
        q, k, v = (torch.randn(2, 4, 5, 8, dtype=dtype) for _ in range(3))
        gm = trace(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v).gm
        node = attention_node(gm)
        assert node.args[3:] == (None, 1 / math.sqrt(8), True)
        assert targets(gm) == ["lpu::attention"]

    @pytest.mark.parametrize("mask", [torch.rand(5, 7) > 0.5, torch.randn(2, 1, 5, 7), torch.randn(1, 7)])
    def test_mask_and_scale(self, mask):
        q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 4, 7, 8), torch.randn(2, 4, 7, 6)
        gm = trace(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m, scale=0.5), q, k, v, mask).gm
        node = attention_node(gm)
        assert node.args[4:] == (0.5, False)
        assert node.args[3].meta["val"].dim() == 4 and node.args[3].meta["val"].dtype == mask.dtype

    def test_without_heads(self):
        q, k, v = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 8)
        gm = trace(lambda *a: F.scaled_dot_product_attention(*a), q, k, v).gm
        assert shapes(attention_node(gm)) == [(2, 1, 5, 8), (2, 1, 7, 8), (2, 1, 7, 8)]

    def test_grouped_queries_by_flag(self):
        q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 7, 8), torch.randn(2, 2, 7, 8)
        gm = trace(lambda *a: F.scaled_dot_product_attention(*a, enable_gqa=True), q, k, v).gm
        assert shapes(attention_node(gm)) == [(2, 4, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8)]

    def test_grouped_queries_by_repeating(self):
        def repeat(x):
            return x[:, :, None].expand(2, 2, 3, 7, 8).reshape(2, 6, 7, 8)

        def function(q, k, v):
            return F.scaled_dot_product_attention(q, repeat(k), repeat(v))

        q, k, v = torch.randn(2, 6, 5, 8), torch.randn(2, 2, 7, 8), torch.randn(2, 2, 7, 8)
        gm = trace(function, q, k, v).gm
        assert shapes(attention_node(gm)) == [(2, 6, 5, 8), (2, 2, 7, 8), (2, 2, 7, 8)]
        assert targets(gm) == ["lpu::attention"]

    def test_a_tiled_repeat_is_not_a_group(self):
        def function(q, k, v):
            return F.scaled_dot_product_attention(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1))

        q, k, v = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 7, 8), torch.randn(2, 2, 7, 8)
        assert shapes(attention_node(trace(function, q, k, v).gm))[1] == (2, 4, 7, 8)

    def test_decomposes_where_a_gradient_is_asked(self):
        q = torch.randn(2, 4, 5, 8, requires_grad=True)
        gm = trace(lambda q: F.scaled_dot_product_attention(q, q, q), q, grad=True).gm
        assert "lpu::attention" not in targets(gm)

    def test_can_be_switched_off(self):
        q = torch.randn(2, 4, 5, 8)
        gm = trace(lambda q: F.scaled_dot_product_attention(q, q, q), q, disable=("attention",)).gm
        assert "lpu::attention" not in targets(gm)

    def test_the_aten_op_that_a_nested_call_leaves(self):
        def function(q):
            return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q, 0.0, True)[0]

        gm = trace(function, torch.randn(2, 4, 5, 8)).gm
        assert attention_node(gm).args[5] is True
