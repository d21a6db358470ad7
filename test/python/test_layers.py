# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Repeated layers: what the finder finds, and that a program is the same with and without."""

import copy
import json
import re

import pytest
import torch
import torch.nn.functional as F
from graphs import bind, trace
from torch import nn
from torch.utils._pytree import tree_leaves

import torch_lpu
from torch_lpu.decoding import make_cache
from torch_lpu.layers import canonical_order, find_layers, find_repeats
from torch_lpu.report import profile


def repeats(text: str, min_period: int = 2):
    """The best repeat as (start, period, count, slack)."""
    found = find_repeats([ord(c) for c in text], min_period)
    return (found[0].start, found[0].period, found[0].count, found[0].slack) if found else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("abcdef", None),
        ("abab", (0, 2, 2, 0)),
        ("xyabcabcabcz", (2, 3, 3, 0)),
        # A layer may begin in several places.
        ("xabcabcabz", (1, 3, 2, 2)),
        # Layers that alternate: the period is two of them.
        ("abcabdabcabdabcabd", (0, 6, 3, 0)),
        # Small repeats inside the large one.
        ("ababcababcababc", (0, 5, 3, 0)),
        # Of two runs the one that saves more.
        ("ababab--cdefcdefcdef", (8, 4, 3, 0)),
    ],
)
def test_repeats(text, expected):
    assert repeats(text) == expected


def test_a_period_has_a_least_length():
    assert repeats("abababab", min_period=3) == (0, 4, 2, 0)
    assert repeats("abababa", min_period=3) is None


class Block(nn.Module):
    """A layer of a dozen nodes, so that some of them are worth a function."""

    def __init__(self, width=16, slope=0.5):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.slope = slope

    def forward(self, x, scale):
        h = F.leaky_relu(self.up(self.norm(x) * scale), self.slope)
        return x + torch.tanh(self.down(h)) * self.slope


class Stack(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x, scale):
        scale = scale.exp()
        for block in self.blocks:
            x = block(x, scale)
        return x


def layers_of(function, *args):
    traced = trace(function, *args)
    bind(traced)
    return find_layers(canonical_order(traced.gm.graph))


X = torch.linspace(-1, 1, 48).reshape(3, 16)
SCALE = torch.linspace(-1, 1, 16)


def test_every_layer_is_found():
    (layers,) = layers_of(Stack(*(Block() for _ in range(5))).eval(), X, SCALE)
    assert len(layers.segments) == 5
    assert {len(segment) for segment in layers.segments} == {len(layers.segments[0])}
    # The weights differ, the scale does not, and a layer reads what the one before it made.
    columns = list(zip(*layers.operands, strict=True))
    assert any(len(set(column)) == 1 for column in columns)
    assert sum(len(set(column)) == 5 for column in columns) >= 6
    made = {segment[place] for segment in layers.segments[:-1] for place in layers.results}
    assert made & set(layers.operands[-1])


def test_a_layer_with_another_constant_is_none_of_them():
    blocks = [Block(), Block(), Block(), Block(slope=0.25), Block(), Block(), Block()]
    found = layers_of(Stack(*blocks).eval(), X, SCALE)
    assert sorted(len(layers.segments) for layers in found) in ([2, 2], [2, 3], [3, 3])
    assert layers_of(Stack(Block(), Block(slope=0.25)).eval(), X, SCALE) == []


def test_layers_that_alternate_are_one_layer_together():
    blocks = [Block(slope=slope) for _ in range(3) for slope in (0.5, 0.25)]
    (layers,) = layers_of(Stack(*blocks).eval(), X, SCALE)
    assert len(layers.segments) in (2, 3)


def test_two_stacks_are_two_kinds_of_layers():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = Stack(*(Block() for _ in range(3)))
            self.other = Stack(*(Block(8) for _ in range(4)))

        def forward(self, x, y, scale):
            return self.one(x, scale), self.other(y, scale[:8])

    found = layers_of(Both().eval(), X, X[:, :8].contiguous(), SCALE)
    assert sorted(len(layers.segments) for layers in found) == [3, 4]


def test_a_layer_may_be_read_by_more_than_the_next():
    blocks = nn.ModuleList(Block() for _ in range(3)).eval()

    class Skipping(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = blocks

        def forward(self, x, scale):
            first = self.blocks[0](x, scale)
            return self.blocks[2](self.blocks[1](first, scale), scale) + first

    # What is read later is a result of every layer, so these still are.
    (layers,) = layers_of(Skipping(), X, SCALE)
    assert len(layers.segments) == 3


def test_what_is_the_same_in_every_layer_is_computed_once():
    class Computing(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(4))

        def forward(self, x, scale):
            for block in self.blocks:
                x = block(x, torch.sigmoid(scale))
            return x

    (layers,) = layers_of(Computing().eval(), X, SCALE)
    (place,) = layers.shared
    assert "sigmoid" in layers.segments[0][place].name
    assert all(layers.segments[0][place] in operands for operands in layers.operands)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
        )
    )


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=64, n_embd=32, n_layer=4, n_head=4, n_positions=32, bos_token_id=1, eos_token_id=2
        )
    )


def gemma3():
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    return Gemma3ForCausalLM(
        Gemma3TextConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=6,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            sliding_window=4,
        )
    )


def run(function, arguments, directory, **options):
    """Results and changed arguments, what was compiled, and the nodes that the trace names."""
    torch._dynamo.reset()
    compiled = torch.compile(
        function,
        backend="lpu",
        dynamic=False,
        options={"fallback": "error", "dump_dir": str(directory), **options},
    )
    arguments = copy.deepcopy(arguments)
    with torch.no_grad(), profile() as report:
        results = compiled(*arguments)
    values = [leaf for leaf in tree_leaves((results, arguments)) if isinstance(leaf, torch.Tensor)]
    trace = json.loads(report.runs[0].trace)["traceEvents"]
    texts = {path.name: path.read_text() for path in directory.iterdir() if path.suffix == ".mlir"}
    return values, texts, sorted(event["name"] for event in trace if event["ph"] == "X"), report.cycles


def same_bits(left, right):
    return len(left) == len(right) and all(
        torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8))
        for a, b in zip(left, right, strict=True)
    )


def count(texts, stage, pattern):
    return len(re.findall(pattern, texts[stage]))


@pytest.mark.parametrize(("make", "layers"), [(llama, 4), (gpt2, 4), (gemma3, 6)])
def test_a_model_is_the_same_with_and_without(make, layers, tmp_path):
    torch.manual_seed(0)
    model = make().eval()

    def forward(ids):
        return model(ids, use_cache=False).logits

    arguments = (torch.arange(3, 10)[None],)
    values, texts, names, cycles = run(forward, arguments, tmp_path / "on")
    plain, plain_texts, plain_names, plain_cycles = run(
        forward, arguments, tmp_path / "off", disable=("repeated-layers",)
    )
    assert count(texts, "20-linalg.mlir", r"call @layer_0\(") == layers
    assert count(texts, "20-linalg.mlir", r"func.func private @layer_0\(") == 1
    assert "@layer_" not in texts["30-lpu.mlir"] + plain_texts["20-linalg.mlir"]
    assert same_bits(values, plain)
    assert cycles <= 1.05 * plain_cycles
    # Instructions are named after the nodes of their own layer.
    products = {name for name in plain_names if re.match(r"(addmm|attention|mm)(_\d+)?$", name)}
    assert len(products) >= 4 * layers and products <= set(names)


def test_a_step_changes_the_caches_of_every_layer(tmp_path):
    torch.manual_seed(0)
    model = llama().eval()
    cache = make_cache(model, 16)
    for layer in cache.layers:
        layer.cumulative_length.fill_(5)
        layer.keys.normal_()
        layer.values.normal_()

    def step(ids, cache, position):
        return model(ids, past_key_values=cache, use_cache=True, position_ids=position).logits

    arguments = (torch.tensor([[7]]), cache, torch.tensor([[5]]))
    values, texts, names, _ = run(step, arguments, tmp_path / "on")
    plain, _, plain_names, _ = run(step, arguments, tmp_path / "off", disable=("repeated-layers",))
    assert count(texts, "20-linalg.mlir", r"call @layer_0\(") == 4
    assert same_bits(values, plain)
    assert set(names) == set(plain_names)
    assert {"attention", "attention_1", "attention_2", "attention_3"} <= set(names)


class Failing(Block):
    def forward(self, x, scale):
        return super().forward(torch.special.zeta(x.abs() + 2, x.abs() + 1), scale)


def test_a_failure_inside_a_layer_names_its_node_and_line():
    model = Stack(*(Failing() for _ in range(3))).eval()
    assert len(layers_of(model, X, SCALE)[0].segments) == 3
    compiled = torch.compile(model, backend="lpu", options={"disable": ()})
    line = Failing.forward.__code__.co_firstlineno + 1
    with torch.no_grad(), pytest.warns(torch_lpu.FallbackWarning) as record:
        result = compiled(X, SCALE)
        torch.testing.assert_close(result, model(X, SCALE))
    (message,) = {str(w.message) for w in record if "aten.special_zeta" in str(w.message)}
    assert f"test_layers.py:{line}" in message
