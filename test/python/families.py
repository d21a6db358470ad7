# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small decoders of the common families with random weights, and how to drive them step by step."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

VOCABULARY = 512
WIDTH = 256
WINDOW = 12
CACHE_LENGTH = 32
PROMPT = 9

_COMMON = {
    "hidden_size": WIDTH,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
    # Tokens that no test asks for; the defaults lie outside the vocabulary.
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_GATED = {**_COMMON, "intermediate_size": 2 * WIDTH}
_GROUPED = {**_GATED, "num_key_value_heads": 2}

# Family -> configuration class of transformers, and its arguments.
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", _GROUPED),
    "gpt2": ("GPT2Config", _COMMON),
    "opt": ("OPTConfig", {**_COMMON, "ffn_dim": 2 * WIDTH, "word_embed_proj_dim": WIDTH}),
    "qwen3": ("Qwen3Config", {**_GROUPED, "head_dim": 64}),
    "gemma3": (
        "Gemma3TextConfig",
        {
            **_GROUPED,
            "head_dim": 64,
            "sliding_window": WINDOW,
            "layer_types": ["sliding_attention", "full_attention"],
        },
    ),
    "mistral": ("MistralConfig", {**_GROUPED, "sliding_window": WINDOW}),
    "phi3": ("Phi3Config", _GROUPED),
    "gpt_neox": ("GPTNeoXConfig", _GATED),
}


def make_model(family: str, dtype: torch.dtype) -> Any:
    import transformers

    transformers.utils.logging.set_verbosity_error()
    name, arguments = FAMILIES[family]
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, name)(**arguments))
    with torch.no_grad():  # Norms and biases start as ones and zeros, which hide errors.
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    return model.to(dtype).eval()


def forward_of(model: Any) -> Callable[..., Tensor]:
    """Logits of tokens at positions; a function of its own, so that its compilations are counted alone."""

    def forward(ids: Tensor, cache: Any, **arguments: Any) -> Tensor:
        return model(ids, cache=cache, use_cache=cache is not None, **arguments).logits

    return forward


@dataclass
class Decoding:
    """A prompt and single tokens after it, with what the model needs to be told of positions."""

    family: str
    steps: int
    cache_length: int | None  # A static cache's; None says that the mask grows.
    tokens: Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = torch.randint(3, VOCABULARY, (1, PROMPT + self.steps))

    def inputs(self, step: int | None) -> tuple[Tensor, dict[str, Tensor]]:
        """Those of the prompt (None), or of one step."""
        start, stop = (0, PROMPT) if step is None else (PROMPT + step, PROMPT + step + 1)
        arguments = {"position_ids": torch.arange(start, stop)[None]}
        if self.family == "opt":  # It would compute with the values of the positions in Python.
            mask = torch.zeros(1, self.cache_length or stop, dtype=torch.int64)
            mask[:, :stop] = 1
            arguments["attention_mask"] = mask
        return self.tokens[:, start:stop].clone(), arguments


def cache_tensors(cache: Any) -> list[Tensor]:
    return [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]


def widened(model: Any) -> Any:
    """The same weights in float32."""
    return copy.deepcopy(model).float()
