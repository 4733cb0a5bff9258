"""Write a bundle: everything that is needed to run a tuned model elsewhere, in one folder."""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvm import IRModule

from pruner_engine.errors import UserError
from pruner_engine.export.baselines import Timing
from pruner_engine.export.check import Agreement, compare
from pruner_engine.export.contents import add_contents, needs_of
from pruner_engine.export.coverage import coverage, estimated, summarise
from pruner_engine.export.library import METADATA, read_metadata, write_metadata
from pruner_engine.export.place import Place
from pruner_engine.export.records import write_records
from pruner_engine.export.staging import staged
from pruner_engine.export.tuned import TunedModel
from pruner_engine.export.turns import IN_TORCH, LIBRARIES, Turns, time_in_turns
from pruner_engine.library_names import called
from pruner_engine.requirements import installed_versions
from pruner_engine.store.figures.slower import faster
from pruner_engine.targets.target import device_of
from pruner_engine.units import duration

if TYPE_CHECKING:
    from pruner_engine.frontends import ModelFacts

_ROUNDS = 2
_LONG_S = 20.0  # of an untuned inference, of which three are made
_PACKAGES = ("apache-tvm", "apache-tvm-ffi", "pruner-studio", "numpy")


def export_bundle(
    tuned: TunedModel,
    out: str | Path,
    info: Mapping[str, Any],
    on_phase: Callable[[str, str], None] = lambda _name, _detail: None,
    *,
    runs_on: Place | None = None,
    weights_beside: bool | None = None,
    repeats: int = 10,
) -> dict[str, Any]:
    """Compile, check, measure, and write the bundle in one step at the end.

    Where nothing here runs the library, nothing is checked or measured.

    Args:
        out: folder; made, or replaced where it is an earlier bundle.
        info: kept in the metadata as `origin`: project, run, device, what the caller wants to be known.
        on_phase: told what is being done: phase (export or check) and detail.
        runs_on: what runs the library; None for this machine.
        weights_beside: the weights are written to a file of their own, in place of the library; None: where they are
            many.
        repeats: latencies of each contender.

    Returns:
        The bundle's metadata, with `out`, the absolute path.

    Raises:
        UserError: the folder holds something else, cannot be written, the model does not compile, or the tuned library
            computes other outputs than the untuned one. Then nothing is written.
    """
    place = Path(out).absolute()
    with staged(place) as (stage, scratch):
        on_phase("export", "compile the tuned model")
        applied = tuned.applied()
        metadata = tuned.build(applied, stage, weights_beside=weights_beside)
        kept = [task for task in tuned.tasks if task.name not in tuned.left]
        records = write_records(tuned.database, kept, stage / "records")

        runs_on, timings = runs_on or Place(device_of(tuned.target).name), dict[str, Timing]()
        if runs_on.where != "nowhere":
            turns = Turns(_ROUNDS, max(1, repeats // _ROUNDS), _left_out(tuned, runs_on), profile=True, decide=True)
            timings = _timed(tuned, stage, scratch, turns, runs_on, partial(on_phase, "check"))
        metadata |= read_metadata(stage)  # whether it runs without graphs
        metadata |= {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "versions": {"python": platform.python_version(), **installed_versions(_PACKAGES)},
            **_findings(tuned, applied, timings),
            "place": runs_on.as_json(),
            "records": records,
            "origin": dict(info),
        }
        on_phase("export", "write the files")
        metadata["needs"] = needs_of(metadata)
        add_contents(stage, metadata)
        files = sorted(path for path in stage.rglob("*") if path.is_file() and path.name != METADATA)
        metadata["files"] = {str(path.relative_to(stage)): _sha256(path) for path in files}
        write_metadata(metadata, stage)
    return {**metadata, "out": str(place)}


def _timed(
    tuned: TunedModel, stage: Path, scratch: Path, turns: Turns, runs_on: Place, on_phase: Callable[[str], None]
) -> dict[str, Timing]:
    """All contenders in turns; an untuned library that takes long only where no other one has the tuned one's outputs.

    Raises:
        UserError: one of our own libraries does not compile or run.
    """

    def untuned() -> dict[str, Path]:
        on_phase("compile the untuned model")
        tuned.build(tuned.prepared, scratch)
        return {"untuned": scratch}

    if tuned.untuned_s <= _LONG_S or runs_on.where != "here":
        return time_in_turns(tuned, {"tuned": stage, **untuned()}, turns, on_phase, runs_on.fleet)
    timings = time_in_turns(tuned, {"tuned": stage}, turns, on_phase)
    calls = sum(task.weight for task in tuned.tasks)
    same = next((check for check in _checks(timings, calls, tuned.model) if check.ok), None)
    if same is None:
        alone = replace(turns, rounds=1, without=tuple(LIBRARIES))
        return timings | time_in_turns(tuned, untuned(), alone, on_phase)
    return timings | {"untuned": Timing("untuned", (), tuned.threads, _why_not_run(tuned.untuned_s, same.against))}


def _findings(tuned: TunedModel, applied: IRModule, timings: Mapping[str, Timing]) -> dict[str, Any]:
    """What the timings tell, as the metadata has it; without any, coverage is estimated and nothing checked.

    Raises:
        UserError: the tuned library computes other outputs than the untuned one.
    """
    profiled = timings["tuned"].kernels if timings else {}
    rows = coverage(applied, tuned.task_of, profiled or estimated(applied, tuned.task_of, tuned.call_s), tuned.drafted)
    checks = _checks(timings, sum(row.calls for row in rows if row.task), tuned.model) if timings else []
    return {
        "latency": {name: timing.as_json() for name, timing in timings.items()},
        "slower_than": list(faster({name: timing.seconds for name, timing in timings.items()})),
        "coverage": {
            "summary": summarise(rows),
            "functions": [row.as_json() for row in rows],
            "estimated": not profiled,
        },
        "checks": [check.as_json() for check in checks],
    }


def _why_not_run(seconds: float, against: str) -> str:
    return f"not run: an inference takes about {duration(seconds)}, and the outputs are those of {called(against)}"


def _left_out(tuned: TunedModel, runs_on: Place) -> Sequence[str]:
    """Libraries that are of no use: those that do not run the model, and where none is timed what must be compiled."""
    if tuned.model.kind != "pt2":
        return IN_TORCH
    return ("torch.compile",) if runs_on.where == "boards" else ()


def _checks(timings: Mapping[str, Timing], depth: int, model: ModelFacts) -> list[Agreement]:
    tuned = timings["tuned"].outputs
    checks = [
        compare(name, timing.outputs, tuned, depth, model.coarsest, rounds=model.rounds, shares=model.shares)
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


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
