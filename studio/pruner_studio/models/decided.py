"""How often each value of each decision of a sketch occurs among a run's candidates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pruner_engine.space.distribution import Decided, decided
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
    """What was counted, and of which sketch."""

    of: Wanted
    found: Decided


def count(wanted: Wanted) -> Counted:
    """Read and count the candidates. Meant for a thread: it reads the project on its own."""
    with ProjectReader(wanted.project) as reader:
        rows = reader.decided(wanted.run_id, wanted.task_id, wanted.sketch["id"])
    return Counted(wanted, decided(wanted.sketch["decisions"], rows))
