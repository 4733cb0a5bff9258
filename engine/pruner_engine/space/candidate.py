"""A candidate: one sketch with all its decisions taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tvm.s_tir import Schedule


@dataclass(eq=False, slots=True)
class Candidate:
    """A point of the design space on its way through draft, verify and measure.

    Attributes:
        sketch: index of the sketch in the task's design space; None for a foreign trace.
        row: decisions as integers, shape [sketch.width]; empty for a foreign trace.
        hash: hexadecimal identity of sketch and decisions.
        decisions: the same decisions in the form of the trace (JSON values).
        origin: draft | random | evolved | user | known (as the best of another project).
        draft_score: log2 of 1/predicted seconds; higher is better.
        verified_score: the cost model's; higher is better.
        schedule: applied schedule with postprocs run; set by materialising.
    """

    sketch: int | None
    row: np.ndarray
    hash: str
    decisions: list[Any]
    origin: str = "draft"
    draft_score: float | None = None
    verified_score: float | None = None
    schedule: Schedule | None = field(default=None, repr=False)
