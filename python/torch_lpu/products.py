# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of matrix products with a summand: half precision rounds once, as eager does.

The stock forms round the product before the sum (addmm), or make float32
copies of both matrices (baddbmm).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

from . import ops

aten = torch.ops.aten


def _add_product(input: Tensor, left: Tensor, right: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    if not left.is_floating_point() and not left.is_complex():  # torch-mlir takes the factors for floats.
        result = torch.matmul(left, right) * int(alpha)
        return result if int(beta) == 0 else input * int(beta) + result
    if left.dtype not in (torch.bfloat16, torch.float16):
        return NotImplemented
    result = ops.product(left, right)
    if alpha != 1:
        result = result * alpha
    if beta == 0:  # Not even NaN of the summand counts.
        return result.to(left.dtype)
    summand = input.to(torch.float32)
    return (result + (summand if beta == 1 else summand * beta)).to(left.dtype)


def _add_products(input: Tensor, left: Tensor, right: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """The sum of a batch of products, in float32 for half precision."""
    if left.dtype in (torch.bfloat16, torch.float16):
        total = ops.product(left, right).sum(0) * alpha
        return (total if beta == 0 else input.to(torch.float32) * beta + total).to(left.dtype)
    if not left.is_floating_point() and not left.is_complex():  # Factors are integers as well.
        alpha, beta = int(alpha), int(beta)
    total = torch.bmm(left, right).sum(0, dtype=left.dtype) * alpha
    return total if beta == 0 else input * beta + total


PRODUCTS: dict[OpOverload, Callable] = {
    aten.addbmm.default: _add_products,
    aten.addmm.default: _add_product,
    aten.baddbmm.default: _add_product,
}
