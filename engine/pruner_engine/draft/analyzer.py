"""The symbol-based analyzer: predicts a latency for every row of a sketch's decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

import numpy as np

from pruner_engine.draft.calibration import fit, holds
from pruner_engine.draft.closed_form import ClosedForm
from pruner_engine.draft.cpu.latency import cpu_parts
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.gpu.latency import gpu_parts
from pruner_engine.draft.lowered import Lowered
from pruner_engine.draft.nests.nest import Block, UnreadableSketchError
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.predictor import Predictor
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile

_Answer = TypeVar("_Answer")


class Analyzer:
    """Scores rows of a design space; see `draft.analyzer_for`.

    Args:
        without: penalties or effects to leave out, of `ablations_of` the profile.

    Attributes:
        factors: by which each time component is multiplied, from calibration; one that is missing is 1.
        closed: by sketch, its closed form, which reads it when it is first asked.
        lowered: by sketch, predicts its rows where it has no closed form.
    """

    def __init__(self, space: DesignSpace, profile: DeviceProfile, without: Collection[str] = ()) -> None:
        self.space = space
        self.profile = profile
        self.factors: dict[str, float] = dict(profile.calibration)
        self._without = without
        self.closed = [ClosedForm(space.task.mod, sketch, self._parts) for sketch in space.sketches]
        self.lowered = [Lowered(space.task.mod, sketch, self._parts) for sketch in space.sketches]
        self._without_closed_form: set[int] = set()  # sketches that have proved to have none

    def _parts(self, root: Block) -> Parts:
        return (cpu_parts if self.profile.gpu is None else gpu_parts)(root, self.profile, self._without)

    def compiled(self, sketch: int) -> bool:
        """Whether the sketch's symbols are in closed form, as far as it was read."""
        self._ask(sketch, lambda predictor: predictor.read())
        return sketch not in self._without_closed_form

    def _ask(self, sketch: int, question: Callable[[Predictor], _Answer]) -> _Answer:
        """The answer of the sketch's closed form; of its applied schedules once it has proved to have none."""
        if sketch not in self._without_closed_form:
            try:
                return question(self.closed[sketch])
            except UnreadableSketchError:  # perhaps only with a block at this place
                self._without_closed_form.add(sketch)
        return question(self.lowered[sketch])

    # ------------------------------------------------------------ scoring

    def score(self, sketch: int, rows: Rows) -> np.ndarray:
        """log2 of 1/predicted seconds, float64[n]; -inf where a row is not valid.

        Args:
            rows: int32[n, width] of the sketch.
        """
        return self._ask(sketch, lambda predictor: predictor.score(rows, self.factors))

    def gathered(self, sketch: int, rows: Rows, share: float) -> Rows:
        """As `canonical`; what takes more reading than this share of what a draft is given is moved elsewhere."""
        return self._ask(sketch, lambda predictor: predictor.gathered(rows, share))

    def canonical(self, sketch: int, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block."""
        return self._ask(sketch, lambda predictor: predictor.canonical(rows))

    def figures(self, sketch: int, rows: Rows) -> dict[str, np.ndarray]:
        """What is told of the rows by name, before any calibration; see `Predictor.figures`."""
        return self._ask(sketch, lambda predictor: predictor.figures(rows))

    # ------------------------------------------------------------ one row

    def explain(self, sketch: int, row: Rows) -> Explanation:
        """The parts of one row's score."""
        return self._ask(sketch, lambda predictor: predictor.explain(row, self.factors))

    def prepare(self, sketch: int, row: Rows | None = None) -> None:
        """Read the sketch for every change of one compute location of the row, so that explaining such rows is quick.

        Other decisions move blocks too, to locations that are read thereby.

        Args:
            row: None: any; the sketch is read with no block moved.
        """
        self._ask(sketch, lambda predictor: predictor.prepare(row))

    # ------------------------------------------------------------ calibration

    def calibrate(self, measured: Sequence[tuple[int, Rows, float]]) -> None:
        """Fit a factor per time component to measured (sketch, row, seconds), oldest first.

        The factors differ from the device's only where they rank measurements that they were not fitted on better, and
        the device's are left out where they rank these worse than none.
        """
        names, times, seconds = self.components_of(measured)
        if not len(seconds):
            return
        device = self.profile.calibration
        if not holds(device, times, seconds, names):
            device = {}
        base = np.array([device.get(name, 1.0) for name in names])
        found = fit(times * base[:, None], seconds, names)
        # what more measurements do not confirm is given up
        self.factors = dict(device) if found is None else {n: f * device.get(n, 1.0) for n, f in found.items()}

    def components_of(self, measured: Sequence[tuple[int, Rows, float]]) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Names of the time components, their uncalibrated seconds, float64[components, n], and measured seconds.

        Measurements of sketches that have no closed form are left out, and those of which no time is predicted at all.
        """
        places: dict[int, list[int]] = {}
        for at, (sketch, *_) in enumerate(measured):
            places.setdefault(sketch, []).append(at)
        columns: dict[str, np.ndarray] = {}
        for sketch, mine in places.items():
            rows = np.array([measured[at][1] for at in mine], dtype=np.int32)
            for name, values in self._components(sketch, rows).items():
                columns.setdefault(name, np.zeros(len(measured)))[mine] = values
        times = np.array(list(columns.values())).reshape(len(columns), len(measured))
        told = times.sum(axis=0) > 0
        return list(columns), times[:, told], np.array([seconds for *_, seconds in measured])[told]

    def _components(self, sketch: int, rows: Rows) -> dict[str, np.ndarray]:
        return self._ask(sketch, lambda predictor: predictor.components(rows))
