# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes tensors of numbers."""

import torch
from checks import check


def test_creation():
    check(lambda a, b: torch.linspace(a, b, 7), torch.tensor(1.5), torch.tensor(-3.0))
    check(lambda a: torch.linspace(a, 4, 1), torch.tensor(1.5))
    check(lambda x: torch.empty_permuted((2, 3), (1, 0)).fill_(2) + x, torch.ones(2, 3))
    check(lambda: torch.arange(-2, 5, 3, dtype=torch.int8))
    check(lambda: torch.full((2, 3), 200, dtype=torch.uint8))
    check(lambda x: torch.full_like(x, 200), torch.ones(2, 3, dtype=torch.uint8))
