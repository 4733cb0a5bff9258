"""Formulas over rows evaluate to what plain arithmetic says."""

from __future__ import annotations

import numpy as np
import pytest

from pruner_engine.draft import columns as c
from pruner_engine.draft.index import Atom, Quotient, Remainder, Var, add, collapse, scale, span, step
from pruner_engine.draft.program import Program


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
