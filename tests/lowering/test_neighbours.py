"""Vectors that threads fetch of a tile, which lie in a row of it: one instruction each, and the right numbers."""

import re
import shutil

import numpy as np
import pytest

from cuda_on_cpu import KernelsOnCpu
from machines import result_of
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from schedules import task_of

HOPPER = resolve_target("h100")
COPY = re.compile(r"\*\((\w+)\*\)\(weight_shared\w* \+ |ptx_cp_async_legacy_c[ag]_(\d+)_\d+_\d+\(weight_shared")


def schedules_with(space: DesignSpace, width: int, count: int):
    """Of each sketch, with a fetch of weights in vectors of that length, each thread fetching one."""
    analyzer = Analyzer(space, load_presets()["h100"].profile)
    for sketch in space.sketches:
        at = [i for i, decision in enumerate(sketch.decisions) if decision.name == "cooperative_fetch"][-1]
        rows = sketch.sample(np.random.default_rng(0), 4000)
        rows[:, sketch.columns[at].start] = sketch.decisions[at].candidates.index(width)
        rows = rows[np.isfinite(analyzer.score(sketch.index, rows))]
        many = analyzer.figures(sketch.index, rows)["threads"] >= 196
        for candidate in space.materialise([space.candidate(sketch.index, row) for row in rows[many][:count]]):
            yield candidate.schedule


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")
@pytest.mark.parametrize(("dtype", "width"), [("float16", 8), ("int8", 8), ("float32", 4)])
def test_a_vector_in_a_row_of_the_tile_is_fetched_at_once(dtype, width):
    """Also across rows of its inner dimensions, here windows of 3 x 3."""
    space = DesignSpace.generate(task_of(f"conv2d:1,32,14,14,32,3,pad=1,groups=2,{dtype}", HOPPER), HOPPER)
    rng = np.random.default_rng(3)
    arrays = [rng.integers(-3, 4, spec.shape).astype(spec.dtype) for spec in space.task.args]
    wanted, copies = result_of(space.task.mod, arrays), 0
    for schedule in schedules_with(space, width, 2):
        kernels = KernelsOnCpu(schedule.mod, HOPPER)
        assert "longlong4" not in kernels.source, "an index for each element"
        found = [next(filter(None, names)) for names in COPY.findall(kernels.source)]
        copies += len(found)
        np.testing.assert_array_equal(kernels(arrays)[-1], wanted)
    assert copies
