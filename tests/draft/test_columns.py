"""Formulas over rows evaluate to what plain arithmetic says."""

from __future__ import annotations

import numpy as np
import pytest

from pruner_engine.draft.formulas import columns as c
from pruner_engine.draft.formulas.evaluation import Evaluation
from pruner_engine.draft.formulas.program import Program
from pruner_engine.draft.nests.index import Atom, Quotient, Remainder, Var, add, collapse, scale, span, step


def test_programs_compute_what_plain_numbers_do():
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 60, size=(5000, 3)).astype(np.int32)
    x, y, z = (c.column(i) for i in range(3))

    def formulas(a, b, d):
        return [
            a * b + d,
            (a + b) * (a + b) - d,
            c.ceil_div(a, b) * d,
            c.floor_div(a * d, b),
            c.minimum(a, b) + c.maximum(b, d),
            c.where(a > b, a - b, b - a + 1),
            c.where(c.equal(a, b), 7, d),
            c.lookup((3, 1, 4, 1, 5, 9), c.minimum(d, 5)),
            7,
            a / b,
            c.square_root(a),
        ]

    program = Program(formulas(x, y, z))
    values = program(rows)
    for column, row in zip(values.T[:200], rows[:200].tolist(), strict=True):
        assert column.tolist() == pytest.approx([float(v) for v in formulas(*row)])


def test_equal_formulas_are_one_object():
    x, y = c.column(0), c.column(1)
    assert x * y is y * x
    assert Program([x * y, y * x + 1]).length == Program([x * y + 1]).length


def test_plain_numbers_fold():
    assert c.ceil_div(7, 2) == 4
    assert c.where(0, 1, 2) == 2
    assert c.column(0) * 1 is c.column(0)


def test_a_window_reaches_over_its_halo():
    out, tap = Atom("out", 8), Atom("tap", 3)
    index = add(scale(Var(out), 2), Var(tap))
    assert span(index, lambda atom: True) == 17
    assert span(index, lambda atom: atom is tap) == 3
    assert step(index, out) == 2


def test_digits_of_a_variable_collapse_to_it():
    fused = Atom("fused", 12)
    digits = add(scale(Quotient(Var(fused), 4), 4), Remainder(Var(fused), 4))
    assert collapse(digits) == Var(fused)
    assert collapse(add(scale(Quotient(Var(fused), 4), 5), Remainder(Var(fused), 4))) != Var(fused)


def test_conditions_combine_as_zeros_and_ones_do():
    """Conditions are masks inside a program: their products, sums, extrema and choices must not show it."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, size=(500, 3)).astype(np.int32)
    x, y, z = (c.column(i) for i in range(3))

    def formulas(a, b, d):
        some, other = a > b, c.equal(b, d)
        open_ = c.where(some, c.where(other, 0, 1), 1)
        return [
            some,
            some * other,
            some + other + (d >= a),
            c.maximum(some, other) * 5,
            c.minimum(some, other) + c.maximum(some, 0),
            c.where(some, 0, c.where(other, a, b)),
            c.where(some, a + 1, 0),
            c.where(a, b, d),
            c.where(some * a, b, d),
            c.where(open_, a, b) * open_,
            c.where(some, other, c.maximum(other, 1)),
            c.where(some, other, d > 2),
            c.equal(some, other),
            1 - some,
            c.where(some, 1e30, -0.5) * 2,
            a / 8 + c.ceil_div(a, 2) + c.floor_div(b, 4) + a / 3,
        ]

    for dtype in (np.float32, np.float64):
        values = Program(formulas(x, y, z), dtype)(rows)
        for column, row in zip(values.T, rows.tolist(), strict=True):
            assert column.tolist() == pytest.approx([float(v) for v in formulas(*row)], rel=1e-6)


def test_one_row_is_evaluated_as_many_are():
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 60, size=(200, 3)).astype(np.int32)
    x, y, z = (c.column(i) for i in range(3))
    formulas = [
        c.where(x > y, c.ceil_div(x * z, y), c.floor_div(z, x)) + c.lookup((3, 1, 4), c.minimum(z, 2)),
        c.square_root(x) / y - z,
        c.maximum(c.equal(x, y), z >= y) * (x - y),
        7,
    ]
    together, alone = Program(formulas)(rows), Evaluation(formulas)
    for column, row in zip(together.T, rows.tolist(), strict=True):
        assert alone(row) == pytest.approx(column.tolist())
