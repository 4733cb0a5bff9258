"""Which runs are drawn beside the one shown, and in which colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pruner_engine.store.reader import Row
from pruner_studio.models.runs import name_of

SHOWN = "series1"
# What neither the run shown nor the libraries have, least alike first
_OTHERS = ("series2", "series6", "series8", "series7", "series5", "series9")


class DrawnRuns:
    """The newest runs, no more than can be told apart, until the user hides some or adds others.

    A run keeps its colour for as long as it is drawn, whichever others come and go.
    """

    def __init__(self) -> None:
        self._by_hand: dict[str, bool] = {}
        self._colors: dict[str, str] = {}
        self._former: dict[str, str] = {}  # colours of runs that were hidden: they get them back where they are free

    def clear(self) -> None:
        """Numbers of runs mean others in another project."""
        for kept in (self._by_hand, self._colors, self._former):
            kept.clear()

    def tick(self, name: str, drawn: bool) -> None:
        """Draw a run from now on, or hide it."""
        self._by_hand[name] = drawn
        self._let_go(name)

    def hides(self, run: Row) -> bool:
        """Whether the user has hidden a run."""
        return not self._by_hand.get(name_of(run), True)

    def others(self, runs: Sequence[Row], shown: Row) -> list[tuple[Row, str]]:
        """Those besides the one shown, oldest first, each with its colour; more than there are colours share them."""
        self._let_go(name_of(shown))
        others = sorted((run for run in runs if name_of(run) != name_of(shown)), key=lambda run: run["created"])
        newest = {name_of(run) for run in others[-len(_OTHERS) :]}
        drawn = [run for run in others if self._by_hand.get(name_of(run), name_of(run) in newest)]
        used = Counter(self._colors[name] for run in drawn if (name := name_of(run)) in self._colors)
        for name in map(name_of, drawn):
            if name not in self._colors:
                former = self._former.get(name)
                self._colors[name] = min(_OTHERS, key=lambda color: (used[color], color != former))
                used[self._colors[name]] += 1
        return [(run, self._colors[name_of(run)]) for run in drawn]

    def _let_go(self, name: str) -> None:
        if name in self._colors:
            self._former[name] = self._colors.pop(name)
