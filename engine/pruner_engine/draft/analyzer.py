"""The symbol-based analyzer: predicts a latency for every row of a sketch's decisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from pruner_engine.draft.calibration import fit, holds
from pruner_engine.draft.cpu import cpu_parts
from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.gpu import gpu_parts
from pruner_engine.draft.lowered import LoweredSketches
from pruner_engine.draft.nest import Block, UnreadableSketchError
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.variant import Variant
from pruner_engine.draft.variants import Variants
from pruner_engine.space.decision import Rows
from pruner_engine.space.design_space import DesignSpace
from pruner_engine.targets.profile import DeviceProfile

_Told = TypeVar("_Told")


class Analyzer:
    """Scores rows of a design space; see `draft.analyzer_for`.

    Args:
        without: penalties or effects to leave out, of `ablations_of` the profile.

    Attributes:
        factors: by which each time component is multiplied, from calibration; one that is missing is 1.
        lowered: predicts the rows of sketches that have no closed form.
    """

    def __init__(self, space: DesignSpace, profile: DeviceProfile, without: Collection[str] = ()) -> None:
        self.space = space
        self.profile = profile
        self.factors: dict[str, float] = dict(profile.calibration)
        self._without = without
        self.lowered = LoweredSketches(space, self._parts)
        self._variants = [Variants(space.task.mod, sketch, self._parts) for sketch in space.sketches]

    def _parts(self, root: Block) -> Parts:
        return (cpu_parts if self.profile.gpu is None else gpu_parts)(root, self.profile, self._without)

    def compiled(self, sketch: int) -> bool:
        """Whether the sketch's symbols are in closed form."""
        return self._variants[sketch].compiled

    def _read(self, sketch: int, closed: Callable[[Variants], _Told], lowered: Callable[[], _Told]) -> _Told:
        """The answer of the sketch's closed form, or where it has none that of its applied schedules."""
        variants = self._variants[sketch]
        if variants.closed is not False:
            try:
                return closed(variants)
            except UnreadableSketchError:  # perhaps only with a block at this place
                variants.closed = False
        return lowered()

    # ------------------------------------------------------------ scoring

    def score(self, sketch: int, rows: Rows) -> np.ndarray:
        """log2 of 1/predicted seconds, float64[n]; -inf where a row is not valid.

        Args:
            rows: int32[n, width] of the sketch.
        """
        return self._read(
            sketch,
            lambda variants: self._score_closed(variants, rows),
            lambda: self.lowered.score(sketch, rows, self.factors),
        )

    def _score_closed(self, variants: Variants, rows: Rows) -> np.ndarray:
        scores = np.full(len(rows), -np.inf)
        for variant, members in variants.groups(rows):
            values = variant.time_program(rows[members])
            with np.errstate(divide="ignore"):
                latency = np.log2(self._factors(variant) @ values[:-1])
            scores[members] = np.where(values[-1] > 0, -latency, -np.inf)
        return scores

    def _factors(self, variant: Variant) -> np.ndarray:
        return np.array([self.factors.get(name, 1.0) for name in variant.parts.times])

    def gathered(self, sketch: int, rows: Rows, new: int) -> Rows:
        """The rows with compute locations that were read before, and at most so many new ones."""
        return self._read(sketch, lambda variants: variants.gathered(rows, new), lambda: rows)

    def canonical(self, sketch: int, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block."""
        return self._read(sketch, lambda variants: variants.canonical(rows), lambda: rows)

    def figures(self, sketch: int, rows: Rows) -> dict[str, np.ndarray]:
        """Symbols, penalties and uncalibrated times of the rows of a compiled sketch by name, float64[n] each.

        Where two have one name a time goes before a penalty, and that before a symbol.
        """
        found: dict[str, np.ndarray] = {}
        for variant, members in self._variants[sketch].groups(rows):
            names = (*variant.parts.symbols, *variant.parts.penalties, *variant.parts.times)
            for name, values in zip(names, variant.figure_program(rows[members]), strict=False):
                found.setdefault(name, np.zeros(len(rows)))[members] = values
        return found

    # ------------------------------------------------------------ one row

    def parts_of(self, sketch: int, row: Sequence[int]) -> Parts:
        """The parts of the rows of a compiled sketch that put their blocks where this one does, as formulas.

        Raises:
            UnreadableSketchError: the sketch has no closed form there.
        """
        return self._variants[sketch].of(row).parts

    def explain(self, sketch: int, row: Rows) -> Explanation:
        """The parts of one row's score."""
        return self._read(
            sketch, lambda variants: self._explain_closed(variants, row), lambda: self._explain_lowered(sketch, row)
        )

    def _explain_closed(self, variants: Variants, row: Rows) -> Explanation:
        plain: list[int] = np.asarray(row).tolist()
        variant = variants.of(plain)
        groups = (variant.parts.symbols, variant.parts.penalties, variant.parts.times)
        *values, valid = variant.figure_evaluation(plain)
        flat = iter(values)
        symbols, penalties, times = ({name: next(flat) for name in group} for group in groups)
        times = {name: seconds * self.factors.get(name, 1.0) for name, seconds in times.items()}
        return Explanation(sum(times.values()), bool(valid), symbols, penalties, times)

    def _explain_lowered(self, sketch: int, row: Rows) -> Explanation:
        seconds = float(self.lowered.seconds(sketch, np.asarray(row)[None], self.factors)[0])
        return Explanation(seconds, bool(np.isfinite(seconds)))

    def prepare(self, sketch: int, row: Rows | None = None) -> None:
        """Read the sketch for every change of one compute location of the row, so that explaining such rows is quick.

        Other decisions move blocks too, to locations that are read thereby.

        Args:
            row: None: any; the sketch is read with no block moved.
        """
        self._read(sketch, lambda variants: self._prepare_closed(variants, row), lambda: None)

    @staticmethod
    def _prepare_closed(variants: Variants, row: Rows | None) -> None:
        read = [variants.unmoved] if row is None else variants.around(np.asarray(row).tolist())
        for variant in read:
            variant.prepare()

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
            components = self._read(sketch, partial(self._components, rows), dict[str, np.ndarray])
            for name, values in components.items():
                columns.setdefault(name, np.zeros(len(measured)))[mine] = values
        times = np.array(list(columns.values())).reshape(len(columns), len(measured))
        told = times.sum(axis=0) > 0
        return list(columns), times[:, told], np.array([seconds for *_, seconds in measured])[told]

    @staticmethod
    def _components(rows: Rows, variants: Variants) -> dict[str, np.ndarray]:
        """Uncalibrated seconds by component, float64[n] each."""
        found: dict[str, np.ndarray] = {}
        for variant, members in variants.groups(rows):
            for name, seconds in zip(variant.parts.times, variant.time_program(rows[members]), strict=False):
                found.setdefault(name, np.zeros(len(rows)))[members] = seconds
        return found
