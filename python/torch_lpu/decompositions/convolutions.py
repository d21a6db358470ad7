# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions that torch-mlir does not lower: of integers in three dimensions, transposed ones in groups,
and the gradients of transposed ones.

A convolution of integers is a matrix product of what each window holds. The others are
convolutions that torch-mlir knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch._ops import OpOverload

from .integers import is_integer

aten = torch.ops.aten


def _convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """torch-mlir multiplies floats in three dimensions, and knows transposed groups in two alone."""
    rank, window = len(stride), (stride, padding, dilation)
    if is_integer(input.dtype):
        if rank < 3:
            return NotImplemented
        result = _of_integers(input, weight, *window, transposed, output_padding, groups)
        return result if bias is None else result + bias.view([-1] + [1] * rank)
    if not transposed or groups == 1 or rank == 2:
        return NotImplemented
    biases = [None] * groups if bias is None else bias.chunk(groups)
    parts = zip(input.chunk(groups, 1), weight.chunk(groups, 0), biases, strict=True)
    return torch.cat([aten.convolution(*part, *window, transposed, output_padding, 1) for part in parts], 1)


def _of_integers(
    input: Tensor,
    weight: Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """A matrix product of what each window holds, for each group. Transposed: of a plain convolution."""
    around: list[int] = []
    if transposed:  # Zeros between the elements, and the kernel mirrored.
        input, weight = _spread(input, stride), _mirrored(weight, groups)
        for place in reversed(range(len(stride))):
            before = dilation[place] * (weight.shape[2 + place] - 1) - padding[place]
            around += [before, before + output_padding[place]]
        stride = [1] * len(stride)
    else:
        for amount in reversed(padding):
            around += [amount, amount]
    windows = torch.constant_pad_nd(input, around)
    for place, step in enumerate(stride):
        reach = dilation[place] * (weight.shape[2 + place] - 1) + 1
        windows = windows.unfold(2 + place, reach, step)[..., :: dilation[place]]
    batch, channels, *sizes = windows.shape[: 2 + len(stride)]
    inner = channels // groups
    count, taps, outer = math.prod(sizes), math.prod(weight.shape[2:]), weight.shape[0] // groups
    rows = windows.reshape(batch, groups, inner, count, taps).permute(1, 0, 3, 2, 4)
    kernel = weight.reshape(groups, outer, inner * taps).transpose(1, 2)
    sums = torch.bmm(rows.reshape(groups, batch * count, inner * taps), kernel)
    sums = sums.view(groups, batch, count, outer).permute(1, 0, 3, 2)
    return sums.reshape(batch, weight.shape[0], *sizes)


def _spread(image: Tensor, stride: Sequence[int]) -> Tensor:
    """With stride - 1 zeros between elements."""
    for place, step in enumerate(stride):
        rows = image.movedim(2 + place, -1)
        length = (rows.shape[-1] - 1) * step + 1
        rows = torch.constant_pad_nd(rows.unsqueeze(-1), [0, step - 1]).flatten(-2)
        image = rows[..., :length].movedim(-1, 2 + place)
    return image


def _mirrored(weight: Tensor, groups: int) -> Tensor:
    """The kernel of the plain convolution that a transposed one is."""
    split = weight.flip(list(range(2, weight.dim()))).unflatten(0, (groups, -1)).transpose(1, 2)
    return split.reshape(-1, split.shape[2], *weight.shape[2:])


def _convolution_backward(
    grad: Tensor,
    input: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """A transposed convolution is the gradient of a plain one, so its gradients are plain ones."""
    if not transposed:
        return NotImplemented
    none = [0] * len(stride)
    for_input = for_weight = for_bias = None
    if output_mask[0]:
        for_input = aten.convolution(grad, weight, None, stride, padding, dilation, False, none, groups)
    if output_mask[1]:
        mask = [False, True, False]
        for_weight = aten.convolution_backward(
            input, grad, weight, None, stride, padding, dilation, False, none, groups, mask
        )[1]
    if output_mask[2]:
        for_bias = grad.sum([0, *range(2, grad.dim())])
    return for_input, for_weight, for_bias


CONVOLUTIONS: dict[OpOverload, Callable] = {
    aten.convolution.default: _convolution,
    aten.convolution_backward.default: _convolution_backward,
}
