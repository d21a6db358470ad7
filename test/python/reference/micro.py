# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each micro-operation computes from its inputs (ISA.md, Micro-programs), on arrays.

An f32 is a numpy f32. An integer of any width is an int64 that holds its value with a sign; an i1 is 0 or
1. What touches memory or the row (load, store, gather, scatter, reduce, carry) is in `vector`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from . import floats, sequences
from .floats import F32
from .syntax import Micro

Array = np.ndarray

#: Width of the integer micro-types.
INTEGER_BITS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}


# --- Integers ---------------------------------------------------------------------------------------


def wrap(x: Array, type_: str) -> Array:
    """The low bits, with a sign but for i1."""
    if type_ == "i64":
        return x
    if type_ == "i1":
        return x & 1
    shift = 64 - INTEGER_BITS[type_]
    return (x << shift) >> shift


def unsigned(x: Array, type_: str) -> Array:
    """The same bits without a sign."""
    x = np.asarray(x, np.int64)
    bits = INTEGER_BITS[type_]
    return (x if bits == 64 else x & ((1 << bits) - 1)).astype(np.uint64)


def _exactly(function: Callable[[int, int], int], a: Array, b: Array) -> Array:
    """Elementwise on Python's integers, which do not overflow; the low 64 bits of the results."""
    a, b = np.broadcast_arrays(a, b)
    values = [function(int(x), int(y)) & (2**64 - 1) for x, y in zip(a.flat, b.flat, strict=True)]
    return np.array(values, np.uint64).view(np.int64).reshape(a.shape)


def _truncating(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_DIVISIONS: dict[str, Callable[[int, int], int]] = {
    "div": lambda a, b: _truncating(a, b) if b else 0,
    "rem": lambda a, b: a - b * _truncating(a, b) if b else 0,
    "floor_div": lambda a, b: a // b if b else 0,
    "ceil_div": lambda a, b: -(-a // b) if b else 0,
}


def _divide(op: Micro, a: Array, b: Array) -> Array:
    name, _, kind = op.opcode.rpartition("_")
    if kind == "ui":
        a, b = unsigned(a, op.type), unsigned(b, op.type)
    return _exactly(_DIVISIONS[name], a, b)


def _shift(op: Micro, a: Array, b: Array) -> Array:
    bits = INTEGER_BITS[op.type]
    amount = unsigned(b, op.type)
    is_wide = amount >= np.uint64(bits)
    amount = np.where(is_wide, np.uint64(0), amount)
    if op.opcode == "shl_i":
        return np.where(is_wide, 0, (np.asarray(a).view(np.uint64) << amount).view(np.int64))
    if op.opcode == "shr_ui":
        return np.where(is_wide, 0, (unsigned(a, op.type) >> amount).view(np.int64))
    return np.where(is_wide, -(a < 0).astype(np.int64), a >> amount.astype(np.int64))


def _extreme(op: Micro, a: Array, b: Array) -> Array:
    is_less = unsigned(a, op.type) < unsigned(b, op.type) if op.opcode.endswith("ui") else a < b
    return np.where(is_less == op.opcode.startswith("min"), a, b)


_INTEGER_RELATIONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compare_integers(op: Micro, a: Array, b: Array) -> Array:
    predicate = op.selector
    if predicate.startswith("u"):
        a, b = unsigned(a, op.type), unsigned(b, op.type)
    relation = predicate if predicate in ("eq", "ne") else predicate[1:]
    return _INTEGER_RELATIONS[relation](a, b).astype(np.int64)


# --- Conversions ------------------------------------------------------------------------------------


def _to_float(op: Micro, a: Array) -> Array:
    source = op.input_types[0]
    if op.opcode == "ui_to_f":
        return unsigned(a, source).astype(F32)
    return (-a if source == "i1" else a).astype(F32)


def _to_integer(op: Micro, a: Array) -> Array:
    bits = INTEGER_BITS[op.type]
    low, high = (0, 2**bits - 1) if op.opcode == "f_to_ui" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    whole = np.trunc(a.astype(np.float64))

    def convert(x: float) -> int:
        if np.isnan(x):
            return 0
        return low if x <= low else high if x >= high else int(x)

    values = [convert(x) & (2**64 - 1) for x in whole.flat]
    return np.array(values, np.uint64).view(np.int64).reshape(a.shape)


def _extend(op: Micro, a: Array) -> Array:
    source = op.input_types[0]
    if op.opcode == "ext_u":
        return unsigned(a, source).view(np.int64)
    return -a if source == "i1" else a


# --- The table --------------------------------------------------------------------------------------

_TRANSCENDENTALS = """exp exp2 expm1 log log2 log10 log1p erf erfc rsqrt cbrt pow
    sin cos tan tanh sinh cosh asinh acosh atanh atan atan2 asin acos"""

_FLOAT: dict[str, Callable[..., Array]] = {
    "add_f": np.add,
    "sub_f": np.subtract,
    "mul_f": np.multiply,
    "div_f": np.divide,
    "fma_f": floats.fma,
    "neg_f": np.negative,
    "abs_f": np.abs,
    "sqrt_f": np.sqrt,
    "maximum_f": floats.maximum,
    "minimum_f": floats.minimum,
    "max_num_f": floats.max_num,
    "min_num_f": floats.min_num,
    "rem_f": floats.remainder,
    "floor_f": np.floor,
    "ceil_f": np.ceil,
    "trunc_f": np.trunc,
    "round_f": floats.round_away,
    "round_even_f": np.rint,
    "copy_sign_f": np.copysign,
    "round_bf16": floats.round_bf16,
    "round_f16": floats.round_f16,
    **{f"{name}_f": partial(sequences.evaluate, name) for name in _TRANSCENDENTALS.split()},
}

_INTEGER: dict[str, Callable[..., Array]] = {
    "add_i": lambda op, a, b: a + b,
    "sub_i": lambda op, a, b: a - b,
    "mul_i": lambda op, a, b: a * b,
    "and_i": lambda op, a, b: a & b,
    "or_i": lambda op, a, b: a | b,
    "xor_i": lambda op, a, b: a ^ b,
    **dict.fromkeys(("div_si", "div_ui", "rem_si", "rem_ui", "floor_div_si", "ceil_div_si"), _divide),
    **dict.fromkeys(("shl_i", "shr_si", "shr_ui"), _shift),
    **dict.fromkeys(("min_si", "max_si", "min_ui", "max_ui"), _extreme),
    "cmp_i": _compare_integers,
    "f_to_si": _to_integer,
    "f_to_ui": _to_integer,
    "ext_s": _extend,
    "ext_u": _extend,
    "trunc_i": lambda op, a: a,
}


def constant(op: Micro) -> Array:
    if op.type == "f32":
        return floats.from_bits(np.array([[op.immediate]]))
    return np.array([[op.immediate]], np.int64)


def compute(op: Micro, inputs: list[Array]) -> Array:
    """The result of an operation that needs nothing but its inputs."""
    if op.opcode in _FLOAT:
        return np.asarray(_FLOAT[op.opcode](*inputs), F32)
    if op.opcode in _INTEGER:
        result = np.asarray(_INTEGER[op.opcode](op, *inputs), np.int64)
        return result if op.opcode == "cmp_i" else wrap(result, op.type)
    match op.opcode:
        case "cmp_f":
            return floats.compare(op.selector, *inputs).astype(np.int64)
        case "select":
            return np.where(inputs[0] != 0, inputs[1], inputs[2])
        case "si_to_f" | "ui_to_f":
            return _to_float(op, inputs[0])
        case "bitcast_f_to_i":
            return wrap(floats.bits(inputs[0]).astype(np.int64), "i32")
        case "bitcast_i_to_f":
            return floats.from_bits(inputs[0])
    raise NotImplementedError(op.opcode)


def combine(how: str, type_: str, a: Array, b: Array) -> Array:
    """Of reduce and scatter: `set`, or a micro-operation of that name."""
    if how == "set":
        return b
    return compute(Micro(how, type_, inputs=("a", "b"), input_types=(type_, type_)), [a, b])


def identity(how: str, type_: str) -> Array:
    """What a row without elements reduces to."""
    if type_ == "f32":
        values = {
            "add_f": -0.0,
            "mul_f": 1.0,
            "maximum_f": -np.inf,
            "max_num_f": -np.inf,
            "minimum_f": np.inf,
            "min_num_f": np.inf,
        }
        return np.array(values[how], F32)
    bits = INTEGER_BITS[type_]
    integers = {
        **dict.fromkeys(("add_i", "or_i", "xor_i", "max_ui"), 0),
        "mul_i": 1,
        **dict.fromkeys(("and_i", "min_ui"), -1),
        "max_si": -(2 ** (bits - 1)),
        "min_si": 2 ** (bits - 1) - 1,
    }
    return wrap(np.array(integers[how], np.int64), type_)
