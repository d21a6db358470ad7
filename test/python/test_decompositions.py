# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that are decomposed before import: on the LPU, against eager, at their odd places."""

import importlib
import itertools
import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from checks import check

from benchmarks.agreement import disagreement
from torch_lpu.decompositions.bessel import BESSEL
from torch_lpu.decompositions.error import ERROR_FUNCTIONS
from torch_lpu.decompositions.gamma import GAMMA
from torch_lpu.decompositions.integers import INTEGERS as INTEGER_TABLE
from torch_lpu.decompositions.orthogonal import ORTHOGONAL
from torch_lpu.program import running
from torch_lpu.report import profile

NAN, INF = math.nan, math.inf
aten = torch.ops.aten


def matrix(rows=4, columns=6, seed=0):
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))


ODD = torch.tensor([0.0, -0.0, 1.0, -1.5, 1e-40, -3e38, INF, -INF, NAN, 2.0**-126, 0.75])
SPECIAL = {**BESSEL, **ERROR_FUNCTIONS, **GAMMA}
SPECIAL_NAMES = sorted(op.name().removeprefix("aten::") for op in SPECIAL if op is not aten.polygamma.default)
WIDE = torch.cat(
    [
        torch.linspace(-30.3, 30.1, 1501),
        torch.logspace(-8, 4, 300),
        -torch.logspace(-8, 2, 200),
        torch.tensor([0.0, -0.0, 1.0, 2.0, INF, -INF, NAN]),
    ]
)
UNIT = torch.cat([torch.linspace(-1, 1, 801), 1 - torch.logspace(-7, -1, 200), torch.logspace(-30, -1, 200)])


def special(name):
    return next(op for op in SPECIAL if op.name() == f"aten::{name}")


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_function_is_as_exact_as_eager(name):
    op = special(name)
    x = UNIT if "erfinv" in name or "ndtri" in name else WIDE
    assert disagreement(SPECIAL[op](x), op(x), op(x.double())) is None


@pytest.mark.parametrize("order", range(6))
def test_polygamma_is_as_exact_as_eager(order):
    x = WIDE[(WIDE > 0) | (WIDE != WIDE.floor())]  # Eager's poles are those of a rounded sine.
    result = SPECIAL[aten.polygamma.default](order, x)
    result = torch.digamma(x) if result is NotImplemented else result
    assert disagreement(result, torch.polygamma(order, x), torch.polygamma(order, x.double())) is None


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_function(name):
    check(
        special(name),
        UNIT[::50] if "erfinv" in name or "ndtri" in name else matrix(),
        tolerances=(1e-4, 2e-5),
    )


@pytest.mark.parametrize("order", [0, 1, 3])
def test_polygamma(order):
    check(lambda x: torch.polygamma(order, x), matrix() + 0.01, tolerances=(1e-4, 1e-4))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64])
def test_special_function_of_other_types(dtype):
    check(torch.lgamma, torch.tensor([1, 2, 5, 40]).to(dtype))
    check(torch.special.i0e, torch.tensor([1, 2, -5, 40]).to(dtype))


BITS = {
    "view_int": lambda x: x.view(torch.int32) + 1,
    "view_float": lambda x: (x.view(torch.int32) ^ 1).view(torch.float32),
    "signbit": torch.signbit,
    "frexp": torch.frexp,
    "angle": torch.angle,
}


@pytest.mark.parametrize("function", BITS.values(), ids=BITS.keys())
def test_bits(function):
    # The sign and the payload of a NaN are open.
    check(function, ODD[ODD == ODD] if function is not torch.angle else ODD)


def test_bits_of_bfloat16():
    check(lambda x: x.view(torch.int16) & 0x7FFF, ODD[ODD == ODD].bfloat16())


@pytest.mark.parametrize("function", [torch.copysign, torch.hypot, torch.nextafter, torch.fmax, torch.fmin])
def test_pairs(function):
    numbers = ODD[ODD == ODD]
    check(function, ODD.unsqueeze(0), numbers.unsqueeze(1))
    if function is not torch.nextafter:
        check(function, matrix().bfloat16(), matrix(seed=1).bfloat16())


TIES = torch.tensor([[2.0, 1.0, 2.0, NAN, 0.0, 2.0], [3.0, 3.0, -1.0, 5.0, INF, -INF]])


@pytest.mark.parametrize("function", [torch.cummax, torch.cummin], ids=["cummax", "cummin"])
def test_running_extrema(function):
    check(lambda x: function(x, 1), TIES)
    check(lambda x: function(x, 0), matrix(7, 3))
    check(lambda x: function(x, 0), torch.tensor(1.5))
    check(lambda x: function(x, 1), torch.tensor([[3, 1, 3, 2], [1, 1, 0, 2]]))


def test_logcumsumexp():
    check(
        lambda x: torch.logcumsumexp(x, 1),
        torch.tensor([[-INF, 1.0, 300.0, -300.0, 2.0], [INF, 1, INF, 0, 0]]),
    )


def test_medians():
    distinct = torch.tensor([[2.0, 1.0, 7.0, NAN, 0.0, 5.0], [3.0, 4.0, -1.0, 5.0, INF, -INF]])
    for function in (torch.median, torch.nanmedian):
        check(function, distinct)
        check(lambda x, f=function: f(x, 1), distinct)
        check(lambda x, f=function: f(x, 0, True), distinct)
        check(function, torch.tensor(1.5))


def test_mode():
    check(lambda x: torch.mode(x, 1), torch.tensor([[2, 1, 2, 1, 0, 1], [3, 3, -1, 3, 5, 5]]))
    check(lambda x: torch.mode(x, 0, True).values, matrix())


def test_searches():
    edges = torch.tensor([-1.0, 0.0, 0.0, 1.5])
    values = torch.tensor([[-2.0, 0.0, 1.5], [NAN, 9.0, -1.0]])
    for right in (False, True):
        check(lambda s, v, r=right: torch.searchsorted(s, v, right=r), edges, values)
        check(lambda s, v, r=right: torch.bucketize(v, s, right=r, out_int32=True), edges, values)
    rows = matrix(2, 5).sort(1).values
    check(lambda s, v: torch.searchsorted(s, v, side="right"), rows, values)
    check(lambda s: torch.searchsorted(s, 0.5), edges)
    check(
        lambda s, o, v: torch.searchsorted(s, v, sorter=o), edges.flip(0), torch.tensor([3, 2, 1, 0]), values
    )


def test_histograms():
    x = matrix()
    check(lambda x: torch.histc(x, 5), x)
    check(lambda x: torch.histc(x, 5, -1, 1), x)
    check(lambda x: torch.histc(x, 4), torch.ones(3))
    check(lambda x: torch.histogram(x, 5, range=(-1.0, 1.5), density=True), x)
    check(lambda x, e, w: torch.histogram(x, e, weight=w), x, torch.tensor([-1.0, 0.0, 0.5, 2.0]), x.abs())


ROWS = torch.tensor([2, 0, 2])


def test_writes_at_indices():
    x, source = matrix(), matrix(3, 6, seed=1)
    for reduce in ("prod", "mean", "amax", "amin"):
        for include in (True, False):
            check(
                lambda x, i, s, r=reduce, n=include: x.index_reduce(0, i, s, r, include_self=n),
                x,
                ROWS,
                source,
            )
    index = torch.tensor([[0, 1], [0, 0], [3, 3]])
    check(lambda x, i, s: x.scatter_reduce(-1, i, s, "mean"), x, index, matrix(3, 2))
    check(lambda x, i, s: x.scatter_reduce(1, i, s, "mean", include_self=False), (x * 9).long(), index, index)
    check(lambda x, i, s: x.scatter(-1, i, s, reduce="add"), x, index, matrix(3, 2))
    check(lambda x, i: x.scatter(1, i, 2.0, reduce="multiply"), x, index)
    check(lambda x, i, s: x.put(i, s, accumulate=True), x, torch.tensor([[0, -1], [5, 5]]), matrix(2, 2))
    check(lambda x, i: x.take(i), x, torch.tensor([[0, -1], [5, 5]]))
    check(lambda x, i, s: x.index_copy(0, i, s), torch.tensor(1.0), torch.tensor(0), torch.tensor(2.0))


def test_writes_at_masks():
    x, mask = matrix(), matrix(seed=2) > 0
    check(lambda x, m, s: x.masked_scatter(m, s), x, mask, matrix(5, 6, seed=3))
    check(lambda x, m, s: x.masked_scatter(m, s), x, mask[:1], matrix(5, 6, seed=3))
    check(lambda x, m: x.index_put((m,), torch.tensor(2.0)), x, mask)
    check(lambda x, m, v: x.index_put((m,), v, accumulate=True), x, mask, matrix(1, int(mask.sum()))[0])
    check(lambda x, m, v: x.index_put((m,), v), x, mask[:, 0], matrix(1, 6))
    check(lambda x, m, v: aten.index_put(x, [None, m], v), x, mask[0], matrix(4, int(mask[0].sum())))


def test_writes_into_views():
    x = matrix()
    for offset in (-2, 0, 1):
        size = x.diagonal(offset).shape[0]
        check(lambda x, s, o=offset: torch.diagonal_scatter(x, s, o), x, torch.arange(float(size)))
    check(lambda x, s: torch.diagonal_scatter(x, s, 1, 2, 0), matrix(4, 6).view(4, 2, 3), matrix(2, 3))
    check(lambda x, s: torch.as_strided_scatter(x, s, (2, 3), (7, 2), 1), x, matrix(2, 3))


def test_pooling():
    image = matrix(6, 35).view(2, 3, 5, 7)
    check(lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True), image)
    check(lambda x: F.adaptive_max_pool1d(x, 3), image[0])
    check(lambda x: F.adaptive_max_pool3d(x, 2), matrix(3, 60).view(3, 3, 4, 5))
    check(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=5), image)


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, INF])
def test_distances(p):
    check(lambda a, b: torch.cdist(a, b, p), matrix(), matrix(3, 6, seed=1))
    check(lambda a: F.pdist(a, p), matrix())


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag(mode):
    table, index, offsets = matrix(7, 4), torch.tensor([0, 6, 3, 3, 1]), torch.tensor([0, 2, 2])
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode), table, index, offsets)
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode, padding_idx=3), table, index, offsets)
    check(lambda w, i: F.embedding_bag(i, w, mode=mode), table, index[:4].view(2, 2))
    last = torch.tensor([0, 2, 5])
    check(lambda w, i, o: F.embedding_bag(i, w, o, mode=mode, include_last_offset=True), table, index, last)


@pytest.mark.long
@pytest.mark.parametrize("reduce", ["sum", "mean", "max", "min", "prod"])
def test_segment_reduce(reduce):
    lengths = torch.tensor([1, 0, 3])
    check(lambda x, n: torch.segment_reduce(x, reduce, lengths=n, unsafe=True), matrix(), lengths)
    check(
        lambda x, n: torch.segment_reduce(x, reduce, lengths=n, unsafe=True, initial=1.0), matrix(), lengths
    )
    check(
        lambda x, o: torch.segment_reduce(x, reduce, offsets=o, axis=1, unsafe=True),
        matrix(2, 6),
        torch.tensor([[0, 1, 6], [0, 3, 6]]),
    )


@pytest.mark.long
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_of_a_volume(mode, padding):
    volume = matrix(6, 60).view(2, 3, 3, 4, 5)
    grid = matrix(2, 24, seed=4).view(2, 2, 2, 2, 3)
    for align in (True, False):
        check(
            lambda v, g, a=align: F.grid_sample(v, g, mode=mode, padding_mode=padding, align_corners=a),
            volume,
            grid,
        )


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_where_a_place_is_no_number(padding):
    """In each dimension in turn, beside a place inside and one outside of the image."""
    values = torch.arange(1.0, 25).view(1, 1, 2, 3, 4)
    odd = itertools.product((NAN, INF, -INF), (0.1, 5.0), range(3))
    places = torch.tensor([[0.2, rest, bad][turn:] + [0.2, rest, bad][:turn] for bad, rest, turn in odd])

    def sample(values, places):
        image, volume = (values[:, :, 0], places[None, None, :, :2]), (values, places[None, None, None])
        flat = [(mode, *image) for mode in ("bilinear", "nearest", "bicubic")]
        solid = [(mode, *volume) for mode in ("bilinear", "nearest")]
        return [
            F.grid_sample(*operands, mode=mode, padding_mode=padding, align_corners=align)
            for mode, *operands in flat + solid
            for align in (True, False)
        ]

    compiled = torch.compile(sample, backend="lpu", options={"fallback": "error"})
    torch.testing.assert_close(compiled(values, places), sample(values, places), equal_nan=True)


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


def test_creation():
    check(lambda a, b: torch.linspace(a, b, 7), torch.tensor(1.5), torch.tensor(-3.0))
    check(lambda a: torch.linspace(a, 4, 1), torch.tensor(1.5))
    check(lambda x: torch.empty_permuted((2, 3), (1, 0)).fill_(2) + x, torch.ones(2, 3))
    check(lambda: torch.arange(-2, 5, 3, dtype=torch.int8))
    check(lambda: torch.full((2, 3), 200, dtype=torch.uint8))
    check(lambda x: torch.full_like(x, 200), torch.ones(2, 3, dtype=torch.uint8))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.int64, torch.uint8])
def test_memory_without_values_is_zeros(dtype):
    x = torch.ones(2, 3, dtype=dtype).t()
    functions = (
        torch.empty_like,
        lambda x: x.new_empty(3, 0),
        lambda x: x.new_empty_strided((2, 2, 2), (1, 4, 2)),
        lambda x: torch.empty_permuted((2, 3, 4), (2, 0, 1), dtype=x.dtype),
        lambda x: torch.empty((), dtype=x.dtype),
    )
    for function in functions:
        compiled = torch.compile(function, backend="lpu", dynamic=False, options={"fallback": "error"})
        with running(dma="late", checks="all"):
            result = compiled(x)
        expected = function(x)
        assert torch.equal(result, torch.zeros_like(expected)) and result.dtype == expected.dtype
        assert result.stride() == expected.stride()


def test_memory_is_not_made_of_an_empty_tensor():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(lambda x: x.new_empty_strided((3, 2, 2), (1, 2, 3)), backend="lpu")
        assert compiled(torch.ones(0, 5)).stride() == (1, 2, 3)


def test_memory_that_is_overwritten_is_not_filled():
    def function(x):
        whole, parts = torch.empty(4, 3), torch.empty(4, 3)
        parts[:2] = x
        parts[2:] = x + 1
        return whole.copy_(parts) * 2

    x = matrix(2, 3)
    check(function, x)
    with profile() as report:
        torch.compile(function, backend="lpu", dynamic=False)(x)
    assert report.hbm_bytes == 3 * 64  # A burst for each part that comes in, one for the result.


def test_truth_values():
    a, b = matrix() > 0, matrix(seed=1) > 0
    check(torch.maximum, a, b)
    check(torch.minimum, a, b)
    check(lambda a, b: a.clamp_max(b), a, b)
    check(lambda a, b: a.clamp_min(b), a, b)


def test_truth_values_that_are_combined():
    x, source = matrix() > 0, matrix(3, 6, seed=1) > 0
    index = torch.tensor([[0, 1, 3, 3, 2, 0], [0, 0, 0, 0, 0, 0], [3, 3, 3, 3, 3, 0]])
    for reduce in ("sum", "prod", "amax", "amin"):
        check(lambda x, i, s, r=reduce: x.scatter_reduce(0, i, s, r), x, index, source)
    check(lambda x, i, s: x.scatter_add(0, i, s), x, index, source)
    check(lambda x, i, s: x.index_add(0, i, s), x, ROWS, source)
    check(lambda x, i, s: x.index_put((i,), s, accumulate=True), x, ROWS, source)
    check(lambda x, i, s: x.index_put((i,), s), x, ROWS[:2], source[:2])
    check(lambda x: x.sort(dim=1, stable=True), x)
    check(lambda x, i: x.scatter(0, i, 2), x, index)
    check(lambda x: torch.full((3,), 2, dtype=torch.bool) & x[:3, 0], x)


def test_grid_sample_of_an_image_in_half_precision():
    image, grid = matrix(6, 20).view(2, 3, 4, 5), matrix(2, 12, seed=4).view(2, 2, 3, 2)
    x, at = image.bfloat16(), grid.bfloat16()
    exact = F.grid_sample(x.float(), at.float(), align_corners=False)
    compiled = torch.compile(F.grid_sample, backend="lpu", options={"fallback": "error"})
    torch.testing.assert_close(compiled(x, at, align_corners=False), exact.bfloat16())


def test_powers_of_integers():
    x = torch.tensor([0, -1, 3, -7, 2**31 + 5])
    for exponent in (0, 1, 2, 5, 62):
        check(lambda x, e=exponent: x**e, x)
    check(torch.square, matrix() > 0)
    check(lambda x: x**3, (matrix() * 9).to(torch.int8))


def test_products_of_integers_with_a_summand():
    a, b, c = (matrix(4, 4, seed) * 1e10 for seed in range(3))
    a, b, c = a.long(), b.long(), c.long()
    check(lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3), a, b, c)
    check(lambda a, b, c: torch.addmm(a, b, c, beta=0), a, b, c)
    check(lambda a, b, c: torch.addmm(a, b, c, beta=0.6, alpha=2.7), a, b, c)
    check(lambda a, b, c: torch.addbmm(a, b[None], c[None], beta=0.6, alpha=2.7), a, b, c)
    check(lambda a, b, c: torch.baddbmm(a, b[None], c[None]), a, b, c)
    check(lambda a, b, c: F.linear(a, b, c[0]), a, b, c)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_a_sum_of_products(dtype):
    rows, left, right = matrix(3, 5), matrix(6, 4, seed=1).view(2, 3, 4), matrix(8, 5, seed=2).view(2, 4, 5)
    operands = [(9 * value).to(dtype) for value in (rows, left, right)]
    # Eager rounds after each product of the batch.
    tolerances = (2e-2, 2.0) if dtype == torch.bfloat16 else None
    check(torch.addbmm, *operands, tolerances=tolerances)
    check(lambda a, b, c: torch.addbmm(a, b, c, beta=0, alpha=2), *operands, tolerances=tolerances)


ROWS_OF = {torch.tril_indices: aten.tril_indices.default, torch.triu_indices: aten.triu_indices.default}
INTEGERS = pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8])


def extremes(dtype):
    limits = torch.iinfo(dtype)
    fibonacci = [1, 2]
    while sum(fibonacci[-2:]) <= limits.max:
        fibonacci.append(sum(fibonacci[-2:]))
    odd = [0, 1, 2, 3, limits.max, limits.max - 1, limits.min + 1, limits.min // 2 + 1, 48]
    return torch.tensor(odd + fibonacci[-2:], dtype=dtype)


@INTEGERS
@pytest.mark.parametrize("function", [torch.gcd, torch.lcm, torch.pow])
def test_integers_keep_all_bits(function, dtype):
    values = extremes(dtype)
    check(function, values.unsqueeze(0), values.unsqueeze(1))


def test_integers_to_a_power():
    exponents = torch.tensor([0, 1, 5, 39, 63, -1, -2])
    for base in (3, -1, 1, 0, 7):
        check(lambda e, b=base: torch.pow(b, e), exponents[: 5 if base == 0 else 7])


@pytest.mark.parametrize("offset", [-4, -1, 0, 1, 3, 9])
@pytest.mark.parametrize("function", [torch.tril_indices, torch.triu_indices])
def test_triangles(function, offset):
    for rows, columns in ((5, 3), (3, 5), (4, 4), (0, 3), (3, 0), (1, 1)):
        expected = function(rows, columns, offset)
        assert torch.equal(INTEGER_TABLE[ROWS_OF[function]](rows, columns, offset), expected)
    check(lambda: function(40, 30, offset))


def test_large_triangles():
    for arguments in ((5000, 5000, 0), (3, 300_000, 200_000), (3000, 2000, -50), (3000, 2000, 500)):
        for function, op in ROWS_OF.items():
            assert torch.equal(INTEGER_TABLE[op](*arguments), function(*arguments))


@pytest.mark.parametrize("groups", [1, 2])
def test_convolution_of_integers(groups):
    generator = torch.Generator().manual_seed(0)
    image = torch.randint(-9, 9, (2, 4, 3, 4, 5), generator=generator) << 30
    weight = torch.randint(-9, 9, (4, 4 // groups, 2, 3, 2), generator=generator) << 28
    bias = torch.randint(-9, 9, (4,), generator=generator)
    check(
        lambda *a: F.conv3d(*a, stride=(2, 1, 1), padding=(1, 0, 2), dilation=(1, 1, 2), groups=groups),
        image,
        weight,
        bias,
    )
    check(
        lambda *a: F.conv_transpose3d(
            *a,
            stride=(2, 1, 3),
            padding=(1, 0, 2),
            output_padding=(1, 0, 0),
            dilation=(1, 2, 1),
            groups=groups,
        ),
        image,
        weight,
        bias[: 4 // groups].repeat(groups),
    )


@pytest.mark.parametrize("dtype", [torch.int64, torch.int16, torch.uint8])
@pytest.mark.parametrize(
    ("function", "shape"), [(F.max_pool2d, (2, 3, 7, 6)), (F.max_pool3d, (3, 7, 6, 5))], ids=("2d", "3d")
)
def test_maxima_of_integers(function, shape, dtype):
    x = torch.randint(0, 9, shape, generator=torch.Generator().manual_seed(0)).to(dtype)
    x = x if dtype == torch.uint8 else x - 5
    for options in (
        {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True},
        {"kernel_size": 2, "dilation": 2},
        {"kernel_size": 3, "padding": 1, "return_indices": True},
    ):
        check(lambda x, o=options: function(x, **o), x)


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_maxima_of_integers_beside_the_windows(dtype):
    """A window that steps over the image."""
    options = {"kernel_size": 2, "stride": 1, "padding": 1, "return_indices": True}
    row = torch.tensor([[[[5, 3, 1]]]], dtype=dtype)
    check(lambda x: F.max_pool2d(x, dilation=2, **options), row)
    image = torch.arange(12, dtype=dtype).view(1, 3, 4).flip(1)
    check(lambda x: F.max_pool2d(x, dilation=(4, 2), **options), image)
    check(lambda x: F.max_pool3d(x, dilation=(3, 2, 2), **options), image.expand(1, 2, 3, 4))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
def test_bytes(dtype):
    values = torch.tensor([[0, 1, 100], [127, 5, 7]], dtype=dtype)
    other = torch.tensor([[3, 2, 50], [127, 90, 1]], dtype=dtype)

    def in_place(x, y):
        x.add_(y)
        x[0].mul_(2)
        return x.max()

    check(in_place, values, other)
    check(lambda x, y: x @ y.T, values, other)
    check(lambda x, y: (x.max(), x.min(), x.sum(), x.prod(), x * y, x // y, x / y, x**2, -x), values, other)
    check(lambda x, y: x + y.to(torch.int16), values, other)
    check(lambda x, y: x * y.to(torch.int8), values, other)
    check(lambda x, y: x + y.to(torch.uint8), values, other)
    check(lambda x, y: torch.addbmm(x @ y.T, x.unsqueeze(0), y.T.unsqueeze(0)), values, other)


def test_trigamma_at_its_poles():
    check(lambda x: torch.polygamma(1, x), torch.tensor([-1, -4, -5, 0, 3], dtype=torch.int16))


POLYNOMIALS = [op for op in ORTHOGONAL if op._overloadname == "default"]
DEGREES = torch.arange(-2, 25).unsqueeze(1)
AROUND = torch.cat(
    [torch.linspace(-9.02, 9, 60), torch.linspace(-1.1, 1.1, 61), torch.tensor([1.0, -1.0, 0.0])]
)


@pytest.mark.parametrize(
    "op", [op for op in POLYNOMIALS if "laguerre" not in str(op) and "legendre" not in str(op)]
)
def test_polynomials_of_any_degree(op):
    degree = DEGREES.to(torch.float32)
    result = ORTHOGONAL[op](AROUND, degree)
    expected, truth = op(AROUND, degree), op(AROUND.double(), degree.double())
    # Where terms cancel or angles are large eager is as far off: what its error is at its worst, in parts.
    scale = truth.abs().clamp(min=1)
    error, of_eager = (result - truth).abs() / scale, (expected - truth).abs() / scale
    finite = truth.abs() < 1e38
    assert error[finite].max() <= 4 * of_eager[finite].max() < 1e-2
    large = torch.tensor([40, 1000, 3_000_000])
    inside = torch.tensor([0.0, 0.3, 1.0])
    result, expected = (f(inside, large[:2, None]) for f in (ORTHOGONAL[op], op))
    assert torch.allclose(result, expected, 1e-3, 1e-3, equal_nan=True)
    if "hermite" not in str(op):
        assert ORTHOGONAL[op](torch.tensor([1.5]), large).isinf().tolist() == [False, True, True]


@pytest.mark.parametrize("op", POLYNOMIALS)
def test_polynomials_of_a_number(op):
    by_number = getattr(op.overloadpacket, "n_scalar")
    for number in (-1, 0, 1, 2, 7):
        check(lambda x, n=number: by_number(x, n), AROUND[AROUND.abs() <= 1], tolerances=(2e-5, 2e-3))


@pytest.mark.parametrize(
    "name", ["chebyshev_polynomial_u", "hermite_polynomial_he", "shifted_chebyshev_polynomial_v"]
)
def test_polynomials_of_a_tensor(name):
    op = getattr(aten, f"special_{name}").default
    x = torch.tensor([-1.0, -0.7, 0.0, 0.3, 1.0, 2.5])
    check(op, x, torch.tensor([[0.0], [3.0], [12.0]]), tolerances=(1e-4, 1e-4))


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_cross_entropy_in_chunks(reduction):
    importlib.import_module("torch.nn.modules.linear_cross_entropy")  # Registers the operations.
    rows, weight = matrix(8, 6), matrix(5, 6, seed=1)
    target = torch.tensor([0, 1, 4, 2, 2, 3, -100, 1])
    operands = rows, weight, target, matrix(1, 5, seed=2)[0], torch.rand(5)
    if reduction == "none":
        check(
            torch.ops.torch_nn._linear_cross_entropy_batch_chunked_no_reduction,
            *operands,
            -100,
            3,
            "balanced",
            torch.float32,
        )
        return
    check(
        torch.ops.torch_nn._linear_cross_entropy_batch_chunked,
        *operands,
        reduction,
        -100,
        0.0,
        3,
        "balanced",
        torch.float32,
        False,
        False,
        False,
        False,
    )


def test_antialiased_images():
    image = torch.randn(2, 3, 9, 12, generator=torch.Generator().manual_seed(0))
    for options in (
        {"size": (4, 5)},
        {"size": (20, 13)},
        {"scale_factor": (0.7, 1.7)},
        {"size": 3, "align_corners": True},
    ):
        check(lambda x, o=options: F.interpolate(x, mode="bilinear", antialias=True, **o), image)


def test_squeezed_dimensions():
    def in_place(x):
        x.squeeze((0, 2)).add_(1)
        return x

    check(in_place, torch.ones(1, 3, 1, 2))
    check(lambda x: (x.permute(2, 1, 0, 3).squeeze((0, 2)), x.sum()), torch.ones(1, 3, 1, 2))
    check(lambda x: torch.unravel_index(x, (4, 5)), torch.tensor([3, 19, 7]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_neighbours(dtype):
    x = ODD.to(dtype)
    check(torch.nextafter, x.unsqueeze(0), x.unsqueeze(1), tolerances=(0.0, 0.0))


@pytest.mark.parametrize("density", [False, True])
def test_histograms_of_rows(density):
    rows, weight = matrix(30, 2), torch.rand(30, generator=torch.Generator().manual_seed(0))
    edges = [torch.tensor([-1.0, 0.0, 0.5]), torch.tensor([-2.0, -1.0, 1.0, 1.5])]
    check(lambda x: torch.histogramdd(x, (3, 2), density=density), rows)
    check(lambda x: torch.histogramdd(x, (3, 2), range=(-1.0, 1.0, 0.0, 2.0), density=density), rows)
    check(lambda x, w, *e: torch.histogramdd(x, list(e), weight=w, density=density), rows, weight, *edges)


def test_polynomials_at_an_integer():
    degree = torch.arange(0.0, 40.0, 4.0)
    check(
        lambda n: (torch.special.hermite_polynomial_h(2, n), torch.special.chebyshev_polynomial_t(2, n)),
        degree,
    )


def test_clamp_promotes_its_bounds():
    half = torch.tensor([1.0, 2.0], dtype=torch.float16)
    check(lambda x, low: torch.clamp(x, min=low), torch.tensor(1.5), half)
    x, high = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([0, 2**40, 9])
    check(lambda x, high: (torch.clamp(x, max=high), torch.clamp(x, high - 1, high)), x, high)
    check(lambda x, high: torch.clamp(x, max=high), x.to(torch.int8), torch.tensor(456))


def test_scalar_tensors_beside_bytes():
    x = torch.tensor([-128, -56, 0, 127], dtype=torch.int8)
    functions = (torch.minimum, torch.maximum, torch.remainder, torch.fmod, torch.floor_divide)
    for dtype in (torch.int8, torch.uint8):
        check(lambda x, y: [function(x, y) for function in functions], x.to(dtype), torch.tensor(456))


def test_convolution_of_no_integers():
    x, weight = torch.zeros(0, 3, 4, 5, 6, dtype=torch.int64), torch.ones(4, 3, 2, 2, 2, dtype=torch.int64)
    check(torch.conv3d, x, weight)


def test_writes_at_no_indices():
    x, nowhere, nothing = torch.randn(4, 3), torch.zeros(0, dtype=torch.int64), torch.zeros(0, 3)
    check(lambda x: x.index_put((nowhere,), nothing, accumulate=True), x)
    check(lambda x, at, rows: x.index_add(0, at, rows), x, nowhere, nothing)
    check(lambda x, at, rows: x.scatter_add(0, at.expand(0, 3), rows), x, nowhere.view(0, 1), nothing)
    check(lambda x, at, rows: x.masked_fill(x > 0, 1.0).index_copy(0, at, rows), x, nowhere, nothing)


def test_short_indices():
    at = torch.tensor([-1, 2, 0], dtype=torch.int32)
    check(lambda x, i, j: (x[i], x[i, j], x[:, i.clamp(max=0)]), torch.randn(4, 3), at, at.to(torch.int64))
    check(lambda i: i[i], at)


def test_shifts_between_tensors_of_one_type():
    x, by = torch.tensor([-7, 3, 100, 1]), torch.tensor([1, 7, 0, 70])
    check(lambda x, by: (x << by, x >> by), x, by)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_pooling_of_a_single_image(rank):
    x = torch.randn(2, *[5, 4, 6][:rank])
    average = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[rank - 1]
    largest = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[rank - 1]
    check(lambda x: (average(x, 2), average(x, 3, 1, 1)), x)
    check(lambda x: (largest(x, 2), largest(x, 3, 2, 1, ceil_mode=True)), x)


def test_bytes_padded_with_a_large_number():
    check(lambda x: F.pad(x, (1, 2), value=200), torch.tensor([1, 0, 255], dtype=torch.uint8))
