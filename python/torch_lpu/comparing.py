# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compare`: a function on the LPU against float64, op by op.

Each graph is compiled a second time with every node a result: fusion never
changes a bit, so these are the values that the graph computes. A node is then
held against float64 twice: on the values that the LPU gave it, which says
whether this op is wrong, and on a chain of float64 values from the start.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from . import backend, diagnostics, partition
from .capturing import ORIGIN, Capture, Compiled, Source, capture, snapshot
from .comparison import EAGER, FLOAT64, ComparedOp, ComparedResult, Comparison
from .diagnostics import StageError
from .instructions import instructions_of
from .locations import module_path, source_line
from .options import Options
from .program import Program
from .rewriting import args_of
from .widening import (
    EXACT,
    NO_WIDE_FORM,
    Error,
    evaluate,
    is_comparable,
    measure,
    narrow,
    tolerance_of,
    widen,
)

# Results of a whole graph may be this many times eager's error off: roundings add up otherwise.
RESULT_FACTOR = 8.0


def compare(
    fn: Callable[..., Any], *args: Any, options: Mapping[str, Any] | None = None, **kwargs: Any
) -> Comparison:
    """Runs `fn(*args, **kwargs)` on the LPU and compares every op of it with float64.

    `options` are those of the backend; everything else is for `fn`. The
    caller's tensors stay as they are.
    """
    checked = backend.check_options(options)
    found = capture(fn, args, kwargs, checked)
    if found.error is not None:
        raise found.error
    return compare_captured(found, checked)


def compare_captured(found: Capture, options: Options) -> Comparison:
    ops: list[ComparedOp] = []
    stable = True
    for number, graph in enumerate(found.compiled):
        rows, same = _compare_graph(number, graph, options)
        ops += rows
        stable = stable and same
    results = [row for number, source in enumerate(found.sources) for row in compare_results(number, source)]
    return Comparison(tuple(ops), tuple(results), stable)


@dataclass
class _Values:
    """What the LPU computed for each node, and the programs that did."""

    of: dict[Node, Any]
    programs: list[tuple[Program, dict[str, str]]]  # With names of nodes here -> names in the program.

    def runs_on(self, node: Node) -> tuple[str, tuple[str, ...]]:
        for number, (program, names) in enumerate(self.programs):
            if node.name in names:
                isa = program.compilation.products["isa"]
                assert isinstance(isa, str)
                found = instructions_of(isa, names[node.name])
                return f"program {number}", tuple(map(str, found))
        return "host", ()


def _compute_all(graph: Compiled, options: Options) -> _Values:
    options = dataclasses.replace(options, cache=False, dump_dir=None)
    programs: list[tuple[Program, dict[str, str]]] = []
    compile_one = backend.region_compiler(options, graph.names)

    def compile_region(gm: GraphModule, aliases: dict[int, int]) -> Program:
        names = {node.meta[ORIGIN]: node.name for node in gm.graph.nodes if ORIGIN in node.meta}
        program = compile_one(gm, aliases)
        assert isinstance(program, Program)
        programs.append((program, names))
        return program

    nodes = [node for node in graph.gm.graph.nodes if node.op == "call_function"]
    wanted = [node for node in nodes if isinstance(node.meta.get("val"), Tensor)]
    gm = partition.copy_graph_module(graph.gm)
    copy_of = dict(zip(graph.gm.graph.nodes, gm.graph.nodes, strict=True))
    output = gm.graph.output_node()
    changed = args_of(output)[0][: len(graph.mutations)]
    output.args = ((*changed, *(copy_of[node] for node in wanted)),)
    try:
        compiled, _ = backend.compile_parts(
            gm, graph.mutations, options, compile_region, lambda fallbacks: programs.clear()
        )
    except StageError:  # The backend has told of it, or will: there is nothing to compare.
        programs.clear()
        compiled = partition.run_eagerly(partition.copy_graph_module(gm), graph.mutations)
    values = compiled(*snapshot(graph.inputs))
    return _Values(dict(zip(wanted, values, strict=True)), programs)


def _compare_graph(number: int, graph: Compiled, options: Options) -> tuple[list[ComparedOp], bool]:
    values = _compute_all(graph, options)
    inputs = iter(graph.inputs)
    chain: dict[Node, Any] = {}
    here: dict[Node, Any] = dict(values.of)
    local: dict[Node, Any] = {}  # Tuples are kept too, for those who take them apart.
    eager: dict[Node, Any] = {}
    no_wide_form: set[Node] = set()
    coarsest = 0.0  # A chain is as good as the coarsest type in it.
    rows = []
    for node in graph.gm.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            here[node] = next(inputs) if node.op == "placeholder" else _attribute(graph.gm, node)
            coarsest = max(coarsest, tolerance_of(here[node]))
            chain[node] = widen(here[node])
        if node.op != "call_function":
            continue
        producer = node.args[0] if node.target is operator.getitem else node
        if not is_comparable(producer):
            chain[node] = widen(here.get(node))
        elif producer is not node and isinstance(producer.meta.get("val"), list | tuple):
            local[node], eager[node], chain[node] = (d[producer][node.args[1]] for d in (local, eager, chain))
        else:
            eager[node] = evaluate(node, here.__getitem__, wide=False)
            try:
                local[node] = evaluate(node, here.__getitem__, wide=True)
                chain[node] = evaluate(node, chain.__getitem__, wide=True)
            except NO_WIDE_FORM:  # Held against eager's value, with which the chain goes on.
                no_wide_form.add(node)
                local[node] = chain[node] = widen(eager[node])
        if node in values.of:
            coarsest = max(coarsest, tolerance_of(values.of[node]))
            reference = EAGER if producer in no_wide_form else FLOAT64
            row = _compare_node(
                number, graph.kind, node, producer, values, local, eager, chain, coarsest, reference
            )
            rows.append(row)
    return rows, _same_results(graph, values)


def _attribute(gm: GraphModule, node: Node) -> Any:
    return operator.attrgetter(str(node.target))(gm)


def _compare_node(
    number: int,
    kind: str,
    node: Node,
    producer: Node,
    values: _Values,
    local: Mapping[Node, Any],
    eager: Mapping[Node, Any],
    chain: Mapping[Node, Any],
    coarsest: float,
    reference: str,
) -> ComparedOp:
    value = values.of[node]
    error = host = total = EXACT
    verdict = "not compared"
    if node in local:
        error, host = measure(value, local[node]), measure(eager[node], local[node])
        total = measure(value, chain[node], coarsest)
        verdict = "diverges" if error.is_worse_than(host) else "ok" if total.within else "inherited"
    if not values.programs:
        verdict = "not compared"
    runs_on, instructions = values.runs_on(node)
    source = source_line(node)
    return ComparedOp(
        graph=number,
        kind=kind,
        name=node.name,
        op=diagnostics.op_name(producer),
        dtype=diagnostics.dtype_name(node),
        shape=tuple(value.shape),
        file=source.file if source else None,
        line=source.line if source else None,
        module=module_path(node),
        runs_on=runs_on,
        error=error.absolute,
        ulp=error.ulp,
        eager_error=host.absolute,
        eager_ulp=host.ulp,
        chain_error=total.absolute,
        verdict=verdict,
        reference=reference,
        instructions=instructions if verdict == "diverges" else (),
        is_view=not partition.computes(producer),
    )


def _same_results(graph: Compiled, values: _Values) -> bool:
    """Whether the results have the bits that they had when nothing else was returned."""
    places = args_of(graph.gm.graph.output_node())[0][len(graph.mutations) :]
    return not values.programs or all(
        node not in values.of or same_bits(values.of[node], output)
        for node, output in zip(places, graph.outputs, strict=True)
        if isinstance(node, Node) and isinstance(output, Tensor)
    )


def same_bits(a: Tensor, b: Tensor) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    a, b = (tensor.contiguous().reshape(-1).view(torch.uint8) for tensor in (a, b))
    return torch.equal(a, b)


def trace_source(source: Source) -> GraphModule:
    """The graph as ATen operations before any decomposition of ours."""
    with torch.no_grad():
        function = torch.func.functionalize(source.gm, remove="mutations_and_views")
        return make_fx(function)(*snapshot(source.inputs))


def compare_results(number: int, source: Source) -> list[ComparedResult]:
    """What came back from the LPU, against a graph that we did not touch."""
    with torch.no_grad():
        host = source.gm(*snapshot(source.inputs))
        traced = trace_source(source)
    wide, reference = evaluate_wide(traced, source.inputs)
    rows = []
    for place, output in enumerate(source.outputs):
        if not isinstance(output, Tensor):
            continue
        error = eager = EXACT
        verdict = "not compared"
        if wide is not None:
            error, eager = measure(output, wide[place]), measure(host[place], wide[place])
            verdict = "ok" if _is_close(error, eager) else "diverges"
        dtype = str(output.dtype).removeprefix("torch.")
        rows.append(
            ComparedResult(
                number, place, dtype, tuple(output.shape), error.absolute, error.ulp,
                eager.absolute, eager.ulp, verdict, reference,
            )
        )  # fmt: skip
    return rows


def _is_close(error: Error, eager: Error) -> bool:
    return error.within or error.absolute <= RESULT_FACTOR * eager.absolute


def evaluate_wide(gm: GraphModule, inputs: Iterable[Any]) -> tuple[Sequence[Any] | None, str]:
    """The results of an ATen graph in float64, and what they are; None if the graph is random or undefined.

    An op without a float64 form is computed in its own type, on rounded operands.
    """
    values: dict[Node, Any] = {}
    reference = FLOAT64
    given = iter(inputs)
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            values[node] = widen(next(given))
        elif node.op == "get_attr":
            values[node] = widen(_attribute(gm, node))
        elif node.op == "call_function":
            if not is_comparable(node):
                return None, reference
            try:
                values[node] = evaluate(node, values.__getitem__, wide=True)
            except NO_WIDE_FORM:
                reference = EAGER
                try:
                    values[node] = widen(evaluate(node, lambda n: narrow(n, values[n]), wide=False))
                except NO_WIDE_FORM:
                    return None, reference
    returned = args_of(gm.graph.output_node())[0]
    places = returned if isinstance(returned, list | tuple) else (returned,)
    return [values[node] if isinstance(node, Node) else node for node in places], reference
