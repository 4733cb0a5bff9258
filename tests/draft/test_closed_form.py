"""The closed form tells what the applied schedule does: of every block loops, symbols, penalties and times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from draft.operators import DILATED, PACKED, PAIRS_OF_BYTES
from draft.spaces import (
    AMX,
    ARM,
    CPU,
    EPILOGUES,
    GPU,
    LARGE,
    SPLIT,
    TENSORISED,
    TILES,
    WORDS,
    WORKLOADS,
    analyzer_of,
    rows_of_each,
    space_of,
)
from pruner_engine.draft.formulas.evaluation import Evaluation
from pruner_engine.draft.nests.nest import all_loops
from pruner_engine.draft.parts import Parts

ROWS = rows_of_each(4)
# iterators that a Tensor Core's operands are laid out over have a single value
FLAT = "conv2d:2,32,1,9,64,1,layout=NHWC,float16"
COMPARED = [
    *(pytest.param(workload, CPU, id=f"cpu-{workload}") for workload in (*WORKLOADS, PAIRS_OF_BYTES, *DILATED)),
    *(pytest.param(workload, AMX, id=f"amx-{workload}") for workload in TILES),
    *(pytest.param(workload, ARM, id=f"arm-{workload}") for workload in WORDS),
    *(
        pytest.param(workload, GPU, id=f"gpu-{workload}")
        for workload in (*WORKLOADS, *TENSORISED, *SPLIT, *LARGE, *EPILOGUES, FLAT)
    ),
]
# what an applied schedule hides: which part of the loop that virtual threads are fused to an access moves with
FUSED = {("symbol", "memory_operations_thread"), ("penalty", "reuse"), ("time", "compute"), ("time", "lines")}
# quotients that TVM simplifies, knowing the tiles, and we do not: of which group a channel is, of which part of a
# window a partial sum is, in which tile a pixel lies. What is told of the block that moves with them is an estimate.
QUOTIENTS = {
    "conv2d:1,16,12,12,32,3,pad=1,groups=2": "pad_temp",
    "conv2d:1,16,12,12,32,3,pad=1,groups=2,layout=NHWC": "pad_temp",
    "avgpool:1,16,15,15,3,stride=2,pad=1": "pad_temp",
    DILATED[1]: "winograd_output_rows",
}

# held against what TVM allocates instead, which the indices of an applied schedule, simplified, do not tell
SHARED = ("symbol", "shared_bytes")

Figures = dict[tuple[str, str], float]


def blocks_of(parts: Parts, row: Sequence[int] = ()) -> list[tuple[str, list[int], Figures]]:
    """Name, extents of the loops around, those of extent 1 left out, and all figures of every block."""
    every = []
    for one in parts.statements:
        loops = [loop.extent for loop in all_loops(one.block)]
        kinds = {"symbol": one.symbols, "penalty": one.penalties, "time": one.times}
        figures = {(kind, name): value for kind, found in kinds.items() for name, value in found.items()}
        told = Evaluation([*loops, *figures.values()])(row)
        extents = [int(extent) for extent in told[: len(loops)] if extent != 1]
        every.append((one.block.name.replace(".", "_"), extents, dict(zip(figures, told[len(loops) :], strict=True))))
    return every


@pytest.mark.parametrize(("workload", "target"), COMPARED)
def test_every_block_is_told_as_the_applied_schedule_tells_it(workload, target):
    space = space_of(workload, target)
    analyzer = analyzer_of(space)
    rng = np.random.default_rng(1)
    compared = 0
    for sketch in space.sketches:
        assert analyzer.compiled(sketch.index)
        for row in sketch.sample(rng, max(2, ROWS // len(space.sketches))):
            parts = analyzer.lowered[sketch.index].parts(row)
            if parts is None:  # TVM finds a dynamic extent: the postprocessing refuses such a candidate
                continue
            plain = row.tolist()
            formulas = analyzer.closed[sketch.index].variants.of(plain).parts
            closed, applied = blocks_of(formulas, plain), blocks_of(parts)
            assert [block[:2] for block in closed] == [block[:2] for block in applied], sketch.to_json(row)
            for (name, _, told), (_, _, counted) in zip(closed, applied, strict=True):
                vague = FUSED if counted.get(("symbol", "vthreads"), 1) > 1 else set()
                if name == QUOTIENTS.get(workload):
                    continue
                for figure, value in counted.items():
                    if workload in (*QUOTIENTS, PACKED) and figure == SHARED:
                        continue
                    where = (name, figure, sketch.to_json(row))
                    if figure not in vague:
                        assert told[figure] == pytest.approx(value, rel=1e-9, abs=1e-30), where
                    else:
                        assert told[figure] <= value * (1 + 1e-9), where
            compared += 1
    assert compared >= ROWS // 4
