# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which FX nodes the LPU takes, and why it does not take the others.

A node is refused for what can be seen (its types, its kind) or for what was
learned: the signature of a node that made a stage fail is remembered for the
life of the process, so that later graphs leave it out at once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._ops import OpOverload
from torch.fx import Node
from torch.utils._pytree import tree_leaves

from . import ops
from .fitting import unfit_in

aten, prims = torch.ops.aten, torch.ops.prims

# Element types of the machine, with their names in the IR and in messages.
DTYPES: dict[torch.dtype, str] = {
    torch.float32: "f32",
    torch.bfloat16: "bf16",
    torch.float16: "f16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "bool",
}

_DTYPE_REASONS: dict[torch.dtype, str] = {
    torch.float64: "the machine has no float64 and never narrows it silently",
}

# Ops of which only metadata remains: never a reason to build or to leave a program.
VIEW_OPS = frozenset(
    getattr(packet, overload)
    for packet in (
        aten.alias,
        aten.detach,
        aten.expand,
        aten.permute,
        aten.select,
        aten.slice,
        aten.split,
        aten.split_with_sizes,
        aten.squeeze,
        aten.t,
        aten.transpose,
        aten.unbind,
        aten.unsqueeze,
        aten.view,
        aten.as_strided,
        aten.diagonal,
        aten.unfold,
        prims.broadcast_in_dim,
        prims.collapse_view,
        prims.split_dim,
        prims.squeeze,
        prims.transpose,
        prims.view_of,
    )
    for overload in packet.overloads()
)

# Metadata of a node: why eager raises an error when it comes to it.
REFUSED_BY_EAGER = "refused_by_eager"

_SERIES = "how many terms its series takes depends on values"
_RECURRENCE = "its degree, which is the number of its steps, is a value"

# What has no program of a fixed length, or what the importer or torch-mlir accepts
# but computes less than asked, or computes something else.
_REFUSED: dict[OpOverload, str] = {
    aten._assert_async.msg: "an assertion has to be able to stop the program",
    aten._assert_async.default: "an assertion has to be able to stop the program",
    aten._linalg_check_errors.default: "an assertion has to be able to stop the program",
    aten._upsample_bilinear2d_aa.default: "eager has a fixed point of its own for it",
    aten.igamma.default: _SERIES,
    aten.igammac.default: _SERIES,
    aten.linalg_matrix_exp.default: "how often it squares depends on values",
    aten.special_laguerre_polynomial_l.default: _RECURRENCE,
    aten.special_laguerre_polynomial_l.x_scalar: _RECURRENCE,
    aten.special_legendre_polynomial_p.default: _RECURRENCE,
    aten.special_legendre_polynomial_p.x_scalar: _RECURRENCE,
    aten.special_zeta.default: _SERIES,
    aten.special_zeta.other_scalar: _SERIES,
    aten.special_zeta.self_scalar: _SERIES,
    aten._local_scalar_dense.default: "its value decides what Python does next",
    aten.copy_.default: "it writes into a view, which a functional graph cannot say",
}

# Some choose pivots by values; torch-mlir knows a few of them, without pivots.
_LAPACK = (
    aten._linalg_det,
    aten._linalg_eigh,
    aten._linalg_eigvals,
    aten._linalg_slogdet,
    aten._linalg_solve_ex,
    aten._linalg_svd,
    aten.cholesky,
    aten.cholesky_inverse,
    aten.cholesky_solve,
    aten.geqrf,
    aten.linalg_cholesky_ex,
    aten.linalg_eig,
    aten.linalg_householder_product,
    aten.linalg_inv_ex,
    aten.linalg_ldl_factor_ex,
    aten.linalg_ldl_solve,
    aten.linalg_lstsq,
    aten.linalg_lu,
    aten.linalg_lu_factor_ex,
    aten.linalg_lu_solve,
    aten.linalg_pinv,
    aten.linalg_qr,
    aten.linalg_solve_triangular,
    aten.lu_unpack,
    aten.ormqr,
    aten.triangular_solve,
)
_REFUSED.update(
    (getattr(packet, overload), "it is LAPACK's, which the host has")
    for packet in _LAPACK
    for overload in packet.overloads()
)

# Signature of a node -> why it fails, and at which stage.
_learned: dict[str, tuple[str, str]] = {}


def learn(node: Node, reason: str, stage: str) -> None:
    """Remembers that nodes like this one fail."""
    _learned[signature(node)] = reason, stage


def learned(node: Node) -> tuple[str, str] | None:
    """Why nodes like this one fail, and at which stage, if one did."""
    return _learned.get(signature(node))


def forget() -> None:
    """Forgets what was learned (tests)."""
    _learned.clear()


def tensors_of(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_of(item)


def signature(node: Node) -> str:
    """Target, types, shapes and plain arguments: what decides whether a node lowers."""

    def render(value: Any) -> str:
        if isinstance(value, Node):
            value = value.meta.get("val")
        if isinstance(value, torch.Tensor):
            return f"{DTYPES.get(value.dtype, value.dtype)}{list(value.shape)}"
        if isinstance(value, list | tuple):
            return f"[{','.join(render(item) for item in value)}]"
        return repr(value)

    arguments = [render(argument) for argument in node.args]
    arguments += [f"{key}={render(argument)}" for key, argument in sorted(node.kwargs.items())]
    return f"{node.target}({', '.join(arguments)})"


def reason_to_refuse(node: Node) -> str | None:
    """Why the node runs in eager, or None if the LPU takes it."""
    for rule in _RULES:
        reason = rule(node)
        if reason is not None:
            return reason
    return None


def called(node: Node) -> Any:
    """What a node calls: of one that orders an operation with effects behind others, that operation."""
    return node.args[1] if node.target is torch.ops.higher_order.with_effects else node.target


def _kind(node: Node) -> str | None:
    if node.op == "get_attr":
        return None
    if node.op != "call_function":
        return f"{node.op} nodes are not ATen operations"
    if node.target is operator.getitem or node.target in ops.OWN_OPS:
        return None
    if called(node) is not node.target:
        return _REFUSED.get(called(node), "it has effects besides its results, which a program has not")
    if not isinstance(node.target, OpOverload):
        return "higher-order and Python operations are not lowered"
    if node.target.namespace not in ("aten", "prims"):
        return "custom operations are not lowered"
    return _REFUSED.get(node.target)


def _tags(node: Node) -> str | None:
    if not isinstance(node.target, OpOverload):
        return None
    tags = node.target.tags
    if torch.Tag.nondeterministic_seeded in tags:
        return "random numbers come from the host's generator"
    if torch.Tag.data_dependent_output in tags:
        return "its value decides what Python does next"
    if node.target._schema.is_mutable:
        return "it changes its operand in place, which a functional graph cannot say"
    return None


def _values(node: Node) -> str | None:
    operands = [operand.meta.get("val") for operand in node.all_input_nodes]
    for tensor in tensors_of([node.meta.get("val"), *operands]):
        if tensor.dtype not in DTYPES:
            name = str(tensor.dtype).removeprefix("torch.")
            return _DTYPE_REASONS.get(tensor.dtype, f"the machine has no {name}")
        if tensor.layout != torch.strided:
            return f"{tensor.layout} tensors are not lowered"
        if tensor.device.type not in ("cpu", "meta"):
            return f"tensors on {tensor.device} are not the host's"
        if any(not isinstance(size, int) for size in tensor.shape):
            return "a size is known only at run time"
    symbols = torch.SymInt | torch.SymFloat | torch.SymBool
    if any(isinstance(value, symbols) for value in (node.meta.get("val"), *operands)):
        return "a size is known only at run time"
    return None


def _integers(node: Node) -> str | None:
    """Eager takes some and wraps them, as in `x - 2**63`."""
    numbers = (value for value in tree_leaves((node.args, node.kwargs)) if isinstance(value, int))
    if any(not -(2**63) <= number < 2**63 for number in numbers):
        return "a Python integer in it does not fit int64"
    return None


def _fitting(node: Node) -> str | None:
    """Whether it is an error is for eager to say."""
    found = unfit_in(node)
    if found is None:
        return None
    number, dtype = found
    name = str(dtype).removeprefix("torch.")
    return f"{number} does not fit {name}, which eager may answer with an error"


def _errors(node: Node) -> str | None:
    return node.meta.get(REFUSED_BY_EAGER)


def _bits(node: Node) -> str | None:
    """A view as another type is a bitcast of elements if these have the same size."""
    if node.target is not aten.view.dtype:
        return None
    value, operand = node.meta["val"], node.all_input_nodes[0].meta["val"]
    if value.dtype.itemsize != operand.dtype.itemsize or torch.bool in (value.dtype, operand.dtype):
        return "elements of another size are another view of the memory"
    if torch.float16 in (value.dtype, operand.dtype) and value.dtype != operand.dtype:
        return "the machine cannot take the bits of a float16"
    return None


def _steps(node: Node) -> str | None:
    """Others are decomposed."""
    if node.target in (aten.linspace.Tensor_Tensor, aten.linspace.Tensor_Scalar, aten.linspace.Scalar_Tensor):
        return "eager has float64 steps for integers"
    return None


def _gaps(node: Node) -> str | None:
    """Dense memory without values became zeros (constants.py)."""
    if node.target in (aten.empty_strided.default, aten.new_empty_strided.default):
        return "its elements do not lie side by side, as those that a program writes do"
    return None


def _experience(node: Node) -> str | None:
    reason, _ = learned(node) or (None, None)
    return reason


_RULES: tuple[Callable[[Node], str | None], ...] = (
    _kind,
    _tags,
    _values,
    _integers,
    _fitting,
    _errors,
    _bits,
    _gaps,
    _steps,
    _experience,
)
