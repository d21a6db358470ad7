# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of the torch and linalg stages: calls, names, aliases, locations, determinism."""

import re

import pytest
import torch
import torch.nn.functional as F
from graphs import torch_text

from torch_lpu import torchmlir
from torch_lpu.diagnostics import StageError


def insert_and_attend(cache, at, row, query):
    cache.index_copy_(2, at, row)
    return F.scaled_dot_product_attention(query, cache, cache, scale=0.25)


def arguments():
    return torch.zeros(1, 2, 8, 4), torch.tensor([3]), torch.ones(1, 2, 1, 4), torch.ones(1, 2, 1, 4)


def test_whole_ops_become_private_calls():
    text = torchmlir.lower(torch_text(insert_and_attend, *arguments()))
    assert "call @lpu.scatter_0(" in text
    assert re.search(
        r'@lpu.scatter_0\(.*\) -> tensor<1x2x8x4xf32> attributes \{lpu.axis = 2 : i64, lpu.op = "scatter"\}',
        text,
    )
    assert "call @lpu.attention_0(" in text
    assert re.search(r'lpu.causal = false, lpu.op = "attention", lpu.scale = 2.5.*e-01 : f64', text)
    assert "torch." not in text


def test_one_private_function_per_signature_and_attributes():
    def function(q):
        a = F.scaled_dot_product_attention(q, q, q)
        b = F.scaled_dot_product_attention(a, a, a)
        return F.scaled_dot_product_attention(b, b, b, is_causal=True)

    text = torch_text(function, torch.randn(1, 2, 4, 4))
    assert len(re.findall(r"func.func private @lpu.attention_\d", text)) == 2


def test_arguments_are_named_and_results_say_what_they_alias():
    text = torchmlir.lower(torch_text(insert_and_attend, *arguments()))
    (signature,) = re.findall(r"func.func @main\((.*)\) \{", text)
    assert 'tensor<1x2x8x4xf32> {lpu.name = "cache"}' in signature
    assert "lpu.alias = 0 : i64" in signature.split("->")[1]


def test_names_of_parameters():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4))
    text = torch_text(model, torch.randn(2, 3))
    assert 'lpu.name = "0.weight"' in text and 'lpu.name = "0.bias"' in text


def test_locations_name_the_node_and_the_line():
    text = torchmlir.lower(torch_text(insert_and_attend, *arguments()))
    line = insert_and_attend.__code__.co_firstlineno + 2
    assert re.search(rf'loc\("attention"\(#loc\d+\)\)|loc\("attention"\(".*test_importer.py":{line}', text)
    assert f'test_importer.py":{line}:0)' in text


def test_the_text_is_deterministic():
    assert torch_text(insert_and_attend, *arguments()) == torch_text(insert_and_attend, *arguments())


def test_a_failure_names_the_operation_and_the_node():
    with pytest.raises(StageError) as caught:
        torchmlir.lower(torch_text(lambda x: torch.special.zeta(x, x) + 1, torch.randn(3)))
    assert caught.value.stage == "linalg"
    assert caught.value.nodes[0] == "special_zeta" and "torch.aten.special_zeta" in caught.value.operations


def test_a_crash_is_a_failure():
    text = torch_text(lambda x: x + 1, torch.randn(3)).replace("torch.aten.add", "torch.aten.no_such_op")
    with pytest.raises(StageError):
        torchmlir.lower(text)
