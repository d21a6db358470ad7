# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of no dimensions."""

import torch
from checks import check


def test_no_dimensions():
    one = torch.tensor(1.5)
    for function in (
        torch.amax,
        torch.amin,
        torch.cumsum,
        torch.cumprod,
        torch.any,
        torch.prod,
        torch.logsumexp,
    ):
        check(lambda x, f=function: f(x, 0), one)
    check(lambda x: x.sort(0), one)
    check(lambda x: x.topk(1), one)
    check(lambda x: x.scatter_add(0, torch.tensor(0), torch.tensor(2.0)), one)
