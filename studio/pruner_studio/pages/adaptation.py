"""Adaptation: what the momentum of MoA-Pruner does to the cost model, round by round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store.figures.adaptation import LEAST, curve_of
from pruner_studio.help import tip_of
from pruner_studio.models.narrowing import narrowed
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.narrowing import NarrowedBy
from pruner_studio.widgets.plot import Plot
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Series

_SIDE_BY_SIDE = 560  # pixels from which on two plots stand in a row
_MODELS = (
    ("adapted", tr("adapted"), "series1"),
    ("scratch", tr("from scratch"), "series3"),
    ("siamese", tr("siamese alone"), "series2"),
)


def _figure(value: float) -> str:
    return units.general(value, digits=3)


def _share(value: float) -> str:
    return f"{_figure(100 * value)} %"


# key, title, what its axis tells, and what is good
_PLOTS = (
    ("pair_accuracy", tr("Pair accuracy"), Scale(tr("pairs in order"), _share), tr("higher is better")),
    ("top1", tr("Top-1"), Scale(tr("best over first choice"), _share), tr("higher is better")),
    ("loss", tr("Loss"), Scale(tr("LambdaRank loss"), _figure), tr("lower is better")),
    (
        "distance",
        tr("Distance of siamese and target"),
        Scale(tr("weight distance"), _figure),
        tr("how far it has adapted"),
    ),
)


class AdaptationPage(Page):
    """How the learned model has adapted to the device, round by round."""

    title = tr("Adaptation")
    subtitle = tr(
        "Each adaptation is judged on measurements that are new to all models; curves are means over the last {count}."
    ).format(count=LEAST)

    def build(self) -> Iterator[None]:
        self.header.addWidget(NarrowedBy(self.workspace))
        self.pages, rows = self.add_column(self.nothing("adaptation", "", ""))
        pairs = [Columns(_SIDE_BY_SIDE), Columns(_SIDE_BY_SIDE)]
        for pair in pairs:
            rows.addWidget(pair, 1)
        self.plots: dict[str, Plot] = {}
        for index, (key, title, up, note) in enumerate(_PLOTS):
            card = Card(title, note)
            card.setToolTip(tip_of(f"score.{key}"))
            pairs[index // 2].row.addWidget(card, 1)
            self.plots[key] = Plot(title, Scale(tr("round"), units.count), up)
            card.body.addWidget(self.plots[key], 1)
            yield

    def steps(self) -> Iterator[None]:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        rows = reader.adaptations(run_id) if reader and run_id is not None else []
        self.pages.setCurrentIndex(1 if rows else 0)
        self._tell_nothing()
        if (kept := self._kept_tasks()) is not None:
            rows = [row for row in rows if row["task_id"] in kept]
        for key, plot in self.plots.items():
            plot.show_data([made for model in _MODELS if len((made := self._series(rows, key, *model)).x)])
            yield

    def _kept_tasks(self) -> set[int] | None:
        """Ids of the run's tasks that the filter lets through; None for all."""
        reader, run_id = self.workspace.reader, self.workspace.run_id
        if not self.workspace.filter or reader is None or run_id is None:
            return None
        return {row["id"] for row in narrowed(reader.tasks(run_id), self.workspace.filter)}

    def _tell_nothing(self) -> None:
        """Why there is nothing to show, where there is nothing."""
        run = self.workspace.run()
        if run is None:
            self.empty.tell(tr("No adaptation yet"), self.without_run())
        elif run["strategy"] == "moa-pruner":
            told = tr("The model adapts after some rounds: its curves are shown here from then on.")
            self.empty.tell(tr("No adaptation yet"), told, act=False)
        else:
            told = tr("Choose the strategy MoA-Pruner on the Start page: its model is pre-trained and adapts here.")
            self.empty.tell(tr("No adaptation in this run"), told)

    def command_line(self) -> str:
        if self.workspace.run_id is None:
            return super().command_line()
        kept = self._kept_tasks() or set()
        return lines.adaptation_line(self.workspace.path, self.workspace.run_id, kept.pop() if len(kept) == 1 else None)

    def left_out(self) -> Iterable[str]:
        return [plot.thinned for plot in self.plots.values()]

    def _series(self, rows: list[dict[str, Any]], key: str, model: str, name: str, color: str) -> Series:
        points = np.array(curve_of(rows, model, key), float).reshape(-1, 2)
        return Series(name, points[:, 0], points[:, 1], color, strong=model == "adapted")
