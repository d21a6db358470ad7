# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that torch-mlir lowers to something else than PyTorch computes."""

import torch
from checks import check


def test_short_indices():
    at = torch.tensor([-1, 2, 0], dtype=torch.int32)
    check(lambda x, i, j: (x[i], x[i, j], x[:, i.clamp(max=0)]), torch.randn(4, 3), at, at.to(torch.int64))
    check(lambda i: i[i], at)
