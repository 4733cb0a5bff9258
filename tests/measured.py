"""A small set of really measured candidates, and synthetic ones where only the mathematics matters."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import tvm

from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.verify import drafted
from pruner_engine.verify.model import Features, Group
from schedules import CPU, task_of

_TURNS = 6
_ONES = np.ones(16, np.float32)


def random_candidates(space: DesignSpace, count: int, seed: int = 0) -> list[Candidate]:
    """Valid random candidates, schedules set; fewer where the space holds no more."""
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


def seconds_of(candidates: Sequence[Candidate]) -> np.ndarray:
    """Best of some calls of each, seconds; all take turns, so that a busy moment meets one call of many candidates."""
    calls = [_call_of(candidate) for candidate in candidates]
    return np.min([[_timed(call) for call in calls] for _ in range(_TURNS)], axis=0)


def _call_of(candidate: Candidate) -> Callable[[], object]:
    assert candidate.schedule is not None
    mod = candidate.schedule.mod
    function = tvm.compile(mod, target=CPU)["main"]
    arrays = [
        tvm.runtime.tensor(np.ones([int(extent) for extent in param.shape], "float32")) for param in mod["main"].params
    ]
    return lambda: function(*arrays)


def _timed(call: Callable[[], object]) -> float:
    call()  # what the others left in the caches is not the call's
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measured_matmul(count: int) -> tuple[DesignSpace, list[Candidate], np.ndarray]:
    """Random candidates of a matrix product with their latencies, float64[count]."""
    space = DesignSpace.generate(task_of("matmul:96,96,96"), CPU)
    candidates = random_candidates(space, count)
    return space, candidates, seconds_of(candidates)


def synthetic_group(count: int, seed: int = 0) -> Group:
    """Latencies that depend on one hidden quality, which shows in some columns of every kind of feature."""
    rng = np.random.default_rng(seed)
    quality = rng.uniform(0, 8, count)
    features = [
        Features(
            _noisy(rng, 2, 164, q),
            _noisy(rng, 5, 23, q),
            _noisy(rng, 7, 40, q),
            _ONES,
            _noisy(rng, 1, drafted.WIDTH, -q)[0],
        )
        for q in quality
    ]
    return features, 1e-4 * 2.0 ** (8.0 - quality), np.zeros(count, bool)


def _noisy(rng: np.random.Generator, rows: int, width: int, quality: float) -> np.ndarray:
    values = rng.uniform(0, 8, (rows, width)).astype(np.float32)
    values[:, : width // 4] += np.float32(quality)
    return values
