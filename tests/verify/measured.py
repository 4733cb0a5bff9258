"""A small set of really measured candidates, and synthetic ones where only the mathematics matters."""

from __future__ import annotations

import time

import numpy as np
import tvm
from schedules import CPU, task_of

from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.tasks.task import TuningTask
from pruner_engine.verify.model import Features, Group


def random_candidates(task: TuningTask, count: int, target: tvm.target.Target = CPU, seed: int = 0) -> list[Candidate]:
    """Valid random candidates, schedules set; fewer where the space holds no more."""
    space = DesignSpace.generate(task, target, seed)
    rng = np.random.default_rng(seed)
    found: dict[str, Candidate] = {}
    for _ in range(64):
        if len(found) >= count:
            break
        sketch = space.sketches[int(rng.integers(len(space.sketches)))]
        rows = sketch.sample(rng, 2 * count + 8)
        for candidate in space.materialise([space.candidate(sketch.index, row, "random") for row in rows]):
            found.setdefault(candidate.hash, candidate)
    return list(found.values())[:count]


def seconds_of(candidate: Candidate) -> float:
    """Best of three calls, seconds."""
    assert candidate.schedule is not None
    mod = candidate.schedule.mod
    call = tvm.compile(mod, target=CPU)["main"]
    arrays = [
        tvm.runtime.tensor(np.ones([int(extent) for extent in param.shape], "float32")) for param in mod["main"].params
    ]
    call(*arrays)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call(*arrays)
        times.append(time.perf_counter() - start)
    return min(times)


def measured_matmul(count: int) -> tuple[TuningTask, list[Candidate], np.ndarray]:
    """Random candidates of a matrix product with their latencies, float64[count]."""
    task = task_of("matmul:96,96,96")
    candidates = random_candidates(task, count)
    return task, candidates, np.array([seconds_of(candidate) for candidate in candidates])


def synthetic_group(count: int, seed: int = 0) -> Group:
    """Features of all kinds, with latencies that depend on a few of them."""
    rng = np.random.default_rng(seed)
    features, seconds = [], []
    for _ in range(count):
        one = Features(
            statement=rng.uniform(0, 20, (2, 164)).astype(np.float32),
            dataflow=rng.uniform(0, 20, (5, 23)).astype(np.float32),
            primitives=rng.uniform(0, 6, (7, 40)).astype(np.float32),
            workload=np.ones(16, np.float32),
        )
        features.append(one)
        work = one.statement[:, :4].mean() + one.dataflow[:, 7].mean() + 3 * one.primitives[:, 33].mean()
        seconds.append(1e-4 * 2.0 ** (0.5 * work))
    return features, np.array(seconds), np.zeros(count, bool)
