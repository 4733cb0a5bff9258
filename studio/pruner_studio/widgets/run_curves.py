"""How fast a model became over the trials or the time of its runs, against what else was measured of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count

from pruner_engine import units
from pruner_engine.store.reader import Row
from pruner_studio.models.drawn_runs import SHOWN
from pruner_studio.models.runs import BASELINES, runs_left_out, short_name, step_points
from pruner_studio.translation import tr
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.series import Level, Series

_ACROSS = {
    "trials": (tr("Trials"), Scale(tr("trials"), units.count)),
    "elapsed_s": (tr("Time"), Scale(tr("working time"), units.duration)),
}
_BUDGETS = {"trials": "budget_trials", "elapsed_s": "budget_s"}
_UP = Scale(tr("latency"), units.latency, log=True)
_AWAITED = tr("The curve begins with the first round.")


class RunCurves(Plot):
    """Curves of steps, the run shown broad, and a level for each library.

    Args:
        name: accessible name and file name of exports.

    Attributes:
        axis: chooses between `trials` and `elapsed_s`; the owner gives it a place.
        left_out: says so where not every run is drawn.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, _ACROSS["trials"][1], _UP, nothing=_AWAITED)
        self.axis = Segments(tr("Horizontal axis"), [(key, text) for key, (text, _) in _ACROSS.items()])
        self.left_out = ""

    def choose_axis(self, key: str) -> None:
        """Go over trials or time from the next drawing on; a key that nobody knows changes nothing."""
        if key in _ACROSS:
            self.axis.choose(key)

    def show_runs(
        self,
        drawn: Sequence[tuple[Row, str]],
        of: int,
        progress: Callable[[Row], list[Row]],
        baselines: Iterable[Row],
        measured_s: float | None = None,
    ) -> None:
        """Draw runs.

        Args:
            drawn: runs with their colours.
            of: how many runs there are.
            progress: points of a run's curve, as the reader has them.
            baselines: rows of the reader's, for the levels.
            measured_s: what an inference of the shown run's export took.
        """
        axis = self.axis.current
        self.set_axes(_ACROSS[axis][1], _UP)
        self.left_out = runs_left_out(len(drawn), of)
        curves = [
            Series(
                short_name(run),
                *step_points(progress(run), axis),
                color,
                steps=True,
                strong=color == SHOWN,
                told_at_end=True,
            )
            for run, color in drawn
        ]
        there = [curve for curve in curves if len(curve.x)]
        known = {row["name"]: row["seconds"] for row in baselines}
        levels = [Level(text, known[name], color) for name, (text, color) in BASELINES.items() if known.get(name)]
        if measured_s is not None:
            levels.append(Level(tr("Measured"), measured_s, SHOWN))
        reach = max((_reach(run, axis) for run, _ in drawn if run["alive"]), default=None)
        self.show_data(there, levels if there else (), reach=reach)
        self.tell_nothing(_why_none(next((run for run, color in drawn if color == SHOWN), None)))


def _why_none(run: Row | None) -> str:
    """Why the run shown has no curve."""
    if run is None or run["alive"]:
        return _AWAITED
    if run["trials"]:
        return tr("No candidate could be measured; the Overview lists the failures.")
    return tr("The run ended before its first round.")


def _reach(run: Row, axis: str) -> float:
    """How far the axis goes for a run at work: in steps, so that it does not move with every trial."""
    step: float = next(one * 10**power for power in count(1) for one in (1, 2, 5) if one * 10**power >= run[axis])
    return min(step, run[_BUDGETS[axis]] or step)
