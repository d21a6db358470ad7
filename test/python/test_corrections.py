# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that torch-mlir lowers otherwise than PyTorch computes."""

import torch
from checks import check


def test_clamp_promotes_its_bounds():
    half = torch.tensor([1.0, 2.0], dtype=torch.float16)
    check(lambda x, low: torch.clamp(x, min=low), torch.tensor(1.5), half)
    x, high = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([0, 2**40, 9])
    check(lambda x, high: (torch.clamp(x, max=high), torch.clamp(x, high - 1, high)), x, high)
    check(lambda x, high: torch.clamp(x, max=high), x.to(torch.int8), torch.tensor(456))
