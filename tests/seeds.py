"""Seeds of the tests that draw a moment, a victim, a place or a shape.

A plain run of the suite takes a few of each. In the environment `PRUNER_TEST_SEEDS=20` asks every one of them for
twenty, and `PRUNER_TEST_SEED=100` begins with that one.
"""

from __future__ import annotations

import os

import pytest


def seeds(plain: int = 1) -> range:
    """Those of one test; `plain` where no more are asked for."""
    first = int(os.environ.get("PRUNER_TEST_SEED", "0"))
    return range(first, first + max(plain, int(os.environ.get("PRUNER_TEST_SEEDS", "0"))))


def seeded(plain: int = 1) -> pytest.MarkDecorator:
    """Run a test once for each of its seeds, its argument `seed`."""
    return pytest.mark.parametrize("seed", seeds(plain))
