# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of every core overload that has any: forward and backward graphs compile, and match eager.

Which overloads have gradients is asked of eager: one of them makes a result that requires one from
operands that do. The calls of an overload are one graph, and so are their gradients; those are
made in a trap for ATen kernels.
"""

import copy
import itertools
import re
import warnings
from contextlib import nullcontext
from functools import cache

import pytest
import torch
from core_calls import CALLS, Call, between, normal, overload
from torch.utils._pytree import tree_leaves, tree_map_only
from trap import trap

from benchmarks.agreement import disagreement
from torch_lpu.decompositions.grid_gradients import GRID_GRADIENTS

# Overloads whose backward graphs are the host's in part, and why.
ON_THE_HOST = {
    "index_put": "a size is known only at run time",  # The values that a mask takes.
}

# Overloads with results in floating point that have no derivative, as eager sees it.
NO_DERIVATIVE = {
    "arange.start_step",
    "atan2.out",
    "copy",
    "full",
    "full_like",
    "native_group_norm_backward",
    "scalar_tensor",
}

# How autograd says that a call has no derivative, or does not depend on an operand.
NOT_DIFFERENTIABLE = re.compile(
    r"derivative for \S.* is not implemented"
    r"|don't support automatic differentiation, but one of the arguments requires grad"
    r"|is not differentiable with respect to argument"
    r"|appears to not have been used in the graph"
)


def leaves_of(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def fresh(call, which):
    """The arguments anew; tensors number `which` require a gradient."""
    numbers = itertools.count()

    def leaf(tensor):
        new = tensor.detach().clone(memory_format=torch.preserve_format)
        return new.requires_grad_(next(numbers) in which)

    return tree_map_only(torch.Tensor, leaf, (call.args, call.kwargs))


def differentiable(results):
    return [result for result in leaves_of(results) if result.requires_grad]


def operands_with_gradients(op, call):
    """Numbers of the tensors by which eager differentiates the call."""
    found = set()
    for number, tensor in enumerate(leaves_of((call.args, call.kwargs))):
        if not tensor.is_floating_point():
            continue
        args, kwargs = fresh(call, {number})
        operand = leaves_of((args, kwargs))[number]
        try:
            results = differentiable(op(*args, **kwargs))
            if results:
                ones = [torch.ones_like(result) for result in results]
                torch.autograd.grad(results, operand, ones)
                found.add(number)
        except RuntimeError as error:
            if not NOT_DIFFERENTIABLE.search(str(error)):
                raise
    return found


@cache
def calls_with_gradients(name):
    pairs = [(call, operands_with_gradients(overload(name), call)) for call in CALLS[name]]
    return [(call, operands) for call, operands in pairs if operands]


def gradients(function, calls, around=nullcontext):
    """Results, and gradients of all operands that have one, for weights that are no ones."""
    arguments = [fresh(call, operands) for call, operands in calls]
    results = differentiable(function(arguments))
    operands = [leaf for leaf in leaves_of(arguments) if leaf.requires_grad]
    generator = torch.Generator().manual_seed(1)
    weights = [torch.rand(r.shape, generator=generator).add_(0.5).to(r.dtype) for r in results]
    with around():
        return results, torch.autograd.grad(results, operands, weights, allow_unused=True)


def in_float64(calls):
    def widen(tensor):
        return tensor.double() if tensor.dtype == torch.float32 else tensor

    return [
        (Call(*tree_map_only(torch.Tensor, widen, (call.args, call.kwargs))), operands)
        for call, operands in calls
    ]


def truth_of(function, calls):
    """The same in float64, if eager can."""
    try:
        return gradients(function, in_float64(calls))
    except RuntimeError:
        return None


def test_what_has_no_gradient():
    """Integers and booleans have none; of the rest eager says so."""
    without = {name for name in CALLS if not calls_with_gradients(name)}
    floating = {
        name
        for name in without
        if any(
            result.is_floating_point()
            for call in CALLS[name]
            for result in leaves_of(overload(name)(*copy.deepcopy(call.args), **copy.deepcopy(call.kwargs)))
        )
    }
    assert floating == NO_DERIVATIVE
    assert len(CALLS) - len(without) == 140


def test_other_errors_are_no_missing_derivative():
    """A call that fails has not lost its gradients in silence."""
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        operands_with_gradients(torch.ops.aten.mm.default, Call((normal(2, 3), normal(2, 3)), {}))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_gradients(name):
    calls = calls_with_gradients(name)
    if not calls:
        pytest.skip("it has no gradients")
    op = overload(name)

    def function(arguments):
        """A result that is a view is copied: what is nothing but views has no graph."""
        results = [op(*args, **kwargs) for args, kwargs in arguments]
        return tree_map_only(torch.Tensor, torch.clone, results)

    fallback = "warn" if name in ON_THE_HOST else "error"
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        expected, truth = gradients(function, calls), truth_of(function, calls)
        compiled = torch.compile(
            function, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": fallback}
        )
        assert disagreement(gradients(compiled, calls), expected, truth) is None
    if name in ON_THE_HOST:
        assert any(ON_THE_HOST[name] in str(warning.message) for warning in record)
        return
    assert disagreement(gradients(compiled, calls, trap), expected, truth) is None


@pytest.mark.parametrize(("mode", "padding", "align"), itertools.product(range(3), range(3), (False, True)))
def test_formula_of_grids(mode, padding, align):
    """All kinds of sampling, without compiling any."""
    op = torch.ops.aten.grid_sampler_2d_backward.default
    image, grid, grad = normal(2, 3, 6, 7), between(-1.4, 1.4, 2, 4, 5, 2), normal(2, 3, 4, 5)
    arguments = grad, image, grid, mode, padding, align, (True, True)
    torch.testing.assert_close(GRID_GRADIENTS[op](*arguments), op(*arguments), rtol=1e-4, atol=1e-5)
