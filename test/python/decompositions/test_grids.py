# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images and volumes that are sampled elsewhere."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from checks import check
from samples import INF, NAN, matrix


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


def test_grid_sample_of_an_image_in_half_precision():
    image, grid = matrix(6, 20).view(2, 3, 4, 5), matrix(2, 12, seed=4).view(2, 2, 3, 2)
    x, at = image.bfloat16(), grid.bfloat16()
    exact = F.grid_sample(x.float(), at.float(), align_corners=False)
    compiled = torch.compile(F.grid_sample, backend="lpu", options={"fallback": "error"})
    torch.testing.assert_close(compiled(x, at, align_corners=False), exact.bfloat16())


def test_antialiased_images():
    image = torch.randn(2, 3, 9, 12, generator=torch.Generator().manual_seed(0))
    for options in (
        {"size": (4, 5)},
        {"size": (20, 13)},
        {"scale_factor": (0.7, 1.7)},
        {"size": 3, "align_corners": True},
    ):
        check(lambda x, o=options: F.interpolate(x, mode="bilinear", antialias=True, **o), image)
