# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# torch_mlir.ir is a native module without stubs.
# pyright: reportAttributeAccessIssue=false
"""FX -> torch dialect, as text, by torch-mlir's FxImporter.

Ours on top of the importer: locations that name the FX node and the model's
Python line; the whole operations (`lpu::attention`, `lpu::scatter`) and the bits
of a tensor as another type, which torch-mlir does not lower, as calls to private
functions that carry their attributes; names of arguments and
aliases of results as attributes of `@main`. The text depends on the graph
alone, so it is what caches are keyed by.

Repeated layers become calls of one private function with a body. The function
is located at the nodes that it holds, in their order, and each call at the
nodes that it stands for: so `lpu-stamp-layers` knows who is who.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch_mlir import ir
from torch_mlir.dialects import func as func_dialect
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_as_strided import rewrite_as_strided
from torch_mlir.extras.fx_importer import ContextCache, FxImporter, GraphNodeImporter

from . import ops
from .diagnostics import StageError
from .layers import Layers, canonical_order, find_layers
from .locations import portable, source_line
from .rewriting import args_of
from .signature import ProgramResult, Signature


class _Locations(ContextCache):
    """Types as usual; the location of a node is its name around its Python line."""

    def get_node_location(self, node: Node) -> ir.Location:
        line = source_line(node)
        inner = (
            ir.Location.unknown(context=self._c)
            if line is None
            else ir.Location.file(portable(line.file), line.line, 0, context=self._c)
        )
        return ir.Location.name(node.name, childLoc=inner, context=self._c)


class _NodeImporter(GraphNodeImporter):
    """Imports operations of `_WHOLE_OPS` as calls to private functions, wide products as ATen's."""

    def _import_torch_op_overload(self, loc: ir.Location, node: Node, concrete_target: Any = None) -> None:
        if node.target is ops.product:
            self._import_product(loc, node)
            return
        describe_attributes = _WHOLE_OPS.get(node.target)
        if describe_attributes is None:
            super()._import_torch_op_overload(loc, node, concrete_target)
            return
        operands = [self.resolve_node_value(operand) for operand in node.args if isinstance(operand, Node)]
        result = self._cc.node_val_to_type(node)
        function = self.fx_importer.declare(describe_attributes(node), [v.type for v in operands], result)
        call = func_dialect.CallOp([result], function, operands, loc=loc)
        self.bind_node_value(node, call.results[0])

    def _import_product(self, loc: ir.Location, node: Node) -> None:
        """`torch.aten.mm` and `torch.aten.bmm` accumulate in float32 and round only to a narrower result."""
        result = self._cc.node_val_to_type(node)
        operands = [self.resolve_node_value(operand) for operand in args_of(node)]
        name = {2: "torch.aten.mm", 3: "torch.aten.bmm"}[node.meta["val"].dim()]
        product = ir.Operation.create(name, results=[result], operands=operands, loc=loc)
        self.bind_node_value(node, product.results[0])


class _Importer(FxImporter):
    """Adds the private functions, one per distinct signature and attributes."""

    __slots__ = ("_declared",)

    def __init__(self, context: ir.Context):
        super().__init__(context=context, graph_node_importer_cls=_NodeImporter)
        self._cc = _Locations(context, py_attr_tracker=self._py_attr_tracker)
        self._declared: dict[str, str] = {}

    def declare(self, attributes: dict[str, str], operands: list[ir.Type], result: ir.Type) -> str:
        type_ = ir.FunctionType.get(operands, [result], context=self._c)
        key = f"{attributes} {type_}"
        if key not in self._declared:
            operation = attributes["lpu.op"].strip('"')
            name = (
                f"lpu.{operation}_{sum(n.startswith(f'lpu.{operation}_') for n in self._declared.values())}"
            )
            with ir.Location.unknown(self._c), ir.InsertionPoint(self._m.body):
                function = func_dialect.FuncOp(name, type_, visibility="private")
                for attribute, value in attributes.items():
                    function.attributes[attribute] = ir.Attribute.parse(value)
            self.symbol_table.insert(function)
            self._declared[key] = name
        return self._declared[key]


def _attention_attributes(node: Node) -> dict[str, str]:
    scale, causal = args_of(node)[4:6]
    return {
        "lpu.op": '"attention"',
        "lpu.scale": f"{float(scale)!r} : f64",
        "lpu.causal": "true" if causal else "false",
    }


def _scatter_attributes(node: Node) -> dict[str, str]:
    axis, wrap_negative = node.args[3], node.args[4]
    attributes = {"lpu.op": '"scatter"', "lpu.axis": f"{axis} : i64"}
    return {**attributes, "lpu.wrap_negative": "unit"} if wrap_negative else attributes


_WHOLE_OPS: dict[Any, Callable[[Node], dict[str, str]]] = {
    torch.ops.aten.view.dtype: lambda node: {"lpu.op": '"bitcast"'},
    ops.attention: _attention_attributes,
    ops.scatter: _scatter_attributes,
}


def import_graph(gm: GraphModule, signature: Signature, outline_layers: bool = False) -> str:
    """The text of the torch-dialect module whose `@main` is the graph.

    `outline_layers` makes repeated layers calls of functions of their own.
    """
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = _Importer(context)
    try:
        rewrite_as_strided(gm.graph)
    except Exception as error:
        strided = gm.graph.find_nodes(op="call_function", target=torch.ops.aten.as_strided.default)
        raise StageError("torch", str(error), nodes=tuple(node.name for node in strided)) from error
    placeholders = gm.graph.find_nodes(op="placeholder")
    (output,) = gm.graph.find_nodes(op="output")
    with context:
        main, node_importer = _create_function(
            importer, "main", placeholders, output.args[0], ir.Location.name("main")
        )
        main.arg_attrs = [
            ir.DictAttr.get({"lpu.name": ir.StringAttr.get(argument.buffer.name)})
            for argument in signature.arguments
        ]
        main.attributes["res_attrs"] = ir.ArrayAttr.get(
            [_result_attributes(result) for result in signature.results]
        )
    order = canonical_order(gm.graph)
    repeated = find_layers(order) if outline_layers else []
    if repeated:
        _import_with_layers(importer, node_importer, order, repeated)
    else:
        _import_nodes(node_importer, [node for node in gm.graph.nodes if node.op != "placeholder"])
    return importer.module.operation.get_asm(enable_debug_info=True)


def _create_function(
    importer: _Importer,
    name: str,
    arguments: Sequence[Node],
    results: Sequence[Node],
    location: ir.Location,
    visibility: str | None = None,
) -> tuple[func_dialect.FuncOp, _NodeImporter]:
    """A function of the types of these nodes, and the importer for its body."""
    locations = importer._cc
    inputs = [locations.node_val_to_type(node) for node in arguments]
    outputs = [locations.node_val_to_type(node) for node in results]
    with location:
        end = ir.InsertionPoint(importer.module.body)
        function = func_dialect.FuncOp(name, (inputs, outputs), visibility=visibility, ip=end)
        block = ir.Block.create_at_start(
            function.body, inputs, [locations.get_node_location(node) for node in arguments]
        )
    importer.symbol_table.insert(function)
    node_importer = _NodeImporter(importer, importer._c, locations, block)
    for node, argument in zip(arguments, block.arguments, strict=True):
        node_importer.bind_node_value(node, argument)
    return function, node_importer


def _import_with_layers(
    importer: _Importer, main: _NodeImporter, order: Sequence[Node], repeated: Sequence[Layers]
) -> None:
    calls = {
        segment[0]: (layers, number) for layers in repeated for number, segment in enumerate(layers.segments)
    }
    inside = {node for layers in repeated for segment in layers.segments for node in segment}
    functions: dict[int, str] = {}
    for node in order:
        if node not in calls:
            if node not in inside:
                _import_nodes(main, [node])
            continue
        layers, number = calls[node]
        if number == 0:
            _import_nodes(main, [layers.segments[0][place] for place in layers.shared])
            functions[id(layers)] = _import_layer(importer, f"layer_{len(functions)}", layers)
        _call_layer(main, functions[id(layers)], layers, number)


def _import_layer(importer: _Importer, name: str, layers: Layers) -> str:
    nodes = [layers.segments[0][place] for place in layers.body]
    results = [layers.segments[0][place] for place in layers.results]
    location = _location_of_all(importer, nodes)
    _, body = _create_function(importer, name, layers.operands[0], results, location, "private")
    _import_nodes(body, nodes)
    with location, ir.InsertionPoint(body._b):
        func_dialect.ReturnOp([body.resolve_node_value(node) for node in results])
    return name


def _call_layer(main: _NodeImporter, function: str, layers: Layers, number: int) -> None:
    segment = layers.segments[number]
    if number:
        for place in layers.shared:
            if isinstance(segment[place].meta["val"], torch.Tensor):
                main.bind_node_value(segment[place], main.resolve_node_value(layers.segments[0][place]))
    operands = [main.resolve_node_value(node) for node in layers.operands[number]]
    results = [segment[place] for place in layers.results]
    types = [main._cc.node_val_to_type(node) for node in results]
    location = _location_of_all(main.fx_importer, [segment[place] for place in layers.body])
    with ir.InsertionPoint(main._b):
        call = func_dialect.CallOp(types, function, operands, loc=location)
    for node, value in zip(results, call.results, strict=True):
        main.bind_node_value(node, value)


def _location_of_all(importer: FxImporter, nodes: Sequence[Node]) -> ir.Location:
    return ir.Location.fused([importer._cc.get_node_location(node) for node in nodes], context=importer._c)


def _result_attributes(result: ProgramResult) -> ir.DictAttr:
    attributes = {"lpu.name": ir.StringAttr.get(result.buffer.name)}
    if result.alias is not None:
        attributes["lpu.alias"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), result.alias)
    return ir.DictAttr.get(attributes)


def _import_nodes(node_importer: _NodeImporter, nodes: Sequence[Node]) -> None:
    """One node at a time, so that a failure is its node's."""
    for node in nodes:
        try:
            node_importer.import_nodes([node])
        except Exception as error:
            message = f"torch-mlir does not import {node.target}: {error or type(error).__name__}"
            raise StageError(stage="torch", message=message, nodes=(node.name,)) from error
