"""Scores and measurements of a run as growing columns, so that a page need not go through all rows again."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Mapping, Sequence
from typing import Any, overload

import numpy as np

from pruner_engine.store.figures.quality import place_of_fastest, qualities, score_quality
from pruner_engine.store.reader import ProjectReader, Row
from pruner_studio.translation import tr

_UNKNOWN = qualities(())
_NUMBERS = ("id", "round_id", "task_id", "draft_score", "verified_score", "seconds")
_CHUNK = 1_000  # rows taken at once: what the reader keeps of a run that was shown before comes whole


class ScoredCandidates:
    """Measured candidates of one run of an open project."""

    def __init__(self) -> None:
        self._rows: list[Row] | None = None  # of the reader, which may begin a new list
        self._clear()

    def _clear(self) -> None:
        self._taken = 0
        self._numbers = {name: array("d") for name in (*_NUMBERS, "valid")}
        self._origins: dict[str, int] = {}
        self._origin_codes = array("b")
        self._by_round: dict[int, list[dict[str, Any]]] = {}
        self._qualities: dict[int, dict[str, float | None]] = {}

    def update(self, reader: ProjectReader, run_id: int) -> bool:
        """Take what is new in the file; False where more is to be read by another call."""
        rows, complete = reader.scored(run_id)
        if rows is not self._rows:
            self._rows = rows
            self._clear()
        new = rows[self._taken : self._taken + _CHUNK]
        for name in _NUMBERS:  # column by column, which is several times as fast as row by row
            self._numbers[name].extend([math.nan if (value := row[name]) is None else value for row in new])
        self._numbers["valid"].extend([row["stage"] == "ok" and not row["censored"] for row in new])
        self._origin_codes.extend([self._origins.setdefault(row["origin"], len(self._origins)) for row in new])
        for row in new:
            self._by_round.setdefault(row["round_id"], []).append(row)
        for round_id in {row["round_id"] for row in new}:
            self._qualities[round_id] = qualities(self._by_round[round_id])
        self._taken += len(new)
        return complete and self._taken == len(rows)

    @property
    def origins(self) -> tuple[str, ...]:
        """Where the candidates come from, in the order in which they came."""
        return tuple(self._origins)

    def quality(self, round_id: int) -> dict[str, float | None]:
        """How well each score predicted the measured speed of a round, as `qualities` computes it."""
        return self._qualities.get(round_id, _UNKNOWN)

    def columns(self, task_ids: Collection[int] | None, round_id: int | None) -> dict[str, np.ndarray]:
        """Arrays of some tasks and of a round, or of all.

        Returns:
            Ids, scores and seconds (NaN where there is none), origin, valid.
        """
        arrays = {name: np.array(values) for name, values in self._numbers.items()}
        arrays["valid"] = arrays["valid"] > 0
        arrays["origin"] = np.array([*self._origins, ""])[np.array(self._origin_codes, int)]
        kept = np.ones(self._taken, bool)
        if task_ids is not None:
            kept &= np.isin(arrays["task_id"], list(task_ids))
        if round_id is not None:
            kept &= arrays["round_id"] == round_id
        return {name: values[kept] for name, values in arrays.items()}


class CandidateNames(Sequence[str]):
    """What candidates are called, each made when it is asked for: very many are drawn, few are pointed at."""

    def __init__(self, ids: Sequence[int], task_ids: np.ndarray, tasks: Mapping[int, str]) -> None:
        self._ids, self._task_ids, self._tasks = ids, task_ids, tasks

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return CandidateNames(self._ids[at], self._task_ids[at], self._tasks)
        named = self._tasks.get(int(self._task_ids[at]), "")
        return tr("candidate {number} of {task}").format(number=self._ids[at], task=named)


def rank_of(shown: dict[str, np.ndarray], score: str) -> float | None:
    """Rank correlation of a score with measured speed over columns."""
    return score_quality(_timed(shown, score), score)


def place_of_best(shown: dict[str, np.ndarray], score: str) -> int | None:
    """Place of the fastest of some columns in the order of a score."""
    return place_of_fastest(_timed(shown, score), score)


def places(round_ids: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Place of each score within its round, from 1 for the highest."""
    order = np.lexsort((-scores, round_ids))
    found = np.empty(len(order))
    found[order] = np.arange(len(order)) - np.searchsorted(round_ids[order], round_ids[order]) + 1
    return found


def _timed(shown: dict[str, np.ndarray], score: str) -> list[dict[str, Any]]:
    known = shown["valid"] & np.isfinite(shown[score]) & np.isfinite(shown["seconds"])
    pairs = zip(shown[score][known].tolist(), shown["seconds"][known].tolist(), strict=True)
    return [{"stage": "ok", "censored": 0, score: value, "seconds": seconds} for value, seconds in pairs]
