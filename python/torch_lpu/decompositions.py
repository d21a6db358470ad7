# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decomposition table that AOTAutograd traces with.

PyTorch's core ATen table, without what should stay whole (`KEPT`), with what
the core table lacks (`ADDED`), and with our own versions (`_OWN`) of the ops
whose stock form would compute in float64 or that nothing below legalises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions, get_decompositions
from torch._ops import OpOverload

from .fastpaths import FASTPATHS

aten = torch.ops.aten

# Rows written by an index vector stay one op (normalize.py makes it lpu::scatter).
KEPT = (aten.index_copy, aten.index_copy_)

# Kept only where no gradient is asked: the backward pass needs its parts.
KEPT_IN_INFERENCE = (aten._scaled_dot_product_flash_attention_for_cpu,)

# Global decompositions that the core table lacks.
ADDED = (
    aten._adaptive_avg_pool2d,
    aten._batch_norm_with_update_functional,
    aten._native_batch_norm_legit_functional,
    aten.addmv,
    aten.as_strided_copy,
    aten.dist,
    aten.grid_sampler_2d,
    aten.narrow_copy,
    aten.permute_copy,
    aten.squeeze.dims,
    aten.unbind_copy,
    aten.view_copy,
)

Dims = Sequence[int] | None


def _compute_dtype(tensor: Tensor) -> torch.dtype:
    """Half precision computes in float32, as eager's CPU kernels do."""
    return torch.float32 if tensor.dtype in (torch.bfloat16, torch.float16) else tensor.dtype


def _batch_norm_inference(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor,
    running_var: Tensor,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    dtype = _compute_dtype(input)
    shape = [1, -1] + [1] * (input.dim() - 2)
    scale = torch.rsqrt(running_var.to(dtype) + eps)
    result = (input.to(dtype) - running_mean.to(dtype).view(shape)) * scale.view(shape)
    if weight is not None:
        result = result * weight.to(dtype).view(shape)
    if bias is not None:
        result = result + bias.to(dtype).view(shape)
    empty = input.new_empty((0,))
    return result.to(input.dtype), empty, empty.clone()


def _moments(input: Tensor, dim: Dims, correction: float | None, keepdim: bool) -> tuple[Tensor, Tensor]:
    """Variance and mean by two passes, all in the compute type."""
    dims = sorted(d % max(input.dim(), 1) for d in dim) if dim else list(range(input.dim()))
    values = input.to(_compute_dtype(input))
    count = 1
    for d in dims:
        count *= input.shape[d] if input.dim() else 1
    mean = values.mean(dims, keepdim=True)
    centred = values - mean
    divisor = max(float(count) - (1.0 if correction is None else float(correction)), 0.0)
    total = (centred * centred).sum(dims, keepdim=True)
    variance = total * float("nan") if divisor == 0.0 and count == 0 else total / divisor
    if not keepdim:
        shape = [size for d, size in enumerate(input.shape) if d not in dims]
        variance, mean = variance.reshape(shape), mean.reshape(shape)
    return variance.to(input.dtype), mean.to(input.dtype)


def _var(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    return _moments(input, dim, correction, keepdim)[0]


def _std(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> Tensor:
    variance = _moments(input.to(_compute_dtype(input)), dim, correction, keepdim)[0]
    return variance.sqrt().to(input.dtype)


def _var_mean(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    return _moments(input, dim, correction, keepdim)


def _std_mean(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    variance, mean = _moments(input.to(_compute_dtype(input)), dim, correction, keepdim)
    return variance.sqrt().to(input.dtype), mean.to(input.dtype)


def _group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    values = input.to(_compute_dtype(input)).reshape(N, group, (C // group) * HxW)
    mean = values.mean([2], keepdim=True)
    centred = values - mean
    scale = torch.rsqrt((centred * centred).mean([2], keepdim=True) + eps)
    result = (centred * scale).reshape(input.shape)
    shape = [1, C] + [1] * (input.dim() - 2)
    if weight is not None:
        result = result * weight.to(result.dtype).view(shape)
    if bias is not None:
        result = result + bias.to(result.dtype).view(shape)
    return (
        result.to(input.dtype),
        mean.reshape(N, group).to(input.dtype),
        scale.reshape(N, group).to(input.dtype),
    )


def _divide_integers(input: Tensor, other: Tensor, *, rounding_mode: str | None) -> Tensor:
    """Exact, where torch-mlir floors a float64 quotient and does not divide bytes at all."""
    result = torch.result_type(input, other)
    if rounding_mode is None or result.is_floating_point or result.is_complex:
        return NotImplemented
    if result == torch.int8:
        wide = torch.div(input.to(torch.int32), other.to(torch.int32), rounding_mode=rounding_mode)
        return wide.to(result)
    if rounding_mode == "trunc":
        return NotImplemented
    input, other = input.to(result), other.to(result)
    return torch.div(input - torch.remainder(input, other), other, rounding_mode="trunc")


def _floor_divide(input: Tensor, other: Tensor) -> Tensor:
    return torch.div(input, other, rounding_mode="floor")


def _maximum(input: Tensor, other: Tensor) -> Tensor:
    """NaN if either is NaN, which torch-mlir's comparison forgets."""
    if not torch.result_type(input, other).is_floating_point:
        return NotImplemented
    return torch.where((input > other) | (input != input), input, other)


def _minimum(input: Tensor, other: Tensor) -> Tensor:
    if not torch.result_type(input, other).is_floating_point:
        return NotImplemented
    return torch.where((input < other) | (input != input), input, other)


def _clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """NaN stays NaN, which torch-mlir's unordered comparison turns into a bound."""
    if not input.is_floating_point():
        return NotImplemented
    result = torch.result_type(input, min if min is not None else max)
    value = input.to(result)
    if min is not None:
        value = torch.where(value < min, _bound(min, value), value)
    if max is not None:
        value = torch.where(value > max, _bound(max, value), value)
    return value


def _bound(bound: Any, like: Tensor) -> Tensor:
    if isinstance(bound, Tensor):
        return bound.to(like.dtype)
    return torch.full((), bound, dtype=like.dtype, device=like.device)


def _gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """torch-mlir's tanh form has a wrong constant (0.797724 for sqrt(2 / pi))."""
    if approximate != "tanh":
        return NotImplemented
    x = input.to(_compute_dtype(input))
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return (0.5 * x * (1 + torch.tanh(inner))).to(input.dtype)


def _constant_pad(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Negative padding is a slice."""
    if all(amount >= 0 for amount in pad):
        return NotImplemented
    for place in range(0, len(pad), 2):
        dim = input.dim() - 1 - place // 2
        before, after = max(-pad[place], 0), max(-pad[place + 1], 0)
        input = input.narrow(dim, before, input.shape[dim] - before - after)
    return aten.constant_pad_nd(input, [max(amount, 0) for amount in pad], value)


def _roll(input: Tensor, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """Two slices per dimension, where the stock form gathers at computed indices."""
    if not dims:
        return _roll(input.reshape(-1), shifts, (0,)).reshape(input.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = input.shape[dim]
        start = -shift % size if size else 0
        if start:
            parts = input.narrow(dim, start, size - start), input.narrow(dim, 0, start)
            input = torch.cat(parts, dim)
    return input.clone()


def _eye(rows: int, columns: int | None = None, **kwargs: Any) -> Tensor:
    """The stock form counts in the narrowest integer type, on which torch-mlir crashes."""
    dtype = kwargs.get("dtype") or torch.get_default_dtype()
    device = kwargs.get("device")
    row = torch.arange(rows, device=device).unsqueeze(1)
    column = torch.arange(rows if columns is None else columns, device=device)
    return (row == column).to(dtype)


_OWN: dict[OpOverload, Callable] = {
    aten.clamp.Tensor: _clamp,
    aten.clamp.default: _clamp,
    aten.constant_pad_nd.default: _constant_pad,
    aten.div.Tensor_mode: _divide_integers,
    aten.eye.default: _eye,
    aten.eye.m: _eye,
    aten.floor_divide.default: _floor_divide,
    aten.gelu.default: _gelu,
    aten.maximum.default: _maximum,
    aten.minimum.default: _minimum,
    aten.roll.default: _roll,
    aten._native_batch_norm_legit_no_training.default: _batch_norm_inference,
    aten.var.correction: _var,
    aten.std.correction: _std,
    aten.var_mean.correction: _var_mean,
    aten.std_mean.correction: _std_mean,
    aten.native_group_norm.default: _group_norm,
}


@cache
def decomposition_table(inference: bool) -> dict[OpOverload, Callable]:
    """The table for graphs without gradients, or for forward and backward graphs."""
    kept = KEPT + (KEPT_IN_INFERENCE if inference else ())
    table = dict(core_aten_decompositions())
    table.update(get_decompositions(ADDED))
    table.update(_OWN)
    table.update(FASTPATHS)
    dropped = {getattr(packet, overload) for packet in kept for overload in packet.overloads()}
    return {op: fn for op, fn in table.items() if op not in dropped}
