# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Further architectures with random weights: one graph each, on the LPU alone, as eager computes."""

import pytest
import torch
from architectures import ARCHITECTURES, outputs
from trap import trap

F32, BF16 = torch.float32, torch.bfloat16

# Differences from eager in units of the last place of the largest value. Half precision is measured
# in its own units, also where the model returns float32.
PLACES = {F32: 64, BF16: 8}

# Those whose graphs differ most from those of decoders.
SHORT = ("mixtral", "mamba", "resnet", "whisper")


@torch.no_grad()
def check_architecture(name, dtype, lpu_compile, compilations):
    architecture = ARCHITECTURES[name]
    model = architecture.make(dtype)
    # Eager first: RWKV scales its weights when it is called first, and another graph remains.
    expected = outputs(model(**architecture.example(dtype)))
    compiled = lpu_compile(model)
    first = outputs(compiled(**architecture.example(dtype)))
    inputs = architecture.example(dtype)
    with trap():
        again = outputs(compiled(**inputs))
    assert len(compilations) == 1
    assert expected and again.keys() == first.keys() == expected.keys()
    for key, value in expected.items():
        ours = again[key]
        assert torch.equal(ours, first[key])
        assert (ours.shape, ours.dtype) == (value.shape, value.dtype)
        scale, error = value.float().abs().max(), (ours.float() - value.float()).abs().max()
        assert error <= PLACES[dtype] * torch.finfo(dtype).eps * scale, key


@pytest.mark.parametrize("name", SHORT)
def test_architecture(name, lpu_compile, compilations):
    check_architecture(name, F32, lpu_compile, compilations)


@pytest.mark.long
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture(name, dtype, lpu_compile, compilations):
    check_architecture(name, dtype, lpu_compile, compilations)


def test_at_least_two_of_each_kind():
    kinds = [architecture.kind for architecture in ARCHITECTURES.values()]
    assert len(kinds) >= 20 and all(kinds.count(kind) >= 2 for kind in kinds)
