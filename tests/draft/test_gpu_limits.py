"""What the GPU analyzer calls valid is what VerifyGPUCode lets through."""

from __future__ import annotations

import numpy as np
import pytest

from draft.spaces import GPU, space_of, tensor_core_space
from pruner_engine.draft import analyzer_for
from pruner_engine.targets.profiling import profile_for


@pytest.mark.parametrize("workload", ["matmul:128,96,64", "conv2d:1,16,14,14,32,3,pad=1", "softmax:64,256", "float16"])
def test_validity_is_predicted(workload):
    space = tensor_core_space() if workload == "float16" else space_of(workload, GPU)
    analyzer = analyzer_for(space, profile_for(GPU))
    rng = np.random.default_rng(0)
    right = total = 0
    for sketch in space.sketches:
        rows = sketch.sample(rng, 400)
        valid = np.isfinite(analyzer.score(sketch.index, rows))
        for wanted in (True, False):
            some = rows[valid == wanted][:8]
            candidates = [space.candidate(sketch.index, row) for row in some]
            passed = len(space.materialise(candidates))
            right += passed if wanted else len(candidates) - passed
            total += len(candidates)
    assert right >= 0.85 * total
