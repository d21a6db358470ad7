# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of normalisations and variances, without the float64 that torch-mlir's forms have.

All compute as eager's CPU kernels do: two passes, half precision in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten

Dims = Sequence[int] | None


def compute_dtype(tensor: Tensor) -> torch.dtype:
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
    dtype = compute_dtype(input)
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
    values = input.to(compute_dtype(input))
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
    variance = _moments(input.to(compute_dtype(input)), dim, correction, keepdim)[0]
    return variance.sqrt().to(input.dtype)


def _var_mean(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    return _moments(input, dim, correction, keepdim)


def _std_mean(
    input: Tensor, dim: Dims = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    variance, mean = _moments(input.to(compute_dtype(input)), dim, correction, keepdim)
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
    values = input.to(compute_dtype(input)).reshape(N, group, (C // group) * HxW)
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


MOMENTS: dict[OpOverload, Callable] = {
    aten._native_batch_norm_legit_no_training.default: _batch_norm_inference,
    aten.native_group_norm.default: _group_norm,
    aten.std.correction: _std,
    aten.std_mean.correction: _std_mean,
    aten.var.correction: _var,
    aten.var_mean.correction: _var_mean,
}
