# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every overload that PyTorch tags as core compiles, but for those that need not."""

import pytest
import torch
from checks import check
from core_calls import CALLS, MAY_FALL_BACK, core_overloads, of_dtype, overload

# A short run has the first call of each.
CASES = [
    pytest.param(name, call, id=f"{name}-{number}", marks=[pytest.mark.long] if number else [])
    for name, calls in CALLS.items()
    for number, call in enumerate(calls)
]


def test_every_core_overload_is_called():
    assert CALLS.keys() == set(core_overloads()) - MAY_FALL_BACK.keys()
    assert len(CALLS) == 177


@pytest.mark.parametrize(("name", "call"), CASES)
def test_core_overload(name, call):
    op = overload(name)

    def function(args, kwargs):
        return op(*args, **kwargs)

    check(function, call.args, call.kwargs)


# What torch-mlir and stock decompositions do not take, or take for floats. The table of all types is
# docs/ops.md.
OF_INTEGERS = {
    "addmm": torch.int8,
    "arange.start_step": torch.uint8,
    "avg_pool2d_backward": torch.int64,
    "clamp": torch.int16,
    "div.Scalar_mode": torch.int32,
    "embedding_dense_backward": torch.int64,
    "full": torch.uint8,
    "max_pool2d_with_indices": torch.uint8,
    "max_pool3d_with_indices": torch.int64,
    "mul.Scalar": torch.int8,
    "pow.Tensor_Scalar": torch.int64,
    "pow.Tensor_Tensor": torch.int64,
}


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_of_integers(name):
    op = overload(name)
    for call in CALLS[name]:
        made = of_dtype(call, OF_INTEGERS[name])
        try:
            op(*made.args, **made.kwargs)
        except RuntimeError:  # Factors that are fractions.
            continue
        check(lambda args, kwargs: op(*args, **kwargs), made.args, made.kwargs)
