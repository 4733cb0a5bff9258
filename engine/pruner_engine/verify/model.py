"""The interface of learned cost models, and what goes in and out of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pruner_engine.space.candidate import Candidate

if TYPE_CHECKING:
    from tvm.s_tir import Schedule

    from pruner_engine.space.design_space import DesignSpace

Array = np.ndarray


#: Of a task with many measurements an online model holds out every so many, in the order they were made.
HELD_EVERY = 16

_NOTHING, _NO_VECTOR = np.zeros((0, 0), np.float32), np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class Features:
    """What a cost model sees of one candidate; a part that the model does not use has shape [0, 0].

    Attributes:
        statement: one row per buffer store, float32[stores, 164].
        dataflow: one row per data movement, float32[steps ≤ 16, 23].
        primitives: one row per schedule primitive, float32[primitives ≤ 48, 40].
        workload: embedding of the task, float32[16].
        draft: what the draft's analyzer makes of it, float32[32].
    """

    statement: Array = field(default_factory=lambda: _NOTHING)
    dataflow: Array = field(default_factory=lambda: _NOTHING)
    primitives: Array = field(default_factory=lambda: _NOTHING)
    workload: Array = field(default_factory=lambda: _NO_VECTOR)
    draft: Array = field(default_factory=lambda: _NO_VECTOR)


#: Names of the parts of features.
PARTS = tuple(part.name for part in fields(Features))

#: Features, latencies in seconds (lower bounds where censored) and censored flags of one task's candidates.
Group = tuple[Sequence[Features], Array, Array]


@dataclass(frozen=True)
class LearnReport:
    """How an update went.

    Attributes:
        loss: the model's own loss on what it learned from, at the end.
        pair_accuracy: share of comparable pairs put in the right order, on the held-out samples (all, where few).
        epochs: passes over the samples.
        samples: measurements learned from.
        seconds: duration.
        start: "warm" (went on from its weights), "scratch", or "" where the model knows no such choice.
    """

    loss: float
    pair_accuracy: float
    epochs: int
    samples: int
    seconds: float
    start: str = ""


def schedules_of(candidates: Sequence[Candidate]) -> list[Schedule]:
    """The applied schedules; a candidate without one was not materialised."""
    schedules = [candidate.schedule for candidate in candidates if candidate.schedule is not None]
    if len(schedules) != len(candidates):
        raise ValueError("candidates must be materialised before features are taken")
    return schedules


class CostModel(ABC):
    """Ranks candidates of one task by features; scores of different tasks cannot be compared.

    Attributes:
        kind: its name, in settings and checkpoints.
        from_draft: it starts from the draft's score, and is worth listening to after fewer trials than others.
    """

    kind: ClassVar[str]
    from_draft: ClassVar[bool] = False

    @abstractmethod
    def featurize(self, space: DesignSpace, candidates: Sequence[Candidate]) -> list[Features]:
        """Features of candidates of the space whose `schedule` is set."""

    @abstractmethod
    def predict(self, features: Sequence[Features]) -> Array:
        """Scores, float64[n]; higher is better."""

    @abstractmethod
    def update(self, groups: Mapping[str, Group]) -> LearnReport:
        """Learn from everything measured so far.

        Args:
            groups: per task hash its measurements in the order they were made, earlier updates' included; of a task
                with many a part, in which each keeps whether it is one of every `HELD_EVERY`.
        """

    @property
    def is_finite(self) -> bool:
        """Whether all that it has learned are numbers: a checkpoint of others is refused."""
        return True

    @abstractmethod
    def to_bytes(self) -> bytes:
        """The learned state as a checkpoint that `from_bytes` of the same kind takes."""

    @abstractmethod
    def from_bytes(self, data: bytes) -> None:
        """Take over a checkpoint.

        Raises:
            UserError: the data is damaged, foreign, or of another kind of model.
        """

    def go_on_from(self, data: bytes, learned: int) -> None:
        """Take over the state of an earlier session of the same run, which learned from so many measurements.

        Raises:
            UserError: as `from_bytes`.
        """
        self.from_bytes(data)

    @property
    def recipe(self) -> dict[str, Any]:
        """How the state came to be: kept with checkpoints."""
        return {}
