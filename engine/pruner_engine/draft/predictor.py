"""The questions that the analyzer asks about the rows of one sketch, in whichever way they are predicted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

import numpy as np

from pruner_engine.draft.explanation import Explanation
from pruner_engine.space.decision import Rows

#: by which each time component is multiplied; one that is missing is 1
Factors: TypeAlias = Mapping[str, float]


class Predictor(Protocol):
    """Predicts rows of one sketch; `rows` are int32[n, width], `row` is one of them."""

    def read(self) -> None:
        """Read the sketch, unless it was."""

    def score(self, rows: Rows, factors: Factors) -> np.ndarray:
        """log2 of 1/predicted seconds, float64[n]; -inf where a row is not valid, or not read at all."""

    def explain(self, row: Rows, factors: Factors) -> Explanation:
        """The parts of one row's score."""

    def components(self, rows: Rows) -> dict[str, np.ndarray]:
        """Uncalibrated seconds by time component, float64[n] each; {} where no component is told apart."""

    def figures(self, rows: Rows) -> dict[str, np.ndarray]:
        """Symbols, penalties and uncalibrated times by name, float64[n] each.

        Where two have one name a time goes before a penalty, and that before a symbol. Where none are told apart,
        `latency` alone: uncalibrated seconds, 0 where none are predicted.
        """

    def canonical(self, rows: Rows) -> Rows:
        """The rows with every compute location replaced by where TVM really puts the block, where that is known."""

    def gathered(self, rows: Rows, share: float) -> Rows:
        """As `canonical`, with places that were read before, and others that take this share of a draft's reading."""

    def prepare(self, row: Rows | None) -> None:
        """Read what explaining rows takes that differ from this one (None: from any) in one compute location."""
