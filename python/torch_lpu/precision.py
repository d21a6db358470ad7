# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How half precision computes: what rounds when, as in eager's CPU kernels.

Eager loads half-precision elements as float32, computes the whole operation
and rounds once. A single arithmetic operation says the same in torch-mlir's
form; one that it composes of several would round after each of them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx import Graph, Node

from .fitting import unfit_in
from .rewriting import call, compute_in

aten = torch.ops.aten

HALVES = (torch.bfloat16, torch.float16)

# What torch-mlir composes of several operations.
_COMPOSED = frozenset(
    {
        aten._log_softmax.default,
        aten._softmax.default,
        aten._trilinear.default,
        aten.convolution_backward.default,
        aten.cumsum.default,
        aten.elu.default,
        aten.gelu.default,
        aten.leaky_relu.default,
        aten.linalg_vector_norm.default,
        aten.native_layer_norm.default,
        aten.pow.Scalar,
        aten.pow.Tensor_Scalar,
        aten.pow.Tensor_Tensor,
        aten.prod.default,
        aten.prod.dim_int,
        aten.sigmoid.default,
    }
)

# Composed if there is a factor.
_SUMS = frozenset({aten.add.Tensor, aten.sub.Tensor})


def round_once(graph: Graph) -> None:
    """Composed operations on half precision compute in float32."""
    for node in list(graph.nodes):
        if not any(_dtype(operand) in HALVES for operand in node.all_input_nodes):
            continue
        if unfit_in(node) is not None:
            continue  # It is refused.
        factor = node.kwargs.get("alpha", 1) if node.target in _SUMS else 1
        if factor != 1:  # Eager rounds the factor too.
            node.kwargs = {**node.kwargs, "alpha": rounded(node.meta["val"].dtype, factor)}
        if factor != 1 or node.target in _COMPOSED:
            compute_in(graph, node, HALVES, torch.float32)


def _dtype(node: Node) -> torch.dtype | None:
    value = node.meta.get("val")
    return value.dtype if isinstance(value, Tensor) else None


# Arithmetic in which PyTorch takes a number beside half-precision tensors as it is; a sum rounds it.
_TAKES_NUMBERS = {aten.div.Tensor, aten.mul.Tensor}


def keep_numbers(graph: Graph) -> None:
    """A number that a half-precision type does not hold stays one: torch-mlir rounds it to that type."""
    for node in list(graph.nodes):
        if node.target not in _TAKES_NUMBERS or _dtype(node) not in HALVES:
            continue
        if not all(_holds(node.meta["val"].dtype, number) for number in node.args):
            compute_in(graph, node, HALVES, torch.float32)


# Arithmetic that torch-mlir folds where it knows the operand.
_FOLDED = frozenset({aten.add.Tensor, aten.div.Tensor, aten.mul.Tensor, aten.rsub.Scalar, aten.sub.Tensor})


def numbers_as_floats(graph: Graph) -> None:
    """Floats take a number as a float: torch-mlir folds a negative integer beside a constant as if it
    had no sign."""
    for node in list(graph.nodes):
        if node.target not in _FOLDED or not node.meta["val"].is_floating_point():
            continue
        node.args = tuple(float(arg) if type(arg) is int else arg for arg in node.args)
        node.kwargs = {key: float(arg) if type(arg) is int else arg for key, arg in node.kwargs.items()}


def _holds(dtype: torch.dtype, number: Any) -> bool:
    if not isinstance(number, int | float):
        return True
    return rounded(dtype, number) == number or number != number


COMPARISONS = frozenset(getattr(aten, name).Scalar for name in ("eq", "ge", "gt", "le", "lt", "ne"))


def round_compared(graph: Graph) -> None:
    """PyTorch rounds a number to the type of the tensor it is compared with; torch-mlir keeps float64."""
    for node in list(graph.nodes):
        if node.target not in COMPARISONS:
            continue
        tensor, number = node.args
        dtype = tensor.meta["val"].dtype
        if isinstance(number, float) and not dtype.is_floating_point:
            dtype = torch.get_default_dtype()
        elif dtype == torch.bool and type(number) is int:  # torch-mlir takes a true bool for -1.
            dtype = torch.int64
        if dtype != tensor.meta["val"].dtype:
            with graph.inserting_before(node):
                tensor = call(graph, node, aten._to_copy.default, tensor, dtype=dtype)
        if dtype.is_floating_point and isinstance(number, int | float):
            number = rounded(dtype, number)
        node.args = (tensor, number)


_COMPARED_TENSORS = frozenset(getattr(aten, name).Tensor for name in ("eq", "ge", "gt", "le", "lt", "ne"))


def promote_compared(graph: Graph) -> None:
    """Tensors of two types are compared as their common type; torch-mlir takes a true bool for -1."""
    for node in list(graph.nodes):
        if node.target not in _COMPARED_TENSORS or not all(isinstance(arg, Node) for arg in node.args):
            continue
        dtype = torch.result_type(*(arg.meta["val"] for arg in node.args))
        for place, operand in enumerate(node.args):
            if _dtype(operand) == dtype:
                continue
            with graph.inserting_before(node):
                node.update_arg(place, call(graph, node, aten._to_copy.default, operand, dtype=dtype))


def rounded(dtype: torch.dtype, number: float) -> float:
    with unset_fake_temporarily():
        return torch.tensor(number, dtype=torch.float64).to(dtype).item()
