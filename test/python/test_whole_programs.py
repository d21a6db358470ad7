# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What surrounds the arithmetic: inputs that overlap, containers, breaks, modes, threads, errors.

Each function is compared with eager, with what it did to its inputs and which
tensors share memory, and as many programs have to run as are listed: a function
that never reached the LPU would agree as well.
"""

import collections
import copy
import threading

import pytest
import torch
from test_sharing import layout
from torch.utils._pytree import tree_flatten, tree_leaves

from torch_lpu.report import profile

M = (3, 4)
Pair = collections.namedtuple("Pair", "left right")


def overlapping():
    memory = torch.randn(10)
    return memory[:6], memory[4:]


def halves():
    memory = torch.randn(4, 8)
    return memory[:, :4], memory[:, 4:]


def twice():
    x = torch.randn(4)
    return x, x


def whole_and_row():
    memory = torch.randn(4, 4)
    return memory, memory[0]


def whole_and_transposed():
    memory = torch.randn(4, 4)
    return memory, memory.t()


def change_first(x, y):
    x.add_(1)
    return x * y


def change_both(x, y):
    x.add_(1)
    y.mul_(2)
    return x - y


def change_and_view(x, y):
    x.mul_(2)
    return y + 1, x[1]


def change_a_row(x):
    x[0].add_(1)
    return x.sum(), x[1]


def change_through_a_view(x):
    row = x[1]
    row.mul_(3)
    return row[1:]


def change_a_list(values):
    values.append(values[0] + 1)
    return values[0] * 2


def change_a_dict(values):
    values["y"] = values["x"] + 1
    return values["x"] * 2


def change_sizes(x):
    x.t_()
    return x + 1


def change_part_of_a_new_one(x):
    y = x * 2
    y[:, 1].fill_(7)
    y[0].zero_()
    return y


def nested(values):
    a, (b, n) = values["a"], values["b"]
    return {"sum": Pair(a + b, [n, (None, a * n)]), "same": a, "size": a.shape[0]}


def breaks(x):
    y = x * 2
    torch._dynamo.graph_break()
    z = y + x
    if z.sum() > 1e9:
        z = z * 0
    return torch.exp(z * 0.1), y


def is_scalar(x):
    return x.sum(), x.max() > 0, x.shape[0] * 2, 1.5, None, True


# The function, its arguments, and how many programs run.
CASES = {
    "overlapping, read": (lambda x, y: x * y, overlapping, 1),
    "overlapping, one changed": (change_first, overlapping, 1),
    "overlapping, both changed": (change_both, overlapping, 1),
    "halves, both changed": (change_both, halves, 1),
    "one tensor twice, changed": (change_first, twice, 1),
    "one tensor twice, both changed": (change_both, twice, 1),
    "whole and row, row changed": (lambda x, y: (y.mul_(2), x.sum())[1], whole_and_row, 1),
    "whole and row, whole changed": (change_and_view, whole_and_row, 1),
    "transposed, both changed": (change_both, whole_and_transposed, 1),
    "zero strides": (lambda x: x * 2 + 1, lambda: (torch.randn(3, 1).expand(3, 4),), 1),
    "steps": (lambda x: x * 2 + 1, lambda: (torch.randn(8, 6)[::2, 1::2].t(),), 1),
    "steps, changed": (lambda x: x.mul_(2), lambda: (torch.randn(8, 6)[::2, 1::2].t(),), 1),
    "overlaps itself, read": (lambda x: x * 2, lambda: (torch.randn(10).as_strided((4, 3), (2, 1)),), 1),
    "channels last": (
        lambda x: x * 2,
        lambda: (torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),),
        1,
    ),
    "row changed": (change_a_row, lambda: (torch.randn(M),), 1),
    "changed through a view": (change_through_a_view, lambda: (torch.randn(M),), 1),
    "part of a new one changed": (change_part_of_a_new_one, lambda: (torch.randn(M),), 1),
    "changed and returned": (lambda x: x.mul_(2), lambda: (torch.randn(M),), 1),
    "changed by another type": (lambda x, y: x.copy_(y), lambda: (torch.randn(3), torch.arange(3)), 1),
    "written by out": (lambda x, y: torch.add(x, 1, out=y), lambda: (torch.randn(M), torch.randn(M)), 1),
    "sizes changed": (change_sizes, lambda: (torch.randn(M),), 1),
    "list changed": (change_a_list, lambda: ([torch.randn(3)],), 1),
    "dict changed": (change_a_dict, lambda: ({"x": torch.randn(3)},), 1),
    "inputs returned": (lambda x, y: (y, x, x + y), lambda: (torch.randn(M), torch.randn(M)), 1),
    "containers": (nested, lambda: ({"a": torch.randn(3), "b": (torch.randn(3), 2.5)},), 1),
    "scalars": (is_scalar, lambda: (torch.randn(M),), 1),
    "numbers and flags": (lambda x, n, f: x * n if f else x, lambda: (torch.randn(3), 3, True), 1),
    "no tensors": (lambda x: None, lambda: (torch.randn(3),), 0),
    "nothing": (lambda x: x, lambda: (torch.randn(3),), 0),
    "only views": (lambda x: (x.t(), x[0][1:], x.unsqueeze(0)), lambda: (torch.randn(M),), 0),
    "only a constant": (lambda x: torch.ones(3) * 2, lambda: (torch.randn(3),), 1),
    "no elements": (lambda x: x * 2, lambda: (torch.randn(0, 4),), 1),
    "no dimensions": (lambda x: x * 2, lambda: (torch.randn(()),), 1),
    "breaks": (breaks, lambda: (torch.randn(M),), 3),
}
MODES = {"plain": torch.enable_grad, "no_grad": torch.no_grad, "inference_mode": torch.inference_mode}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_as_in_eager(name, mode):
    function, make, programs = CASES[name]
    ours, theirs = make(), None
    torch.manual_seed(0)
    ours = make()
    torch.manual_seed(0)
    theirs = make()
    compiled = torch.compile(function, backend="lpu", dynamic=False, options={"fallback": "error"})
    with MODES[mode]():
        for call in range(
            1 if name == "sizes changed" else 2
        ):  # The second call sees what the first one changed.
            with profile(trace=False) as report:
                result = compiled(*ours)
            expected = function(*theirs)
            assert len(report.runs) == programs, f"call {call}"
            compare((result, ours), (expected, theirs))


def compare(actual, expected):
    values, structure = tree_flatten(actual)
    others, other_structure = tree_flatten(expected)
    assert structure == other_structure
    for value, other in zip(values, others, strict=True):
        assert type(value) is type(other)
        if isinstance(value, torch.Tensor):
            torch.testing.assert_close(value, other, rtol=2e-5, atol=2e-5)
            assert value.stride() == other.stride() and value.is_inference() == other.is_inference()
        else:
            assert value == other
    nonempty = [
        [t for t in tree_leaves(tree) if isinstance(t, torch.Tensor) and t.numel()]
        for tree in (actual, expected)
    ]
    assert layout(nonempty[0]) == layout(nonempty[1])


def test_inputs_that_come_to_overlap_after_the_first_call():
    """PyTorch guards nothing here; an input that is changed is seen through the other one all the same."""
    compiled = torch.compile(change_first, backend="lpu", dynamic=False, options={"fallback": "error"})
    both = torch.compile(change_both, backend="lpu", dynamic=False, options={"fallback": "error"})
    for mine, function in ((compiled, change_first), (both, change_both)):
        for make in (lambda: (torch.randn(6), torch.randn(6)), overlapping, twice, overlapping):
            torch.manual_seed(0)
            ours = make()
            torch.manual_seed(0)
            theirs = make()
            with profile(trace=False) as report:
                result = mine(*ours)
            assert len(report.runs) == 1
            compare((result, ours), (function(*theirs), theirs))


@pytest.mark.parametrize("dynamic", [False, True])
def test_inputs_that_overlap_elsewhere_in_the_next_call(dynamic):
    compiled = torch.compile(change_both, backend="lpu", dynamic=dynamic, options={"fallback": "error"})
    for length, first, second in ((20, 0, 4), (20, 4, 0), (20, 2, 6), (20, 0, 3), (30, 0, 4)):
        ours, theirs = (torch.arange(float(length)) for _ in range(2))
        result = compiled(ours[first : first + 8], ours[second : second + 8])
        assert torch.equal(result, change_both(theirs[first : first + 8], theirs[second : second + 8]))
        assert torch.equal(ours, theirs)


def test_inputs_of_symbolic_sizes_that_come_to_overlap():
    compiled = torch.compile(change_both, backend="lpu", dynamic=True, options={"fallback": "error"})
    for size in (6, 7, 8):
        for start in (size, size - 2):
            ours, theirs = (torch.arange(20.0) for _ in range(2))
            result = compiled(ours[:size], ours[start : start + size])
            assert torch.equal(result, change_both(theirs[:size], theirs[start : start + size]))
            assert torch.equal(ours, theirs)


def test_training_through_several_graphs():
    def make():
        torch.manual_seed(0)
        return torch.nn.ModuleList([torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.Linear(6, 2)])

    def loss_of(layers, x):
        y = layers[1](layers[0](x))
        torch._dynamo.graph_break()
        if y.sum() > 1e9:
            y = y * 0
        return layers[2](torch.tanh(y)).pow(2).mean(), y

    ours, theirs = make(), make()
    compiled = torch.compile(loss_of, backend="lpu", dynamic=False, options={"fallback": "error"})
    x = torch.randn(5, 4)
    for _ in range(2):
        with profile(trace=False) as report:
            loss, y = compiled(ours, x)
            (loss + y.sum()).backward()
        expected, other = loss_of(theirs, x)
        (expected + other.sum()).backward()
        assert len(report.runs) == 5  # Three forward graphs, two of them with something to differentiate.
        torch.testing.assert_close(loss, expected)
        for mine, their in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(mine.grad, their.grad, rtol=2e-5, atol=2e-5)
        compare(dict(ours.named_buffers()), dict(theirs.named_buffers()))


def test_a_module_in_train_and_eval():
    ours = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU())
    theirs = copy.deepcopy(ours)
    compiled = torch.compile(
        ours, backend="lpu", fullgraph=True, dynamic=False, options={"fallback": "error"}
    )
    for train in (True, False, True):
        ours.train(train)
        theirs.train(train)
        x = torch.randn(5, 4)
        with profile(trace=False) as report:
            result = compiled(x)
        assert len(report.runs) == 1
        torch.testing.assert_close(result, theirs(x), rtol=2e-5, atol=2e-5)
        compare(dict(ours.named_buffers()), dict(theirs.named_buffers()))


def test_state_of_a_module_that_the_call_replaces():
    class Sum(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self.register_buffer("sum", torch.zeros(3))

        def forward(self, x):
            self.calls += 1
            self.sum = self.sum + x
            return self.sum * 2

    ours, theirs = Sum(), Sum()
    compiled = torch.compile(ours, backend="lpu", options={"fallback": "error"})
    for _ in range(3):
        torch.testing.assert_close(compiled(torch.ones(3)), theirs(torch.ones(3)))
    assert ours.calls == theirs.calls and torch.equal(ours.sum, theirs.sum)


def test_threads_compile_and_run_at_once():
    def function(x):
        return torch.tanh(x @ x.t()) + 1

    compiled = torch.compile(function, backend="lpu", dynamic=False, options={"fallback": "error"})
    inputs = [torch.randn(n, n) for n in (2, 3, 4, 3)]
    results = {}

    def work(number):
        results[number] = compiled(inputs[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(inputs))]
    with profile(trace=False) as report:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(report.runs) == len(inputs)
    for number, x in enumerate(inputs):
        torch.testing.assert_close(results[number], function(x), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("function", "operands", "message"),
    [
        (
            torch.nn.functional.conv1d,
            (torch.randn(1, 1, 3), torch.randn(1, 1, 3).double()),
            r"(?i)dtype|type",
        ),
        (torch.matmul, (torch.randn(3, 4), torch.randn(3, 4)), r"(?i)shape|size|dim"),
        (torch.add, (torch.randn(3), torch.randn(4)), r"(?i)shape|size|broadcast"),
        (lambda x: x.add_(1.5), (torch.arange(3),), r"(?i)can't be cast"),
        (lambda x, i: x[i], (torch.randn(3), torch.tensor([5])), r"(?i)index"),
    ],
)
def test_errors_of_the_function_are_raised(function, operands, message):
    compiled = torch.compile(function, backend="lpu", options={"fallback": "error"})
    for either in (function, compiled):
        with pytest.raises((RuntimeError, IndexError), match=message):
            either(*operands)
