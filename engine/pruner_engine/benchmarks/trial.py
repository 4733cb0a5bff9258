"""The cost of a trial: our measurement against MetaSchedule's own, on the same random candidates.

MetaSchedule's measures them twice: how far it agrees with itself is as far as another can agree with it.

MetaSchedule's builder does not work as shipped where torch is installed: each of its workers imports the tensor
intrinsics the slow way, which takes longer than its timeout. Here its workers import them as ours do.
"""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.meta_schedule.arg_info import ArgInfo
from tvm.target import Target

from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.errors import UserError
from pruner_engine.frontends import load_model
from pruner_engine.measure.measurer import Measurer
from pruner_engine.measure.types import MeasureResult, inputs_of
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.sampling import random_candidates
from pruner_engine.store.figures.quality import rank_correlation
from pruner_engine.targets.target import device_of, resolve_target, target_json, threads_of
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask
from pruner_engine.tvm_import import import_tvm
from pruner_engine.units import counted

_BATCH = 64  # of MetaSchedule's search; its builder starts its workers anew for each
_ROUND = 10  # of ours


@dataclass(frozen=True)
class Cost:
    """Measuring the candidates of one task in one way.

    Attributes:
        start_s: until the processes were ready, once a run.
        seconds: of measuring, all candidates.
        build_s, run_s: of `seconds`. Ours counts work, which may lie side by side; MetaSchedule's counts the clock.
        latencies: seconds a call by candidate, of the valid ones.
    """

    start_s: float
    seconds: float
    build_s: float
    run_s: float
    latencies: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        valid = len(self.latencies)
        return {
            "start_s": self.start_s,
            "seconds": self.seconds,
            "build_s": self.build_s,
            "run_s": self.run_s,
            "valid": valid,
            "seconds_per_trial": self.seconds / valid if valid else None,
        }


def bench_trial(
    subjects: Sequence[Subject], target: str, *, count: int, seed: int, on_phase: Callable[[str], None]
) -> dict[str, Any]:
    """Measure random candidates of each subject's heaviest task in both ways.

    Args:
        target: as users name it; a CPU.
        count: candidates of each subject.
        on_phase: called with what is done now.

    Returns:
        A JSON object; docs/terminal.md lists its fields.

    Raises:
        UserError: the target is no CPU, or a subject cannot be loaded.
    """
    made = resolve_target(target)
    if made.kind.name != "llvm":
        raise UserError("Trials are compared on a CPU.", "Leave out --target.")
    rows = [_compare(subject, made, count, seed, on_phase) for subject in subjects]
    ratios = [row["ratio"] for row in rows if row["ratio"]]
    return {
        "device": device_of(made).name,
        "target": target_json(made),
        "workloads": rows,
        "ratio": statistics.geometric_mean(ratios) if ratios else None,
    }


def _compare(
    subject: Subject, target: Target, count: int, seed: int, on_phase: Callable[[str], None]
) -> dict[str, Any]:
    on_phase(f"{subject.model}: candidates")
    model = load_model(subject.model, subject.inputs or None)
    task = extract_tasks(prepare(model.mod, target), target)[0]
    candidates = random_candidates(
        DesignSpace.generate(task, target), count, np.random.default_rng(seed), threads_of(target)
    )
    on_phase(f"{subject.model}: ours, {counted(len(candidates), 'trial')}")
    ours, abandoned = _ours(task, target, candidates)
    on_phase(f"{subject.model}: MetaSchedule's, {counted(len(candidates), 'trial')} twice")
    stock, again = (_stock(target, candidates) for _ in range(2))
    costs = ours.as_json(), stock.as_json()
    mine, theirs = (cost["seconds_per_trial"] for cost in costs)
    return {
        "model": subject.model,
        "task": task.name,
        "candidates": len(candidates),
        "ours": {**costs[0], "abandoned": abandoned},
        "stock": costs[1],
        "ratio": mine / theirs if mine and theirs else None,
        "rank_correlation": _agreement(_common(stock, ours), ours, stock),
        "rank_correlation_better_half": _agreement(_better(stock, ours), ours, stock),
        "rank_correlation_stock": _agreement(_better(stock, again), again, stock),
    }


def _common(cost: Cost, other: Cost) -> list[str]:
    """Candidates that are valid in both, the fastest of `cost` first."""
    return sorted(cost.latencies.keys() & other.latencies.keys(), key=cost.latencies.__getitem__)


def _better(cost: Cost, other: Cost) -> list[str]:
    both = _common(cost, other)
    return both[: (len(both) + 1) // 2]


def _agreement(keys: Sequence[str], cost: Cost, other: Cost) -> float | None:
    return rank_correlation([cost.latencies[k] for k in keys], [other.latencies[k] for k in keys])


def _ours(task: TuningTask, target: Target, candidates: Sequence[Candidate]) -> tuple[Cost, int]:
    """In rounds, as a search does: what one finds cuts the slow candidates of the next short."""
    begin = time.perf_counter()
    results: list[MeasureResult] = []
    with Measurer(target) as measurer:
        measurer.untuned(task)  # a run does this once; every first output is compared with it
        ready = time.perf_counter()
        for start in range(0, len(candidates), _ROUND):
            inputs = inputs_of(candidates[start : start + _ROUND])
            timed = [r.seconds for r in results if r.ok and not r.censored and r.seconds is not None]
            measurer.measure(task, inputs, best_s=min(timed, default=None), on_result=results.append)
        end = time.perf_counter()
    latencies = {r.key: r.seconds for r in results if r.ok and r.seconds is not None}
    build_s, run_s = sum(r.build_s for r in results), sum(r.run_s for r in results)
    return Cost(ready - begin, end - ready, build_s, run_s, latencies), sum(r.censored for r in results)


def _stock(target: Target, candidates: Sequence[Candidate]) -> Cost:
    """MetaSchedule's LocalBuilder and LocalRunner with their defaults, workers mended, the same threads as ours."""
    before = os.environ.get("TVM_NUM_THREADS")
    os.environ["TVM_NUM_THREADS"] = str(threads_of(target))
    try:
        begin = time.perf_counter()
        builder = ms.builder.LocalBuilder(initializer=import_tvm)
        runner = ms.runner.LocalRunner()
        ready = time.perf_counter()
        build_s, latencies = 0.0, {}
        for start in range(0, len(candidates), _BATCH):
            batch = [(c.hash, c.schedule.mod) for c in candidates[start : start + _BATCH] if c.schedule]
            began = time.perf_counter()
            built = builder.build([ms.builder.BuilderInput(mod, target) for _, mod in batch])
            build_s += time.perf_counter() - began
            for (key, mod), result in zip(batch, built, strict=True):
                if result.artifact_path is None:
                    continue
                args = ArgInfo.from_entry_func(mod, remove_preproc=True)
                (future,) = runner.run([ms.runner.RunnerInput(result.artifact_path, "cpu", args)])
                if seconds := future.result().run_secs:
                    latencies[key] = statistics.median(float(s) for s in seconds)
                shutil.rmtree(Path(str(result.artifact_path)).parent, ignore_errors=True)
        total = time.perf_counter() - ready
        runner.pool.shutdown()
        return Cost(ready - begin, total, build_s, total - build_s, latencies)
    finally:
        if before is None:
            del os.environ["TVM_NUM_THREADS"]
        else:
            os.environ["TVM_NUM_THREADS"] = before
