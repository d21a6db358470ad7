# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations on the LPU against eager; each under every order of transfers (checks.py)."""

import itertools
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from checks import check

from torch_lpu.options import FX_OPTIMIZATIONS

FLOATS = [torch.float32, torch.bfloat16, torch.float16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def floats(*shape, dtype=torch.float32, low=None):
    values = torch.randn(shape)
    return (values.abs() + low if low is not None else values).to(dtype)


def integers(*shape, dtype=torch.int64, low=-50, high=50):
    return torch.randint(0 if dtype == torch.uint8 else low, high, shape, dtype=dtype)


UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "relu": torch.relu,
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "erf": torch.erf,
    "sin": torch.sin,
    "cos": torch.cos,
    "square": torch.square,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "round": torch.round,
    "reciprocal": lambda x: 1 / (x.abs() + 1),
    "log": lambda x: torch.log(x.abs() + 0.1),
    "log1p": lambda x: torch.log1p(x.abs()),
    "log2": lambda x: torch.log2(x.abs() + 0.1),
    "sqrt": lambda x: torch.sqrt(x.abs()),
    "rsqrt": lambda x: torch.rsqrt(x.abs() + 0.1),
    "expm1": torch.expm1,
    "pow3": lambda x: x**3,
    "pow_half": lambda x: x.abs() ** 0.5,
    "clamp": lambda x: x.clamp(-0.5, 0.7),
    "hardswish": F.hardswish,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "softplus": F.softplus,
    "sign": torch.sign,
    "isnan": torch.isnan,
}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    check(UNARY[name], floats(3, 37, dtype=dtype))


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int64, torch.int32], ids=str)
def test_arithmetic(dtype):
    make = floats if dtype.is_floating_point else integers
    x, y = make(4, 5, dtype=dtype), make(5, dtype=dtype)
    check(lambda x, y: (x + y, x - y, x * y, x + 2, 3 - x, torch.maximum(x, y), torch.minimum(x, y)), x, y)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_division(dtype):
    x, y = floats(4, 5, dtype=dtype), floats(4, 5, dtype=dtype, low=0.5)
    check(lambda x, y: (x / y, x / 3, torch.fmod(x, y), torch.remainder(x, y)), x, y)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers(dtype):
    x, y = (
        integers(4, 25, dtype=dtype, low=-128, high=127),
        integers(4, 25, dtype=dtype, low=1, high=9).clamp(min=1),
    )
    if dtype == torch.uint8:
        x = x * 2 + 1
    check(lambda x, y: (x + y, x - y, x * y, x // y, x % y, x.div(y, rounding_mode="trunc")), x, y)
    check(
        lambda x, y: (x & y, x | y, x ^ y, ~x, x == y, x > y, torch.maximum(x, y), x.amax(-1), x.sum()), x, y
    )
    check(
        lambda x, y: (x > 100, x * 2.5, x + y.to(torch.int64), x.float() * y, torch.where(x > y, x, 1.5)),
        x,
        y,
    )
    check(lambda x, y: (x.float(), x.to(torch.int64), x / y, x.abs(), -x, x << 1, x >> 1, x.argmax(-1)), x, y)


@pytest.mark.parametrize(
    "dtype", [*FLOATS, torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool], ids=str
)
@pytest.mark.parametrize("to", [*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool], ids=str)
def test_convert(dtype, to):
    x = (torch.rand(4, 7) * 100).to(dtype)
    check(lambda x: x.to(to).clone(), x)


def test_unsigned_bytes():
    x, y = torch.randint(0, 256, (5, 30), dtype=torch.uint8), torch.randint(1, 9, (5, 30), dtype=torch.uint8)
    check(lambda x, y: (torch.cat([x, y.to(torch.int32)]), x.cumsum(0), y[:, :5].prod(1), x.sort(1)[0]), x, y)
    check(lambda x, y: (x == 200, x < 100, torch.where(x.bool(), x, y), x.amax(0), x.topk(3)[0]), x, y)
    check(
        lambda x, y: (x[:, 3:5] + 0, x.flip(1), F.pad(x, (1, 1)), x.gather(1, y.long()), x.repeat(2, 1)), x, y
    )


def test_comparisons_and_logic():
    x, y = integers(3, 20, low=-3, high=3), integers(3, 20, low=-3, high=3)

    def function(x, y):
        a, b = x < y, x >= 0
        return a & b, a | b, a ^ b, ~a, a.logical_and(b), torch.where(a, x, y), a.any(-1), b.all(), a.sum()

    check(function, x, y)


def test_nan_and_infinity():
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0])
    y = torch.tensor([1.0, float("nan"), 2.0, -0.0, 0.0, float("inf")])
    check(lambda x, y: (x + y, x * y, torch.maximum(x, y), torch.minimum(x, y), x == y, x == x, x < y), x, y)
    check(lambda x: (x.isnan(), x.relu(), x.clamp(-1, 1), x.amax(), x[1:].amin(), x.sigmoid(), x.max(0)), x)
    check(lambda x: (F.softmax(x[3:], 0), F.softmax(x[1:], 0), x.argmax(), x[1:].argmin()), x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "shape",
    [((3, 4), (4, 5)), ((1, 64), (64, 33)), ((2, 3, 4), (2, 4, 5)), ((7,), (7,)), ((9, 130), (130, 17))],
    ids=str,
)
def test_matmul(shape, dtype):
    check(torch.matmul, floats(*shape[0], dtype=dtype), floats(*shape[1], dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_linear(dtype):
    check(F.linear, floats(2, 3, 40, dtype=dtype), floats(50, 40, dtype=dtype), floats(50, dtype=dtype))


def test_matmul_of_transposed_and_strided():
    check(lambda x, y: x.t() @ y[::2], floats(6, 3), floats(12, 5))


def test_einsum():
    check(lambda x, y: torch.einsum("bij,bkj->ikb", x, y), floats(2, 3, 4), floats(2, 5, 4))


REDUCTIONS = {
    "sum": lambda x: (x.sum(), x.sum(0), x.sum(1, keepdim=True), x.sum((0, 2))),
    "mean": lambda x: (x.mean(), x.mean(-1), x.mean((0, 1))),
    "max": lambda x: (x.amax(-1), x.amin(0), x.max(), x.max(1)),
    "argmax": lambda x: (x.argmax(-1), x.argmin(0), x.argmax()),
    "prod": lambda x: (x[:, :2, :2].prod(-1), x[0, 0, :5].prod()),
    "var": lambda x: (x.var(-1), x.std(), *torch.var_mean(x, (0, 2), correction=0)),
    "norm": lambda x: (x.norm(), torch.linalg.vector_norm(x, dim=1)),
    "logsumexp": lambda x: x.logsumexp(-1),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    check(REDUCTIONS[name], floats(3, 5, 70))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_softmax(dtype):
    check(
        lambda x: (torch.softmax(x, -1), torch.softmax(x, 0), torch.log_softmax(x, -1)),
        floats(5, 100, dtype=dtype),
    )


NORMS = {
    "layer": torch.nn.LayerNorm(48),
    "rms": torch.nn.RMSNorm(48),
    "group": torch.nn.GroupNorm(3, 6),
    "batch": torch.nn.BatchNorm1d(6).eval(),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", NORMS)
def test_norms(name, dtype):
    check(NORMS[name].to(dtype), floats(4, 6, 48, dtype=dtype))


def test_index_of_the_best():
    x = integers(6, 9, low=-2, high=3)  # Ties: the first one counts.
    check(lambda x: (x.argmax(0), x.argmin(1, keepdim=True), x.argmax(), x.max(1), x.min(0)), x)
    check(lambda x: (x.argmax(), x.sum().argmin(), x.argmax(-1)), floats(3, 700))


def test_normalize_and_cosine():
    check(lambda x, y: (F.normalize(x, dim=-1), F.cosine_similarity(x, y)), floats(4, 20), floats(4, 20))


CONVOLUTIONS = {
    "conv2d": lambda x, w: F.conv2d(x, w, padding=1),
    "stride": lambda x, w: F.conv2d(x, w, stride=2),
    "dilation": lambda x, w: F.conv2d(x, w, dilation=2),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(name):
    check(CONVOLUTIONS[name], floats(2, 4, 9, 9), floats(6, 4, 3, 3))


def test_other_convolutions():
    check(lambda x, w, b: F.conv1d(x, w, b), floats(2, 4, 9), floats(6, 4, 3), floats(6))
    check(lambda x, w: F.conv2d(x, w, groups=4, padding=1), floats(1, 4, 6, 6), floats(8, 1, 3, 3))
    check(lambda x, w: F.conv_transpose2d(x, w, stride=2), floats(1, 4, 5, 5), floats(4, 3, 3, 3))


def test_channels_last():
    x = floats(2, 4, 9, 9).to(memory_format=torch.channels_last)
    check(lambda x, w: F.conv2d(x, w, padding=1) + 1, x, floats(6, 4, 3, 3))


def test_pooling():
    x = floats(2, 3, 8, 8)
    check(lambda x: (F.max_pool2d(x, 2), F.avg_pool2d(x, 3, stride=2), F.adaptive_avg_pool2d(x, 1)), x)
    check(lambda x: F.max_pool2d(x, 3, stride=2, padding=1), x)


MOVES = {
    "transpose": lambda x: (x.transpose(0, 2).contiguous(), x.permute(2, 0, 1) + 1),
    "reshape": lambda x: (x.reshape(-1, 2) + 1, x.flatten() * 2),
    "slice": lambda x: (x[:, 1:3] + 0, x[..., ::2] * 1, x[-1] + 1),
    "cat": lambda x: (torch.cat([x, x * 2], 1), torch.stack([x, x], -1)),
    "split": lambda x: [part + 1 for part in x.split(2, -1)] + [part * 2 for part in x.chunk(2, 1)],
    "pad": lambda x: (F.pad(x, (1, 2, 0, 1)), F.pad(x, (1, 1), value=3.0), F.pad(x, (-1, 2))),
    "pad_modes": lambda x: (F.pad(x, (1, 1), mode="reflect"), F.pad(x, (2, 1), mode="replicate")),
    "flip_roll": lambda x: (x.flip(0, 2), x.roll(1, -1)),
    "repeat": lambda x: (x.repeat(2, 1, 3), x.repeat_interleave(2, 1), x[:, None].expand(-1, 3, -1, -1) + 0),
    "tril": lambda x: (x.tril(), x.triu(1)),
    "diagonal": lambda x: (x.diagonal(dim1=1, dim2=2) + 0, torch.diag_embed(x)),
    "unfold": lambda x: x.unfold(2, 3, 1) + 0,
    "meshgrid": lambda x: torch.meshgrid(x[0, 0], x[0, :, 0], indexing="ij")[0] + 0,
}


@pytest.mark.parametrize("name", MOVES)
def test_moves(name):
    check(MOVES[name], floats(3, 4, 6))


def test_creation():
    def function(x):
        n = x.shape[0]
        return (
            torch.arange(n) + 1,
            torch.full((2, n), 3.5),
            torch.zeros_like(x),
            torch.eye(n),
            torch.linspace(0, 1, n),
        )

    check(function, floats(5))


def test_constants_of_the_graph():
    check(lambda x: x * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor(4.0), floats(2, 3))


class TestIndexing:
    ids = staticmethod(lambda *shape: torch.randint(0, 10, shape))

    @pytest.mark.parametrize("dtype", FLOATS, ids=str)
    def test_embedding(self, dtype):
        check(F.embedding, self.ids(2, 7), floats(10, 16, dtype=dtype))

    def test_gather(self):
        x = floats(10, 10)
        check(
            lambda x, i: (x.gather(0, i), x.gather(1, i), x.take_along_dim(i, 1)),
            x,
            self.ids(10, 3).clamp(max=9),
        )

    def test_index_select(self):
        check(lambda x, i: (x.index_select(0, i), x[i], x[:, i], x[i, i]), floats(10, 12), self.ids(5))

    def test_negative_indices_wrap(self):
        i = torch.tensor([-1, 3, -10])
        check(lambda x, i: (x[i], x[:, i]), floats(10, 10), i)
        check(lambda x, i, j, v: x.index_put((i, j), v), floats(10, 12), i, i - 1, floats(3))
        check(lambda x, i, v: x.index_put((i[:, None],), v), floats(10, 4), i, floats(3, 1, 4))

    @pytest.mark.parametrize("name", sorted(FX_OPTIMIZATIONS))
    def test_without_an_optimization_of_the_graph(self, name):
        """What stays whole by default is taken apart, and means the same."""

        def step(q, k, v, at, row):
            k, v = k.index_copy(2, at, row), v.clone()
            v[:, :, at - 9] = row
            return k, v, F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

        at, row = torch.tensor([3]), floats(1, 2, 1, 8)
        check(step, floats(1, 4, 5, 8), floats(1, 2, 9, 8), floats(1, 2, 9, 8), at, row, disable=(name,))

    def test_scatter(self):
        i = torch.stack([torch.randperm(10) for _ in range(4)])
        check(lambda x, i, v: (x.scatter(1, i, v), x.scatter(1, i, 2.0)), floats(4, 10), i, floats(4, 10))

    def test_scatter_add(self):
        x, i, v = floats(10, 5), torch.randint(0, 5, (10, 5)), floats(10, 5)
        check(lambda x, i, v: x.scatter_add(1, i, v), x, i, v)
        check(lambda x, i, v: x.index_add(0, i, v), x, self.ids(7), floats(7, 5))
        check(lambda x, i, v: x.index_put((i,), v, accumulate=True), x, self.ids(7), floats(7, 5))

    def test_scatter_reduce(self):
        def function(x, i, v):
            return [x.scatter_reduce(1, i, v, reduce) for reduce in ("sum", "prod", "amax", "amin")]

        check(function, floats(4, 10), self.ids(4, 6), floats(4, 6))

    def test_row_writes(self):
        def function(cache, at, row):
            cache[:, at] = row
            return cache.sum()

        check(function, floats(2, 8, 4), torch.tensor([1, -1]), floats(2, 2, 4))

    def test_masked_fill(self):
        check(
            lambda x, m: (x.masked_fill(m, 3.0), torch.where(m, x, 0.0)), floats(4, 5), torch.rand(4, 5) > 0.5
        )


def test_scans_and_sorts():
    check(lambda x: (x.cumsum(-1), x.cumsum(0)), floats(4, 30))
    check(lambda x: (x.cumsum(-1),), integers(4, 30))
    check(lambda x: (x.sort(-1), x.sort(0, descending=True), x.argsort(-1)), floats(4, 30))
    check(lambda x: (x.topk(5), x.topk(3, largest=False)), floats(4, 30))


class TestAttention:
    @pytest.mark.parametrize("dtype", FLOATS, ids=str)
    @pytest.mark.parametrize("causal", [False, True])
    def test_plain(self, dtype, causal):
        q, k, v = (floats(2, 3, 17, 16, dtype=dtype) for _ in range(3))
        check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), q, k, v)

    def test_more_keys_than_a_block(self):
        q, k, v = floats(1, 2, 3, 16), floats(1, 2, 600, 16), floats(1, 2, 600, 16)
        check(lambda *a: F.scaled_dot_product_attention(*a), q, k, v)

    @pytest.mark.parametrize("mask", ["bool", "float", "row"])
    def test_masks(self, mask):
        q, k, v = floats(2, 3, 5, 8), floats(2, 3, 9, 8), floats(2, 3, 9, 4)
        masks = {
            "bool": torch.rand(5, 9) > 0.3,
            "float": floats(2, 1, 5, 9),
            "row": torch.rand(1, 1, 1, 9) > 0.3,
        }
        masks["bool"][:, 0] = masks["row"][..., 0] = True
        check(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m, scale=0.3), q, k, v, masks[mask])

    def test_grouped_queries(self):
        q, k, v = floats(1, 6, 5, 8), floats(1, 2, 9, 8), floats(1, 2, 9, 8)
        check(lambda *a: F.scaled_dot_product_attention(*a, enable_gqa=True), q, k, v)

    def test_a_fully_masked_row(self):
        q, k, v, mask = (
            floats(1, 2, 3, 8),
            floats(1, 2, 5, 8),
            floats(1, 2, 5, 8),
            torch.ones(3, 5, dtype=torch.bool),
        )
        mask[1] = False
        check(lambda *a: F.scaled_dot_product_attention(*a), q, k, v, mask)

    def test_multihead_module(self):
        module = torch.nn.MultiheadAttention(16, 2, batch_first=True).eval()
        check(lambda x: module(x, x, x, need_weights=False)[0], floats(2, 5, 16))


def test_losses():
    x, y = floats(6, 10), torch.randint(0, 10, (6,))
    check(lambda x, y: F.cross_entropy(x, y), x, y)
    check(
        lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y), F.huber_loss(x, y)),
        x,
        floats(6, 10),
    )


def test_large_operands_do_not_fit_on_chip():
    """Working sets beyond the LMU of the smallest machine."""
    x = floats(64, 512)
    check(lambda x, w: torch.relu(x @ w).sum(-1) + x.sum(-1), x, floats(512, 256), machine="tiny")
    check(lambda x: torch.softmax(x * 2, -1), x, machine="tiny")


def test_norms_of_norms():
    """More reductions in a row than one program has phases."""
    norm = partial(F.layer_norm, normalized_shape=(8,))
    for first, second in itertools.product((norm, partial(F.softmax, dim=-1)), repeat=2):
        check(lambda x, f=first, g=second: g(f(g(f(x)))), floats(7, 8))
