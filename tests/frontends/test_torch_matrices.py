"""Small matrices are inverted and factored as PyTorch does it."""

import pytest
import torch
from torch_functions import Function, agree_in_each, numbers, saved

from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
linalg = torch.linalg
TURNED = torch.eye(5).roll(2, 0) + torch.eye(5) * 1e-3  # whose first pivots are not where they are looked for first
MATRICES = torch.stack([numbers(5, 5), TURNED, -torch.eye(5)])
POSITIVE = MATRICES @ MATRICES.mT + torch.eye(5)
SINGULAR = torch.stack([numbers(3, 3), torch.ones(3, 3), torch.zeros(3, 3)])
ROWS, LOWER = numbers(3, 5, 2), POSITIVE.tril()
CASES = {
    "an inverse": (linalg.inv, [MATRICES]),
    "an inverse of doubles": (torch.inverse, [MATRICES.double()]),
    "an inverse that may fail": (lambda a: linalg.inv_ex(a)[0], [MATRICES]),
    "solutions": (linalg.solve, [MATRICES, ROWS]),
    "a solution for each of some vectors": (linalg.solve, [MATRICES, ROWS[..., 0]]),
    "a solution for one vector": (linalg.solve, [MATRICES[0], ROWS[0, :, 0]]),
    "solutions from the left": (lambda a, b: linalg.solve(a, b, left=False), [MATRICES, ROWS.mT]),
    "solutions of one system for many": (linalg.solve, [MATRICES[0], ROWS]),
    "solutions of triangles": (lambda a, b: linalg.solve_triangular(a, b, upper=False), [LOWER, ROWS]),
    "solutions of triangles with ones": (
        lambda a, b: linalg.solve_triangular(a, b, upper=True, unitriangular=True),
        [LOWER.mT / 9, ROWS],
    ),
    "determinants": (torch.det, [torch.cat([MATRICES[:, :3, :3], SINGULAR])]),
    "their logarithms": (lambda a: torch.stack([*linalg.slogdet(a)]), [torch.cat([MATRICES[:, :3, :3], SINGULAR])]),
    "factors": (linalg.cholesky, [POSITIVE]),
    "upper factors": (lambda a: linalg.cholesky(a, upper=True), [POSITIVE]),
}


def test_matrices_are_those_of_pytorch(tmp_path):
    agree_in_each(tmp_path, CASES, atol=1e-4, rtol=1e-4)


def test_more_rows_are_no_more_kernels(tmp_path):
    target = resolve_target("auto")
    counts = []
    for rows in (4, 9):
        mod = load_model(saved(tmp_path, Function(linalg.inv), (numbers(rows, rows),))).mod
        counts.append(len(extract_tasks(prepare(mod, target), target)))
    assert counts[0] == counts[1]


def test_large_matrices_are_refused(tmp_path):
    path = saved(tmp_path, Function(linalg.inv), (numbers(80, 80),))
    with pytest.raises(UserError, match="matrices of 80 rows"):
        load_model(path)


def test_what_a_model_computes_that_is_unknown_is_named(tmp_path):
    path = saved(tmp_path, Function(lambda a: linalg.svd(a)[1]), (numbers(4, 4),))
    with pytest.raises(UserError, match="computes _linalg_svd"):
        load_model(path)
