# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on lists of tensors, and steps of optimisers, on the LPU alone."""

import copy

import pytest
import torch
from checks import check


def test_arithmetic_of_lists():
    def function(a, b, c, d):
        left, right = [a, b], [c, d]
        left = torch._foreach_add(left, right, alpha=2)
        left = torch._foreach_mul(left, [2.0, 3.0])
        left = torch._foreach_addcmul(left, right, right, 0.5)
        left = torch._foreach_maximum(left, -1.0)
        left = torch._foreach_minimum(left, right)
        left = torch._foreach_lerp(left, right, 0.25)
        torch._foreach_div_(left, 3.0)
        return *left, *torch._foreach_norm(left), *torch._foreach_pow(2.0, right)

    check(function, torch.randn(3, 4), torch.randn(5), torch.randn(3, 4), torch.randn(5))


# The optimiser, its arguments, and how many programs its steps need: a momentum starts as the gradient.
OPTIMIZERS = {
    "adamw": (torch.optim.AdamW, {}, 1),
    "adamw-foreach": (torch.optim.AdamW, {"foreach": True, "amsgrad": True}, 1),
    "sgd": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}, 2),
    "sgd-foreach": (torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.1, "foreach": True}, 2),
    "rmsprop-foreach": (torch.optim.RMSprop, {"foreach": True}, 1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_of_an_optimiser(name, compilations):
    """The step number is a tensor of the state, so that one program serves every step."""
    kind, arguments, programs = OPTIMIZERS[name]
    ours = [torch.randn(shape, requires_grad=True) for shape in ((3, 4), (5,))]
    theirs = copy.deepcopy(ours)
    optimizer, eager = (kind(values, lr=0.01, **arguments) for values in (ours, theirs))
    step = torch.compile(optimizer.step, backend="lpu", options={"fallback": "error"})
    for _ in range(6):
        for mine, other in zip(ours, theirs, strict=True):
            mine.grad = torch.randn_like(mine)
            other.grad = mine.grad.clone()
        step()
        eager.step()
    torch.testing.assert_close(ours, theirs, rtol=2e-5, atol=2e-5)
    assert len(compilations) == programs
