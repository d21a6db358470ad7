# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that compute: elementwise ones, reductions, products and convolutions.

Each function tries to add one statement to a drawing and says whether it did.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from .drawing import Drawing, Value
from .values import DTYPES, FLOATS, INTEGERS

Operation = Callable[[Drawing], bool]
#: By kind, then by name.
OPERATIONS: dict[str, dict[str, Operation]] = {}


def operation(kind: str, *names: str) -> Callable[[Callable[[Drawing, str], bool]], Callable]:
    """Adds a function to the table, under each of the names, which it is told."""

    def register(function: Callable[[Drawing, str], bool]) -> Callable[[Drawing, str], bool]:
        for name in names:
            OPERATIONS.setdefault(kind, {})[name] = lambda drawing, name=name: function(drawing, name)
        return function

    return register


def is_float(tensor: Tensor) -> bool:
    return tensor.is_floating_point()


def is_integer(tensor: Tensor) -> bool:
    return tensor.dtype in INTEGERS


def within(low: float, high: float) -> Callable[[Tensor], bool]:
    """Floating values between the bounds."""
    return lambda t: is_float(t) and bool(((t >= low) & (t <= high)).all())


def apart(distance: float) -> Callable[[Tensor], bool]:
    """No element near zero."""
    return lambda t: t.dtype != torch.bool and bool((t.abs() >= distance).all())


# --- Elementwise ------------------------------------------------------------------

#: Functions that machines approximate, and where they are tame.
FUNCTIONS: dict[str, Callable[[Tensor], bool]] = {
    "exp": within(-20, 5),
    "exp2": within(-20, 8),
    "expm1": within(-20, 5),
    "log": within(0.1, 1e4),
    "log2": within(0.1, 1e4),
    "log1p": within(-0.5, 1e4),
    "sqrt": within(0.05, 1e4),
    "rsqrt": within(0.05, 1e4),
    "reciprocal": lambda t: is_float(t) and apart(0.25)(t),
    "sin": within(-20, 20),
    "cos": within(-20, 20),
    "tan": within(-1, 1),
    "atan": is_float,
    "asin": within(-0.9, 0.9),
    "sinh": within(-5, 5),
    "asinh": is_float,
    "tanh": is_float,
    "sigmoid": is_float,
    "erf": is_float,
    "nn.functional.gelu": is_float,
    "nn.functional.silu": is_float,
    "nn.functional.softplus": within(-15, 15),
    "nn.functional.elu": within(-15, 1e4),
    "nn.functional.mish": within(-15, 15),
    "nn.functional.leaky_relu": is_float,
    "nn.functional.hardswish": is_float,
    "nn.functional.logsigmoid": within(-15, 15),
}


@operation("function", *FUNCTIONS)
def _function(d: Drawing, name: str) -> bool:
    x = d.pick(FUNCTIONS[name])
    return x is not None and d.add(name, f"torch.{name}({x})", [x], inexact=True)


@operation("function", "of integers")
def _function_of_integers(d: Drawing, name: str) -> bool:
    """The result has the default type."""
    x = d.pick(lambda t: not is_float(t) and bool((t.to(torch.int64).abs() < 12).all()))
    function = d.choices.one_of(("sin", "exp", "sigmoid", "tanh"))
    return x is not None and d.add(name, f"torch.{function}({x})", [x], inexact=True)


@operation("unary", "neg", "abs", "relu", "square", "positive")
def _unary(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dtype != torch.bool)
    return x is not None and d.add(name, f"torch.{name}({x})", [x])


@operation("unary", "sign", "floor", "ceil", "round", "trunc", "signbit")
def _rounding(d: Drawing, name: str) -> bool:
    needs_sign = name == "signbit"  # The sign of a NaN is open.
    x = d.pick(lambda t: t.dtype != torch.bool and not (needs_sign and bool(t.isnan().any())), exact=True)
    return x is not None and d.add(name, f"torch.{name}({x})", [x])


@operation("unary", "logical_not", "isnan", "isinf", "isfinite")
def _truth(d: Drawing, name: str) -> bool:
    x = d.pick(exact=True)
    return x is not None and d.add(name, f"torch.{name}({x})", [x])


@operation("unary", "bitwise_not")
def _bitwise_not(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: not is_float(t))
    return x is not None and d.add(name, f"~{x}", [x])


def _fits(x: Value, max_elements: int = 256) -> Callable[[Tensor], bool]:
    """Whether a tensor broadcasts with x."""
    return lambda t: math.prod(torch.broadcast_shapes(t.shape, x.shape)) <= max_elements


def keeps_bits(result: torch.dtype, *operands: Value) -> bool:
    """Whether each operand is the same in the result's type: its conversion is then nobody's choice."""

    def same(value: Value) -> bool:
        back = value.tensor.to(result).to(value.dtype)
        return torch.equal(back.nan_to_num(), value.tensor.nan_to_num())

    return not result.is_floating_point or all(same(operand) for operand in operands)


def _arithmetic(d: Drawing, name: str, text: str, *operands: Value, inexact: bool = False) -> bool:
    """An operation with type promotion."""
    result = operands[0].tensor
    for other in operands[1:]:
        result = torch.empty_like(result, dtype=torch.result_type(result, other.tensor))
    for operand in operands:  # An integer that has to be rounded first is a choice that nothing bounds.
        if not is_float(operand.tensor) and not keeps_bits(result.dtype, operand):
            return False
    return d.add(name, text, operands, inexact=inexact or not keeps_bits(result.dtype, *operands))


def _pair(d: Drawing, exact: bool = False) -> tuple[Value, Value] | None:
    x = d.pick(exact=exact)
    y = d.pick(_fits(x), exact=exact) if x is not None else None
    return (x, y) if x is not None and y is not None else None


@operation("binary", "add", "sub", "mul", "maximum", "minimum")
def _binary(d: Drawing, name: str) -> bool:
    pair = _pair(d)
    return pair is not None and _arithmetic(d, name, f"torch.{name}({pair[0]}, {pair[1]})", *pair)


@operation("binary", "add with alpha", "sub with alpha")
def _with_alpha(d: Drawing, name: str) -> bool:
    pair = _pair(d)
    if pair is None:
        return False
    floating = torch.result_type(pair[0].tensor, pair[1].tensor).is_floating_point
    alpha = d.choices.one_of((2, -3, 0.5) if floating else (2, -3))
    text = f"torch.{name.split()[0]}({pair[0]}, {pair[1]}, alpha={alpha})"
    return _arithmetic(d, name, text, *pair, inexact=True)


@operation("binary", "div")
def _div(d: Drawing, name: str) -> bool:
    x = d.pick()
    y = d.pick(lambda t: _fits(x)(t) and apart(0.25)(t)) if x is not None else None
    if x is None or y is None:
        return False
    integers = not is_float(x.tensor) and not is_float(y.tensor)
    if integers and not keeps_bits(torch.float32, x, y):
        return False
    return _arithmetic(d, name, f"torch.div({x}, {y})", x, y)


@operation("binary", "remainder", "fmod", "floor_divide", "div to zero")
def _quotient(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dtype != torch.bool, exact=True)
    if x is None:
        return False
    divides = apart(2 if is_integer(x.tensor) else 0.25)
    y = d.pick(lambda t: _fits(x)(t) and divides(t) and is_float(t) == is_float(x.tensor), exact=True)
    if y is None:
        return False
    text = (
        f"torch.div({x}, {y}, rounding_mode='trunc')" if name == "div to zero" else f"torch.{name}({x}, {y})"
    )
    return x.dtype == y.dtype and _arithmetic(d, name, text, x, y)


@operation("binary", "bitwise_and", "bitwise_or", "bitwise_xor")
def _bitwise(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: not is_float(t))
    y = d.pick(lambda t: not is_float(t) and _fits(x)(t)) if x is not None else None
    return x is not None and y is not None and d.add(name, f"torch.{name}({x}, {y})", [x, y])


@operation("binary", "bitwise_left_shift", "bitwise_right_shift")
def _shift(d: Drawing, name: str) -> bool:
    x = d.pick(is_integer)
    return x is not None and d.add(name, f"torch.{name}({x}, {d.choices.integer(0, 7)})", [x])


@operation("binary", "atan2", "hypot", "logaddexp")
def _two_floats(d: Drawing, name: str) -> bool:
    x = d.pick(within(0.25, 20) if name == "atan2" else within(-20, 20))
    if x is None:
        return False
    y = d.pick(lambda t: t.dtype == x.dtype and within(-20, 20)(t) and _fits(x)(t))
    return y is not None and _arithmetic(d, name, f"torch.{name}({y}, {x})", y, x, inexact=True)


@operation("binary", "copysign")
def _copysign(d: Drawing, name: str) -> bool:
    x = d.pick(is_float)
    if x is None:
        return False
    # The sign of a NaN is open.
    y = d.pick(lambda t: t.dtype == x.dtype and _fits(x)(t) and not bool(t.isnan().any()), exact=True)
    return y is not None and d.add(name, f"torch.copysign({x}, {y})", [x, y])


@operation("scalar", "add scalar", "sub scalar", "mul scalar", "rsub scalar", "div scalar")
def _scalar(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dtype != torch.bool)
    if x is None:
        return False
    number = d.choices.one_of((2, 1, -3, 0.5, -1.25, 4.0))
    if name == "div scalar" or isinstance(number, float):
        if not is_float(x.tensor) and not keeps_bits(torch.float32, x):
            return False
    signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
    word = name.split()[0]
    text = f"{number} - {x}" if word == "rsub" else f"{x} {signs[word]} {number}"
    return d.add(name, text, [x], inexact=word == "div")


@operation("scalar", "pow", "pow of a number")
def _pow(d: Drawing, name: str) -> bool:
    if name == "pow":
        x = d.pick(within(0.25, 10))
        exponent = d.choices.one_of((2, 3, 0.5, -1, 1.5, -0.75))
        return x is not None and d.add(name, f"{x} ** {exponent}", [x], inexact=True)
    x = d.pick(within(-4, 4))
    return x is not None and d.add(name, f"{d.choices.one_of((2, 0.5, 3))} ** {x}", [x], inexact=True)


@operation("scalar", "clamp", "clamp below")
def _clamp(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dtype != torch.bool)
    low = d.choices.integer(-2, 1) if x is None or x.dtype != torch.uint8 else 1
    high = f", {d.choices.integer(1, 4)}" if name == "clamp" else ""
    return x is not None and d.add(name, f"torch.clamp({x}, {low}{high})", [x])


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@operation("comparison", *_COMPARISONS)
def _compare(d: Drawing, name: str) -> bool:
    pair = _pair(d, exact=True)
    if pair is None or not keeps_bits(torch.result_type(pair[0].tensor, pair[1].tensor), *pair):
        return False
    return d.add(name, f"torch.{name}({pair[0]}, {pair[1]})", pair)


@operation("comparison", "with a number")
def _compare_scalar(d: Drawing, name: str) -> bool:
    x = d.pick(exact=True)
    sign = d.choices.one_of(("==", "!=", "<", "<=", ">", ">="))
    number = d.choices.one_of((0, 1, -2, 0.5))
    return x is not None and d.add(name, f"{x} {sign} {number}", [x])


@operation("comparison", "logical_and", "logical_or", "logical_xor")
def _logical(d: Drawing, name: str) -> bool:
    pair = _pair(d, exact=True)
    return pair is not None and d.add(name, f"torch.{name}({pair[0]}, {pair[1]})", pair)


@operation("ternary", "where")
def _where(d: Drawing, name: str) -> bool:
    pair = _pair(d)
    if pair is None:
        return False
    condition = d.pick(lambda t: t.dtype == torch.bool and _fits(pair[0])(t) and _fits(pair[1])(t))
    if condition is None:
        shape = torch.broadcast_shapes(pair[0].shape, pair[1].shape)
        condition = d.new_input(f"values({tuple(shape)}, torch.bool, 'plain', {d.seed()})")
    x, y = pair
    return keeps_bits(torch.result_type(x.tensor, y.tensor), x, y) and d.add(
        name, f"torch.where({condition}, {x}, {y})", [x, y, condition]
    )


@operation("ternary", "where with a number")
def _where_scalar(d: Drawing, name: str) -> bool:
    condition = d.pick(lambda t: t.dtype == torch.bool)
    if condition is None:
        return False
    x = d.pick(lambda t: t.dtype != torch.bool and _fits(condition)(t))
    return x is not None and d.add(
        name, f"torch.where({condition}, {x}, {d.choices.one_of((0, 2, 1))})", [condition, x]
    )


@operation("ternary", "addcmul", "addcdiv", "lerp")
def _three_floats(d: Drawing, name: str) -> bool:
    x = d.pick(is_float)
    if x is None:
        return False
    y = d.pick(lambda t: t.dtype == x.dtype and _fits(x)(t))
    suits = apart(0.25) if name == "addcdiv" else is_float
    z = d.pick(lambda t: t.dtype == x.dtype and _fits(x)(t) and suits(t))
    if y is None or z is None:
        return False
    value = ", value=0.5" if name != "lerp" and d.choices.chance(50) else ""
    return d.add(name, f"torch.{name}({x}, {y}, {z}{value})", [x, y, z], inexact=True)


@operation("conversion", *(f"to {str(dtype).removeprefix('torch.')}" for dtype in DTYPES))
def _to(d: Drawing, name: str) -> bool:
    dtype = getattr(torch, name.split()[1])
    x = d.pick(lambda t: t.dtype != dtype, exact=not dtype.is_floating_point)
    if x is None:
        return False
    if is_float(x.tensor) and dtype in INTEGERS:  # Out of range, the result is anything.
        limits = torch.iinfo(dtype)
        if not bool(((x.tensor > limits.min / 2) & (x.tensor < limits.max / 2)).all()):
            return False
    if not is_float(x.tensor) and dtype.is_floating_point and not keeps_bits(torch.float32, x):
        return False
    return d.add(name, f"{x}.to({dtype})", [x])


# --- Reductions -------------------------------------------------------------------


def _dims(d: Drawing, x: Value) -> str:
    """One or more dimensions, some of them counted from the end."""
    rank = len(x.shape)
    order = d.choices.shuffled(range(rank))[: d.choices.integer(1, max(1, rank))]
    dims = [dim - rank if d.choices.chance(30) else dim for dim in order]
    return str(dims[0]) if len(dims) == 1 and d.choices.chance(70) else str(tuple(dims))


def _keepdim(d: Drawing) -> str:
    return ", keepdim=True" if d.choices.chance(40) else ""


@operation("reduction", "sum", "mean", "amax", "amin", "logsumexp", "var")
def _reduce(d: Drawing, name: str) -> bool:
    only_floats = name in ("mean", "logsumexp", "var")
    x = d.pick(lambda t: t.dim() > 0 and (is_float(t) or not only_floats))
    inexact = name not in ("amax", "amin")
    return x is not None and d.add(
        name, f"torch.{name}({x}, {_dims(d, x)}{_keepdim(d)})", [x], inexact=inexact
    )


@operation("reduction", "sum of all", "mean of all", "max of all", "min of all", "prod of all")
def _reduce_all(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: is_float(t) or not name.startswith("mean"))
    inexact = name[:3] not in ("max", "min")
    return x is not None and d.add(name, f"{x}.{name.split()[0]}()", [x], inexact=inexact)


@operation("reduction", "sum as a type")
def _sum_as(d: Drawing, name: str) -> bool:
    dtype = d.choices.one_of((*FLOATS, torch.int32, torch.int64))
    x = d.pick(lambda t: t.dim() > 0 and (not is_float(t) or dtype.is_floating_point))
    if x is None or not keeps_bits(dtype, x):
        return False
    return d.add(name, f"torch.sum({x}, {_dims(d, x)}, dtype={dtype})", [x], inexact=True)


@operation("reduction", "prod", "any", "all")
def _reduce_one(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0, exact=name != "prod")
    if x is None:
        return False
    dim = d.choices.integer(-len(x.shape), len(x.shape) - 1)
    return d.add(name, f"torch.{name}({x}, {dim}{_keepdim(d)})", [x], inexact=name == "prod")


@operation("reduction", "norm 1", "norm 2", "norm inf")
def _norm(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: is_float(t) and t.dim() > 0)
    order = {"1": "1", "2": "2", "inf": "float('inf')"}[name.split()[1]]
    text = f"torch.linalg.vector_norm({x}, {order}, {_dims(d, x) if x is not None else ''})"
    return x is not None and d.add(name, text, [x], inexact=True)


@operation("position", "argmax", "argmin")
def _position(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 and t.dtype != torch.bool, exact=True)
    if x is None:
        return False
    if d.choices.chance(30):
        return d.add(name, f"torch.{name}({x})", [x])
    dim = d.choices.integer(-len(x.shape), len(x.shape) - 1)
    return d.add(name, f"torch.{name}({x}, {dim}{_keepdim(d)})", [x])


@operation("position", "max with indices", "min with indices", "sort", "argsort", "topk", "kthvalue")
def _with_indices(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 and t.dtype != torch.bool, exact=True)
    if x is None:
        return False
    dim = d.choices.integer(-len(x.shape), len(x.shape) - 1)
    if name.endswith("indices"):
        return d.add(name, f"torch.{name[:3]}({x}, {dim}{_keepdim(d)})", [x], targets=2)
    flip = ", descending=True" if d.choices.chance(40) else ""
    if name == "sort":
        return d.add(name, f"torch.sort({x}, stable=True, dim={dim}{flip})", [x], targets=2)
    if name == "argsort":
        return d.add(name, f"torch.argsort({x}, stable=True, dim={dim}{flip})", [x])
    k = d.choices.integer(1, max(1, x.shape[dim]))  # Which of equal elements is meant is open: no indices.
    return d.add(name, f"torch.{name}({x}, {k}, {dim})[0]", [x])


@operation("scan", "cumsum", "cumprod", "cummax", "logcumsumexp")
def _scan(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dim() > 0 and (name != "logcumsumexp" or is_float(t)))
    if x is None:
        return False
    dim = d.choices.integer(-len(x.shape), len(x.shape) - 1)
    if name == "cummax":
        return d.add(name, f"torch.cummax({x}, {dim})[0]", [x])
    return d.add(name, f"torch.{name}({x}, {dim})", [x], inexact=True)


@operation("normalisation", "softmax", "log_softmax")
def _softmax(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: is_float(t) and t.dim() > 0)
    if x is None:
        return False
    dim = d.choices.integer(-len(x.shape), len(x.shape) - 1)
    return d.add(name, f"torch.{name}({x}, {dim})", [x], inexact=True)


@operation("normalisation", "layer_norm", "rms_norm", "group_norm")
def _normalise(d: Drawing, name: str) -> bool:
    least = 2 if name == "group_norm" else 1
    x = d.pick(lambda t: is_float(t) and t.dim() >= least and t.numel() > 0)
    if x is None:
        return False
    size = x.shape[1] if name == "group_norm" else x.shape[-1]
    weight = vector(d, size, x.dtype)
    if name == "rms_norm":
        text = f"torch.rms_norm({x}, ({size},), {weight}, 0.01)"
        return d.add(name, text, [x, weight], inexact=True)
    if name == "layer_norm":
        bias = vector(d, size, x.dtype)
        text = f"torch.layer_norm({x}, ({size},), {weight}, {bias}, 0.01)"
        return d.add(name, text, [x, weight, bias], inexact=True)
    groups = d.choices.one_of([g for g in range(1, size + 1) if size % g == 0])
    return d.add(name, f"torch.group_norm({x}, {groups}, {weight}, eps=0.01)", [x, weight], inexact=True)


def vector(d: Drawing, size: int, dtype: torch.dtype) -> Value:
    """An operand of that size, if there is one, else a new input."""
    found = d.pick(lambda t: t.dtype == dtype and tuple(t.shape) == (size,))
    return found or d.new_input(f"values({(size,)}, {dtype}, 'plain', {d.seed()})")


def tensor(d: Drawing, shape: tuple[int, ...], dtype: torch.dtype) -> Value:
    found = d.pick(lambda t: t.dtype == dtype and tuple(t.shape) == shape)
    return found or d.new_input(f"values({shape}, {dtype}, 'plain', {d.seed()})")


# --- Products ---------------------------------------------------------------------


@operation("product", "matmul", "matmul of a transpose", "linear", "mv", "dot", "addmm", "outer")
def _matmul(d: Drawing, name: str) -> bool:
    rank = {"matmul": 2, "matmul of a transpose": 2, "linear": 2, "addmm": 2}.get(name, 1)
    x = d.pick(lambda t: t.dtype != torch.bool and t.dim() >= rank and (rank > 1 or t.dim() < 3))
    if x is None:
        return False
    depth = x.shape[-1]
    cols = d.choices.one_of((1, 2, 3, 4, 5, 8))
    if name == "outer" and len(x.shape) == 1:
        y = vector(d, cols, x.dtype)
        return d.add(name, f"torch.outer({x}, {y})", [x, y])
    if name in ("mv", "dot", "outer"):
        y = vector(d, depth, x.dtype)
        return d.add(name, f"torch.matmul({x}, {y})", [x, y], inexact=True)
    if name == "matmul":
        y = d.pick(lambda t: t.dtype == x.dtype and t.dim() >= 2 and t.shape[-2] == depth)
        y = y or tensor(d, (depth, cols), x.dtype)
        return d.add(name, f"torch.matmul({x}, {y})", [x, y], inexact=True)
    if name == "addmm":
        y = tensor(d, (depth, cols), x.dtype)
        bias = vector(d, y.shape[-1], x.dtype)
        return d.add(name, f"torch.addmm({bias}, {x}, {y})", [bias, x, y], inexact=True)
    y = d.pick(lambda t: t.dtype == x.dtype and t.dim() == 2 and t.shape[-1] == depth)
    y = y or tensor(d, (cols, depth), x.dtype)
    if name == "linear":
        bias = vector(d, y.shape[0], x.dtype)
        return d.add(name, f"torch.nn.functional.linear({x}, {y}, {bias})", [x, y, bias], inexact=True)
    return d.add(name, f"torch.matmul({x}, {y}.mT)", [x, y], inexact=True)


@operation("product", "bmm", "baddbmm")
def _bmm(d: Drawing, name: str) -> bool:
    x = d.pick(lambda t: t.dtype != torch.bool and t.dim() == 3)
    if x is None:
        return False
    y = d.pick(lambda t: t.dtype == x.dtype and t.dim() == 3 and t.shape[:2] == (x.shape[0], x.shape[2]))
    y = y or tensor(d, (x.shape[0], x.shape[2], d.choices.integer(1, 5)), x.dtype)
    if name == "bmm":
        return d.add(name, f"torch.bmm({x}, {y})", [x, y], inexact=True)
    z = tensor(d, (x.shape[0], x.shape[1], y.shape[2]), x.dtype)
    return d.add(name, f"torch.baddbmm({z}, {x}, {y}, beta=2)", [x, y, z], inexact=True)


@operation("convolution", "conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d")
def _convolution(d: Drawing, name: str) -> bool:
    rank = int(name[-2])
    # Whether an infinite weight meets the zeros around the image is open.
    x = d.pick(lambda t: t.dim() == rank + 2 and t.numel() > 0 and within(-1e4, 1e4)(t))
    if x is None:
        return False
    channels, groups, out = x.shape[1], 1, d.choices.integer(1, 3)
    if channels % 2 == 0 and d.choices.chance(30):
        groups, out = 2, 2 * out
    window = tuple(d.choices.integer(1, 3) for _ in range(rank))
    transposed = "transpose" in name
    shape = (channels, out // groups, *window) if transposed else (out, channels // groups, *window)
    weight = tensor(d, shape, x.dtype)
    if not within(-1e4, 1e4)(weight.tensor):
        return False
    stride, padding = d.choices.integer(1, 2), d.choices.integer(0, 1)
    dilation = 2 if d.choices.chance(25) else 1
    bias = vector(d, out, x.dtype) if d.choices.chance(50) else None
    text = (
        f"torch.nn.functional.{name}({x}, {weight}, {bias}, stride={stride}, padding={padding},"
        f" dilation={dilation}, groups={groups})"
    )
    return d.add(name, text, [v for v in (x, weight, bias) if v is not None], inexact=True)


@operation("pooling", "max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d")
def _pool(d: Drawing, name: str) -> bool:
    rank = int(name[-2])
    x = d.pick(lambda t: is_float(t) and t.dim() == rank + 2 and t.numel() > 0)
    if x is None:
        return False
    window, stride = d.choices.integer(1, 3), d.choices.integer(1, 2)
    padding = 1 if window > 1 and d.choices.chance(40) else 0
    text = f"torch.nn.functional.{name}({x}, {window}, {stride}, {padding})"
    return d.add(name, text, [x], inexact=name.startswith("avg"))
