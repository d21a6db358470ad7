# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of small random models of many architectures compiles: operations, graphs, breaks, fallbacks.

Nothing is computed here. That the results are eager's, with nothing on the host, is tested
on the same models (test/python/test_architectures.py).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.append(str(Path(__file__).parent.parent / "test" / "python"))

from architectures import ARCHITECTURES, Architecture

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


@torch.no_grad()
def account(architecture: Architecture, dtype: torch.dtype) -> dict[str, Any]:
    import torch_lpu

    torch._dynamo.reset()
    found = torch_lpu.explain(architecture.make(dtype), **architecture.example(dtype), dynamic=False)
    fallbacks = {f"{op.op} ({op.dtype})": op.reason for op in found.fallbacks}
    return {
        "kind": architecture.kind,
        "model": architecture.model,
        "ops": len(found.ops),
        "graphs": len(found.graphs),
        "breaks": [f"{b.reason} at {b.where}" for b in found.breaks],
        "fallbacks": fallbacks,
        "complete": found.complete,
    }


def row(name: str, facts: dict[str, Any]) -> str:
    reasons = "; ".join(f"{op}: {reason}" for op, reason in facts["fallbacks"].items())
    numbers = f"{facts['ops']} | {facts['graphs']} | {len(facts['breaks'])}"
    return f"| {name} | {facts['kind']} | {numbers} | {reasons or 'none'} |"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.architectures", description=__doc__)
    parser.add_argument("--only", help="names of architectures, separated by commas")
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--json", type=Path, help="where to write the same facts")
    options = parser.parse_args(arguments)
    names = options.only.split(",") if options.only else list(ARCHITECTURES)
    print("| architecture | kind | ops | graphs | breaks | fallbacks |\n|---|---|---|---|---|---|")
    facts = {}
    for name in names:
        facts[name] = account(ARCHITECTURES[name], DTYPES[options.dtype])
        print(row(name, facts[name]), flush=True)
    distinct = {op.split(" ")[0] for found in facts.values() for op in found["fallbacks"]}
    print(f"\n{len(facts)} architectures; distinct operations that fall back: {len(distinct)}")
    if options.json:
        options.json.write_text(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main()
