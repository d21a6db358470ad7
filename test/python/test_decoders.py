# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of eight families: prefill and steps, with and without caches, in three precisions."""

import copy

import pytest
import torch
from checks import runs
from families import CACHE_LENGTH, FAMILIES, WINDOW, Decoding, cache_tensors, forward_of, make_model, widened
from trap import trap

from torch_lpu.decoding import make_cache
from torch_lpu.program import running

F32, BF16, F16 = torch.float32, torch.bfloat16, torch.float16
SLIDING = ("gemma3", "mistral")

# Differences from eager in units of the last place of the largest value: float32 sums of hundreds
# are taken in another order; in half precision they round alike but for a few.
PLACES = {F32: 64, BF16: 8, F16: 8}

# Half precision is measured against float32: our error is at most this many times eager's.
WORSE = 1.5


def compile_(function):
    # Shapes are static until they change, as users have it: a growing cache turns symbolic.
    return torch.compile(function, backend="lpu", fullgraph=True, options={"fallback": "error"})


class Comparison:
    """Collects what the LPU, eager and eager in float32 computed, and compares at the end."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.ours, self.eagers, self.references = [], [], []

    def add(self, ours, eagers, references):
        for tensor, eager in zip(ours, eagers, strict=True):
            assert (tensor.shape, tensor.dtype) == (eager.shape, eager.dtype)
            # Relative to the largest value, since an element may be the rest of a cancellation.
            scale = eager.float().abs().max().item()
            epsilon = torch.finfo(self.dtype).eps
            error = (tensor.float() - eager.float()).abs().max().item()
            assert error <= PLACES[self.dtype] * epsilon * scale
        for mine, theirs in ((self.ours, ours), (self.eagers, eagers), (self.references, references)):
            mine += [tensor.detach().float().flatten().clone() for tensor in theirs]

    def finish(self):
        if self.dtype == F32:
            return
        ours, eager, reference = map(torch.cat, (self.ours, self.eagers, self.references))
        assert (ours - reference).norm() <= WORSE * (eager - reference).norm()


def same_bits(outcomes):
    return all(torch.equal(a, b) for other in outcomes[1:] for a, b in zip(outcomes[0], other, strict=True))


@torch.no_grad()
def check_static(family, dtype, compilations):
    model = make_model(family, dtype)
    eager, reference = forward_of(model), forward_of(widened(model))
    prefill, step = compile_(forward_of(model)), compile_(forward_of(model))
    decoding = Decoding(family, steps=8, cache_length=CACHE_LENGTH)
    cache = make_cache(model, CACHE_LENGTH)
    caches = [copy.deepcopy(cache), make_cache(widened(model), CACHE_LENGTH)]
    comparison = Comparison(dtype)
    compiled_at = []
    for number in (None, *range(8)):
        ids, arguments = decoding.inputs(number)
        program = prefill if number is None else step
        before, start = len(compilations), copy.deepcopy(cache)
        addresses = [tensor.data_ptr() for tensor in cache_tensors(cache)]
        logits = program(ids, cache, **arguments)
        if len(compilations) > before:
            compiled_at.append(number)
        assert [tensor.data_ptr() for tensor in cache_tensors(cache)] == addresses
        if number in (None, 7):  # Again, in every order of transfers, with nothing on the host.
            outcomes = [[logits, *cache_tensors(cache)]]
            for run in runs():
                again = copy.deepcopy(start)
                with running(**run), trap():
                    result = program(ids, again, **arguments)
                outcomes.append([result, *cache_tensors(again)])
            assert same_bits(outcomes)
        expected = [
            function(ids, c, **arguments) for function, c in zip((eager, reference), caches, strict=True)
        ]
        rows = [
            [value, *cache_tensors(c)] for value, c in zip((logits, *expected), (cache, *caches), strict=True)
        ]
        comparison.add(*rows)
        for layer, other in zip(cache.layers, caches[0].layers, strict=True):
            assert torch.equal(layer.cumulative_length, other.cumulative_length)
    comparison.finish()
    # The prompt, one step that serves all, and another one for a window that is full.
    assert compiled_at == ([None, 0, WINDOW - 9] if family in SLIDING else [None, 0])


@torch.no_grad()
def check_growing(family, dtype, steps, compilations):
    from transformers import DynamicCache

    model = make_model(family, dtype)
    eager, reference = forward_of(model), forward_of(widened(model))
    program = compile_(forward_of(model))
    decoding = Decoding(family, steps=steps, cache_length=None)
    cache, *caches = (DynamicCache(config=model.config) for _ in range(3))
    comparison = Comparison(dtype)
    for number in (None, *range(steps)):
        ids, arguments = decoding.inputs(number)
        logits = program(ids, cache, **arguments)
        expected = [
            function(ids, c, **arguments) for function, c in zip((eager, reference), caches, strict=True)
        ]
        rows = [
            [value, *cache_tensors(c)] for value, c in zip((logits, *expected), (cache, *caches), strict=True)
        ]
        comparison.add(*rows)
    comparison.finish()
    # One for each size that was met; where all layers slide, sizes stop growing.
    sizes = 1 + steps if family != "mistral" else 1 + min(steps, WINDOW - 9 + 1)
    assert len(compilations) == sizes


@torch.no_grad()
def check_without_cache(family, dtype):
    model = make_model(family, dtype)
    ids, _ = Decoding(family, steps=0, cache_length=None).inputs(None)
    program = compile_(forward_of(model))
    program(ids, None)
    with trap():
        logits = program(ids, None)
    comparison = Comparison(dtype)
    comparison.add([logits], [forward_of(model)(ids, None)], [forward_of(widened(model))(ids, None)])
    comparison.finish()


@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_prefill_and_steps_with_a_static_cache(family, dtype, compilations):
    check_static(family, dtype, compilations)


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_static_cache_in_float16(family, compilations):
    check_static(family, F16, compilations)


@pytest.mark.parametrize(("family", "dtype"), [("opt", F32), ("mistral", BF16)], ids=str)
def test_a_growing_cache(family, dtype, compilations):
    check_growing(family, dtype, 5, compilations)


@pytest.mark.parametrize(("family", "dtype"), [("gemma3", F32), ("gpt_neox", BF16)], ids=str)
def test_prefill_without_cache(family, dtype):
    check_without_cache(family, dtype)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [F32, BF16, F16], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
class TestAll:
    def test_static_cache(self, family, dtype, compilations):
        check_static(family, dtype, compilations)

    def test_growing_cache(self, family, dtype, compilations):
        check_growing(family, dtype, 8, compilations)

    def test_without_cache(self, family, dtype):
        check_without_cache(family, dtype)
