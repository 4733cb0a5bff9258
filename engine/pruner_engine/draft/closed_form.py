"""Predictions for a sketch whose latency is a formula over its decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import tvm

from pruner_engine.draft.explanation import Explanation
from pruner_engine.draft.formulas.program import Program
from pruner_engine.draft.nests.nest import Block
from pruner_engine.draft.parts import Parts
from pruner_engine.draft.predictor import Factors
from pruner_engine.draft.variant import Variant
from pruner_engine.draft.variants import Variants
from pruner_engine.space.decision import Rows
from pruner_engine.space.sketch import Sketch


class ClosedForm:
    """Predicts the rows of one sketch by formulas, a set of them for each choice of compute locations.

    Every method raises `UnreadableSketchError` where the formulas cannot be made. That may show only with a block at a
    certain place, after other rows were predicted.

    Args:
        parts: from a nest to its parts.

    Attributes:
        variants: the formulas, by compute locations.
    """

    def __init__(self, mod: tvm.IRModule, sketch: Sketch, parts: Callable[[Block], Parts]) -> None:
        self.variants = Variants(mod, sketch, parts)

    def read(self) -> None:
        _ = self.variants.unmoved.parts

    def score(self, rows: Rows, factors: Factors) -> np.ndarray:
        scores = np.full(len(rows), -np.inf)
        for variant, members in self.variants.groups(rows):
            values = variant.time_program(rows[members])  # of which the last row is the validity
            weights = np.array([factors.get(name, 1.0) for name in variant.parts.times])
            with np.errstate(divide="ignore"):
                latency = np.log2(weights @ values[:-1])
            scores[members] = np.where(values[-1] > 0, -latency, -np.inf)
        return scores

    def explain(self, row: Rows, factors: Factors) -> Explanation:
        plain: list[int] = np.asarray(row).tolist()
        variant = self.variants.of(plain)
        groups = (variant.parts.symbols, variant.parts.penalties, variant.parts.times)
        *values, valid = variant.figure_evaluation(plain)
        flat = iter(values)
        symbols, penalties, times = ({name: next(flat) for name in group} for group in groups)
        times = {name: seconds * factors.get(name, 1.0) for name, seconds in times.items()}
        return Explanation(sum(times.values()), bool(valid), symbols, penalties, times)

    def components(self, rows: Rows) -> dict[str, np.ndarray]:
        return self._by_name(rows, lambda parts: parts.times, lambda variant: variant.time_program)

    def figures(self, rows: Rows) -> dict[str, np.ndarray]:
        return self._by_name(
            rows,
            lambda parts: (*parts.symbols, *parts.penalties, *parts.times),
            lambda variant: variant.figure_program,
        )

    def _by_name(
        self, rows: Rows, names: Callable[[Parts], Iterable[str]], program: Callable[[Variant], Program]
    ) -> dict[str, np.ndarray]:
        """The values of a program by the names of its formulas, of which the last, the validity, has none."""
        found: dict[str, np.ndarray] = {}
        for variant, members in self.variants.groups(rows):
            for name, values in zip(names(variant.parts), program(variant)(rows[members]), strict=False):
                found.setdefault(name, np.zeros(len(rows)))[members] = values
        return found

    def canonical(self, rows: Rows) -> Rows:
        return self.variants.canonical(rows)

    def gathered(self, rows: Rows, share: float) -> Rows:
        return self.variants.gathered(rows, max(1, int(share * self.variants.worthwhile)))

    def prepare(self, row: Rows | None) -> None:
        read = [self.variants.unmoved] if row is None else self.variants.around(np.asarray(row).tolist())
        for variant in read:
            variant.prepare()
