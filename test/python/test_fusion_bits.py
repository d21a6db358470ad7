# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimisations change no bit: small functions with each of the compiler's passes left out."""

import copy
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from checks import runs
from torch.utils._pytree import tree_leaves

from torch_lpu.options import FX_OPTIMIZATIONS, optimizations
from torch_lpu.program import running

# What is done on the FX graph defines the program; what comes after may not change it.
PASSES = [name for name in optimizations() if name not in FX_OPTIMIZATIONS]


def floats(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


def norm(x, weight, bias, residual):
    hidden = x + residual
    return hidden, F.layer_norm(hidden, (24,), weight, bias)


def rms_norm(x, weight):
    wide = x.float()
    return weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def softmax(x, mask):
    return F.softmax(x * 0.125 + mask, dim=-1), F.log_softmax(x.transpose(0, 1), dim=0)


def mlp(x, gate, up, down):
    return x + (F.silu(x @ gate.T) * (x @ up.T)) @ down.T


def attention(x, wqkv, wo, bias):
    q, k, v = (F.linear(x, wqkv, bias)).split(16, dim=-1)
    q, k, v = (t.view(2, 5, 2, 8).transpose(1, 2) for t in (q, k, v))
    scores = (q @ k.transpose(-1, -2)) / 8**0.5
    scores = scores.masked_fill(torch.ones(5, 5, dtype=torch.bool).triu(1), float("-inf"))
    return (F.softmax(scores, -1) @ v).transpose(1, 2).reshape(2, 5, 16) @ wo.T


def linear(x, weight):
    return (x @ weight).transpose(-1, -2), F.linear(x, weight.T) * 2


def convolution(x, weight, bias):
    return F.max_pool2d(F.relu(F.conv2d(x, weight, bias, padding=1)), 2).flatten(1)


def embedding(ids, table, positions):
    rows = table[ids] + positions
    return rows.transpose(0, 1).reshape(3, 2, 16).permute(2, 0, 1), torch.cat((rows[:, :1], -rows[:, 1:]), 1)


def rotate_half(x, cos, sin):
    left, right = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-right, left), -1) * sin


def rotate_pairs(x, cos, sin):
    pairs = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos.repeat_interleave(2, -1) + pairs * sin.repeat_interleave(2, -1)


def rotate_some(x, angles):
    angles = torch.cat((angles, angles), -1)
    left, right = x[..., :4], x[..., 4:8]
    turned = x[..., :8] * angles.cos() + torch.cat((-right, left), -1) * angles.sin()
    return torch.cat((turned, x[..., 8:]), -1)


def reductions(x):
    return x.argmax(1), x.sum(0), x.amax(1), x.cumsum(1), x.sort(1)[0], x.var(1), (x > 0).any(1)


FUNCTIONS = {
    "norm": (norm, [floats(3, 24), floats(24), floats(24), floats(3, 24)]),
    "rms-norm": (rms_norm, [floats(3, 40).bfloat16(), floats(40).bfloat16()]),
    "softmax": (softmax, [floats(7, 70), floats(7, 70)]),
    "mlp": (mlp, [floats(3, 16), floats(40, 16), floats(40, 16), floats(16, 40)]),
    "mlp-bf16": (mlp, [floats(*shape).bfloat16() for shape in ((9, 16), (40, 16), (40, 16), (16, 40))]),
    "linear-f16": (linear, [floats(5, 70).half() * 1e-4, floats(70, 9).half() * 1e-2]),
    "attention": (attention, [floats(2, 5, 16), floats(48, 16), floats(16, 16), floats(48)]),
    "convolution": (convolution, [floats(2, 3, 8, 8), floats(4, 3, 3, 3), floats(4)]),
    "embedding": (embedding, [torch.tensor([[3, 1, 4], [1, 5, 9]]), floats(10, 16), floats(3, 16)]),
    "rotary": (rotate_half, [floats(1, 2, 3, 16), floats(3, 16), floats(3, 16)]),
    "rotary-pairs": (rotate_pairs, [floats(1, 2, 3, 16), floats(3, 8), floats(3, 8)]),
    "rotary-partial": (rotate_some, [floats(1, 2, 3, 16), floats(3, 4)]),
    "reductions": (reductions, [floats(5, 67)]),
}


def run(function, arguments, disable):
    """Results and changed arguments, under every order of transfers."""
    torch._dynamo.reset()
    compiled = torch.compile(
        function,
        backend="lpu",
        fullgraph=True,
        dynamic=False,
        options={"fallback": "error", "disable": disable},
    )
    outcomes = []
    with torch.no_grad():
        compiled(*copy.deepcopy(arguments))  # Compiles.
        for one in runs():
            with running(**one):
                mine = copy.deepcopy(arguments)
                outcomes.append(tree_leaves((compiled(*mine), tensors_of(mine))))
    return outcomes


def tensors_of(arguments):
    """The tensors in arguments, those of a cache included."""
    found = []
    for argument in arguments:
        for layer in getattr(argument, "layers", ()):
            found += [layer.keys, layer.values, layer.cumulative_length]
        found += [leaf for leaf in tree_leaves(argument) if isinstance(leaf, torch.Tensor)]
    return found


def same_bits(a, b):
    a, b = (t.contiguous().reshape(-1).view(torch.uint8) for t in (a, b))
    return torch.equal(a, b)


def check_each_left_out(function, arguments):
    expected, *_ = run(function, arguments, ())
    for disable in (*((name,) for name in PASSES), tuple(PASSES)):
        for outcome, how in zip(run(function, arguments, disable), runs(), strict=True):
            assert len(outcome) == len(expected)
            for number, (a, b) in enumerate(zip(outcome, expected, strict=True)):
                assert same_bits(a, b), f"result {number} has other bits without {', '.join(disable)}, {how}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_with_each_pass_left_out(name):
    check_each_left_out(*FUNCTIONS[name])


def step(model, ids, cache, positions):
    return model(ids, past_key_values=cache, use_cache=True, position_ids=positions).logits


@pytest.mark.long
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_a_decoding_step_with_each_pass_left_out(dtype):
    from test_models import tiny_llama

    from torch_lpu.decoding import make_cache

    model = tiny_llama(dtype)
    cache = make_cache(model, 32)
    for layer in cache.layers:
        layer.keys.normal_()
        layer.values.normal_()
        layer.cumulative_length.fill_(7)
    check_each_left_out(partial(step, model), [torch.tensor([[5]]), cache, torch.tensor([[7]])])
