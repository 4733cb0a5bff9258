"""What people use today, timed before a run: the line to get below."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psutil
import tvm

from pruner_engine.errors import StoppedError
from pruner_engine.export.baselines import MISSING, Reference, example_inputs, libraries_of
from pruner_engine.frontends import LoadedModel
from pruner_engine.jobs.runs.open_run import OpenRun
from pruner_engine.library_names import called
from pruner_engine.processes.bystanders import Bystanders, is_quiet
from pruner_engine.protocol import Notice, Phase
from pruner_engine.search.settings import settings_from
from pruner_engine.store.queries.results import DISTURBED, is_disturbed
from pruner_engine.targets.target import device_kind, threads_of

LIBRARIES = ("onnxruntime", "torch", "litert")
_COPIES = 8  # of a model that the preparation and all libraries hold while each works on it
_BESIDE = 2 << 30  # bytes that they take whatever the model
_DISTURB = 0.25  # cores that others take: a library whose threads wait for one of them may take many times as long


class Libraries:
    """The libraries that the project knows no latency of, with the run's threads and float type; a context manager.

    They load beside the run's preparation where the memory allows, else each before it times.

    Args:
        names: of all that are asked for.
    """

    def __init__(self, run: OpenRun, model: LoadedModel, target: tvm.target.Target, names: Sequence[str]) -> None:
        row, self._run, self._threads = run.row, run, threads_of(target)
        self._of_run = row["model_id"], row["target_id"], settings_from(row["settings"]).dtype
        rows = run.project.work.baselines(*self._of_run)
        known = {row["name"] for row in rows if not _is_asked_again(row, self._threads)}
        inputs, device = example_inputs(model), device_kind(target)
        self._waiting = {
            name: Reference(name, model, inputs, self._threads, device=device)
            for name in libraries_of(model)
            if name in names and name not in known
        }
        self._beside = psutil.virtual_memory().available > _BESIDE + _COPIES * model.file.size

    def __enter__(self) -> Libraries:
        with contextlib.ExitStack() as ends:
            for reference in self._waiting.values():
                ends.enter_context(reference)
                if self._beside:
                    reference.begin()
            self._ends = ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def settle(self) -> None:
        """Wait until none of them works, so that something can be timed.

        Raises:
            StoppedError: the run was stopped meanwhile.
        """
        for reference in self._waiting.values():
            reference.settle(self._look)

    def time(self) -> None:
        """Time one after the other, into the project; nothing else may work meanwhile.

        Raises:
            StoppedError: the run was stopped meanwhile.
        """
        disturbed: dict[str, float] = {}
        try:
            self._time(disturbed)
        finally:  # one who stops it between two libraries is told of the first, too
            if disturbed:
                self._run.note(_told(disturbed))

    def _time(self, disturbed: dict[str, float]) -> None:
        """Time them; those that others disturbed are noted with the cores that these had meanwhile."""
        for name, reference in self._waiting.items():
            if reference.may_run:
                self._run.job.emit(Phase(name="baseline", detail=called(name)))
                self._look()
                self.settle()
            watch = Bystanders()
            with reference:
                timing = reference.timing(self._look)
            cores = watch.cores()
            if timing.repeats and cores > _DISTURB and watch.among - cores < self._threads:
                timing = replace(timing, note=f"{timing.note}, {DISTURBED}")
                disturbed[called(name)] = cores
            more: dict[str, Any] = {
                "repeats": json.dumps(timing.repeats),
                "threads": self._threads,
                "note": timing.note,
            }
            self._run.project.work.add_baseline(*self._of_run, name, timing.seconds, **more)

    def _look(self) -> None:
        if self._run.job.control.stop.is_set():
            raise StoppedError("The run was stopped while libraries were timed.", "A resume times them.")


def _is_asked_again(known: dict[str, Any], cores: int) -> bool:
    """Whether a library that is known is to be timed: it may be there now, or the machine quiet."""
    return known["note"] in MISSING or (is_disturbed(known) and is_quiet(cores))


def _told(disturbed: dict[str, float]) -> Notice:
    """One sentence on all libraries that others disturbed, with the cores that they had meanwhile, the most of them."""
    names, cores = ", ".join(disturbed), max(disturbed.values())
    text = f"{names} was timed while other programs kept {cores:.1f} cores busy: what it takes may be told too long."
    hint = "A later run in this project times it again on a quiet machine."
    if len(disturbed) > 1:
        text = f"Libraries were timed while other programs kept {cores:.1f} cores busy: {names} may be told too long."
        hint = "A later run in this project times them again on a quiet machine."
    return Notice(level="warning", text=text, hint=hint)
