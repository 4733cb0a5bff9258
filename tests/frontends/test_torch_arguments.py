"""Arguments of PyTorch's operators that TVM's importer passes over are heeded, or the model is refused."""

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch_functions import Function, agree_in_each, numbers, saved, whole

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model, load_model

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
functional = nn.functional


TABLE = numbers(8, 3)


def resized(**how):
    return lambda x: functional.interpolate(x, **how)


SMALL, LARGE = numbers(1, 2, 5, 6), numbers(1, 2, 13, 14)
RESIZED = [
    *((LARGE, {"size": size, "mode": mode}) for size in ((25, 25), (5, 26)) for mode in ("nearest", "nearest-exact")),
    *((LARGE, {"scale_factor": factor, "mode": "nearest"}) for factor in (1 / 3, 0.25, 1.5, 3, (2, 0.7))),
    (LARGE, {"scale_factor": 1.5, "mode": "nearest", "recompute_scale_factor": True}),
    # which make an axis of as many pixels, or of twice as many
    *((SMALL, {"scale_factor": factor, "mode": mode}) for factor in (1.1, 2.1) for mode in ("nearest", "bilinear")),
    *(
        (SMALL, {"scale_factor": factor, "mode": "bilinear", "align_corners": corners})
        for factor in (1.5, 2, 0.5)
        for corners in (True, False)
    ),
    (SMALL, {"scale_factor": 1.5, "mode": "bilinear", "recompute_scale_factor": True}),
    (SMALL, {"size": (1, 3), "mode": "bilinear", "align_corners": True}),
    *((SMALL, {"size": (9, 6), "mode": mode, "antialias": True}) for mode in ("bilinear", "bicubic")),
    *(
        (LARGE, {"size": size, "mode": mode, "antialias": True, "align_corners": corners})
        for size in ((4, 5), (20, 3))
        for mode in ("bilinear", "bicubic")
        for corners in (True, False)
    ),
    (LARGE, {"scale_factor": 0.4, "mode": "bilinear", "antialias": True}),
    *((SMALL, {"scale_factor": 1.5, "mode": "bicubic", "align_corners": corners}) for corners in (True, False)),
    (numbers(1, 2, 13), {"size": 25, "mode": "nearest"}),
    (numbers(1, 2, 6, 5, 6), {"size": (4, 9, 5), "mode": "nearest"}),
    (numbers(1, 2, 5), {"scale_factor": 1.5, "mode": "linear"}),
    (numbers(1, 2, 5, 4, 3), {"scale_factor": 1.5, "mode": "trilinear"}),
]


def test_images_signals_and_volumes_are_resized_as_pytorch_does_it(tmp_path):
    agree_in_each(tmp_path, {f"{list(x.shape)} {how}": (resized(**how), [x]) for x, how in RESIZED})


X, Y, WHOLE, SIGNS = (
    numbers(2, 3, 4, 5),
    numbers(2, 3, 4, 5) + 1,
    whole(-9, 9, 4, 5),
    torch.tensor([[-1, 0], [0, 0], [2, 0]]),
)
CASES = {
    "SELU": (lambda table, x: functional.selu(x), [X]),
    "ELU": (lambda table, x: torch.ops.aten.elu(x, 1.5, 2.0, 0.3), [X]),
    "CELU": (lambda table, x: functional.celu(x, 0.5), [X]),
    "add": (lambda table, x, y: torch.add(x, y, alpha=2), [X, Y]),
    "add in place": (lambda table, x, y: (x + 0).add_(y, alpha=2), [X, Y]),
    "add a number": (lambda table, x: torch.add(x, 3, alpha=2), [X]),
    "add whole numbers": (lambda table, i: torch.add(i, i, alpha=2), [WHOLE]),
    "add mixed numbers": (lambda table, i, x: torch.add(i, x, alpha=0.5), [WHOLE, X]),
    "angles of whole numbers": (lambda table, i, x: (torch.atan2(i, i + 1), torch.atan2(i, x)), [WHOLE, X]),
    "sub": (lambda table, x, y: torch.sub(x, y, alpha=0.5), [X, Y]),
    "sub in place": (lambda table, x, y: (x + 0).sub_(y, alpha=0.5), [X, Y]),
    "sub a number": (lambda table, x: torch.sub(x, 3, alpha=2), [X]),
    "rsub": (lambda table, x, y: torch.rsub(x, y, alpha=2), [X, Y]),
    "rsub a number": (lambda table, x: torch.rsub(x, 3, alpha=2), [X]),
    "clamp": (lambda table, x: (x.clamp(0.5, 0.2), x.clamp(-0.5, 0.2)), [X]),
    "clamp by tensors": (
        lambda table, i, x: (i.clamp(max=i.flip(0)), i.clamp(i - 1, i.flip(0)), i[:1].clamp(x[0, 0]), x.clamp(i[0])),
        [WHOLE, X],
    ),
    "any of numbers": (lambda table, x: x.any(1), [SIGNS.float()]),
    "any of whole numbers": (lambda table, x: (x.any(1), x.any((0, 1), keepdim=True), x.any()), [SIGNS]),
    "any of booleans": (lambda table, x: (x > 0).any(1, keepdim=True), [SIGNS]),
    "all of numbers": (lambda table, x: (x.all(0), x.all(1, keepdim=True), x.all()), [SIGNS]),
    "sums of windows": (lambda table, x: functional.avg_pool2d(x, 2, 1, 1, divisor_override=1), [X]),
    "sums of windows of whole numbers": (
        lambda table, x: (
            functional.avg_pool2d(x, 2, divisor_override=3),
            functional.avg_pool2d(x, 3, 2, 1, divisor_override=2),
        ),
        [whole(-9, 9, 2, 3, 6, 8)],
    ),
    "sums of volumes": (lambda table, x: functional.avg_pool3d(x, 2, divisor_override=3), [X[None]]),
    "maxima as far apart as they are wide": (lambda table, x: functional.max_pool2d(x, 2, padding=1), [X]),
    "maxima of volumes": (lambda table, x: functional.max_pool3d(x, 2, padding=1, ceil_mode=True), [X[None]]),
    "averages as far apart as they are wide": (lambda table, x: functional.avg_pool2d(x, 2, padding=1), [X]),
    "indices of differences": (lambda t, x: t[torch.arange(8)[:, None] - torch.arange(8)] * x, [X[0, 0, 0, :3]]),
    "indices that come in": (lambda table, i: table[i - 5], [whole(0, 8, 6)]),
    "two indices that come in": (lambda table, i: table[i - 5, 1 - i % 3], [whole(0, 8, 6)]),
    "indices of a later axis": (lambda table, i: table[:, 1 - i], [whole(0, 3, 4)]),
    "embeddings": (lambda table, i: functional.embedding(i, table), [whole(0, 8, 6, 2)]),
}


def of_the_table(function):
    return lambda *inputs: function(TABLE, *inputs)


def test_arguments_are_heeded(tmp_path):
    agree_in_each(tmp_path, {case: (of_the_table(function), inputs) for case, (function, inputs) in CASES.items()})


MAXIMA = {
    "plain": (lambda x: functional.max_pool2d(x, 2, return_indices=True), [numbers(2, 3, 5, 6)]),
    "one image": (lambda x: functional.max_pool2d(x, 2, return_indices=True), [numbers(3, 5, 6)]),
    "everything": (
        lambda x: functional.max_pool2d(x, (3, 2), 2, 1, 2, ceil_mode=True, return_indices=True),
        [numbers(1, 2, 12, 13)],
    ),
    "ties": (lambda x: functional.max_pool2d(x.round(), 3, return_indices=True)[1], [numbers(1, 2, 9, 9)]),
    "signal": (lambda x: functional.max_pool1d(x, 2, return_indices=True), [numbers(1, 2, 9)]),
    "volume": (lambda x: functional.max_pool3d(x, 2, return_indices=True), [numbers(1, 2, 4, 5, 6)]),
    "unpooled": (
        lambda x: functional.max_unpool2d(*functional.max_pool2d(x, 2, return_indices=True), 2),
        [numbers(1, 2, 6, 6)],
    ),
    "adaptive 1": (lambda x: functional.adaptive_max_pool1d(x, 4, return_indices=True), [numbers(1, 2, 9)]),
    "adaptive 2": (lambda x: functional.adaptive_max_pool2d(x, (3, 4), return_indices=True), [numbers(1, 2, 5, 9)]),
    "adaptive 3": (lambda x: functional.adaptive_max_pool3d(x, 2), [numbers(1, 2, 5, 4, 3)]),
}


def test_maxima_have_their_places(tmp_path):
    agree_in_each(tmp_path, MAXIMA)


BATCH, LENGTH = torch.export.Dim("batch", min=2, max=16), torch.export.Dim("length", min=6, max=32)


@pytest.mark.parametrize(
    ("function", "open_", "before", "now"),
    [
        (lambda table, x: x[:, -1], [{1: LENGTH}], [numbers(2, 8, 3)], [numbers(2, 9, 3)]),
        (
            lambda t, x, i: x[:, i - 3],
            [{1: LENGTH}, None],
            [numbers(2, 8), whole(0, 8, 4)],
            [numbers(2, 7), whole(0, 7, 4)],
        ),
        (
            lambda table, x, i: x[torch.arange(x.shape[0]), i - 3],
            [{0: BATCH}, {0: BATCH}],
            [numbers(2, 8, 3), whole(0, 8, 2)],
            [numbers(4, 8, 3), whole(0, 8, 4)],
        ),
        (
            lambda table, x: x[:, torch.tensor([0, -1]), torch.tensor([1, -2])],
            [{0: BATCH}],
            [numbers(2, 8, 3)],
            [numbers(4, 8, 3)],
        ),
        (
            lambda table, x, i: x.scatter_add(1, i, x),
            [{0: BATCH}, {0: BATCH}],
            [numbers(2, 8, 3), whole(0, 8, 2, 5, 3)],
            [numbers(4, 8, 3), whole(0, 8, 4, 5, 3)],
        ),
        (
            lambda table, x: functional.max_pool2d(functional.interpolate(x, scale_factor=1.5), 2, return_indices=True),
            [{0: BATCH}],
            [numbers(2, 2, 5, 5)],
            [numbers(4, 2, 5, 5)],
        ),
    ],
    ids=["the last", "of an open axis", "one of each", "pairs", "sums", "images"],
)
def test_open_shapes(function, open_, before, now, tmp_path):
    """What is exported with some inputs holds for others, too."""
    module = Function(function, TABLE)
    path = saved(tmp_path, module, tuple(before), open_)
    named = {one.name: list(x.shape) for one, x in zip(check_model(path).inputs, now, strict=True)}
    made = machine_of(load_model(path, named).mod)["main"](*(tvm.runtime.tensor(x.numpy()) for x in now))
    expected = module(*now)
    pairs = [(made, expected)] if isinstance(expected, torch.Tensor) else zip(made, expected, strict=True)
    for ours, theirs in pairs:
        assert ours.numpy().dtype == theirs.numpy().dtype
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("function", "inputs", "words"),
    [
        (
            lambda table, x: functional.interpolate(x, size=(3, 3), mode="bilinear", antialias=True),
            [whole(0, 255, 1, 3, 8, 8).to(torch.uint8)],
            "of whole numbers",
        ),
        (
            lambda table, x: functional.interpolate(x, size=(1, 8192), mode="bicubic", antialias=True),
            [torch.zeros(1, 1, 1, 8192)],
            "larger images",
        ),
        (lambda t, x: functional.avg_pool2d(x, 3, 2, 1, True, divisor_override=2), [X], "reach over the edge"),
    ],
)
def test_what_cannot_be_heeded_is_told(function, inputs, words, tmp_path):
    with pytest.raises(UserError, match=words):
        load_model(saved(tmp_path, Function(function, TABLE), tuple(inputs)))
