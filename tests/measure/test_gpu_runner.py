"""The way of a trial on a GPU with a stand-in for the driver: kernels do nothing there, all else is as it would be."""

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from cuda_compiler import needs_cuda_compiler
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureInput, MeasureOptions
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import resolve_target
from schedules import built, task_of
from stand_in import stand_in  # noqa: F401  a fixture

HOPPER = resolve_target("h100")


@needs_cuda_compiler
def test_only_the_runner_touches_the_device_and_a_broken_one_is_replaced(stand_in):  # noqa: F811
    task = task_of("matmul:64,64,64", HOPPER)
    space = DesignSpace.generate(task, HOPPER)
    rows = space.sketches[0].sample(np.random.default_rng(0), 256)
    inputs = [MeasureInput(str(at), schedule.mod) for at, schedule in enumerate(islice(built(space, 0, rows), 3))]
    results = []
    with Measurer(HOPPER, MeasureOptions(build_workers=1, check="all")) as measurer:
        assert measurer.untuned(task).ok
        # torch asks for devices as it is loaded, after which what is forked finds none
        assert "torch" not in Path(f"/proc/{measurer._pipeline.pid}/maps").read_text()
        measurer.measure(task, inputs[:1], best_s=None, on_result=results.append)
        assert len({line.split()[0] for line in (stand_in / "log").read_text().splitlines()}) == 1
        (stand_in / "breaks").touch()
        measurer.measure(task, inputs[1:], best_s=None, on_result=results.append)
    well, broken, after = results
    assert well.ok and well.checked and all(0 < seconds < 1 for seconds in well.repeats)
    assert (broken.stage, broken.error) == ("run", "error")
    assert "cudaErrorIllegalAddress" in broken.message
    assert after.ok and after.checked
    touched = Counter(line.split()[0] for line in (stand_in / "log").read_text().splitlines())
    assert len(touched) == 2, "a runner, and the one that took its place"
