"""Ablation: what each of our schedule rules and graph rewrites brings a model, by leaving it out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi

from pruner_engine.benchmarks.series import WantedRun
from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.errors import UserError
from pruner_engine.export.compare import rows_of
from pruner_engine.export.turns import LIBRARIES, Turns, time_in_turns
from pruner_engine.frontends import load_model
from pruner_engine.jobs.commands.bundle import tuned_of
from pruner_engine.rule_names import NAMES, REWRITES, SCHEDULE_RULES
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.target import device_of, resolve_target
from pruner_engine.tasks.extract import extract_tasks
from pruner_engine.tasks.prepare import prepare
from pruner_engine.tasks.task import TuningTask

WHOLE = "(all of them)"


def taking_part(subject: Subject, target: str, names: Sequence[str] = (), without: Sequence[str] = ()) -> list[str]:
    """Which rules and rewrites, of these or of all, change a model's kernels or a kernel's sketches.

    Args:
        without: what is left out whatever else is, and so takes no part.

    Raises:
        UserError: the model cannot be loaded, or there is no such rule.
    """
    if unknown := [name for name in names if name not in NAMES]:
        raise UserError(f'No rule or rewrite is called "{unknown[0]}".', f"There are {', '.join(NAMES)}.")
    device = resolve_target(target)
    mod = load_model(subject.model, subject.inputs).mod
    prepared = prepare(mod, device, without)
    tasks = extract_tasks(prepared, device)
    sketches = None
    found = []
    for name in names or NAMES:
        left_out = [*without, name]
        part = name in REWRITES and not tvm_ffi.structural_equal(prepare(mod, device, left_out), prepared)
        if not part and name in SCHEDULE_RULES:
            sketches = sketches or _sketches(tasks, device, *without)
            part = _sketches(tasks, device, *left_out) != sketches
        if part:
            found.append(name)
    return found


def _sketches(tasks: Sequence[TuningTask], target: tvm.target.Target, *without: str) -> list[list[str]]:
    """Sketches of each task, as text."""
    spaces = (DesignSpace.generate(task, target, without=without) for task in tasks)
    return [sorted(sketch.trace_json() for sketch in space.sketches) for space in spaces]


def ablation_runs(
    folder: Path,
    subject: Subject,
    names: Sequence[str],
    *,
    target: str,
    trials: int,
    seed: int,
    settings: Mapping[str, Any],
    plugins: Sequence[str] = (),
) -> dict[str, WantedRun]:
    """A run of the model with all rules, and one without each of these: the same budget and seed, a file each.

    Args:
        target: as canonical JSON text.
        settings: of the search, of all runs; what they leave out is left out of each.
    """
    before = settings.get("without_rules", [])
    runs = {}
    for name in (WHOLE, *names):
        without = [] if name == WHOLE else [name]
        file = folder / f"{subject.name}{''.join(f'--without-{one}' for one in without)}.pruner"
        chosen = {**settings, **({"without_rules": [*before, *without]} if without else {})}
        runs[name] = WantedRun(file, subject, target, "pruner", seed, trials, chosen, tuple(plugins))
    return runs


def time_without(runs: Mapping[str, tuple[Path, int]], rounds: int, on_phase: Callable[[str], None]) -> dict[str, Any]:
    """Latencies of one model tuned with and without each rule, in turns.

    Args:
        runs: project file and id of each, by the name of what was left out, `WHOLE` among them.

    Returns:
        JSON object: `model`, `device`, `threads`, and `variants`, by name: `median_s`, `best_s`, `quartiles_s`,
        `measured`, `agreement` with the outputs of the model with all rules, and `ratio` to its median.

    Raises:
        UserError: one cannot be compiled or run.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folders = {}
        for place, (name, (project, run_id)) in enumerate(runs.items()):
            folders[name] = Path(scratch) / str(place)
            folders[name].mkdir()
            with tuned_of(project, on_phase, run_id) as tuned:
                on_phase(f"compile {project.stem}")
                tuned.build(tuned.applied(), folders[name])
        timings = time_in_turns(tuned, folders, Turns(rounds, without=tuple(LIBRARIES)), on_phase)
    variants = rows_of(timings, WHOLE, len(tuned.prepared.get_global_vars()), tuned.model)
    for row in variants.values():
        row["ratio"] = row["median_s"] / variants[WHOLE]["median_s"]
    return {
        "model": tuned.model.name,
        "device": device_of(tuned.target).name,
        "threads": tuned.threads,
        "variants": variants,
    }
