# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Greedy decoding of a Hugging Face decoder with two compiled programs: prefill and step.

The key/value cache is static and allocated before tracing, so that both
programs write their rows in place and one compilation serves every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor


def make_cache(model: Any, max_length: int) -> Any:
    """A static cache whose tensors exist before anything is traced."""
    from transformers import StaticCache

    config = model.config
    cache = StaticCache(config=config, max_cache_len=max_length)
    heads = getattr(config, "num_key_value_heads", None) or config.num_attention_heads
    head_size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    cache.early_initialization(1, heads, head_size, model.dtype, model.device)
    return cache


def next_token(model: Any, ids: Tensor, cache: Any, positions: Tensor) -> Tensor:
    """One forward pass over `ids` at `positions`: the most likely next token, shape [1, 1]."""
    logits = model(ids, cache=cache, use_cache=True, position_ids=positions).logits
    return logits[:, -1:].argmax(-1)


class GreedyDecoder:
    """Decodes greedily; `backend=None` is eager."""

    def __init__(
        self, model: Any, backend: str | Callable[..., Any] | None, options: dict[str, Any] | None = None
    ):
        self.model = model
        self.prefill = self.step = next_token
        if backend is not None:
            # Two functions, since prefill and step are two programs with their own guards.
            self.prefill = torch.compile(
                _copy_function(next_token), backend=backend, options=options, fullgraph=True, dynamic=False
            )
            self.step = torch.compile(
                _copy_function(next_token), backend=backend, options=options, fullgraph=True, dynamic=False
            )

    @torch.no_grad()
    def generate(self, ids: Tensor, count: int, cache: Any) -> Iterator[int]:
        """Up to `count` tokens after the prompt `ids` (shape [1, length]); the cache has to be empty."""
        length = ids.shape[1]
        token = self.prefill(self.model, ids, cache, torch.arange(length)[None])
        yield int(token)
        for position in range(length, length + count - 1):
            token = self.step(self.model, token, cache, torch.tensor([[position]]))
            yield int(token)


def reset_cache(cache: Any) -> None:
    """Empties the cache in place: its tensors stay where they are."""
    for layer in cache.layers:
        layer.keys.zero_()
        layer.values.zero_()
        layer.cumulative_length.zero_()


def _copy_function(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function with a code object of its own, so that Dynamo keeps its compilations apart."""

    def copy(*args: Any) -> Tensor:
        return function(*args)

    copy.__code__ = copy.__code__.replace(co_name=function.__name__)
    return copy
