# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on the model and on the simulator and compares every byte that a caller can see."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torch_lpu import _simulator
from torch_lpu.mlir._mlir_libs import _lpu

from . import floats, machine
from .memory import MachineFault
from .micro import INTEGER_BITS
from .parser import parse
from .syntax import Halt, Micro, Program, Section, Tensor, Vec, View

Arguments = list[np.ndarray]  # The bytes of each argument.


class Mismatch(AssertionError):
    pass


def model(program: Program, arguments: Arguments, seed: int = 0) -> str | None:
    """Changes the arguments. The kind of the fault, if there is one."""
    try:
        machine.run(program, arguments, seed)
    except MachineFault as fault:
        return fault.kind
    return None


def simulate(program: _simulator.Program, arguments: Arguments, **options: object) -> str | None:
    addresses = [(a.ctypes.data if a.size else 0, a.nbytes) for a in arguments]
    try:
        program.run(addresses, **{"timing": False, **options})
    except (IndexError, RuntimeError) as error:
        return error.kind
    return None


def compare(
    program: Program, arguments: Arguments, runs: Sequence[dict] = ({},), seed: int = 0
) -> str | None:
    """Raises Mismatch with the program and the first elements that differ, or gives the kind of fault.

    `runs` are options of the simulator: all give the same. A NaN is a NaN. After a fault the bytes depend
    on how far the units came, so only its kind is compared.
    """
    text = str(program)
    binary = _lpu.translate_to_binary(text)
    again = _lpu.translate_from_binary(binary)
    if _lpu.translate_to_binary(again) != binary:
        raise Mismatch(f"the text of the binary makes another binary\n{text}")
    loaded = _simulator.Program.load(binary)
    # The model runs what the disassembler wrote, so that is checked as well.
    expected = [a.copy() for a in arguments]
    fault = model(parse(again), expected, seed)
    for options in runs:
        if fault is not None and options.get("checks", "none") != "none":
            continue  # Checks may find something before the fault happens.
        got = [a.copy() for a in arguments]
        found = simulate(loaded, got, **options)
        if found != fault:
            raise Mismatch(f"{options}: fault {found}, expected {fault}\n{text}")
        if fault is None:
            for number, (tensor, old, new, right) in enumerate(
                zip(program.arguments, arguments, got, expected, strict=True)
            ):
                if difference := _difference(tensor, old, new, right):
                    raise Mismatch(f"{options}: argument {number} ({tensor.dtype}) {difference}\n{text}")
    return fault


def _difference(tensor: Tensor, old: np.ndarray, new: np.ndarray, right: np.ndarray) -> str:
    width = {"f32": 4, "bf16": 2, "f16": 2}.get(tensor.dtype, 1)
    type_ = np.dtype(f"u{width}")
    new, right = new.view(type_), right.view(type_)
    differs = new != right
    if tensor.dtype in _INFINITIES:
        sign, infinity = type_.type(1 << (8 * width - 1)), type_.type(_INFINITIES[tensor.dtype])
        differs &= ~(((new & ~sign) > infinity) & ((right & ~sign) > infinity))
    if not differs.any():
        return ""
    where = np.flatnonzero(differs)
    shown = [f"[{i}] = {new[i]:#x}, expected {right[i]:#x}" for i in where[:4]]
    return f"differs in {where.size} of {new.size}: {'; '.join(shown)}"


_INFINITIES = {"f32": 0x7F800000, "bf16": 0x7F80, "f16": 0x7C00}


# --- Small programs ---------------------------------------------------------------------------------


def tensor_of(name: str, dtype: str, size: int) -> Tensor:
    return Tensor(name, dtype, (size,))


def flat(argument: int, dtype: str, size: int) -> View:
    return View("arg", argument, dtype, (size,), (1,), 0)


def type_of(micro_type: str) -> str:
    """An element type that holds a micro-type."""
    return "bool" if micro_type == "i1" else micro_type


def single(op: Micro, inputs: Sequence[np.ndarray]) -> tuple[Program, Arguments]:
    """y[i] = op(x0[i], x1[i], ..)."""
    size = inputs[0].size
    types = [*op.input_types, op.result_type]
    tensors = [tensor_of(f"x{n}", type_of(t), size) for n, t in enumerate(op.input_types)]
    output = tensor_of("y", type_of(op.result_type), size)
    views = tuple(flat(n, type_of(t), size) for n, t in enumerate(types))
    ops = [Micro("load", t, f"%x{n}", result_type=t, operand=n) for n, t in enumerate(op.input_types)]
    ops.append(op)
    ops.append(
        Micro("store", op.result_type, None, (op.result,), (op.result_type,), operand=len(op.input_types))
    )
    vec = Vec(1, 1, views, (Section("rows", tuple(ops)),))
    result = Tensor("y", output.dtype, output.sizes, argument=len(tensors))
    program = Program("single", 0, 0, tuple(tensors), (result,), (output,), b"", (vec, Halt()))
    arrays = [np.ascontiguousarray(x) for x in inputs]
    return program, [*(a.view(np.uint8) for a in arrays), np.zeros(output.nbytes, np.uint8)]


def values(generator: np.random.Generator, micro_type: str, size: int) -> np.ndarray:
    """Elements of every kind: special ones, small ones and any bits."""
    if micro_type == "i1":
        return generator.integers(0, 2, size).astype(np.uint8)
    if micro_type == "f32":
        return floats_of(generator, size)
    bits = INTEGER_BITS[micro_type]
    kinds = [
        generator.integers(-(2 ** (bits - 1)), 2 ** (bits - 1), size, endpoint=False),
        generator.integers(-9, 10, size),
        np.array([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])[generator.integers(0, 5, size)],
    ]
    return np.choose(generator.integers(0, 3, size), kinds).astype(f"i{bits // 8}")


_SPECIAL = np.array(
    """0 -0 1 -1 0.5 -0.5 1.5 2.5 inf -inf nan 1.1754944e-38 1.4e-45 -1e-40 3.4028235e38 65504 65520 5.96e-8
    2147483648 -2147483648 9223372036854775808 127 255.5 8388609 4194304.5 1e-30 -88.7 88.72 1e5""".split(),
    np.float32,
)


def floats_of(generator: np.random.Generator, size: int) -> np.ndarray:
    kinds = [
        _SPECIAL[generator.integers(0, _SPECIAL.size, size)],
        generator.integers(0, 2**32, size, dtype=np.uint32).view(np.float32),
        generator.standard_normal(size).astype(np.float32),
        (generator.standard_normal(size) * 100).astype(np.float32),
        generator.integers(-4, 5, size).astype(np.float32) / 2,
        (generator.standard_normal(size) * 2.0**-63).astype(
            np.float32
        ),  # Products are about the smallest normal numbers.
    ]
    return np.choose(generator.integers(0, len(kinds), size), kinds).astype(np.float32)


def elements(generator: np.random.Generator, dtype: str, size: int) -> np.ndarray:
    """Stored elements of a type of memory. Half of the float buffers are of numbers near 1, whose sums tell
    in which order they were taken."""
    if dtype in ("bf16", "f16", "f32"):
        is_tame = generator.integers(0, 2) == 0
        x = generator.standard_normal(size).astype(np.float32) if is_tame else floats_of(generator, size)
        with np.errstate(invalid="ignore"):
            return floats.narrow(x, dtype)
    return values(generator, "i1" if dtype == "bool" else dtype, size)
