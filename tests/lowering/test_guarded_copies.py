"""Vectors that threads fetch of an image with padding: one condition and one instruction each, the right numbers."""

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

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")

HOPPER = resolve_target("h100")
PADDED = "conv2d:1,32,9,9,16,3,pad=1,layout=NHWC"
LOADED = re.compile(r"condval\w* = (\*\(\w+\*\)\()?data_ptr|ptx_cp_async_legacy_pred_c[ag]_(\d+)_\d+_\d+\(")


def kernels_of(space: DesignSpace, width: int):
    """One of each sketch, whose threads fetch that many elements of the image at once."""
    analyzer = Analyzer(space, load_presets()["h100"].profile)
    for sketch in space.sketches:
        if "RFactor" in sketch.trace_json():
            continue
        *_, at, _ = (i for i, decision in enumerate(sketch.decisions) if decision.name == "cooperative_fetch")
        if width not in sketch.decisions[at].candidates:
            continue
        rows = sketch.sample(np.random.default_rng(0), 4000)
        rows[:, sketch.columns[at].start] = sketch.decisions[at].candidates.index(width)
        rows = rows[np.isfinite(analyzer.score(sketch.index, rows))]
        for row in rows[:30]:
            for candidate in space.materialise([space.candidate(sketch.index, row)]):
                yield KernelsOnCpu(candidate.schedule.mod, HOPPER)


def whole(kernels: KernelsOnCpu, size: int) -> bool:
    """Whether all that is read under a condition is read in vectors of so many bytes."""
    found = LOADED.findall(kernels.source)
    return bool(found) and all(vector or asynchronous == str(size) for vector, asynchronous in found)


@pytest.mark.parametrize(
    ("dtype", "width", "size"), [("float32", 4, 16), ("float16", 8, 16), ("int8", 16, 16), ("bfloat16", 4, 8)]
)
def test_channels_of_a_pixel_are_fetched_at_once(dtype, width, size):
    space = DesignSpace.generate(task_of(f"{PADDED},{dtype}", HOPPER), HOPPER)
    rng = np.random.default_rng(3)
    arrays = [rng.integers(-3, 4, spec.shape).astype(spec.dtype) for spec in space.task.args]
    wanted = result_of(space.task.mod, arrays).astype("float32")
    checked = 0
    for kernels in kernels_of(space, width):
        if whole(kernels, size):
            np.testing.assert_array_equal(kernels(arrays)[-1].astype("float32"), wanted)
            checked += 1
        if checked == 3:
            return
    assert checked == 3
