# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of further architectures with random weights: two layers, and inputs for one call.

No file is read: a configuration is all that a model is made from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

VOCABULARY = 64
WIDTH = 32
HEADS = 2
LAYERS = 2
LENGTH = 7
BATCH = 2

_TOKENS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_TEXT = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 2 * WIDTH,
    "max_position_embeddings": 32,
    **_TOKENS,
}
_EXPERTS = {
    **_TEXT,
    "num_key_value_heads": 1,
    "num_experts_per_tok": 2,
}
_PAIR = {
    "vocab_size": VOCABULARY,
    "d_model": WIDTH,
    "encoder_layers": LAYERS,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": 2 * WIDTH,
    "decoder_ffn_dim": 2 * WIDTH,
    "max_position_embeddings": 32,
    "decoder_start_token_id": 1,
    **_TOKENS,
}
_SPACE = {"vocab_size": VOCABULARY, "hidden_size": WIDTH, "num_hidden_layers": LAYERS, **_TOKENS}
_PATCHES = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 2 * WIDTH,
    "image_size": 16,
    "patch_size": 8,
}
_WAVES = {
    "vocab_size": 16,
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 2 * WIDTH,
    "conv_dim": (16, 16, 16),
    "conv_stride": (5, 2, 2),
    "conv_kernel": (10, 3, 3),
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
}


def _ids(length: int = LENGTH) -> Tensor:
    return torch.randint(3, VOCABULARY, (BATCH, length))


def _padding() -> Tensor:
    """The last sequence ends two tokens early."""
    mask = torch.ones(BATCH, LENGTH, dtype=torch.int64)
    mask[-1, -2:] = 0
    return mask


def text() -> dict[str, Tensor]:
    return {"input_ids": _ids(), "attention_mask": _padding()}


def tokens() -> dict[str, Tensor]:
    return {"input_ids": _ids()}


def pair() -> dict[str, Tensor]:
    return {**text(), "decoder_input_ids": _ids(5)}


def image(size: int = 16) -> dict[str, Tensor]:
    return {"pixel_values": torch.randn(BATCH, 3, size, size)}


def image_and_text() -> dict[str, Tensor]:
    return {**image(), **text()}


def spectrum() -> dict[str, Tensor]:
    return {"input_features": torch.randn(BATCH, 8, 40), "decoder_input_ids": _ids(5)}


def wave() -> dict[str, Tensor]:
    return {"input_values": torch.randn(BATCH, 400)}


@dataclass(frozen=True)
class Architecture:
    """A configuration class of transformers, the class of the model, and an example of its inputs."""

    kind: str
    config: str
    model: str
    inputs: Callable[[], dict[str, Tensor]]
    arguments: dict[str, Any]
    call: dict[str, Any] = field(default_factory=dict)

    def make(self, dtype: torch.dtype = torch.float32) -> Any:
        import transformers

        transformers.utils.logging.set_verbosity_error()
        torch.manual_seed(0)
        config = getattr(transformers, self.config)(**self.arguments)
        model = getattr(transformers, self.model)(config)
        with torch.no_grad():  # Norms and biases start as ones and zeros, which hide errors.
            for parameter in model.parameters():
                if parameter.dim() == 1:
                    parameter.add_(0.1 * torch.randn_like(parameter))
        return model.to(dtype).eval()

    def example(self, dtype: torch.dtype = torch.float32) -> dict[str, Any]:
        torch.manual_seed(1)
        values = {name: v.to(dtype) if v.is_floating_point() else v for name, v in self.inputs().items()}
        return {**values, **self.call}


_NO_CACHE = {"use_cache": False}

ARCHITECTURES: dict[str, Architecture] = {
    # Encoders.
    "bert": Architecture("encoder", "BertConfig", "BertForMaskedLM", text, _TEXT),
    "roberta": Architecture(
        "encoder", "RobertaConfig", "RobertaForSequenceClassification", text, {**_TEXT, "num_labels": 3}
    ),
    "distilbert": Architecture(
        "encoder",
        "DistilBertConfig",
        "DistilBertForMaskedLM",
        text,
        {
            "vocab_size": VOCABULARY,
            "dim": WIDTH,
            "n_layers": LAYERS,
            "n_heads": HEADS,
            "hidden_dim": 2 * WIDTH,
            "max_position_embeddings": 32,
        },
    ),
    "albert": Architecture(
        "encoder", "AlbertConfig", "AlbertForMaskedLM", text, {**_TEXT, "embedding_size": 16}
    ),
    "electra": Architecture(
        "encoder", "ElectraConfig", "ElectraForTokenClassification", text, {**_TEXT, "embedding_size": 16}
    ),
    "deberta-v2": Architecture(
        "encoder",
        "DebertaV2Config",
        "DebertaV2ForMaskedLM",
        text,
        {
            **_TEXT,
            "relative_attention": True,
            "position_buckets": 4,
            "max_relative_positions": 16,
            "pos_att_type": ["p2c", "c2p"],
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "position_biased_input": False,
        },
    ),
    "modernbert": Architecture(
        "encoder",
        "ModernBertConfig",
        "ModernBertForMaskedLM",
        text,
        {
            **_TEXT,
            "local_attention": 4,
            "global_attn_every_n_layers": 2,
            "cls_token_id": 1,
            "sep_token_id": 2,
        },
    ),
    # Encoder-decoders.
    "t5": Architecture(
        "encoder-decoder",
        "T5Config",
        "T5ForConditionalGeneration",
        pair,
        {
            "vocab_size": VOCABULARY,
            "d_model": WIDTH,
            "d_kv": 16,
            "d_ff": 2 * WIDTH,
            "num_layers": LAYERS,
            "num_heads": HEADS,
            "decoder_start_token_id": 0,
        },
        _NO_CACHE,
    ),
    "bart": Architecture(
        "encoder-decoder", "BartConfig", "BartForConditionalGeneration", pair, _PAIR, _NO_CACHE
    ),
    "pegasus": Architecture(
        "encoder-decoder", "PegasusConfig", "PegasusForConditionalGeneration", pair, _PAIR, _NO_CACHE
    ),
    "marian": Architecture("encoder-decoder", "MarianConfig", "MarianMTModel", pair, _PAIR, _NO_CACHE),
    # Mixtures of experts.
    "mixtral": Architecture(
        "mixture of experts",
        "MixtralConfig",
        "MixtralForCausalLM",
        text,
        {**_EXPERTS, "num_local_experts": 4},
        _NO_CACHE,
    ),
    "qwen2-moe": Architecture(
        "mixture of experts",
        "Qwen2MoeConfig",
        "Qwen2MoeForCausalLM",
        text,
        {
            **_EXPERTS,
            "num_experts": 4,
            "moe_intermediate_size": 32,
            "shared_expert_intermediate_size": 48,
        },
        _NO_CACHE,
    ),
    "olmoe": Architecture(
        "mixture of experts",
        "OlmoeConfig",
        "OlmoeForCausalLM",
        text,
        {**_EXPERTS, "num_experts": 4},
        _NO_CACHE,
    ),
    # State-space models.
    "mamba": Architecture(
        "state space", "MambaConfig", "MambaForCausalLM", tokens, {**_SPACE, "state_size": 8}, _NO_CACHE
    ),
    "mamba2": Architecture(
        "state space",
        "Mamba2Config",
        "Mamba2ForCausalLM",
        tokens,
        {**_SPACE, "state_size": 8, "num_heads": 4, "head_dim": 16, "n_groups": 2, "chunk_size": 4},
        _NO_CACHE,
    ),
    "falcon-mamba": Architecture(
        "state space",
        "FalconMambaConfig",
        "FalconMambaForCausalLM",
        tokens,
        {**_SPACE, "state_size": 8},
        _NO_CACHE,
    ),
    "rwkv": Architecture(
        "state space",
        "RwkvConfig",
        "RwkvForCausalLM",
        tokens,
        {**_SPACE, "attention_hidden_size": WIDTH, "context_length": 32},
        _NO_CACHE,
    ),
    # Vision.
    "vit": Architecture("vision", "ViTConfig", "ViTForImageClassification", image, _PATCHES),
    "clip": Architecture(
        "vision",
        "CLIPConfig",
        "CLIPModel",
        image_and_text,
        {
            "text_config": {**_TEXT, "projection_dim": 16},
            "vision_config": {**_PATCHES, "projection_dim": 16},
            "projection_dim": 16,
        },
    ),
    "dinov2": Architecture(
        "vision",
        "Dinov2Config",
        "Dinov2ForImageClassification",
        lambda: image(24),
        {**_PATCHES, "mlp_ratio": 2},
    ),
    "convnext": Architecture(
        "vision",
        "ConvNextConfig",
        "ConvNextForImageClassification",
        lambda: image(32),
        {"num_stages": 2, "hidden_sizes": [16, 32], "depths": [1, 1], "image_size": 32},
    ),
    "resnet": Architecture(
        "vision",
        "ResNetConfig",
        "ResNetForImageClassification",
        lambda: image(32),
        {"embedding_size": 8, "hidden_sizes": [16, 32], "depths": [1, 1]},
    ),
    "swin": Architecture(
        "vision",
        "SwinConfig",
        "SwinForImageClassification",
        lambda: image(32),
        {
            "image_size": 32,
            "patch_size": 4,
            "embed_dim": 16,
            "depths": [2, 2],
            "num_heads": [2, 2],
            "window_size": 4,
        },
    ),
    # Speech.
    "whisper": Architecture(
        "speech",
        "WhisperConfig",
        "WhisperForConditionalGeneration",
        spectrum,
        {
            **{key: value for key, value in _PAIR.items() if key != "max_position_embeddings"},
            "num_mel_bins": 8,
            "max_source_positions": 20,
            "max_target_positions": 16,
        },
        _NO_CACHE,
    ),
    "wav2vec2": Architecture("speech", "Wav2Vec2Config", "Wav2Vec2ForCTC", wave, _WAVES),
    "hubert": Architecture("speech", "HubertConfig", "HubertForCTC", wave, _WAVES),
}


def outputs(result: Any) -> dict[str, Tensor]:
    """The tensors among the results of a model, by name."""
    return {name: value for name, value in result.items() if isinstance(value, Tensor)}
