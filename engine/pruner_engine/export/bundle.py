"""Write a bundle: everything that is needed to run a tuned model elsewhere, in one folder."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
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
    time_untuned,
)
from pruner_engine.export.build import apply_database, compile_model
from pruner_engine.export.check import Agreement, compare
from pruner_engine.export.contents import add_contents
from pruner_engine.export.coverage import coverage, summarise
from pruner_engine.export.library import FORMAT, METADATA, write_library, write_metadata
from pruner_engine.export.records import write_records
from pruner_engine.targets.target import threads_of
from pruner_engine.tasks.task import TuningTask

if TYPE_CHECKING:
    from pruner_engine.frontends import LoadedModel

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
        threads: worker threads for the measurements, and the bundle's default; None takes the target's.

    Returns:
        The bundle's metadata, with `out`, the absolute path.

    Raises:
        UserError: the folder holds something else, cannot be written, the model does not compile, or the tuned library
            computes other outputs than the untuned one. Then nothing is written.
    """
    place = Path(out).absolute()
    _refuse_foreign(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    except OSError as error:
        raise UserError(f"{place.parent} cannot be written: {error.strerror}.", "Choose another folder.") from error
    try:
        metadata = _fill(
            stage, model, prepared, target, tasks, database, info, on_phase, threads or threads_of(target), repeats
        )
        on_phase("export", "write")
        _publish(stage, place)
    except OSError as error:
        raise UserError(f"The bundle could not be written: {error.strerror}.", "Is there room on the disk?") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return {**metadata, "out": str(place)}


def _fill(
    stage: Path,
    model: LoadedModel,
    prepared: tvm.IRModule,
    target: tvm.target.Target,
    tasks: Sequence[TuningTask],
    database: Database,
    info: Mapping[str, Any],
    on_phase: Callable[[str, str], None],
    threads: int,
    repeats: int,
) -> dict[str, Any]:
    on_phase("export", "compile the tuned model")
    metadata = write_library(compile_model(prepared, target, database), model, target, threads, stage)
    records = write_records(database, tasks, stage / "records")
    add_contents(stage, metadata)

    inputs = example_inputs(model)
    timings: dict[str, Timing] = {}
    on_phase("check", "run the tuned model")
    timings["tuned"] = time_library("tuned", stage, model, inputs, threads, repeats)
    on_phase("check", "compile and run the untuned model")
    timings["untuned"] = time_untuned(model, prepared, target, inputs, threads, repeats)
    on_phase("check", "run the libraries")
    timings["onnxruntime"] = time_onnxruntime(model, inputs, threads, repeats)
    timings["torch"] = time_torch(model, inputs, threads, repeats)

    rows = coverage(apply_database(prepared, target, database), prepared, tasks, timings["tuned"].kernels)
    checks = _checks(timings, depth=sum(row.calls for row in rows if row.task))
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
    write_metadata(metadata, stage)
    return metadata


def _checks(timings: Mapping[str, Timing], depth: int) -> list[Agreement]:
    tuned = timings["tuned"].outputs
    checks = [
        compare(name, timing.outputs, tuned, depth)
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


def _refuse_foreign(place: Path) -> None:
    """Only an earlier bundle or an empty folder may be replaced.

    Raises:
        UserError: something else is there.
    """
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return
    try:
        ours = json.loads((place / METADATA).read_text("utf-8"))["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise UserError(f"{place} holds something that is not a bundle.", "Choose a new or an empty folder.")


def _publish(stage: Path, place: Path) -> None:
    """Move the finished folder to its place; a bundle that is there gives way only now."""
    stage.chmod(0o755)
    if not place.exists():
        stage.rename(place)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
    place.rename(old / "bundle")
    stage.rename(place)
    shutil.rmtree(old)


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
