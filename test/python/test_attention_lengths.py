# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention reads the keys up to the last one that its mask keeps: same bits, fewer bytes."""

import copy
import math

import pytest
import torch
import torch.nn.functional as F
from checks import runs
from torch.utils._pytree import tree_leaves

from torch_lpu.program import running
from torch_lpu.report import profile

KEYS = 600  # Three blocks of 256, the last one cut.
HEADS, GROUPS, WIDTH = 2, 2, 16
PREFIXES = (1, 64, 255, 256, 257, 512, 513, KEYS)


def compile_(function, *without, **options):
    torch._dynamo.reset()
    options = {"fallback": "error", "disable": without, **options}
    return torch.compile(function, backend="lpu", fullgraph=True, dynamic=False, options=options)


def attention(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)


def masks(rows):
    """What masks keep, by name: prefixes, paddings on either side, holes, and rows of nothing."""
    keys = torch.arange(KEYS)
    for length in PREFIXES:
        yield f"{length} keys", (keys < length).expand(rows, KEYS)
    yield "left padding", (keys >= 300).expand(rows, KEYS)
    yield "left padding and a tail", ((keys >= 270) & (keys < 400)).expand(rows, KEYS)
    yield "holes", (keys % 3 == 1).logical_and(keys < 520).expand(rows, KEYS)
    yield "nothing", torch.zeros(rows, KEYS, dtype=torch.bool)
    yield "a row of nothing", (keys < 280) & (torch.arange(rows)[:, None] != 0)
    yield "rows after 250 keys", keys <= torch.arange(rows)[:, None] + 250


def bits(values):
    return [t.contiguous().reshape(-1).view(torch.uint8) for t in values]


@pytest.mark.parametrize("hidden", ["false", "-inf"])
@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_the_bits_are_those_of_reading_every_key(dtype, rows, hidden):
    q = torch.randn(2, HEADS * GROUPS, rows, WIDTH).to(dtype)
    k, v = (torch.randn(2, HEADS, KEYS, WIDTH).to(dtype) for _ in range(2))
    # Sums that underflow to -0: of weights that are tiny, unless they are that of the largest score.
    q[0] *= 40
    v[..., 3] = torch.where(torch.arange(KEYS) % 2 == 0, 0.0, -1e-30 if dtype != torch.float16 else -6e-8)
    cases = []
    for name, keeps in masks(rows):
        mask = keeps
        if hidden == "-inf":
            mask = torch.randn(rows, KEYS).masked_fill(~keeps, -math.inf).to(dtype)
        cases.append((name, mask.expand(2, 1, rows, KEYS).contiguous()))
    outcomes = []
    for without in ((), ("materialize-lengths",)):
        compiled = compile_(attention, *without)
        outcomes.append([])
        for _, mask in cases:
            for order in runs():
                with running(**order):
                    outcomes[-1].append(bits([compiled(q, k, v, mask)])[0])
    names = [(name, order) for name, _ in cases for order in runs()]
    for name, short, full in zip(names, *outcomes, strict=True):
        assert torch.equal(short, full), name


def test_a_mask_of_finite_numbers_hides_nothing():
    q, k, v = torch.randn(1, 4, 1, WIDTH), torch.randn(1, 2, KEYS, WIDTH), torch.randn(1, 2, KEYS, WIDTH)
    mask = torch.zeros(1, 1, 1, KEYS)
    mask[..., 40:] = torch.finfo(torch.float32).min
    compiled, all_keys = compile_(attention), 2 * k.nbytes
    compiled(q, k, v, mask)
    with profile() as report:
        compiled(q, k, v, mask)
    assert report.compulsory_bytes == 2 * q.nbytes + mask.nbytes + all_keys
    mask[..., 40:] = -math.inf
    with profile() as report:
        compiled(q, k, v, mask)
    assert report.compulsory_bytes == 2 * q.nbytes + mask.nbytes + all_keys * 40 // KEYS


def test_what_is_not_read_does_not_matter():
    q, k, v = torch.randn(1, 4, 1, WIDTH), torch.randn(1, 2, KEYS, WIDTH), torch.randn(1, 2, KEYS, WIDTH)
    mask = (torch.arange(KEYS) < 300).expand(1, 1, 1, KEYS)
    compiled = compile_(attention)
    expected = compiled(q, k, v, mask)
    for unread in (math.nan, math.inf):
        k[:, :, 300:] = unread
        v[:, :, 300:] = unread
        assert torch.equal(compiled(q, k, v, mask), expected)


def llama(keys):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=128,
        intermediate_size=64,
        num_hidden_layers=3,
        num_attention_heads=8,
        num_key_value_heads=4,
        vocab_size=32,
        max_position_embeddings=keys,
    )
    return LlamaForCausalLM(config).eval()


def step(model):
    def forward(ids, cache, positions):
        return model(ids, past_key_values=cache, use_cache=True, position_ids=positions).logits

    return forward


def at(cache, position):
    """The cache when `position` tokens are in it."""
    cache = copy.deepcopy(cache)
    for layer in cache.layers:
        layer.keys.normal_(generator=torch.Generator().manual_seed(1))
        layer.values.normal_(generator=torch.Generator().manual_seed(2))
        layer.cumulative_length.fill_(position)
    return cache


@pytest.mark.parametrize("keys", [128, 512])
@torch.no_grad()
def test_a_decoding_step_reads_the_valid_part_of_its_cache(keys):
    from torch_lpu.decoding import make_cache

    model = llama(keys)
    empty = make_cache(model, keys)
    compiled = compile_(step(model))
    full = compile_(step(model), "materialize-lengths")
    row = 3 * 2 * 4 * 16 * 4  # Layers, K and V, heads, width, bytes.
    compulsory, cycles = {}, {}
    for position in (0, 1, 63, 100, keys - 1):
        arguments = torch.tensor([[7]]), torch.tensor([[position]])
        outcomes = []
        for function in (compiled, full):
            function(arguments[0], at(empty, position), arguments[1])
            cache = at(empty, position)
            with profile() as report, running(checks="standard"):
                logits = function(arguments[0], cache, arguments[1])
            outcomes.append(bits(tree_leaves((logits, [(o.keys, o.values) for o in cache.layers]))))
            if function is compiled:
                compulsory[position], cycles[position] = report.compulsory_bytes, report.cycles
                assert report.hbm_bytes <= 1.05 * report.compulsory_bytes
        assert all(torch.equal(a, b) for a, b in zip(*outcomes, strict=True))
    for position, found in compulsory.items():
        assert found - compulsory[0] == position * row
    assert cycles[0] <= cycles[keys - 1]


@torch.no_grad()
def test_a_prefill_into_a_long_cache_reads_the_rows_of_the_prompt():
    from torch_lpu.decoding import make_cache

    model = llama(512)
    empty = make_cache(model, 512)
    arguments = torch.randint(0, 32, (1, 20)), torch.arange(20)[None]
    outcomes, compulsory = [], []
    for without in ((), ("materialize-lengths",)):
        compiled = compile_(step(model), *without)
        compiled(arguments[0], at(empty, 0), arguments[1])
        cache = at(empty, 0)
        with profile() as report:
            logits = compiled(arguments[0], cache, arguments[1])
        outcomes.append(bits(tree_leaves((logits, [(o.keys, o.values) for o in cache.layers]))))
        compulsory.append(report.compulsory_bytes)
    assert all(torch.equal(a, b) for a, b in zip(*outcomes, strict=True))
    assert compulsory[1] - compulsory[0] == (512 - 20) * 3 * 2 * 4 * 16 * 4
