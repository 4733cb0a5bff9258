"""What of a convolution's window only ever meets padding is cut, and changes no result."""

from __future__ import annotations

import random

import numpy as np
import pytest
import tvm
from tvm import relax

from graphs import graph
from machines import machine_of
from pruner_engine.tasks.graph import shape_of
from pruner_engine.tasks.rewrites.cut_windows import cut_windows
from seeds import seeded

CONVOLUTIONS = [relax.op.nn.conv1d, relax.op.nn.conv2d, relax.op.nn.conv3d]


def convolution(image, window, **options):
    """A convolution without layouts of its own, of some channels."""
    rng = np.random.default_rng(0)
    weight = relax.const(rng.standard_normal((4, 3, *window)).astype("float32"))
    return graph(lambda x: CONVOLUTIONS[len(window) - 1](x, weight, **options), (2, 3, *image))


def window_of(mod):
    call = mod["main"].body.blocks[0].bindings[0].value
    return (shape_of(call.args[1]) or [])[2:], [int(n) for n in call.attrs.padding]


def run(mod, image):
    x = np.random.default_rng(1).standard_normal((2, 3, *image)).astype("float32")
    return machine_of(mod)["main"](tvm.runtime.tensor(x)).numpy()


@pytest.mark.parametrize(
    ("image", "options", "kept"),
    [
        ((16, 16), {"padding": 18, "dilation": 18}, ([1, 1], [0, 0, 0, 0])),
        ((16, 20), {"padding": 18, "dilation": 18}, ([1, 3], [0, 18, 0, 18])),
        ((16, 16), {"padding": 12, "dilation": 12}, ([3, 3], [12, 12, 12, 12])),
        ((1, 1), {"padding": 1}, ([1, 1], [0, 0, 0, 0])),
        ((2, 2), {"padding": 1, "strides": 2}, ([2, 2], [0, 0, 1, 1])),
        ((16, 16), {"padding": (17, 1, 19, 1), "dilation": (18, 1)}, ([2, 3], [17, 1, 1, 1])),
    ],
)
def test_only_what_meets_the_image_is_left(image, options, kept):
    mod = convolution(image, (3, 3), **options)
    assert window_of(cut_windows(mod)) == kept
    np.testing.assert_allclose(run(cut_windows(mod), image), run(mod, image), rtol=1e-5, atol=1e-5)


@seeded(4)
def test_any_window_computes_the_same(seed):
    rng = random.Random(seed)
    axes = rng.randint(1, 3)
    window, dilation = ([rng.randint(1, 5) for _ in range(axes)] for _ in range(2))
    image = [rng.randint(1, 6) for _ in range(axes)]
    reach = [(n - 1) * apart for n, apart in zip(window, dilation, strict=True)]
    padding = [n + rng.randint(0, 2) for n in (*reach, *reach)]
    strides = [rng.randint(1, 3) for _ in range(axes)]
    mod = convolution(image, window, padding=padding, dilation=dilation, strides=strides)
    np.testing.assert_allclose(run(cut_windows(mod), image), run(mod, image), rtol=1e-5, atol=1e-5)
