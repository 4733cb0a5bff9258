"""One wanted run of a series: found in the project file, gone on with, or started."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pruner_engine.benchmarks.workloads import Subject
from pruner_engine.errors import UserError
from pruner_engine.protocol import Command, Resume, RunFinished, Tune
from pruner_engine.search.settings import SearchSettings, asked_settings, settings_from
from pruner_engine.store.reader import ProjectReader, Row

CarryOut = Callable[[Command], RunFinished]


class SeriesStopped(Exception):
    """The user stopped a run of the series: the rest waits for the next call."""


@dataclass(frozen=True)
class WantedRun:
    """A run that a series needs.

    Attributes:
        project: file that holds it.
        target: TVM target as canonical JSON text.
        trials: its budget; None leaves it to the setting `trials_per_task`.
        settings: of the search; a run with other settings is another run. No run profits from what another one of the
            series, or the user's own, has calibrated.
        plugins: Python files that its strategy needs.
    """

    project: Path
    subject: Subject
    target: str
    strategy: str
    seed: int
    trials: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()

    @property
    def all_settings(self) -> dict[str, Any]:
        """What the run is given: `settings`, and what all runs of a series have."""
        return {"calibrated": False, **self.settings}

    @property
    def settled(self) -> SearchSettings:
        """The same with all that is not given.

        Raises:
            UserError: a setting is not understood.
        """
        return settings_from(self.all_settings)

    @property
    def title(self) -> str:
        """For people."""
        changes = "".join(f":{name}={value}" for name, value in self.settings.items())
        return f"{self.subject.model} · {self.strategy}{changes} · seed {self.seed}"

    def carry_out(self, carry_out: CarryOut) -> int:
        """Make sure that the run is in the project, finished; returns its id.

        Raises:
            SeriesStopped: the user stopped it.
            UserError: it failed.
        """
        row = self.find()
        if row is not None and row["state"] == "finished" and self._spent(row):
            return int(row["id"])
        finished = carry_out(self._command(row))
        if finished.state == "stopped":
            raise SeriesStopped
        if finished.state == "failed":
            raise UserError(finished.reason, "")
        return finished.run_id

    def find(self) -> Row | None:
        """The newest run of this kind in the project."""
        if not self.project.is_file():
            return None
        wanted = self.settled
        kind = (self.target, self.strategy, self.seed)
        with ProjectReader(self.project) as reader:
            for row in reversed(reader.runs()):
                same = (row["target"], row["strategy"], row["seed"]) == kind and self._subject_of(row)
                if same and settings_from(json.dumps(asked_settings(row))) == wanted:
                    return row
        return None

    def _subject_of(self, row: Row) -> bool:
        """Whether a run is of our model: also of the file as it is now, and of the shapes that are wanted now."""
        shapes = {spec["name"]: spec["shape"] for spec in row["inputs"]}
        if row["source"] != self.subject.model or not self.subject.inputs.items() <= shapes.items():
            return False
        file = Path(self.subject.model)
        if not file.is_file() or file.stat().st_mtime < row["created"]:
            return True
        return hashlib.sha256(file.read_bytes()).hexdigest() == row["model_sha256"]

    def _spent(self, row: Row) -> bool:
        return self.trials is None or row["trials"] >= self.trials or (row["budget_trials"] or 0) >= self.trials

    def _command(self, row: Row | None) -> Tune | Resume:
        project = str(self.project.absolute())
        if row is not None:
            # one that was broken off with more trials than are wanted now ends with those that it has
            trials = None if self.trials is None else max(self.trials, row["trials"])
            return Resume(project=project, run_id=row["id"], trials=trials, plugins=list(self.plugins))
        return Tune(
            project=project,
            model=self.subject.model,
            inputs=self.subject.inputs,
            target=self.target,
            strategy=self.strategy,
            trials=self.trials,
            seed=self.seed,
            settings=self.all_settings,
            plugins=list(self.plugins),
        )
