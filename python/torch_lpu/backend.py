# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`torch.compile(model, backend="lpu")`: the function behind the entry point.

Dynamo's graph -> attention kept whole -> AOTAutograd with our decompositions ->
`compile_fx`: normalise, split, compile each region, and leave the rest to eager.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.fx import GraphModule
from torch.nn.attention import SDPBackend, sdpa_kernel

from . import compiler, diagnostics, dump, failures, partition
from .attention import keep_attention
from .cache import process_cache
from .decompositions import decomposition_table
from .decompositions.libraries import library_decompositions
from .diagnostics import Fallback, StageError
from .machines import machine_text
from .normalize import Mutation, normalize
from .options import Options
from .overlaps import follow_overlaps
from .program import Program
from .sharing import Share, check_written, keep_sharing
from .signature import bind_signature
from .specialize import needs_specialization, specialize

# How often a graph is split anew after a stage failed.
MAX_RETRIES = 16

# Why a graph is left to eager as Dynamo captured it: sizes of jagged rows are no numbers.
NESTED = "nested tensors are not lowered"

# (graph, names of its inputs, "inference" or "forward" or "backward") -> what runs instead of the graph.
CompileATen = Callable[[GraphModule, dict[str, str], str], Callable[..., Any]]


def lpu(
    gm: GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Compiles Dynamo's graph for the LPU. `mode` means nothing here; some callers always set one."""
    return compile_captured(gm, example_inputs, check_options(options))


def check_options(options: Mapping[str, Any] | None) -> Options:
    checked = Options.from_user(options)
    machine_text(checked.machine)  # A wrong machine is the user's error: now, not inside a fallback.
    return checked


def compile_captured(
    gm: GraphModule, example_inputs: Sequence[Any], options: Options, compile_aten: CompileATen | None = None
) -> Callable[..., Any]:
    """Compiles Dynamo's graph; `compile_aten` replaces what is done with the ATen graphs that come of it."""
    if options.enabled("attention"):
        keep_attention(gm)

    def compile_static(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        return compile_dynamo(graph, inputs, options, compile_aten or _compile_aten(options))

    if any(isinstance(value, torch.Tensor) and value.is_nested for value in example_inputs):
        return _leave(gm, NESTED, options)
    if needs_specialization(example_inputs):
        return specialize(gm, compile_static)
    return follow_overlaps(gm, example_inputs, compile_static)


def _leave(gm: GraphModule, reason: str, options: Options) -> Callable[..., Any]:
    """Reports that all of Dynamo's graph runs in eager."""
    nodes = [node for node in gm.graph.nodes if node.op.startswith("call")]
    fallbacks = [diagnostics.make_fallback(node, reason) for node in nodes]
    diagnostics.report_fallbacks(fallbacks, options.fallback)
    return gm.forward


def _compile_aten(options: Options) -> CompileATen:
    return lambda graph, names, kind: compile_fx(graph, options, names)


def compile_dynamo(
    gm: GraphModule, example_inputs: Sequence[Any], options: Options, compile_aten: CompileATen
) -> Callable[..., Any]:
    from torch._dynamo.backends.common import aot_autograd

    names = argument_names(gm)
    inference = not (torch.is_grad_enabled() and any(_requires_grad(value) for value in example_inputs))

    def compiler_of(kind: str) -> Callable[..., Any]:
        def compile_aot(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
            return boxed(compile_aten(graph, _names_by_placeholder(graph, names), kind))

        return compile_aot

    compile_graph = aot_autograd(
        fw_compiler=compiler_of("forward"),
        bw_compiler=compiler_of("backward"),
        inference_compiler=compiler_of("inference"),
        decompositions={**decomposition_table(inference), **library_decompositions()},
        keep_inference_input_mutations=True,
    )
    if options.enabled("attention"):
        return compile_graph(gm, example_inputs)
    with sdpa_kernel(SDPBackend.MATH):  # Traced as products and a softmax.
        return compile_graph(gm, example_inputs)


def boxed(function: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """The calling convention of AOTAutograd's compilers: one list, emptied so that memory can go."""

    def call(args: list[Any]) -> Any:
        taken = list(args)
        args.clear()
        return function(*taken)

    call._boxed_call = True  # type: ignore[attr-defined]
    return call


def _requires_grad(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def argument_names(gm: GraphModule) -> list[str]:
    """The user's name of each input of Dynamo's graph: `layers.0.weight`, `x`."""
    names = []
    for node in gm.graph.find_nodes(op="placeholder"):
        argument = node.meta.get("grapharg")
        name = getattr(getattr(argument, "source", None), "name", None)
        names.append(_user_name(name if isinstance(name, str) else node.name))
    return names


_MEMBER = re.compile(r"(?:\._modules|\._parameters|\._buffers)?\['?(\w+)'?\]")
# What Dynamo calls the module that is compiled itself.
_ROOTS = ("self.", "fn.")


def _user_name(source: str) -> str:
    """`L['self']._modules['0']._parameters['weight']` -> `0.weight`."""
    name = _MEMBER.sub(r".\1", source.removeprefix("L").removeprefix("G")).lstrip(".")
    for root in _ROOTS:
        name = name.removeprefix(root)
    return name


def _names_by_placeholder(graph: GraphModule, names: Sequence[str]) -> dict[str, str]:
    """AOTAutograd's placeholders say which of Dynamo's inputs they are, if they are one."""
    result = {}
    for node in graph.graph.find_nodes(op="placeholder"):
        index = getattr(node.meta.get("desc"), "idx", None)
        if isinstance(index, int) and index < len(names):
            result[node.name] = names[index]
    return result


def compile_fx(gm: GraphModule, options: Options, names: dict[str, str]) -> Callable[..., Any]:
    """Compiles an ATen graph; what a stage refuses is left to eager and the rest is tried again."""
    mutations, share = prepare(gm, options, names)
    compiled = _compile_normalized(gm, mutations, options, names)
    return compiled if share is None else lambda *args: share(compiled(*args))


def prepare(
    gm: GraphModule, options: Options, names: Mapping[str, str]
) -> tuple[list[Mutation], Share | None]:
    """Normalises the graph in place; what it then returns has to be shared by `Share`, if there is one."""
    mutations = normalize(gm, options)
    check_written(gm, mutations, names)
    return mutations, keep_sharing(gm, mutations)


def _compile_normalized(
    gm: GraphModule, mutations: Sequence[Mutation], options: Options, names: dict[str, str]
) -> Callable[..., Any]:
    def forbid(fallbacks: Sequence[Fallback]) -> None:
        if options.fallback == "error":
            diagnostics.report_fallbacks(fallbacks, options.fallback)

    try:
        compiled, fallbacks = compile_parts(gm, mutations, options, region_compiler(options, names), forbid)
    except StageError as failure:
        return _all_eager(gm, mutations, failure, options)
    diagnostics.report_fallbacks(fallbacks, options.fallback)
    return compiled


def compile_parts(
    gm: GraphModule,
    mutations: Sequence[Mutation],
    options: Options,
    compile_region: partition.CompileGraph,
    start: Callable[[Sequence[Fallback]], None],
) -> tuple[Callable[..., Any], list[Fallback]]:
    """Splits and compiles a normalised graph, again and again until no stage fails.

    Changes `gm` as far as eager is to run it. `start` hears before each attempt what is left to eager.
    Raises the last failure if it cannot be pinned on nodes.
    """
    failure: StageError | None = None
    for _ in range(MAX_RETRIES):
        failures.undo_refused(gm)
        graph = partition.copy_graph_module(gm)
        fallbacks = partition.fallbacks_of(partition.refused_nodes(graph))
        start(fallbacks)
        try:
            return partition.compile_graph(graph, mutations, compile_region), fallbacks
        except StageError as error:
            failure = error
            command = diagnostics.write_reproducer(error, options.dump_dir) if error.internal else ""
            if not failures.learn(gm, error, options, command):
                break
    assert failure is not None
    raise failure


def region_compiler(options: Options, names: dict[str, str]) -> partition.CompileGraph:
    def compile_region(gm: GraphModule, aliases: dict[int, int]) -> Program:
        from ._simulator import Program as Executable

        signature = bind_signature(gm, aliases, names)
        reuse = options.cache and options.dump_dir is None
        compilation = compiler.compile_graph(gm, signature, options, process_cache if reuse else None)
        run_options = options.run_options
        program = Program(Executable.load(compilation.binary), signature, compilation, run_options)
        if options.dump_dir is not None:
            directory = dump.next_directory(options.dump_dir)
            dump.dump_compilation(directory, gm, compilation)
            program.on_first_run = lambda inputs: dump.dump_run(directory, inputs, run_options)
        return program

    return compile_region


def _all_eager(
    gm: GraphModule, mutations: Sequence[Mutation], failure: StageError, options: Options
) -> Callable[..., Any]:
    """Nothing of the graph compiles, for a reason that is ours: say so, with a way to see it again."""
    nodes = [node for node in gm.graph.nodes if partition.computes(node)]
    if options.fallback == "error":
        command = diagnostics.write_reproducer(failure, options.dump_dir)
        hint = f"; replay with: {command}" if command else ""
        fallbacks = [diagnostics.make_fallback(node, str(failure)) for node in nodes]
        raise diagnostics.FallbackError(f"torch-lpu: {failure}{hint}", fallbacks) from failure
    diagnostics.report_internal_failure(failure, options.dump_dir, nodes)
    return partition.run_eagerly(partition.copy_graph_module(gm), mutations)
