# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`explain`: what of a function runs on the LPU, and why the rest does not.

The function is captured as `torch.compile` would, and its graphs go through the
same normalisation, partition and stages as in the backend; only that nothing
runs afterwards (fakerun.py).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule, Node

from . import backend, diagnostics, partition, support
from .cache import process_cache
from .capturing import ORIGIN, Gradients
from .compiler import FILES, compile_graph
from .diagnostics import StageError
from .explanation import ExplainedGraph, ExplainedOp, Explanation
from .fakerun import FakeRun, Finished, call_concrete, output_like, run_fake
from .locations import module_path, source_line
from .options import Options
from .rewriting import args_of
from .signature import bind_signature
from .specialize import needs_specialization


def explain(
    fn: Callable[..., Any],
    *args: Any,
    options: Mapping[str, Any] | None = None,
    dynamic: bool | None = None,
    **kwargs: Any,
) -> Explanation:
    """Explains what `torch.compile(fn, backend="lpu", options=options)(*args, **kwargs)` would do.

    Nothing of the model is computed. `options` and `dynamic` are those of
    `torch.compile`; everything else is for `fn`. Where a graph breaks, Python
    code runs with fake tensors, and what it keeps (an optimizer its state) are
    fake tensors.
    """
    checked = backend.check_options(options)
    graphs: list[ExplainedGraph] = []
    gradients = Gradients()  # A backward pass of the function leaves fake ones.

    def make_backend(run: FakeRun) -> Callable[..., Any]:
        def explaining(gm: GraphModule, example_inputs: Sequence[Any], **_: Any) -> Callable[..., Any]:
            if any(isinstance(value, torch.Tensor) and value.is_nested for value in example_inputs):
                raise TypeError(
                    f"torch-lpu: {backend.NESTED}, so explain cannot follow what is done with them"
                )
            symbolic = needs_specialization(example_inputs)
            gradients.keep([value for value in example_inputs if isinstance(value, torch.nn.Parameter)])

            def compile_aten(graph: GraphModule, names: dict[str, str], kind: str) -> Callable[..., Any]:
                returned = args_of(graph.graph.output_node())[0]
                outputs = [node.meta["val"] if isinstance(node, Node) else node for node in returned]
                graphs.append(_explain_graph(graph, len(graphs), kind, symbolic, checked, names))

                def call(*_: Any) -> list[Any]:
                    if not run.broken:
                        raise Finished
                    return output_like(outputs)

                return call

            compiled = backend.compile_captured(gm, example_inputs, checked, compile_aten)
            return lambda *inputs: call_concrete(compiled, inputs) if symbolic else compiled(*inputs)

        return explaining

    try:
        run = run_fake(fn, args, kwargs, make_backend, dynamic)
    finally:
        gradients.restore()
    return Explanation(tuple(graphs), tuple(run.breaks), tuple(run.assumptions), run.complete)


@dataclass
class _Regions:
    """The programs of a graph: which node is in which."""

    options: Options
    names: dict[str, str]
    region_of: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def start(self, fallbacks: Sequence[diagnostics.Fallback]) -> None:
        """A new attempt: what the one before it compiled is void."""
        self.region_of.clear()
        self.number = 0

    def compile(self, gm: GraphModule, aliases: dict[int, int]) -> Callable[..., Any]:
        origins = [node.meta.get(ORIGIN) for node in gm.graph.nodes if node.op != "placeholder"]
        signature = bind_signature(gm, aliases, self.names)
        compile_graph(gm, signature, self.options, process_cache if self.options.cache else None)
        self.region_of.update((name, self.number) for name in origins if name is not None)
        self.number += 1
        return _never


def _never(*args: Any) -> Any:
    raise AssertionError("explain runs nothing")


def _explain_graph(
    gm: GraphModule, number: int, kind: str, dynamic: bool, options: Options, names: dict[str, str]
) -> ExplainedGraph:
    mutations, _ = backend.prepare(gm, options, names)
    for node in gm.graph.nodes:
        node.meta[ORIGIN] = node.name
    regions = _Regions(options, names)
    failure: StageError | None = None
    try:
        backend.compile_parts(gm, mutations, options, regions.compile, regions.start)
    except StageError as error:
        failure = error
        regions.start(())
    refused = partition.refused_nodes(gm)
    nodes = [node for node in gm.graph.nodes if partition.computes(node) or partition.is_told(node, refused)]
    crossing = {node: _crossing(node, regions.region_of) for node in nodes}
    ops = [
        _explain_node(
            node, regions.region_of.get(node.name), refused.get(node), failure, _bytes(crossing[node])
        )
        for node in nodes
    ]
    moved = _bytes(set().union(*crossing.values()))
    return ExplainedGraph(number, kind, dynamic, regions.number, moved, tuple(ops))


def _explain_node(
    node: Node, region: int | None, refused: str | None, failure: StageError | None, moved: int
) -> ExplainedOp:
    stage, reason = "bin", refused
    if region is None:
        _, failed = support.learned(node) or (None, "torch")
        stage = _stage_before(failed) if refused else "fx"
        if failure is not None and reason is None:
            stage, reason = _stage_before(failure.stage), str(failure)
    source = source_line(node)
    return ExplainedOp(
        name=node.name,
        op=diagnostics.op_name(node),
        dtype=diagnostics.dtype_name(node),
        stage=stage,
        compiled=region is not None,
        region=region,
        reason=reason,
        advice=diagnostics.advice(reason) if reason else None,
        file=source.file if source else None,
        line=source.line if source else None,
        module=module_path(node),
        bytes_to_host=moved,
    )


def _stage_before(stage: str) -> str:
    stages = list(FILES)
    return stages[max(stages.index(stage) - 1, 0)]


def _crossing(node: Node, region_of: Mapping[str, int]) -> set[Node]:
    """The values that go from a program to the host op, or from it to a program. Views move nothing."""
    if node.name in region_of:
        return set()
    operands = {_shown(operand, region_of) for operand in node.all_input_nodes}
    results = [user for user in node.users if user.target is operator.getitem] or [node]
    return {value for value in operands if _is_on_lpu(value, region_of)} | {
        value for value in results if _is_read_by_region(value, region_of)
    }


def _is_on_lpu(node: Node, region_of: Mapping[str, int]) -> bool:
    producer = args_of(node)[0] if node.target is operator.getitem else node
    return producer.name in region_of


def _is_host_view(node: Node, region_of: Mapping[str, int]) -> bool:
    view = node.op == "call_function" and not partition.computes(node)
    return view and not _is_on_lpu(node, region_of)


def _shown(node: Node, region_of: Mapping[str, int]) -> Node:
    """What a view on the host shows."""
    while _is_host_view(node, region_of) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def _is_read_by_region(node: Node, region_of: Mapping[str, int]) -> bool:
    return any(
        user.name in region_of or (_is_host_view(user, region_of) and _is_read_by_region(user, region_of))
        for user in node.users
    )


def _bytes(values: Iterable[Node]) -> int:
    tensors = support.tensors_of([node.meta.get("val") for node in values])
    return sum(value.numel() * value.element_size() for value in tensors)
