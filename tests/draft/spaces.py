"""Design spaces of built-in workloads and other operators, made once a test session."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import numpy as np
import tvm
from tvm.s_tir import SBlock, SBlockRealize
from tvm.tirx import For, SeqStmt

from draft.operators import DILATED, HALF, HALF_RELU, LARGE_OPERATORS, OPERATORS, PAIRS_OF_BYTES, operator_task
from epilogues import epilogue_task
from graphs import GRAPHS, NORMS, TWO_RESULTS, tasks_of_graph
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import TuningTask
from schedules import task_of

CPU = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')
AMX = resolve_target('{"kind":"llvm","mcpu":"sapphirerapids","num-cores":2}')
ARM = resolve_target("graviton3")
GPU = resolve_target("a100-40g")

#: figures of a data sheet, equal in every run: a measured profile has the noise of the moment
_XEON = load_presets()["sapphire-rapids"].profile
DEVICES = {CPU: _XEON, AMX: _XEON, ARM: load_presets()["graviton3"].profile, GPU: load_presets()["a100-40g"].profile}

WORKLOADS = [
    "matmul:128,96,64",
    "bmm:4,32,64,16",
    "dense:64,80,48",
    "conv1d:1,16,64,32,3,pad=1",
    "conv2d:1,16,14,14,32,3,pad=1",
    "conv2d:1,32,28,28,16,3,stride=2,pad=1,layout=NHWC",
    "conv2d:1,16,12,12,32,3,pad=1,groups=2",
    "conv2d:1,16,12,12,32,3,pad=1,groups=2,layout=NHWC",
    "conv3d:1,8,6,10,10,16,3,pad=1",
    "deconv2d:1,16,8,8,8,4",
    "depthwise:1,48,14,14,3,pad=1",
    "depthwise:1,48,14,14,3,pad=1,layout=NHWC",
    "maxpool:1,16,16,16,2",
    "avgpool:1,16,15,15,3,stride=2,pad=1",
    "softmax:64,256",
    "layernorm:32,192",
    "sum:64,512",
    "gelu:64,96",
    *TWO_RESULTS,
    *NORMS,
    *OPERATORS,
]

# whose matrices AMX multiplies
TILES = [
    "dense:48,64,128,bfloat16",
    "matmul:64,96,128,int8",
    "bmm:4,32,64,32,bfloat16",
    "conv2d:1,64,14,14,64,3,pad=1,layout=NHWC,bfloat16",
    "conv2d:2,32,16,16,48,3,stride=2,pad=1,layout=NHWC,int8",
    "conv2d:1,3,32,32,32,7,stride=2,pad=3,layout=NHWC,bfloat16",
]
# that Arm's instructions multiply
WORDS = TILES[1:5]
# none of a kernel's own lengths is that of a Tensor Core's tile
PADDED = [
    "conv2d:1,32,14,14,64,3,layout=NHWC,float16",
    "conv2d:1,64,7,7,48,1,layout=NHWC,float16",
    "matmul:100,72,56,float16",
]
TENSORISED = [
    HALF,
    "bmm:4,64,64,32,float16",
    "dense:64,64,64,float16",
    "conv2d:1,32,28,28,64,3,layout=NHWC,float16",
    "matmul:128,128,128,bfloat16",
    "conv2d:1,32,28,28,64,3,layout=NHWC,bfloat16",
    "matmul:256,128,256,int8",
    *PADDED,
]

# long sums of few results, which a GPU shares out among blocks of the grid
SPLIT = [
    "matmul:24,36,1022",
    "dense:1,70,768",
    "conv2d:1,96,9,7,40,3,stride=2,pad=1",
    "conv2d:1,128,6,6,24,3,pad=1,layout=NHWC",
]

# kernels with a stage whose elements are more than a GPU's threads
LARGE = [*LARGE_OPERATORS, "maxpool:1,64,160,160,2", "avgpool:1,32,190,190,3,stride=2,pad=1", "softmax:600,512"]

# products whose results a chain of element-wise operators reads more than once, of kinds that tests/epilogues.py knows
EPILOGUES = [
    "product, silu",
    "batch, mish",
    "convolution, gelu",
    "depthwise, hard-swish",
    "long sum, gelu",
    "halves, gelu",
    "padded halves, silu",
    "batch of halves, gelu by tanh",
    "pixels of halves, hard-swish",
    "padded pixels of halves, silu",
    "halves, in halves, gelu",
]


def rows_of_each(default: int) -> int:
    """Random rows of each kernel that are compared: `PRUNER_TEST_ROWS` in the environment asks for more."""
    return int(os.environ.get("PRUNER_TEST_ROWS", default))


def named_task(name: str, target: tvm.target.Target) -> TuningTask:
    """The task of a built-in workload, or of another operator that has a name here."""
    if name in GRAPHS:
        return tasks_of_graph(name, target)[0]
    if name in (*OPERATORS, *LARGE_OPERATORS, *DILATED, HALF, HALF_RELU, PAIRS_OF_BYTES):
        return operator_task(name, target)
    if name in EPILOGUES:
        return epilogue_task(*name.rsplit(", ", 1), target)
    return task_of(name, target)


@functools.cache
def space_of(workload: str, target: tvm.target.Target) -> DesignSpace:
    return DesignSpace.generate(named_task(workload, target), target)


def analyzer_of(space: DesignSpace) -> Analyzer:
    """An analyzer that no other test calibrates; what it compiles it compiles again."""
    return Analyzer(space, DEVICES[space.target])


def accepted(space: DesignSpace, preset: str, count: int) -> tuple[list[tvm.IRModule], int]:
    """Modules of the valid ones among random rows that the closed form calls valid, and how many were tried."""
    analyzer, rng = Analyzer(space, load_presets()[preset].profile), np.random.default_rng(0)
    sampled = [(sketch.index, sketch.sample(rng, 200)) for sketch in space.sketches]
    finite = [(i, row) for i, rows in sampled for row in rows[np.isfinite(analyzer.score(i, rows))]]
    tried = [space.candidate(*finite[at]) for at in rng.permutation(len(finite))[:count]]
    return [c.schedule.mod for c in space.materialise(tried) if c.schedule is not None], len(tried)


def blocks(statement, loops: tuple[For, ...] = ()) -> Iterator[tuple[SBlock, tuple[For, ...]]]:
    """The innermost blocks, each with the loops around it."""
    if isinstance(statement, For):
        yield from blocks(statement.body, (*loops, statement))
    elif isinstance(statement, SeqStmt):
        for part in statement.seq:
            yield from blocks(part, loops)
    elif isinstance(statement, SBlockRealize):
        inner = list(blocks(statement.block.body, loops))
        yield from inner or [(statement.block, loops)]
