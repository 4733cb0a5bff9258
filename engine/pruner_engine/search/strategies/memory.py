"""The measurements of a task that a model learns from: all of the first thousand, later a sample of a thousand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from pruner_engine.search.task_state import Trial
from pruner_engine.space.candidate import Candidate
from pruner_engine.verify.model import HELD_EVERY, Features, Group
from pruner_engine.verify.storage import in_one_piece

KEPT = 1024
MOST = KEPT + 256  # so many new ones come between two cuts: a model goes on from its weights until then


@dataclass
class Memory:
    """Features by candidate hash, and the trials that a model learns from.

    Attributes:
        features: of those trials, and of candidates that are scored and not measured yet.
        seen: valid trials in the order they were measured, at most `MOST`.
    """

    features: dict[str, Features] = field(default_factory=dict)
    seen: list[Trial] = field(default_factory=list)

    def take(self, trials: Sequence[Trial], features: Mapping[str, Features]) -> None:
        """Keep valid trials whose features are known, here or in `features`; the others are dropped."""
        known = {**features, **{t.candidate.hash: f for t in trials if (f := self.features.get(t.candidate.hash))}}
        new = [t for t in trials if t.candidate.hash in known]
        self.seen += new
        if len(self.seen) > MOST:
            before = self.hashes()
            self.seen = new = subsample(self.seen, KEPT)
            known |= {key: self.features.pop(key) for key in before & self.features.keys()}
        hashes = [t.candidate.hash for t in new]
        self.features.update(zip(hashes, in_one_piece([known[key] for key in hashes]), strict=True))

    def forget(self, keep: Collection[Candidate]) -> None:
        """Drop features of candidates that are neither measured nor in `keep`."""
        kept = self.hashes() | {c.hash for c in keep}
        self.features = {key: value for key, value in self.features.items() if key in kept}

    def hashes(self) -> set[str]:
        """Of the candidates whose measurements are kept."""
        return {t.candidate.hash for t in self.seen}

    def group(self, beside: Collection[str] = ()) -> Group | None:
        """The measurements as `CostModel.update` takes them; None without any.

        Args:
            beside: hashes of candidates that are left out.
        """
        timed = [(t, t.seconds) for t in self.seen if t.seconds is not None and t.candidate.hash not in beside]
        if not timed:
            return None
        return (
            [self.features[t.candidate.hash] for t, _ in timed],
            np.array([seconds for _, seconds in timed], dtype=np.float64),
            np.array([t.result.censored for t, _ in timed], dtype=bool),
        )


def remembered(trials: Sequence[Trial], at_once: int) -> list[Trial]:
    """The trials that a memory keeps after it was given these, `at_once` at a time."""
    kept: list[Trial] = []
    for start in range(0, len(trials), at_once):
        kept += trials[start : start + at_once]
        if len(kept) > MOST:
            kept = subsample(kept, KEPT)
    return kept


def subsample(trials: Sequence[Trial], count: int) -> list[Trial]:
    """The newest, the best and a sample of the other trials, `count` in all, in the order in which they were made.

    A model holds out every `HELD_EVERY`-th trial. So that these stay held out, they and the others are chosen
    separately, and put into places of their kind.

    Args:
        count: a multiple of `HELD_EVERY`.
    """
    learned = [t for i, t in enumerate(trials, 1) if i % HELD_EVERY]
    held = _chosen(trials[HELD_EVERY - 1 :: HELD_EVERY], count // HELD_EVERY)
    rest = iter(_chosen(learned, count - count // HELD_EVERY))
    return [t for one in held for t in (*islice(rest, HELD_EVERY - 1), one)] + list(rest)


def _chosen(trials: Sequence[Trial], count: int) -> list[Trial]:
    """A quarter the newest, a quarter the best of the rest, else those of the lowest hashes: a stable sample."""
    if len(trials) <= count:
        return list(trials)
    older = trials[: len(trials) - count // 4]
    by_time = sorted(range(len(older)), key=lambda i: (older[i].result.censored, older[i].seconds or 0.0))
    best, others = by_time[: count // 4], by_time[count // 4 :]
    sample = sorted(others, key=lambda i: older[i].candidate.hash)[: count - 2 * (count // 4)]
    return [*(older[i] for i in sorted([*best, *sample])), *trials[len(older) :]]
