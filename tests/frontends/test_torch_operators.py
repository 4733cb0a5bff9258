"""What TVM's importer of PyTorch lacks or errs on is imported as PyTorch computes it, or refused."""

from functools import partial

import numpy as np
import pytest
import torch
import tvm
from torch import nn
from torch_functions import Function, agree, agree_in_each, numbers, saved, whole

from machines import machine_of
from pruner_engine.errors import UserError
from pruner_engine.frontends import check_model, load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
functional = nn.functional


def put(x, place, value):
    x = x.clone()
    x[place] = value
    return x


EVERY = slice(None)
X, ROWS, COLUMNS = numbers(4, 6, 5), torch.tensor([0, 3, -1, 2]), torch.tensor([1, -2, 4, 0])
GRID = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 7), torch.linspace(-0.9, 1.1, 5), indexing="ij"), -1)[None]
CASES = {
    "indices of two later axes": (lambda x: x[:, ROWS, COLUMNS], [X]),
    "indices of two first axes": (lambda x: x[ROWS, COLUMNS], [X]),
    "indices with an axis between": (lambda x: x[ROWS, :, COLUMNS], [X]),
    "indices of different shapes": (lambda x: x[:, ROWS[:, None], COLUMNS[None, :2]], [X]),
    "indices that come in": (lambda x, i, j: x[:, i, j], [X, ROWS, COLUMNS]),
    "a triangle": (lambda x: x[(slice(None), *torch.tril_indices(5, 5, -1))], [numbers(3, 5, 5)]),
    "patches": (lambda x: functional.unfold(x, 3, padding=1, stride=2), [numbers(2, 3, 8, 8)]),
    "scattered sums": (lambda x, i, s: x.scatter_add(1, i, s), [X[0], whole(0, 5, 6, 3), numbers(6, 4)]),
    "scattered maxima": (lambda x, i, s: x.scatter_reduce(0, i, s, "amax"), [X[0], whole(0, 6, 6, 5), numbers(6, 5)]),
    "scattered into few rows": (lambda x, i, s: x.scatter(2, i, s), [X, whole(0, 2, 3, 2, 3), numbers(3, 2, 3)]),
    "sums in few rows": (lambda x, i, s: x.scatter_add(2, i, s), [X, whole(0, 5, 3, 2, 3), numbers(4, 4, 4)]),
    "sums in few columns": (lambda x, i, s: x.scatter_add(0, i, s), [X, whole(0, 4, 4, 6, 2), numbers(4, 6, 5)]),
    "maxima in few rows": (
        lambda x, i, s: x.scatter_reduce(-1, i, s, "amax"),
        [X, whole(0, 5, 2, 3, 4), numbers(2, 3, 4)],
    ),
    "a number in few rows": (lambda x, i: x.scatter(2, i, 7.0), [X, whole(0, 5, 3, 2, 3)]),
    "scattered products": (lambda x, i, s: x.scatter(1, i, s, reduce="multiply"), [X, whole(0, 6, 2, 1, 3), X]),
    "a number that is added": (lambda x, i: x.scatter(1, i, 2.0, reduce="add"), [X, whole(0, 6, 4, 3, 5)]),
    "messages of a graph": (lambda x, i: torch.zeros(4, 5).index_add(0, i, x), [X[0], whole(0, 4, 6)]),
    "values put in place": (lambda x, v: x.index_put((ROWS, COLUMNS), v), [X, numbers(4, 5)]),
    "values put in later axes": (lambda x, i, v: put(x, (EVERY, i), v), [X, ROWS, numbers(4, 4, 5)]),
    "one row put everywhere": (lambda x, i, v: put(x, (EVERY, i), v), [X, whole(-6, 6, 2, 3), numbers(5)]),
    "pairs put in later axes": (lambda x, v: put(x, (EVERY, ROWS, COLUMNS), v), [X, numbers(4, 4)]),
    "values put around an axis": (lambda x, v: put(x, (ROWS, EVERY, COLUMNS), v), [X, numbers(4, 6)]),
    "sums in later axes": (lambda x, i, v: x.index_add(1, i, v), [X, whole(0, 6, 3), numbers(4, 3, 5)]),
    "folded patches": (lambda x: functional.fold(x, (4, 5), 2, padding=1), [numbers(2, 12, 30)]),
    "a number put where positive": (lambda x: put(x, x > 0, 9.0), [X]),
    "a number put in some rows": (lambda x: put(x, x[:, :, 0] > 0, 9.0), [X]),
    "a number added where positive": (
        lambda x: x.index_put((x > 0,), torch.tensor(2.0), accumulate=True),
        [X],
    ),
    "numbers downwards": (lambda x: x[0] * torch.arange(4.0, -1, -1) + torch.arange(2, -11, -3), [X]),
    "rows from last to first": (lambda x: x[:, torch.arange(5, -1, -1)], [X]),
    "joined to a cache that is empty": (lambda x: torch.cat([torch.tensor([]), x], -1), [X]),
    "joined with what has no elements": (lambda x: torch.cat([x, x[:, :0], x + 1], 1), [X]),
    "variances and means": (lambda x: torch.cat(torch.var_mean(x, (0, -1), keepdim=True)), [X]),
    "a population's variance and mean": (lambda x: torch.stack(torch.var_mean(x, 1, correction=0)), [X]),
    "a variance of no axes, which is one of all": (
        lambda x: (x.var([]), x.std([], keepdim=True), *torch.var_mean(x, [])),
        [X],
    ),
    "a mean of no axes": (lambda x: (x.mean([]), x.mean([], keepdim=True)), [X]),
    "a mean of nothing": (lambda x: (x[:, :0].mean(1), x[:0].mean((0, 2), keepdim=True), x[:0].mean()), [X]),
    "variances of no more numbers than the correction": (
        lambda x: (x[:, :1].var(1), x[:, :2].std(1, correction=2), *torch.var_mean(x[:, :2], 1, correction=3)),
        [X],
    ),
    "how many are not 0": (
        lambda x: (torch.linalg.vector_norm(x, 0), torch.linalg.vector_norm(x, 0, (0, 2), keepdim=True)),
        [torch.where(X > 1, torch.nan, X).relu()],
    ),
    "norms of other orders": (
        lambda x: tuple(torch.linalg.vector_norm(x, order, 1) for order in (torch.inf, -torch.inf, 0.5, -2)),
        [X],
    ),
    "a norm of no axes": (lambda x: torch.linalg.vector_norm(x, 2, ()), [X]),
    "any and all of NaN": (
        lambda x, h: (x.any(1), x.all(1), x.any(), h.any(-1)),
        [torch.where(X > 1, torch.nan, 0), torch.where(X > 1, torch.nan, 0).half()],
    ),
    "any and all of nothing": (lambda x: ((x[:, :0] > 0).any(1), x[:, :0].all(1, keepdim=True)), [X]),
    "products along an axis": (lambda x: x.prod(1), [X]),
    "products of small whole numbers": (lambda x: x.to(torch.int8).prod(), [whole(2, 4, 20)]),
    "products so far": (lambda x: x.to(torch.int16).cumprod(1), [whole(2, 4, 3, 20)]),
    "products so far of truths": (lambda x: (x > 0).cumprod(0), [X]),
    "the largest in any order": (lambda x: x.topk(3, 1, sorted=False)[0].sum(1), [X]),
    "the least in any order": (lambda x: x.topk(3, 1, False, False)[1].sum(1), [X]),
    "a check of all numbers": (lambda x: (torch._check_tensor_all(x < 9), x * 2)[1], [X]),
    "a check of how many are positive": (lambda x: (torch._check(x[x > 0].numel() < 99), x * 2)[1], [X]),
    "booleans that are compared": (
        lambda x, y: (x == y, x != y, x < y, x <= y, x > y, x >= y, x == True, x != False, x < True),  # noqa: E712
        [X > 0, numbers(6, 5) > 0],
    ),
    "what differs from NaN": (
        lambda x, y, i: (
            *(x != y, x != 0, x.ne(x), x + 1 != x + 1, x != i, x.half() != y.half(), x.bfloat16() != y.bfloat16()),
            *(torch.where(x != y, x + 1, y).isnan(), ~(x != y), (x != y).sum(1)),
        ),
        [torch.where(X > 1, torch.nan, X.round()), torch.where(X < -1, torch.nan, X.round()), whole(-2, 2, 5)],
    ),
    "NaN beside itself": (
        lambda x, y: (torch.where(x.eq(x), x, 0), ~x.eq(x), x.eq(x).sum(0), ~y.eq(y)),
        [torch.where(X > 1, torch.nan, X), torch.where(X > 1, torch.nan, X).half()],
    ),
    "negated comparisons of NaN": (
        lambda x, y: (
            *(~(x < y), ~(x >= 1), torch.logical_not(x == y), ~((x < y) & (x > 0)), ~torch.isnan(x)),
            *(torch.where(~(x > y), x, y), (~(x < y)).sum(1), ~(x.half() <= y.half()), ~(x < y).all(1)),
        ),
        [torch.where(X > 1, torch.nan, X.round()), torch.where(X < -1, torch.nan, X.round())],
    ),
    "extremes of booleans": (
        lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x.max(), x.min(), y.amax(0), y.amin()),
        [X > 0, numbers(6, 5) > 0],
    ),
    "bounds of booleans": (lambda x: (x.clamp(0), x.clamp(1, 3), x.clamp(-2, 0)), [X > 0]),
    "an infinite mask": (lambda x: (x + torch.full((5, 5), -torch.inf).triu(1)).softmax(-1), [numbers(3, 5, 5)]),
    "a filled mask": (lambda x: x.masked_fill(x > 0, -torch.inf).amax(-1).exp(), [X]),
    "axes moved by their places from the end": (lambda x: x.permute(-1, 0, 1), [X]),
    "pooled without a batch": (
        lambda x: (functional.avg_pool1d(x, 2), functional.adaptive_avg_pool1d(x, 3), functional.max_pool1d(x, 2)),
        [X[0]],
    ),
    "what an index that comes in selects": (lambda x, i, j: (x[i], x[:, j], x[i, :, i]), [X, ROWS[2], ROWS[3]]),
    "a sampled image": (lambda x: functional.grid_sample(x, GRID, align_corners=True), [numbers(1, 3, 6, 6)]),
    "nearest samples": (lambda x: functional.grid_sample(x, GRID, "nearest", "border", False), [numbers(1, 3, 6, 6)]),
}


def test_operators_compute_what_pytorch_computes(tmp_path):
    agree_in_each(tmp_path, CASES)


def lower_triangles(x):
    rows = x.shape[1]
    return (x @ x.mT)[:, torch.ones(rows, rows).tril(-1).bool()]


MASK, PAIRS = torch.tensor([1, 0, 1, 1, 0]) > 0, torch.tensor([[1, 0, 1, 0, 1, 1], [0, 1, 1, 0, 0, 0]]) > 0
TIMES = torch.tensor([2, 0, 3, 1, 1])
CHOICES = {
    "columns": (lambda x: x[..., MASK] * 2, [X]),
    "of two axes": (lambda x: x.unflatten(0, (2, 2)).movedim(2, 1)[:, :6][:, PAIRS.T], [X]),
    "a mask that is computed": (lambda x: x[:, 1:][:, ~torch.eye(5, dtype=torch.bool)].view(4, 5, 4).sum(-1), [X]),
    "a mask that is put together": (lambda x: x[:, put(torch.zeros(6, dtype=torch.bool), [1, 3], True)], [X]),
    "a mask that is spread": (lambda x: torch.masked_select(x, MASK) + 1, [X]),
    "places of what is not 0": (lambda x: (x[..., MASK.nonzero().squeeze(1)], x[0, 1:][torch.where(MASK)]), [X]),
    "distinct ones": (lambda x: x[:, torch.unique(TIMES)], [X]),
    "repetitions": (lambda x: (x.repeat_interleave(TIMES, -1), x[0, 0].repeat_interleave(TIMES)), [X]),
    "repetitions of all": (lambda x: x[0].repeat_interleave(torch.arange(30)), [X]),
    "as many as a number says": (lambda x: x[:, : TIMES.max().item()] + MASK.sum(), [X]),
    "values that are put": (lambda x, v: put(x, (EVERY, EVERY, MASK), v), [X, numbers(4, 6, 3)]),
}


def test_what_constants_choose(tmp_path):
    agree_in_each(tmp_path, CHOICES)


def test_what_a_mask_of_an_open_size_chooses(tmp_path):
    module, x = Function(lower_triangles), numbers(2, 3, 4)
    path = saved(tmp_path, module, (x,), [{1: torch.export.Dim("rows", min=2)}])
    x = numbers(2, 7, 4)
    found = machine_of(load_model(path, {"inputs_0": x.shape}).mod)["main"](tvm.runtime.tensor(x.numpy())).numpy()
    np.testing.assert_allclose(found, module(x), rtol=1e-5, atol=1e-5)


REDUCTIONS = [
    (torch.float32, how, include) for how in ("sum", "prod", "mean", "amax", "amin") for include in (True, False)
]
REDUCTIONS += [(torch.int64, how, False) for how in ("sum", "amin")]


def reduction(dtype, how, include):
    """By index, with or without what was there; and its inputs."""

    def reduced(x, index, source):
        return x.scatter_reduce(1, index, source, how, include_self=include)

    return reduced, [(3 * X).to(dtype), whole(0, 6, 3, 5, 4), (3 * numbers(4, 5, 4)).to(dtype)]


def test_reductions_by_index_with_and_without_what_was_there(tmp_path):
    agree_in_each(tmp_path, {str(form): reduction(*form) for form in REDUCTIONS})


def test_more_repetitions_than_are_looked_at_are_refused(tmp_path):
    """A small file that asks for all memory."""
    many = Function(lambda x: x.repeat_interleave(torch.tensor([1 << 33, 1]), 0))
    with pytest.raises(UserError, match="repeat_interleave"):
        load_model(saved(tmp_path, many, (numbers(2, 3),)))


def test_means_of_whole_numbers_by_index_are_refused(tmp_path):
    function, inputs = reduction(torch.int64, "mean", True)
    with pytest.raises(UserError, match="means of whole numbers"):
        load_model(saved(tmp_path, Function(function), tuple(inputs)))


def test_bags_of_one_size(tmp_path):
    table, bags = numbers(20, 8), whole(0, 20, 4, 3)
    modes = {mode: (partial(functional.embedding_bag, mode=mode), [bags, table]) for mode in ("sum", "mean", "max")}
    weighted = lambda i, t, w: functional.embedding_bag(i, t, mode="sum", per_sample_weights=w)  # noqa: E731
    padded = {
        f"padded {mode}": (partial(functional.embedding_bag, mode=mode, padding_idx=5), [index, table])
        for mode in ("sum", "mean", "max")
        for index in [torch.tensor([[5, 5, 5], [5, 1, 5], [3, 2, 1]])]
    }
    agree_in_each(tmp_path, modes | padded | {"weighted": (weighted, [bags, table, numbers(4, 3)])})


@pytest.mark.parametrize("bias", [True, False])
def test_transposed_convolutions_of_volumes(bias, tmp_path):
    module = nn.ConvTranspose3d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2, bias=bias)
    agree(tmp_path, module, (numbers(1, 4, 3, 4, 5),))


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        (nn.Sequential(nn.Linear(32, 16), nn.GELU(), nn.Linear(16, 8, bias=False)), (4, 32)),
        (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 1, bias=False)), (1, 3, 8, 8)),
        (Function(lambda x: functional.scaled_dot_product_attention(x, x, x)), (1, 2, 6, 8)),
        (Function(lambda x: torch.baddbmm(x, x, x, beta=0.5, alpha=2.0)), (2, 6, 6)),
    ],
    ids=["linear", "convolution", "attention", "baddbmm"],
)
def test_halves_stay_halves(module, shape, tmp_path):
    agree(tmp_path, module.half(), (numbers(*shape, dtype=torch.float16),), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "normalise", [lambda x: functional.group_norm(x, 2), functional.instance_norm], ids=["group", "instance"]
)
def test_norms_of_halves_whose_squares_are_too_large_for_them(normalise, tmp_path):
    agree(tmp_path, Function(normalise), ((100 * numbers(2, 4, 8, 32)).half(),), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "module",
    [
        nn.Conv1d(64, 4, 3),
        nn.Conv2d(64, 4, 3, padding=1),
        nn.Conv3d(64, 4, 2, bias=False),
        nn.ConvTranspose1d(64, 4, 3, stride=2),
        nn.ConvTranspose2d(64, 4, 3, groups=2),
        nn.ConvTranspose3d(64, 4, 2),
    ],
    ids=lambda module: type(module).__name__,
)
def test_convolutions_of_doubles_are_as_precise_as_they(module, tmp_path):
    shape = (1, 64, *[5] * (module.weight.dim() - 2))
    agree(tmp_path, module.double(), (numbers(*shape, dtype=torch.float64),), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "draw",
    [
        torch.rand_like,
        torch.randn_like,
        lambda x: x + torch.randn(6, 5),
        lambda x: torch.bernoulli(x, 0.5),
        lambda x: functional.dropout(x, 0.5, training=True),
        lambda x: x + torch.empty(6, 5).exponential_(),
        lambda x: torch.multinomial(x.abs(), 2),
    ],
    ids=["rand", "randn", "randn of a shape", "bernoulli", "dropout", "exponential", "multinomial"],
)
def test_random_numbers_are_refused(draw, tmp_path):
    with pytest.raises(UserError, match="random numbers"):
        load_model(saved(tmp_path, Function(draw), (X[0],)))


def test_random_numbers_that_nothing_reads_do_no_harm(tmp_path):
    agree(tmp_path, Function(lambda x: (x * 2, torch.rand_like(x) * 3)[0]), (X,))


def test_products_of_whole_numbers_are_whole(tmp_path):
    agree(tmp_path, Function(torch.matmul), (whole(0, 9, 4, 6), whole(0, 7, 6, 3)))


def test_open_dimensions_stay_open(tmp_path):
    """What is imported with one batch size holds for another."""
    module = Function(lambda x: x[:, torch.tensor([0, 2])].cumsum(1) + torch.full((2, 5), 3.0) * x.amax(2, True)[:, :2])
    program = torch.export.export(module, (X,), dynamic_shapes={"inputs": ({0: torch.export.Dim("batch", max=16)},)})
    path = str(tmp_path / "open.pt2")
    torch.export.save(program, path)
    (declared,) = check_model(path).inputs
    loaded = load_model(path, {declared.name: [7, 6, 5]})
    x = numbers(7, 6, 5)
    machine = machine_of(loaded.mod)
    found = machine["main"](tvm.runtime.tensor(x.numpy())).numpy()
    np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    ("function", "inputs", "words"),
    [
        (lambda x, v: x.index_put((x > 0,), v), [X[0], numbers(30)], "where booleans say"),
        (lambda x: x[x.sum(1) > 0], [X[0]], "selects by booleans .*Select before the model"),
        (functional.embedding_bag, [whole(0, 9, 6), numbers(9, 4), torch.tensor([0, 2])], "sizes are known"),
    ],
)
def test_what_cannot_be_imported_is_told(function, inputs, words, tmp_path):
    with pytest.raises(UserError, match=words):
        load_model(saved(tmp_path, Function(function), tuple(inputs)))


FUNCTIONS_OF_HALVES = {
    "powers": lambda x, y: (x**2.5, x**y, 2.5**x, torch.ldexp(x, y)),
    "rests": lambda x, y: (x.fmod(2.5), x.remainder(y), x.fmod(y)),
    "angles": lambda x, y: (torch.atan2(x, y), x.atan(), (x / 9).asin(), (x / 9).acos(), x.asinh(), (x + 1).acosh()),
    "hyperbolic functions": lambda x, y: (x.sinh(), x.cosh()),
    "what is no number": lambda x, y: ((x / 0).isinf(), (-x).sqrt().isnan(), (x / 0).isfinite()),
    "extremes of no numbers": lambda x, y: (
        torch.maximum((-x).sqrt(), y.flip(0)),
        torch.minimum((-x).sqrt(), y.flip(0)),
    ),
    "where the largest are": lambda x, y: functional.max_pool2d(x, 2, return_indices=True),
    "functions of exponentials": lambda x, y: (torch.tanh(x / 500), torch.sigmoid(-3 * x).log()),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_functions_that_tvm_lacks_of_halves(dtype, tmp_path):
    x, eps = numbers(3, 4, 6).abs() + 0.1, 2 * torch.finfo(dtype).eps

    def of_halves(function):
        return lambda x: function(x.to(dtype), x.to(dtype).flip(-1) + 0.5)

    cases = {name: (of_halves(function), [x]) for name, function in FUNCTIONS_OF_HALVES.items()}
    agree_in_each(tmp_path, cases, rtol=eps, atol=eps)


def test_a_logarithm_of_a_sigmoid_is_finite_where_a_half_is_zero(tmp_path):
    path = saved(tmp_path, Function(lambda x: torch.sigmoid(x).log()), (numbers(3, 4).half(),))
    target, x = resolve_target("auto"), torch.linspace(-60, 0, 12).reshape(3, 4).half()
    found = machine_of(prepare(load_model(path).mod, target), target)["main"](tvm.runtime.tensor(x.numpy())).numpy()
    np.testing.assert_allclose(found, functional.logsigmoid(x.float()), rtol=2e-3)
