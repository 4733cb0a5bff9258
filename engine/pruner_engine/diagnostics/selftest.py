"""One trial from end to end on this host; run as a process of its own, since a broken installation may crash.

Prints one JSON object a line: {"stage": …} when a stage begins, {"done": …} when all went well, {"error": …} otherwise,
with a {"hint": …} where it is known what to do.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pruner_engine.errors import UserError

_ROWS = {"llvm": 8, "cuda": 128}  # on a GPU most random schedules are invalid


def _say(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(name: str = "auto") -> None:
    """Generate the space of a small kernel, measure one candidate of it and compare its outputs.

    Args:
        name: of the target.
    """
    _say(stage="import TVM")
    from pruner_engine.tvm_import import import_tvm

    tvm = import_tvm()
    _say(llvm=f"LLVM {tvm.target.codegen.llvm_version_major()}")
    _say(stage="generate schedules")
    import numpy as np

    from pruner_engine.frontends import load_model
    from pruner_engine.measure.measurer import Measurer
    from pruner_engine.measure.types import MeasureInput, MeasureOptions, MeasureResult
    from pruner_engine.space.design_space import DesignSpace
    from pruner_engine.targets.target import resolve_target
    from pruner_engine.tasks.extract import extract_tasks
    from pruner_engine.tasks.prepare import prepare

    target = resolve_target(name)
    task = extract_tasks(prepare(load_model("matmul:64,64,64").mod, target), target)[0]
    space = DesignSpace.generate(task, target)
    rows = space.sketches[0].sample(np.random.default_rng(0), _ROWS[target.kind.name])
    candidate = space.materialise([space.candidate(0, row) for row in rows])[0]
    assert candidate.schedule is not None
    _say(stage="build and run a kernel")
    results: list[MeasureResult] = []
    with Measurer(target, MeasureOptions(build_workers=1, check="all")) as measurer:
        inputs = [MeasureInput(candidate.hash, candidate.schedule.mod)]
        measurer.measure(task, inputs, best_s=None, on_result=results.append)
    if not results[0].ok:
        _say(stage=f"{results[0].stage} a kernel", error=results[0].message)
    else:
        _say(done=f"{task.flops / (results[0].seconds or 1) / 1e9:.1f} GFLOP/s, outputs right")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as refused:
        _say(error=refused.message, hint=refused.hint)
