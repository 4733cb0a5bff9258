"""A card about the machine's noise: how much the time of a fixed kernel varies between rounds."""

from __future__ import annotations

from collections.abc import Sequence

from pruner_engine import units
from pruner_engine.store.figures.noise import drift_of
from pruner_studio.help import tip_of
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.cards import Card


class NoiseCard(Card):
    """Best, worst and newest time of the fixed kernel that is timed before every round."""

    def __init__(self) -> None:
        super().__init__(tr("Noise"))
        self.text = label("", "muted", wrap=True, name=tr("Noise of the machine"))
        self.setToolTip(tip_of("figure.probe"))
        self.body.addWidget(self.text)

    def show_probes(self, times: Sequence[float], *, in_turns: bool = True) -> None:
        """Seconds that it took in the rounds of a run; hidden where nothing was probed.

        Args:
            in_turns: the run's candidates take turns with a kernel of their task: on this machine, not on boards.
        """
        drift = drift_of(times)
        self.setVisible(drift is not None)
        if drift is not None:
            told = tr(
                "A fixed kernel, timed before every round, took {best} at best, {worst} ({ratio}) at worst, {now} now."
            )
            shown = {
                name: units.latency(value)
                for name, value in (("best", drift.best), ("worst", drift.worst), ("now", drift.now))
            }
            meaning = (
                tr(
                    "Latencies of tasks may differ by as much;"
                    " candidates of one task are timed in turns with one kernel."
                )
                if in_turns
                else tr("Latencies may differ by as much: boards run one kernel at a time.")
            )
            self.text.setText(f"{told.format(ratio=units.ratio(drift.ratio), **shown)} {meaning}")
