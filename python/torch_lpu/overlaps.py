# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that share memory in some calls and not in others.

AOTAutograd compiles for the overlaps of its example inputs, and nothing guards
them afterwards: a graph that changes an input, compiled for inputs that are
apart, would not show the change through another input. So a graph that
changes inputs looks at each call which of them reach into the memory of
others, and where, and is compiled once for each such set of places,
of which those that were used last are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._guards import TracingContext
from torch.fx import GraphModule

from .memory import overlapping_pairs, overlaps
from .specialize import Compile, Programs


def follow_overlaps(
    gm: GraphModule, example_inputs: Sequence[Any], compile_static: Compile
) -> Callable[..., Any]:
    """The graph compiled for the overlaps of each call."""
    compiled = compile_static(gm, example_inputs)
    changed = changed_inputs(example_inputs)
    if not changed:
        return compiled
    programs = Programs(gm, compile_static)
    programs.keep(overlaps(example_inputs, changed), compiled)

    @torch._dynamo.disable(reason="torch-lpu looks for inputs that overlap here")
    def call(*args: Any) -> Any:
        return programs.get(overlaps(args, changed), args)(*args)

    return call


def changed_inputs(inputs: Sequence[Any]) -> list[int]:
    """Which inputs the graph changes that AOTAutograd compiled last, if there is another one beside it."""
    tensors = [number for number, value in enumerate(inputs) if isinstance(value, Tensor)]
    context = TracingContext.try_get()
    if len(tensors) < 2 or context is None or context.fw_metadata is None:
        return []
    changed = [number for number, info in enumerate(context.fw_metadata.input_info) if info.mutates_data]
    if changed and overlapping_pairs(inputs, tensors):
        return tensors  # The numbers are those of inputs that were put together.
    return [number for number in changed if number in tensors]
