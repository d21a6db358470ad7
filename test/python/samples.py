# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small tensors that tests share."""

from __future__ import annotations

import math

import torch
from torch import Tensor

NAN, INF = math.nan, math.inf


def matrix(rows: int = 4, columns: int = 6, seed: int = 0) -> Tensor:
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


ODD = torch.tensor([0.0, -0.0, 1.0, -1.5, 1e-40, -3e38, INF, -INF, NAN, 2.0**-126, 0.75])

# Rows of a matrix, one twice.
ROWS = torch.tensor([2, 0, 2])
