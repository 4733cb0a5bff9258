"""Operators of PyTorch that TVM's importer lacks are said in others: they compute what PyTorch computes."""

import pytest
import torch
from torch import nn
from torch_functions import Function, agree, agree_in_each, numbers, saved, whole

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
functional = nn.functional

X, TIES, COUNTS = numbers(4, 6, 5), whole(-3, 3, 4, 9), whole(-9, 9, 3, 7)
VOLUME, PLACES = numbers(2, 3, 4, 5, 6), numbers(2, 3, 2, 4, 3)
BROKEN = torch.where(X > 1.5, torch.nan, X)


def trained(x):
    """Normalised by what comes in, and the means and variances so far."""
    mean, variance = torch.zeros(6), torch.ones(6)
    return functional.batch_norm(x, mean, variance, training=True, momentum=0.3), mean, variance


EDGES = torch.tensor([-1.0, -0.5, -0.5, 0.3, 1.2])
CASES = {
    "least along an axis": (lambda x: x.min(1), [X]),
    "largest along an axis that stays": (lambda x: x.max(-1, keepdim=True), [X]),
    "largest whole numbers and the first of them": (lambda i: i.max(1), [TIES]),
    "least whole numbers and the first of them": (lambda i: i.min(0), [TIES]),
    "largest of booleans": (lambda x: (x > 1).max(1), [X]),
    "least of booleans": (lambda x: (x > -1).min(-1), [X]),
    "a stable sort": (lambda i: torch.sort(i, dim=1, stable=True), [TIES]),
    "a stable sort downwards": (lambda i: torch.sort(i, dim=0, descending=True, stable=True), [TIES]),
    "stable places": (lambda i: (i.argsort(stable=True), i.argsort(dim=0, descending=True, stable=True)), [TIES]),
    "the largest so far": (lambda x: torch.cummax(x, 1), [X]),
    "the least so far, of equal ones the last": (lambda i: torch.cummin(i, -1), [TIES]),
    "the largest so far, and NaN from where there is one": (lambda x: torch.cummax(x, 1), [BROKEN]),
    "the second least": (lambda x: torch.kthvalue(x, 2, 1), [X]),
    "the third least, its axis kept": (lambda x: torch.kthvalue(x, 3, keepdim=True), [X]),
    "windows along an axis": (lambda x: x.unfold(1, 3, 2), [X]),
    "places among sorted numbers": (lambda x: torch.searchsorted(EDGES, x), [X]),
    "places behind equal ones": (lambda i: torch.searchsorted(torch.tensor([-2, 0, 0, 1]), i, right=True), [TIES]),
    "places in rows": (lambda x, i: torch.searchsorted(x.sort(-1)[0], i, out_int32=True), [X[0], X[1]]),
    "a place of a number": (
        lambda x: (torch.searchsorted(x, 0.3), torch.searchsorted(x, -0.5, right=True), torch.bucketize(-0.5, x)),
        [EDGES],
    ),
    "logarithms of sums of exponentials so far": (
        lambda x: (torch.logcumsumexp(x, 1), torch.logcumsumexp(100 * x, -1)),
        [torch.where(X < -1, -torch.inf, BROKEN)],
    ),
    "euclidean distances": (torch.cdist, [X, numbers(4, 3, 5)]),
    "sums of distances": (lambda x, y: torch.cdist(x, y, p=1), [X, numbers(4, 3, 5)]),
    "largest distances": (lambda x, y: torch.cdist(x, y, p=torch.inf), [X, numbers(4, 3, 5)]),
    "cubic distances": (lambda x, y: torch.cdist(x, y, p=3), [X, numbers(4, 3, 5)]),
    "numbers of differences": (lambda x, y: torch.cdist(x, y, p=0), [TIES.float(), TIES[:2].float()]),
    "hypotenuses": (torch.hypot, [torch.tensor([3.0, 0, 3e30, -torch.inf]), torch.tensor([4.0, 0, 4e30, 1])]),
    "signs of others": (torch.copysign, [X, numbers(4, 6, 5) * 2 + 1]),
    "signs of zeros": (lambda y: torch.copysign(torch.ones(4), y), [torch.tensor([0.0, -0.0, torch.inf, -torch.inf])]),
    "a sign of a number": (lambda x: torch.copysign(x, -2.0), [X]),
    "signs put on whole numbers": (
        lambda x, i: (torch.copysign(i, x), torch.copysign(i, -2), torch.copysign(x, i)),
        [X, whole(-3, 3, 6, 5)],
    ),
    "extremes besides NaN": (
        lambda x, y, i: (torch.fmax(x, y), torch.fmin(x, y), torch.fmax(y, i), torch.fmin(i, i.flip(0))),
        [BROKEN, numbers(6, 5) + torch.tensor([0, 0, 0, 0, torch.nan]), whole(-2, 2, 6, 5)],
    ),
    "rests of a number": (lambda x, i: (torch.remainder(3.5, x), 7 % i, -7 % i), [X, 2 * COUNTS + 1]),
    "powers of whole numbers": (
        lambda i, n: (2 ** n.abs(), i**n, (-1) ** n, i.to(torch.int8) ** n.abs().to(torch.int8)),
        [COUNTS, COUNTS.flip(0)],
    ),
    "largest and least bfloat16": (lambda x: (x.bfloat16().argmax(1), x.bfloat16().argmin()), [X]),
    "powers of two": (torch.exp2, [X]),
    "random leaks in inference": (functional.rrelu, [X]),
    "shifts": (lambda i: (i << 2, i >> 1, i.bitwise_left_shift(1), i.bitwise_right_shift(2)), [COUNTS]),
    "shifts by tensors": (lambda i, n: (i << n, i >> n), [COUNTS.int(), whole(0, 5, 3, 7).int()]),
    "groups without weights": (lambda x: functional.group_norm(x, 3), [numbers(2, 6, 5, 4)]),
    "groups with a scale": (lambda x: functional.group_norm(x, 2, weight=torch.arange(6.0)), [numbers(2, 6, 5)]),
    "signs": (torch.signbit, [torch.tensor([0.0, -0.0, -2, 3, -torch.inf])]),
    "signs of whole numbers": (torch.signbit, [TIES]),
    "the rest of the error function": (torch.erfc, [X]),
    "samples of a volume": (lambda x, g: functional.grid_sample(x, g, align_corners=False), [VOLUME, PLACES]),
    "its nearest voxels": (lambda x, g: functional.grid_sample(x, g, "nearest", "border", True), [VOLUME, PLACES]),
    "samples up to its border": (
        lambda x, g: functional.grid_sample(x, g, padding_mode="border", align_corners=True),
        [VOLUME, PLACES],
    ),
    "a histogram": (lambda x: torch.histc(x, 7, -1, 1.5), [X]),
    "a histogram of the numbers of experts": (lambda i: torch.histc(i.float(), 8, 0, 7), [whole(0, 8, 30)]),
    "a product of two rows and matrices": (
        functional.bilinear,
        [numbers(2, 3, 5), numbers(2, 3, 4), numbers(6, 5, 4), numbers(6)],
    ),
    "distances of all rows": (torch.pdist, [X[0]]),
    "numbers put where a mask says": (lambda x, y: x.masked_scatter(x[..., :1] > 0, y), [X, numbers(130)]),
    "rows as often as numbers say": (
        lambda x, i: x.repeat_interleave(i, 1, output_size=9),
        [X, torch.tensor([2, 0, 1, 3, 1, 2])],
    ),
    "a sum of products of matrices": (
        lambda x, a, b: torch.addbmm(x, a, b, beta=0.5, alpha=2),
        [X[0], numbers(3, 6, 2), numbers(3, 2, 5)],
    ),
    "a product of whole numbers": (
        torch._int_mm,
        [whole(-9, 9, 20, 8).to(torch.int8), whole(-7, 9, 8, 16).to(torch.int8)],
    ),
    "a window and its frequencies": (
        lambda x: x * torch.kaiser_window(5) + torch.fft.fftfreq(5) * torch.blackman_window(5),
        [X],
    ),
    "axes continued by their other ends": (
        lambda x: tuple(functional.pad(x, pads, mode="circular") for pads in ((1, 2, 3, 0), (-1, 2, 0, -3))),
        [numbers(2, 3, 5, 4)],
    ),
    "a batch's own statistics": (trained, [X]),
    "numbers unlike themselves": (lambda x: torch.ne(x, x).sum(1), [BROKEN]),
    "sorted booleans": (lambda x: torch.sort(x > 0, dim=1, stable=True), [X]),
    "sorted bytes": (lambda i: (i.to(torch.int8).sort(1)[0], i.to(torch.uint8).sort(0, descending=True)[0]), [COUNTS]),
    "sorted bfloat16": (lambda x: (x.bfloat16().sort(1)[1], x.bfloat16().topk(2, 1)[1]), [X]),
    "the largest and the least boolean": (lambda x: (x > 1).any(0) & (x > 0).amax(0) | (x > -9).amin(), [X]),
}  # fmt: skip

CASES |= {
    "numbers put on a diagonal": (
        lambda x, y, z: (torch.diagonal_scatter(x, y, -1, 1, 2), torch.diagonal_scatter(x, z, 2, 2, 0)),
        [X, numbers(4, 5), numbers(6, 2)],
    ),
    "a filled diagonal": (lambda x: x.clone().fill_diagonal_(7.0), [X[0]]),
    "numbers so far apart": (
        lambda x: (x.as_strided((2, 3, 2, 2), (12, 4, 1, 1), 5), x.as_strided((24, 5), (5, 1))),
        [X],
    ),
    "what booleans are as numbers": (
        lambda x: (torch.isnan(x > 0), torch.isinf(x > 0), torch.hypot(x > 0, x), torch.copysign(x > 0, x)),
        [X],
    ),
    "signs of what has none": (
        lambda i: (torch.sign(i > 0), torch.sgn(i.to(torch.uint8)), -i.to(torch.uint8)),
        [COUNTS],
    ),
    "a row that a number selects": (
        lambda x, at: (x.index_select(1, at), x[0, 0].index_select(-1, at), x[0, 0, 0].index_select(0, at * 0)),
        [X, torch.tensor(2)],
    ),
}


def test_operators_that_the_importer_lacks(tmp_path):
    agree_in_each(tmp_path, CASES)


SMALL = torch.tensor([0, 1e-20, -1e-12, 1e-8, -3e-7, 1e-5, -1e-4, 1e-3, 0.02, -0.1, 0.3, -0.49, 0.7, -0.9, -0.9999])
FAR = torch.tensor([-torch.inf, -200, -80, -50, -20, -17, -10, -1, 0, 0.1, 3, 15, 21, 100, 1e30, torch.inf, torch.nan])
TAILS = {
    "logarithms of 1 + x": (lambda x, y: (x.log1p(), x.double().log1p(), y.log1p()), [SMALL, FAR]),
    "logarithms of whole numbers and 1": (torch.log1p, [COUNTS.abs()]),
    "exponentials less 1": (lambda x, y: (x.expm1(), x.double().expm1(), y.expm1()), [SMALL, FAR]),
    "what the error function leaves": (
        lambda x, y: (x.erfc(), y.erfc(), y.half().erfc(), x.double().erfc()),
        [SMALL, torch.tensor([-torch.inf, -9, -2, 0.9, 1, 1.001, 1.5, 2, 3, 4, 5, 7, 9, 100, torch.inf, torch.nan])],
    ),
    "areas of tangents": (lambda x: (x.atanh(), x.double().atanh(), x.sign().atanh()), [SMALL]),
    "softened rectifiers": (lambda x: (functional.softplus(x), functional.softplus(x, 2, 10)), [FAR[1:]]),
    "logarithms of sigmoids": (lambda x: (functional.logsigmoid(x), functional.logsigmoid(x.double())), [FAR[1:-2]]),
    "Mish": (functional.mish, [FAR[1:-2]]),
}


def test_small_results_are_precise(tmp_path):
    agree_in_each(tmp_path, TAILS, atol=1e-37)


def test_what_is_bounded_stays_nan(tmp_path):
    cases = {
        "by numbers": (lambda x: (x.clamp(-1, 1), x.clamp(min=-1), x.clamp(max=1)), [FAR]),
        "by tensors": (lambda x, low: x.clamp(low, low + 1), [FAR, torch.zeros(len(FAR))]),
        "activations": (lambda x: (functional.hardtanh(x), functional.relu6(x)), [FAR]),
    }
    agree_in_each(tmp_path, cases)


def test_groups_of_bfloat16(tmp_path):
    module = Function(lambda x: functional.group_norm(x.bfloat16(), 2).float())
    agree(tmp_path, module, (numbers(2, 6, 5),), rtol=1e-2, atol=1e-2)


def test_products_of_groups_of_bfloat16(tmp_path):
    module = Function(lambda x, w, ends: torch._grouped_mm(x.bfloat16(), w.bfloat16(), ends).float())
    ends = torch.tensor([2, 2, 9]).int()
    agree(tmp_path, module, (numbers(9, 16), numbers(3, 16, 8), ends), rtol=2e-2, atol=2e-2)


def test_a_largest_number_is_no_sort(tmp_path):
    """A kernel that is a call of a sort cannot be tuned; a reduction can."""
    mod = load_model(saved(tmp_path, Function(lambda x: tuple(x.max(1))), (X,))).mod
    text = mod.script()
    assert "R.max" in text and "R.argmax" in text and "topk" not in text


def test_axes_are_continued_without_a_write_into_a_larger_tensor(tmp_path):
    """Each write is a kernel of its own, channels first."""
    module = Function(lambda x: functional.pad(x, (1, 1, 1, 1), mode="circular"))
    assert "scatter" not in load_model(saved(tmp_path, module, (numbers(1, 3, 6, 5),))).mod.script()


def test_randomly_leaky_units_in_training_are_refused(tmp_path):
    path = saved(tmp_path, Function(lambda x: torch.rrelu(x, training=True)), (X,))
    with pytest.raises(UserError):
        load_model(path)
