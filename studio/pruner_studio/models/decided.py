"""How often each value of each decision of a sketch occurs among a run's candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruner_engine.space.distribution import Distribution, distributions, elite_of
from pruner_engine.store.reader import ProjectReader


@dataclass(frozen=True)
class Wanted:
    """A sketch whose candidates are counted.

    Attributes:
        sketch: its row.
        news: grows as candidates are made and measured.
    """

    project: Path
    run_id: int
    task_id: int
    sketch: dict[str, Any]
    news: int

    def same_sketch(self, other: Wanted) -> bool:
        """Whether both are of one sketch and run, whatever was made or measured between them."""
        return self._identity() == other._identity()

    def _identity(self) -> tuple[Path, int, int]:
        return self.project, self.run_id, self.sketch["id"]


@dataclass(frozen=True)
class Counted:
    """What was counted; `drafted` and `elite` are numbers of candidates."""

    of: Wanted
    shares: Sequence[Distribution]
    drafted: int
    elite: int


def count(wanted: Wanted) -> Counted:
    """Read and count the candidates. Meant for a thread: it reads the project on its own."""
    with ProjectReader(wanted.project) as reader:
        own = reader.decided(wanted.run_id, wanted.task_id, wanted.sketch["id"])
    drafted = [one["decisions"] for one in own if one["origin"] != "random"]
    elite = [one["decisions"] for one in elite_of(own)]
    return Counted(wanted, distributions(wanted.sketch["decisions"], drafted, elite), len(drafted), len(elite))
