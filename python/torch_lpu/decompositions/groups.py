# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of grouped matrix products: each group of rows has a matrix of its own.

Mixtures of experts compute so: rows are sorted by expert, and `offs` holds
where each expert's rows end. How many rows an expert gets is known only at run
time, and the programs of the machine are static. So every row is multiplied
with every matrix, and the one product that counts is taken; or, if there are
no more rows than matrices (single decoding steps), each row gathers its
matrix. Rows after the last group are zero.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch._ops import OpOverload

aten = torch.ops.aten


def _group_of(rows: int, offs: Tensor) -> Tensor:
    """The group of each row: how many groups end at or before it."""
    numbers = torch.arange(rows, dtype=offs.dtype, device=offs.device)
    return (offs.unsqueeze(0) <= numbers.unsqueeze(1)).sum(1)


def grouped_product(input: Tensor, weight: Tensor, offs: Tensor) -> Tensor:
    """Rows [S, K] by matrices [G, K, N] -> [S, N]."""
    rows, groups = input.shape[0], weight.shape[0]
    group = _group_of(rows, offs)
    place = group.clamp(max=groups - 1)
    if rows <= groups:
        result = torch.bmm(input.unsqueeze(1), weight[place]).squeeze(1)
    else:
        # Taking one of the products, and not a sum in which the others are zero, keeps an
        # infinite weight of one expert out of the rows of the others.
        products = torch.bmm(input.unsqueeze(0).expand(groups, -1, -1), weight)
        places = place * rows + torch.arange(rows, device=input.device)
        result = products.reshape(groups * rows, weight.shape[2])[places]
    return torch.where((group < groups).unsqueeze(1), result, 0)


def grouped_outer_product(left: Tensor, right: Tensor, offs: Tensor) -> Tensor:
    """Rows [S, M] and [S, N] -> the sum of each group's outer products, [G, M, N]."""
    group = _group_of(left.shape[0], offs)
    numbers = torch.arange(offs.shape[0], device=offs.device)
    mine = (group.unsqueeze(0) == numbers.unsqueeze(1)).unsqueeze(2)
    # Both sides, for zero by infinity is not zero.
    left, right = torch.where(mine, left.unsqueeze(0), 0), torch.where(mine, right.unsqueeze(0), 0)
    return torch.bmm(left.transpose(1, 2), right)


def grouped_product_gradients(
    input: Tensor, weight: Tensor, offs: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor]:
    return (
        grouped_product(gradient, weight.transpose(1, 2), offs),
        grouped_outer_product(input, gradient, offs),
    )


def _grouped_mm(
    self: Tensor,
    mat2: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """The four forms: a side without a dimension for groups is cut along the one that `offs` divides."""
    if bias is not None or (out_dtype not in (None, self.dtype)):
        return NotImplemented
    if offs is None:
        return torch.bmm(self, mat2) if self.dim() == mat2.dim() == 3 else NotImplemented
    if self.dim() == 2 and mat2.dim() == 3:
        return grouped_product(self, mat2, offs)
    if self.dim() == 3 and mat2.dim() == 2:
        return grouped_product(mat2.t(), self.transpose(1, 2), offs).t().contiguous()
    if self.dim() == 2 and mat2.dim() == 2:
        return grouped_outer_product(self.t(), mat2, offs)
    return NotImplemented


GROUPS: dict[OpOverload, Callable] = {aten._grouped_mm.default: _grouped_mm}
