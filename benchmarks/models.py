# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are measured, as functions of token ids with a static cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from torch_lpu.decoding import make_cache
from torch_lpu.demo import load_model

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def _smollm2() -> Any:
    return load_model()[1]


def _llama(**sizes: int) -> Callable[[], Any]:
    def make() -> Any:
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(0)
        return LlamaForCausalLM(LlamaConfig(max_position_embeddings=4096, **sizes)).eval()

    return make


# `tiny` has random weights and is there to try a benchmark out.
MODELS: dict[str, Callable[[], Any]] = {
    "smollm2": _smollm2,
    "tiny": _llama(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=100,
    ),
}


@dataclass
class Call:
    """One forward pass over `tokens` tokens behind `position` others in a cache of `length`."""

    model: Any
    tokens: int
    position: int
    length: int

    def __post_init__(self) -> None:
        self.cache = make_cache(self.model, self.length)
        generator = torch.Generator().manual_seed(0)
        for layer in self.cache.layers:
            for rows in (layer.keys, layer.values):
                rows[:, :, : self.position].normal_(generator=generator)
        vocabulary = self.model.config.vocab_size
        self.ids = torch.randint(0, vocabulary, (1, self.tokens), generator=generator)
        self.positions = torch.arange(self.position, self.position + self.tokens)[None]

    def rewind(self) -> None:
        """The next pass writes the same rows of the cache again."""
        for layer in self.cache.layers:
            layer.cumulative_length.fill_(self.position)

    def compiled(self, backend: str, options: dict[str, Any] | None = None) -> Callable[[], Tensor]:
        """The pass, compiled; it compiles when it is first called."""
        model, cache = self.model, self.cache

        def forward(ids: Tensor, positions: Tensor) -> Tensor:
            return model(ids, cache=cache, use_cache=True, position_ids=positions).logits

        function = forward
        if backend != "eager":
            function = torch.compile(forward, backend=backend, fullgraph=True, dynamic=False, options=options)

        @torch.no_grad()
        def call() -> Tensor:
            self.rewind()
            return function(self.ids, self.positions)

        return call
