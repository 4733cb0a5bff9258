"""A tensor without axes has, to PyTorch, one along which a function of an axis works; TVM has none."""

import pytest
import torch
from torch.nn import functional
from torch_functions import agree_in_each

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
POINT, NUMBER, FIRST = torch.tensor(1.5), torch.tensor(3), torch.tensor(0)
CASES = {
    "shares": (
        lambda x: (x.softmax(0), x.log_softmax(-1), functional.softmin(x, 0), x.softmax(0, dtype=torch.float64)),
        [POINT],
    ),
    "exponentials": (lambda x: (x.logsumexp(0), x.logcumsumexp(-1)), [POINT]),
    "extremes": (lambda x: (*x.max(0), *x.min(-1, keepdim=True), x.amax(0), x.amin(()), x.argmax(0)), [POINT]),
    "sums": (lambda x: (x.sum(0), x.mean(-1), x.prod(0), x.any(0), x.var(0, correction=0), x.norm()), [POINT]),
    "sums of whole numbers": (lambda n: (n.sum(0), n.prod(0), (n > 1).sum(-1), n.argmax()), [NUMBER]),
    "so far": (lambda x, n: (x.cumsum(0), x.cumprod(0), *x.cummax(0), *x.cummin(0), n.cumsum(0)), [POINT, NUMBER]),
    "in order": (
        lambda x: (*x.median(0), x.median(), *x.sort(0), *x.sort(stable=True), *x.topk(1), *x.kthvalue(1), x.argsort()),
        [POINT],
    ),
    "by an index": (
        lambda x, i: (x.gather(0, i), x.scatter(0, i, x * 2), x.scatter(0, i, 2.0), x.scatter_add(0, i, x)),
        [POINT, FIRST],
    ),
    "reduced by an index": (
        lambda x, i: (x.scatter(0, i, 2.0, reduce="add"), x.scatter_reduce(0, i, x * 2, "amax")),
        [POINT, FIRST],
    ),
}


def test_functions_of_an_axis_take_a_tensor_without_axes(tmp_path):
    agree_in_each(tmp_path, CASES)
