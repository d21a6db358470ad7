# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# torch_mlir.ir is a native module without stubs.
# pyright: reportAttributeAccessIssue=false
"""FX -> torch dialect, as text, by torch-mlir's FxImporter.

Ours on top of the importer: locations that name the FX node and the model's
Python line; the whole operations (`lpu::attention`, `lpu::scatter`) as calls
to private functions that carry their attributes; names of arguments and
aliases of results as attributes of `@main`. The text depends on the graph
alone, so it is what caches are keyed by.
"""

from __future__ import annotations

from collections.abc import Callable
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
    """Imports the whole operations as calls to private functions, wide products as ATen's."""

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
    ops.attention: _attention_attributes,
    ops.scatter: _scatter_attributes,
}


def import_graph(gm: GraphModule, signature: Signature) -> str:
    """The text of the torch-dialect module whose `@main` is the graph."""
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
    locations = importer._cc
    inputs = [locations.node_val_to_type(node) for node in placeholders]
    results = [locations.node_val_to_type(node) for node in output.args[0]]
    with context, ir.Location.name("main"):
        main = func_dialect.FuncOp("main", (inputs, results), ip=ir.InsertionPoint(importer.module.body))
        main.arg_attrs = [
            ir.DictAttr.get({"lpu.name": ir.StringAttr.get(argument.buffer.name)})
            for argument in signature.arguments
        ]
        main.attributes["res_attrs"] = ir.ArrayAttr.get(
            [_result_attributes(result) for result in signature.results]
        )
        block = ir.Block.create_at_start(
            main.body, inputs, [locations.get_node_location(node) for node in placeholders]
        )
        importer.symbol_table.insert(main)
    node_importer = _NodeImporter(importer, context, locations, block)
    for node, argument in zip(placeholders, block.arguments, strict=True):
        node_importer.bind_node_value(node, argument)
    for node in gm.graph.nodes:
        if node.op not in ("placeholder", "get_attr"):
            _import_node(node_importer, node)
    return importer.module.operation.get_asm(enable_debug_info=True)


def _result_attributes(result: ProgramResult) -> ir.DictAttr:
    attributes = {"lpu.name": ir.StringAttr.get(result.buffer.name)}
    if result.alias is not None:
        attributes["lpu.alias"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), result.alias)
    return ir.DictAttr.get(attributes)


def _import_node(node_importer: _NodeImporter, node: Node) -> None:
    """One node at a time, so that a failure is its node's."""
    try:
        node_importer.import_nodes([node])
    except Exception as error:
        message = f"torch-mlir does not import {node.target}: {error or type(error).__name__}"
        raise StageError(stage="torch", message=message, nodes=(node.name,)) from error
