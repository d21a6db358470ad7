# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward graphs on the LPU: the gradients are eager's."""

import pytest
import torch
import torch.nn.functional as F
from checks import check_gradients


def qkv(dtype=torch.float32, queries=6, keys=5):
    return [torch.empty(1, 2, length, 8, dtype=dtype) for length in (queries, keys, keys)]


MASK = torch.ones(6, 5, dtype=torch.bool).tril()


@pytest.mark.parametrize(
    "options", [{}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": MASK}], ids=lambda o: "".join(o)
)
def test_attention(options):
    check_gradients(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options), *qkv())


def test_attention_in_bfloat16():
    check_gradients(F.scaled_dot_product_attention, *qkv(torch.bfloat16), rtol=3e-2, atol=3e-2)


def test_attention_of_one_tensor_with_itself():
    check_gradients(
        lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), torch.empty(2, 2, 6, 8)
    )


def test_attention_with_groups_runs_in_eager_both_ways():
    query, key = torch.empty(1, 4, 6, 8), torch.empty(1, 2, 6, 8)
    check_gradients(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True) * 2,
        *(query, key, key),
        fallback="allow",
    )


def test_a_region_whose_transposed_inputs_come_late():
    def function(x):
        a, b, c = (torch.special.i0(x.transpose(0, 1) / number) for number in (1, 2, 3))
        return (a + b) + c

    check_gradients(function, torch.empty(3, 4), fallback="allow")


def test_pooling_starts_from_zero_in_every_step():
    check_gradients(lambda x: F.max_pool2d(x.relu(), 2), torch.empty(2, 4, 6, 6), steps=3)
