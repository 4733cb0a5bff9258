"""Where the libraries of a model are run: on this machine, on a board of a tracker, or nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pruner_engine.measure.workers.wire import Fleet


@dataclass(frozen=True)
class Place:
    """Where libraries are run.

    Attributes:
        device: name of what runs them; empty where nothing does.
        fleet: the boards that do; None for this machine.
        why_not: a sentence that says why nothing here runs them; empty where something does.
    """

    device: str
    fleet: Fleet | None = None
    why_not: str = ""

    @property
    def where(self) -> Literal["here", "boards", "nowhere"]:
        """In a word."""
        if self.why_not:
            return "nowhere"
        return "here" if self.fleet is None else "boards"

    def as_json(self) -> dict[str, Any]:
        return {"where": self.where, "device": self.device, "why_not": self.why_not}
