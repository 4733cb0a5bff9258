"""A task of a project made ready for questions: its design space, and the analyzer calibrated by its measurements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tvm

from pruner_engine.draft import analyzer_for
from pruner_engine.draft.analyzer import Analyzer
from pruner_engine.draft.explanation import Explanation
from pruner_engine.errors import UserError
from pruner_engine.jobs.runs.stored import stored_tasks
from pruner_engine.space.candidate import Candidate
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.space.row_check import checked_row
from pruner_engine.space.sketch import Sketch
from pruner_engine.store.file.identity import identity
from pruner_engine.store.file.reading import making_sense
from pruner_engine.store.queries.lookups import timed_decisions, times_version, whole_task
from pruner_engine.store.reader import ProjectReader, Row
from pruner_engine.targets.profile import DeviceProfile
from pruner_engine.targets.target import resolve_target
from pruner_engine.tasks.task import TuningTask


def stored_task(reader: ProjectReader, task_id: int) -> tuple[Row, TuningTask, tvm.target.Target]:
    """Row of a task with its device's `profile`, the task itself, and its target.

    Raises:
        UserError: the project holds no such task, or it makes no sense.
    """
    row = whole_task(reader, task_id)
    if row is None:
        raise UserError(f"The project holds no task {task_id}.", "`pruner tasks` lists them.")
    (task,) = stored_tasks(reader.path, [{**row, "shapes": json.dumps(row["shapes"])}])
    with making_sense(reader.path):
        return row, task, resolve_target(row["target"])


class Workbench:
    """One task of one project file.

    Attributes:
        key: what it was made for: path and task, and which file lies there.
        task, target, profile: what is asked about, on which device.
        space, analyzer: its candidates and the draft model.
    """

    def __init__(self, project: str, task_id: int) -> None:
        self.key = _key(project, task_id)
        self.target: tvm.target.Target
        with ProjectReader(project) as reader:
            row, self.task, self.target = stored_task(reader, task_id)
            stored = reader.sketches(task_id)
            self._hashes: dict[int, str] = {sketch["id"]: sketch["hash"] for sketch in stored}
        if not row["profile"]:
            raise UserError("The draft model knows nothing of the task's device.", "Choose a task of a run tuned here.")
        with making_sense(reader.path):
            self.profile = DeviceProfile.from_json(row["profile"])
        self.space = DesignSpace.generate(self.task, self.target)
        with making_sense(reader.path):
            self.space.take_in(sketch["trace"] for sketch in stored)
        self.analyzer: Analyzer = analyzer_for(self.space, self.profile)
        for sketch in self.space.sketches:  # the first question about each is answered as soon as the later ones
            self.analyzer.prepare(sketch.index)
        self._calibrated_by = 0, 0  # version of its times
        self._reader: ProjectReader | None = None
        self._seen = 0  # version of the project's data
        self._kept: tuple[tuple[str, Sequence[Any]], Explanation] | None = None

    def refresh(self) -> None:
        """Calibrate the analyzer again if more was measured, or told anew, since the last question."""
        project, task_id, _ = self.key
        reader = self._reader = self._reader or ProjectReader(project)
        version = reader.data_version()
        if version == self._seen:
            return
        self._hashes = {s["id"]: s["hash"] for s in reader.sketches(task_id)}
        known = times_version(reader, task_id)
        if known != self._calibrated_by:
            self._calibrate(timed_decisions(reader, task_id), reader.path)
            self._calibrated_by = known
        self._seen = version

    def _calibrate(self, rows: Sequence[Row], path: Path) -> None:
        with making_sense(path):
            pairs = ((self._find(row["sketch_id"]), row) for row in rows)
            found = [
                (s.index, s.from_json(row["decisions"]), float(row["seconds"])) for s, row in pairs if s is not None
            ]
        self.analyzer.calibrate(found)
        self._kept = None

    def let_go(self) -> None:
        """Close the project until the next question: a writer that is the last to close it leaves one whole file."""
        if self._reader is not None:
            self._reader.close()
        self._reader, self._seen = None, 0

    def holds(self, sketch_id: int) -> bool:
        """Whether the task's space has the sketch of a row; a foreign trace is of none."""
        return self._find(sketch_id) is not None

    def sketch(self, sketch_id: int) -> Sketch:
        """The sketch of a row of the project file.

        Raises:
            UserError: the project holds none like that for the task, or none that can be applied.
        """
        found = self._find(sketch_id)
        if found is None:
            raise UserError(
                f"The task has no sketch {sketch_id}.", "Choose another candidate; this one can be looked at."
            )
        return found

    def _find(self, sketch_id: int | None) -> Sketch | None:
        digest = self._hashes.get(-1 if sketch_id is None else sketch_id)
        return next((s for s in self.space.sketches if s.hash == digest), None)

    def candidate(self, sketch_id: int, decisions: Sequence[Any]) -> Candidate:
        """The candidate that a user chose, with the draft's score, not yet materialised.

        Raises:
            UserError: the decisions are not of this sketch.
        """
        sketch = self.sketch(sketch_id)
        row: Rows = checked_row(sketch, decisions)
        score = float(self.analyzer.score(sketch.index, row[None])[0])
        return self.space.candidate(sketch.index, row, "user", score)

    def explained(self, sketch: Sketch, decisions: Sequence[Any], *, kept: bool = False) -> Explanation:
        """The parts of a row's score.

        Args:
            kept: the same is asked again: further rows are held against it.

        Raises:
            UserError: the decisions are not of this sketch.
        """
        key = sketch.hash, decisions
        if kept and self._kept is not None and self._kept[0] == key:
            return self._kept[1]
        found = self.analyzer.explain(sketch.index, checked_row(sketch, decisions))
        if kept:
            self._kept = key, found
        return found

    def apply(self, candidate: Candidate) -> None:
        """Set the schedule of a candidate that a user chose.

        Raises:
            UserError: it cannot be built.
        """
        if not self.space.materialise([candidate]):
            text = "This schedule cannot be built: a postprocessor refuses it."
            raise UserError(text, "Change a decision and try again.")


_Key = tuple[str, int, tuple[int, int] | None]
_open: list[Workbench] = []


def _key(project: str, task_id: int) -> _Key:
    """A file that was removed and made anew has other tasks of the same numbers."""
    return project, task_id, identity(project)


def workbench(project: str, task_id: int) -> Workbench:
    """The workbench of a task; the last one is kept, because an answer must follow a slider."""
    if not _open or _open[0].key != _key(project, task_id):
        for other in _open:
            other.let_go()
        _open[:] = [Workbench(project, task_id)]
    _open[0].refresh()
    return _open[0]
