"""Problems, which are shown to the user as cards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """Something to tell without stopping anybody: a sentence, what to do, and for a bug a report to copy.

    Attributes:
        level: error, warning or info.
        actions: text and action of the buttons that the card offers.
    """

    message: str
    hint: str = ""
    report: str = ""
    level: str = "error"
    actions: tuple[tuple[str, Callable[[], object]], ...] = field(default=(), compare=False)
