"""Write a bundle: everything that is needed to run a tuned model elsewhere, in one folder."""

from __future__ import annotations

import hashlib
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tvm
from tvm.s_tir.meta_schedule import Database

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import (
    Timing,
    example_inputs,
    time_library,
    time_onnxruntime,
    time_torch,
)
from pruner_engine.export.build import apply_database, compile_model
from pruner_engine.export.check import Agreement, compare
from pruner_engine.export.contents import add_contents
from pruner_engine.export.coverage import coverage, summarise, task_names
from pruner_engine.export.library import METADATA, write_library, write_metadata
from pruner_engine.export.records import write_records
from pruner_engine.export.staging import staged
from pruner_engine.targets.target import device_kind, threads_of
from pruner_engine.tasks.quantised import rounds_to_bytes
from pruner_engine.tasks.task import TuningTask

if TYPE_CHECKING:
    from pruner_engine.frontends import LoadedModel

_TURNS = 2
_SLOW_S = 0.5  # an untuned inference that takes longer is timed once
_PACKAGES = ("apache-tvm", "apache-tvm-ffi", "pruner-studio", "numpy")


def export_bundle(
    model: LoadedModel,
    prepared: tvm.IRModule,
    target: tvm.target.Target,
    tasks: Sequence[TuningTask],
    database: Database,
    out: str | Path,
    info: Mapping[str, Any],
    on_phase: Callable[[str, str], None] = lambda _name, _detail: None,
    *,
    untuned: Mapping[str, float] | None = None,
    threads: int | None = None,
    repeats: int = 10,
) -> dict[str, Any]:
    """Compile, check, measure, and write the bundle in one step at the end.

    Args:
        prepared: the model legalised and fused, as the tasks were extracted from.
        database: MetaSchedule database with the tasks' records.
        out: folder; made, or replaced where it is an earlier bundle.
        info: kept in the metadata as `origin`: project, run, device, what the caller wants to be known.
        on_phase: told what is being done: phase (export or check) and detail.
        untuned: seconds of one call of the untuned kernel, by task hash; a task that no record makes faster stays as it
            is.
        threads: worker threads for the measurements, and the bundle's default; None takes the target's.

    Returns:
        The bundle's metadata, with `out`, the absolute path.

    Raises:
        UserError: the folder holds something else, cannot be written, the model does not compile, or the tuned library
            computes other outputs than the untuned one. Then nothing is written.
    """
    place, threads = Path(out).absolute(), threads or threads_of(target)
    with staged(place) as (stage, scratch):
        on_phase("export", "compile the tuned model")
        names = task_names(prepared, tasks)
        worse = slower_records(tasks, database, untuned or {})
        leave = [function for function, task in names.items() if task in worse]
        applied = apply_database(prepared, target, database, leave)
        metadata = write_library(compile_model(applied, target), model, target, threads, stage)
        records = write_records(database, [task for task in tasks if task.name not in worse], stage / "records")
        add_contents(stage, metadata)

        slow = sum(task.weight * (untuned or {}).get(task.hash, 0.0) for task in tasks) > _SLOW_S
        timings = _time_all(stage, scratch, model, prepared, target, threads, repeats, slow, on_phase)
        rows = coverage(applied, names, timings["tuned"].kernels)
        checks = _checks(timings, sum(row.calls for row in rows if row.task), model)
        metadata |= {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "versions": {"python": platform.python_version(), **_versions()},
            "latency": {name: timing.as_json() for name, timing in timings.items()},
            "slower_than": _faster(timings),
            "coverage": {"summary": summarise(rows), "functions": [row.as_json() for row in rows]},
            "checks": [check.as_json() for check in checks],
            "records": records,
            "origin": dict(info),
        }
        files = sorted(path for path in stage.rglob("*") if path.is_file() and path.name != METADATA)
        metadata["files"] = {str(path.relative_to(stage)): _sha256(path) for path in files}
        on_phase("export", "write")
        write_metadata(metadata, stage)
    return {**metadata, "out": str(place)}


def slower_records(tasks: Sequence[TuningTask], database: Database, untuned: Mapping[str, float]) -> set[str]:
    """Names of the tasks that tuning has not made faster."""
    worse = set()
    for task in tasks:
        best = database.get_top_k(database.commit_workload(task.mod), 1)
        if best and task.hash in untuned:
            repeats = [float(second) for second in best[0].run_secs]
            if statistics.median(repeats) > untuned[task.hash]:
                worse.add(task.name)
    return worse


def _time_all(
    folder: Path,
    scratch: Path,
    model: LoadedModel,
    prepared: tvm.IRModule,
    target: tvm.target.Target,
    threads: int,
    repeats: int,
    slow: bool,
    on_phase: Callable[[str, str], None],
) -> dict[str, Timing]:
    """Latencies and outputs by contender; an untuned model that is `slow` runs once: it only has to be compared."""
    inputs = example_inputs(model)
    share = max(1, repeats // _TURNS)
    on_phase("check", "compile the untuned model")
    write_library(compile_model(prepared, target), model, target, threads, scratch)
    timings: dict[str, Timing] = {}
    # in turns, so that a change of the machine's load meets all of them
    for _ in range(_TURNS):
        for name, measure in (
            ("tuned", partial(time_library, "tuned", folder)),
            ("untuned", partial(time_library, "untuned", scratch)),
            ("onnxruntime", partial(time_onnxruntime, device=device_kind(target))),
            ("torch", partial(time_torch, device=device_kind(target))),
        ):
            once = slow and name == "untuned"
            if once and name in timings:
                continue
            on_phase("check", f"run {name}")
            found = measure(model, inputs, threads, 1 if once else share)
            timings[name] = found.joined(timings[name]) if name in timings else found
    return timings


def _checks(timings: Mapping[str, Timing], depth: int, model: LoadedModel) -> list[Agreement]:
    tuned, rounds = timings["tuned"].outputs, rounds_to_bytes(model.mod)
    checks = [
        compare(name, timing.outputs, tuned, depth, model.dtype, rounds=rounds)
        for name, timing in timings.items()
        if name != "tuned" and timing.outputs
    ]
    wrong = next((check for check in checks if check.against == "untuned" and not check.ok), None)
    if wrong is not None:
        raise UserError(
            f"The tuned library computes other outputs than the untuned one: {wrong.message}.",
            "Nothing was written. A schedule is wrong: tune again with every candidate checked.",
        )
    return checks


def _faster(timings: Mapping[str, Timing]) -> list[str]:
    """Whom the tuned library does not beat."""
    tuned = timings["tuned"].seconds
    return [name for name, t in timings.items() if tuned and t.seconds is not None and t.seconds < tuned]


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
