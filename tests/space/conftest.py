"""Builders of GPU kernels, started once: to load what their schedules may name takes longer than to build some."""

from __future__ import annotations

import contextlib
import functools

import pytest

from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.targets.target import resolve_target


@pytest.fixture(scope="session")
def built():
    """Results of building modules for a preset of a GPU, which need not be here, in the order of their ends."""
    with contextlib.ExitStack() as started:

        @functools.cache
        def measurer(preset):
            return started.enter_context(Measurer(resolve_target(preset), MeasureOptions(check="none")))

        def build(preset, modules):
            results = []
            measurer(preset).build([MeasureInput(str(i), mod) for i, mod in enumerate(modules)], results.append)
            return results

        yield build
