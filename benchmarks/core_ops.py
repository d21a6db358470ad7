# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation that PyTorch tags as core: the types that compile, how, and why not.

The calls of test/python/core_calls.py are made for each type of the machine. Those that eager
takes are compiled together, run and compared with eager, in a trap for ATen kernels
(`samples.run_function`): the page says nothing that was not run. `--write` makes docs/ops.md of it.
"""

from __future__ import annotations

import copy
import fnmatch
import inspect
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

from torch_lpu import diagnostics
from torch_lpu.decompositions import decomposition_table
from torch_lpu.support import DTYPES

from .agreement import disagreement
from .harness import host, names, parser, publish
from .samples import Outcome, run_function
from .workers import Task, run_tasks

sys.path.append(str(Path(__file__).parent.parent / "test" / "python"))
from core_calls import CALLS, MAY_FALL_BACK, Call, of_dtype, overload

PAGE = Path(__file__).parent.parent / "docs" / "ops.md"

ALL_CALLS: Mapping[str, Sequence[Call]] = {**CALLS, **MAY_FALL_BACK}

# Types that usually go together, for the reader.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "floats": ("f32", "bf16", "f16"),
    "integers": ("i64", "i32", "i16", "i8", "u8"),
    "bool": ("bool",),
}

HEADER = """\
# Core operations

What becomes of every operation that PyTorch tags as core ({torch}), by the type of its data.
Made by `python -m benchmarks.core_ops --write`, and checked by `test/python/test_ops_page.py`: each
type was compiled, run and compared with eager, with nothing on the host. *floats* are f32, bf16 and
f16, *integers* i64, i32, i16, i8 and u8. A type that is in neither column is one that eager PyTorch
does not take. float64, complex numbers, fp8 and quantised types always fall back, with a reason.

*How* is where the operation is taken apart: a file of `python/torch_lpu`, or PyTorch's own
decomposition; *torch-mlir* lowers it as it stands. After the arrow is what the machine's compiler
made of it: `contract` (matrix unit), `vector` (vector unit), `gather`, `scatter`, `copy`.

{counts}

| operation | compiles for | how | falls back |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One operation. `refused`: what eager does not take; `others`: type -> (status, reason)."""

    name: str
    compiled: tuple[str, ...]
    refused: tuple[str, ...]
    others: Mapping[str, tuple[str, str]]
    how: str

    def __str__(self) -> str:
        reasons: dict[str, list[str]] = {}
        for dtype, (status, reason) in self.others.items():
            reasons.setdefault(_reason(status, reason), []).append(dtype)
        why = "; ".join(f"{_families(dtypes)}: {reason}" for reason, dtypes in reasons.items())
        return f"| `{self.name}` | {_families(self.compiled)} | {self.how} | {why.replace('|', '/')} |"


def _families(dtypes: Sequence[str]) -> str:
    """`floats, i64`."""
    parts = []
    for family, members in FAMILIES.items():
        found = [member for member in members if member in dtypes]
        parts += [family] if len(found) == len(members) else found
    return ", ".join(parts)


def _reason(status: str, detail: str) -> str:
    """`aten.rand (f32): reason; advice` -> `reason`."""
    if status == "not captured" and detail == "no operation in it":
        return "Dynamo knows its value: there is no graph"
    reason = re.sub(r"^aten\.[\w.]+ \([\w, ]+\): ", "", detail.split("; ")[0])
    return reason if status in ("fell back", "not captured", "other") else f"**{status}**: {reason}"


def row(name: str, outcomes: Sequence[Outcome]) -> Row:
    by_dtype = dict(zip(DTYPES.values(), outcomes, strict=True))
    return Row(
        name,
        tuple(dtype for dtype, outcome in by_dtype.items() if outcome.status == "compiled"),
        tuple(dtype for dtype, outcome in by_dtype.items() if outcome.status == "refused"),
        {
            dtype: (outcome.status, outcome.detail)
            for dtype, outcome in by_dtype.items()
            if outcome.status not in ("compiled", "refused")
        },
        how(name) if any(outcome.status == "compiled" for outcome in outcomes) else "",
    )


def measure(name: str, start: int = 0, stop: int = len(DTYPES)) -> Iterator[Outcome]:
    """What becomes of the operation in each of the types."""
    for dtype in list(DTYPES)[start:stop]:
        calls = accepted(name, dtype)
        if not calls:
            yield Outcome("refused")
            continue
        status, detail = run_function(together(name), (calls,), _comparable(name))
        if status == "wrong" and _kernel_differs(name, calls) == detail:
            status, detail = (
                "other",
                "PyTorch's decomposition rounds otherwise than its kernel, in any backend",
            )
        yield Outcome(status, detail)


def _kernel_differs(name: str, calls: Any) -> str | None:
    """How the decomposition that every backend gets differs from eager, which does not use it."""
    torch._dynamo.reset()
    function = together(name)
    with torch.no_grad():
        traced = torch.compile(function, backend="aot_eager", dynamic=False)(copy.deepcopy(calls))
        return disagreement(traced, function(copy.deepcopy(calls)))


def accepted(name: str, dtype: torch.dtype) -> list[tuple[Any, Any]]:
    """Arguments of the calls in this type that eager takes."""
    found = []
    for call in ALL_CALLS[name]:
        made = of_dtype(call, dtype)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                overload(name)(*copy.deepcopy(made.args), **copy.deepcopy(made.kwargs))
        except (RuntimeError, TypeError, ValueError, IndexError):
            continue
        found.append((made.args, made.kwargs))
    return found


def together(name: str) -> Callable[[Any], Any]:
    """A function that makes all of the calls: one graph for all of them."""
    op = overload(name)

    def function(calls: Any) -> Any:
        return [op(*args, **kwargs) for args, kwargs in calls]

    return function


def _comparable(name: str) -> Callable[[Any], Any]:
    """What can be compared: not memory without values, and not which of equal elements was found."""
    if name.startswith("empty"):
        return lambda run: [result.shape for result in run[0]]
    if name != "topk":
        return lambda run: run

    def values(run: Any) -> Any:
        results, (calls,) = run
        pairs = zip(results, calls, strict=True)
        return [(v, args[0].gather((*args, -1)[2], i)) for (v, i), (args, _) in pairs]

    return values


def how(name: str) -> str:
    """Who takes the operation apart, and the operations of the dialect that come of it."""
    dtype = next(dtype for dtype in DTYPES if accepted(name, dtype))
    graph, module = _lower(name, accepted(name, dtype))
    steps = [_decomposition(name)]
    if f"torch.ops.aten.{_full_name(name)}]" in graph or steps == [""]:
        steps.append("torch-mlir" if graph else "no work on the machine")
    made = sorted(set(re.findall(r"= lpu\.(contract|vector|attention|gather|scatter|copy)\b", module)))
    arrow = f" → {', '.join(made)}" if made else " → nothing but a view" if module else ""
    return ", ".join(step for step in steps if step) + arrow


def _full_name(name: str) -> str:
    return name if "." in name else f"{name}.default"


def _decomposition(name: str) -> str:
    op = overload(name)
    function: Any = decomposition_table(inference=True).get(op)
    function = inspect.unwrap(getattr(function, "func", function))  # Some are partial.
    if function is None or function is op:  # The op as it stands, if its arguments are plain.
        return "composite" if op.has_kernel_for_dispatch_key("CompositeImplicitAutograd") else ""
    module = getattr(function, "__module__", "")
    if module.startswith("torch_lpu."):
        return f"`{module.removeprefix('torch_lpu.').replace('.', '/')}.py`"
    return "PyTorch's"


def _lower(name: str, calls: Any) -> tuple[str, str]:
    """The FX graphs and the modules of stage `lpu`, as text."""
    torch._dynamo.reset()
    diagnostics.reset()
    with tempfile.TemporaryDirectory() as directory, torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"dump_dir": directory}
        compiled = torch.compile(together(name), backend="lpu", dynamic=False, options=options)
        compiled(copy.deepcopy(calls))
        return tuple(
            "\n".join(path.read_text() for path in sorted(Path(directory).rglob(pattern)))
            for pattern in ("*-fx.txt", "*-lpu.mlir")
        )


def read_page() -> dict[str, str]:
    """Operation -> its line on the page as it is."""
    if not PAGE.exists():
        return {}
    return {line.split("`")[1]: line for line in PAGE.read_text().splitlines() if line.startswith("| `")}


def page(lines: Mapping[str, str]) -> str:
    version = torch.__version__.partition("+")[0]
    header = HEADER.format(torch=f"PyTorch {version}", counts=counts(lines))
    return header + "".join(f"{lines[name]}\n" for name in sorted(lines))


def counts(lines: Mapping[str, str]) -> str:
    """The sums of lines of the page, as sentences."""
    cells = [line.split(" | ") for line in lines.values()]
    compiled = [_members(cell[1]) for cell in cells]
    others = [
        sum(_members(part.partition(":")[0]) for part in re.split("; ", cell[3].removesuffix("|").strip()))
        for cell in cells
    ]
    whole = sum(bool(here) and not elsewhere for here, elsewhere in zip(compiled, others, strict=True))
    refused = len(lines) * len(DTYPES) - sum(compiled) - sum(others)
    return (
        f"{len(lines)} operations in {len(DTYPES)} types: {sum(compiled)} compile, {refused} are not defined "
        f"by PyTorch, {sum(others)} fall back.\n"
        f"{whole} operations compile for every type that they are defined for."
    )


def _members(families: str) -> int:
    """How many types `floats, i64` are."""
    return sum(len(FAMILIES.get(name, (name,))) for name in families.strip().split(", ") if name)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    options = parser((__doc__ or "").splitlines()[0])
    options.add_argument(
        "--op", type=names, default=["*"], metavar="PATTERNS", help="only these: 'sort,*pool*'"
    )
    options.add_argument("--jobs", type=int, default=1, metavar="N", help="processes")
    options.add_argument("--write", action="store_true", help=f"write docs/{PAGE.name}")
    parsed = options.parse_args(arguments)
    chosen = [name for name in ALL_CALLS if any(fnmatch.fnmatchcase(name, p) for p in parsed.op)]
    tasks = [Task((name,), len(DTYPES)) for name in chosen]
    rows = []
    for task in run_tasks(measure, tasks, parsed.jobs, 60, lambda how: Outcome(*how.split(": ")[:2])):
        rows.append(row(*task.arguments, task.outcomes))
        print(rows[-1], flush=True)
    lines = {row.name: str(row) for row in rows}
    if parsed.write:  # What was not measured stays.
        PAGE.write_text(page({**read_page(), **lines}))
    result = {"benchmark": "core_ops", "host": host(), "rows": [asdict(row) for row in rows]}
    publish(result, [counts(lines)], parsed.json)
    return result


if __name__ == "__main__":
    main()
