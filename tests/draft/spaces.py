"""Design spaces of built-in workloads, made once a test session."""

from __future__ import annotations

import functools

import numpy as np
import tvm
from tvm import te, topi

from graphs import GRAPHS, NORMS, TWO_RESULTS, tasks_of_graph
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.frontends import load_model
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.presets import load_presets
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask

CPU = resolve_target('{"kind":"llvm","mcpu":"icelake-server","num-cores":2}')
GPU = resolve_target("a100-40g")

#: figures of a data sheet, equal in every run: a measured profile has the noise of the moment
DEVICES = {CPU: load_presets()["sapphire-rapids"].profile, GPU: load_presets()["a100-40g"].profile}

WORKLOADS = [
    "matmul:128,96,64",
    "bmm:4,32,64,16",
    "dense:64,80,48",
    "conv1d:1,16,64,32,3,pad=1",
    "conv2d:1,16,14,14,32,3,pad=1",
    "conv2d:1,32,28,28,16,3,stride=2,pad=1,layout=NHWC",
    "conv2d:1,16,12,12,32,3,pad=1,groups=2,layout=NHWC",
    "conv3d:1,8,6,10,10,16,3,pad=1",
    "deconv2d:1,16,8,8,8,4",
    "depthwise:1,48,14,14,3,pad=1,layout=NHWC",
    "maxpool:1,16,16,16,2",
    "avgpool:1,16,15,15,3,stride=2,pad=1",
    "softmax:64,256",
    "layernorm:32,192",
    "sum:64,512",
    "gelu:64,96",
    *TWO_RESULTS,
    *NORMS,
]


@functools.cache
def space_of(workload: str, target: tvm.target.Target) -> DesignSpace:
    if workload in GRAPHS:
        task = tasks_of_graph(workload, target)[0]
    else:
        task = extract_tasks(prepare(load_model(workload).mod, target), target)[0]
    return DesignSpace.generate(task, target)


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


@functools.cache
def tensor_core_space() -> DesignSpace:
    """A float16 product that MetaSchedule tensorises."""
    a, b = te.placeholder((128, 128), "float16", "a"), te.placeholder((128, 256), "float16", "b")
    func = te.create_prim_func([a, b, topi.nn.matmul(a, b, out_dtype="float32")])
    mod = tvm.IRModule({"main": func})
    return DesignSpace.generate(TuningTask("product", "matmul", "0", mod, (), 2.0 * 128 * 128 * 256, 1), GPU)
