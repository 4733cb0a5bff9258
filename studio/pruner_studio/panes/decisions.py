"""Distribution of each decision: what the prior offers, what was drafted, what the fastest have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.space.distribution import Distribution, taken_of
from pruner_studio import background
from pruner_studio.models.decided import Counted, Wanted, count
from pruner_studio.panes.pane import Pane, Subject
from pruner_studio.problem import Problem
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import clear, label
from pruner_studio.widgets.figure import Figure, SaveButton
from pruner_studio.widgets.shares import GROUPS, ShareBars, title
from pruner_studio.workspace import Workspace

_COLUMNS = 2


class DecisionsPane(Pane):
    """Of the shown candidate's sketch, over the candidates of its run, which are counted in a thread."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._wanted: Wanted | None = None  # what is to be shown; None where the candidate has no decisions
        self._taken: Sequence[Any] = ()  # decisions of the shown candidate
        self._counted: Counted | None = None
        self._counting = False
        top = QHBoxLayout()
        top.setSpacing(14)
        self.told = label("", "muted", wrap=True)
        top.addWidget(self.told, 1)
        self._keys: list[tuple[QLabel, str]] = []
        for _, name, token in GROUPS:
            key = QLabel()
            key.setProperty("role", "faint")
            key.setAccessibleName(name)
            self._keys.append((key, token))
            top.addWidget(key)
        inside = QWidget()
        self.figure = Figure(tr("Distribution of each decision"), lambda: (inside,), self._table)
        self.save_button = SaveButton(self.figure)
        top.addWidget(self.save_button)
        self.column.addLayout(top)
        inside.setObjectName("cardBody")
        outer = QVBoxLayout(inside)
        outer.setContentsMargins(0, 0, 10, 0)
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(26)
        self.grid.setVerticalSpacing(4)
        outer.addLayout(self.grid)
        outer.addStretch(1)
        scroll = QScrollArea()
        scroll.setAccessibleName(self.figure.name)
        scroll.setWidgetResizable(True)
        scroll.setWidget(inside)
        self.column.addWidget(scroll, 1)
        self.bars: list[ShareBars] = []
        theme.changed.connect(self._paint_keys)
        self._paint_keys()

    def _paint_keys(self) -> None:
        for (key, token), (_, name, _) in zip(self._keys, GROUPS, strict=True):
            key.setText(f'<span style="color:{theme.color(token).name()}">■</span>&nbsp; {name}')

    def words(self) -> list[str]:
        if self.subject is None or self._wanted is None:
            return []
        return lines.decisions_words(self.subject.project, self.subject.run_id, self.subject.candidate_id)

    def _forget(self) -> None:
        super()._forget()
        self._wanted = self._counted = None

    def show_news(self, subject: Subject) -> None:
        self.show_subject(subject)

    def show_subject(self, subject: Subject) -> None:
        row = self.candidate(subject)
        sketch = next((s for s in self.reader.sketches(subject.task_id) if row and s["id"] == row["sketch_id"]), None)
        if row is None or sketch is None or not sketch["decisions"]:
            self._wanted = None
            self._tell(tr("Only candidates of the task's own sketches have decisions to compare."))
            return
        self._taken = row["decisions"]
        self._wanted = Wanted(self.reader.path, subject.run_id, subject.task_id, sketch, self._news)
        if self._counted is not None and self._counted.of.same_sketch(self._wanted):
            self._show_counted(self._counted)  # as of before, until the newest are counted
        else:
            self._tell(tr("Counting the candidates of this sketch…"))
        self._count()

    def _tell(self, text: str) -> None:
        """Show a sentence in place of the bars."""
        self._show_bars([], [])
        self.save_button.setEnabled(False)
        self.told.setText(text)

    def _count(self) -> None:
        """Count what is wanted, unless it is there; one sketch after another, of those that came meanwhile the last."""
        wanted = self._wanted
        if wanted is None or self._counting or (self._counted is not None and self._counted.of == wanted):
            return
        self._counting, self._failed = True, False
        background.run(self, partial(count, wanted), self._take, partial(self._not_counted, wanted))

    def _take(self, counted: Counted) -> None:
        self._counting, self._counted = False, counted
        if self._wanted is not None and counted.of.same_sketch(self._wanted):
            self._show_counted(counted)
        self._count()

    def _not_counted(self, wanted: Wanted, problem: Problem) -> None:
        self._counting = False
        if wanted != self._wanted:
            self._count()
            return
        self._tell(self.failed_with(problem))

    def _show_counted(self, counted: Counted) -> None:
        sketch, found = counted.of.sketch, counted.found
        told = tr("Sketch {number}: {size} candidates, {count} drafted. Elite is the fastest tenth measured ({elite}).")
        if sketch["size"] == 1:
            told = tr("Sketch {number}: one candidate.")
        marked = tr("What the shown candidate took is marked.")
        numbers = {"size": sketch["size"], "count": found.drafted, "elite": found.elite}
        numbers = {name: units.count(number) for name, number in numbers.items()}
        self.told.setText(f"{told.format(number=sketch['idx'] + 1, **numbers)} {marked}")
        self.save_button.setEnabled(True)
        self._show_bars(found.shares, taken_of(found.shares, sketch["decisions"], self._taken))

    def _show_bars(self, found: Sequence[Distribution], own: Sequence[Any]) -> None:
        """Bars of the same decisions stay, for whoever reads them while a run goes on."""
        if [title(bars.shares) for bars in self.bars] == [title(shares) for shares in found]:
            for bars, shares, value in zip(self.bars, found, own, strict=True):
                bars.show_shares(shares, value)
            return
        clear(self.grid)
        self.bars = []
        for at, (shares, value) in enumerate(zip(found, own, strict=True)):
            bars = ShareBars(shares, value)
            self.bars.append(bars)
            self.grid.addWidget(label(title(shares), "muted"), 2 * (at // _COLUMNS), at % _COLUMNS)
            self.grid.addWidget(bars, 2 * (at // _COLUMNS) + 1, at % _COLUMNS)

    def _table(self) -> Iterable[Sequence[Any]]:
        yield "decision", "value", *(key for key, _, _ in GROUPS), "taken"
        for bars in self.bars:
            for at, value in enumerate(bars.shares.values):
                shares = (getattr(bars.shares, key)[at] for key, _, _ in GROUPS)
                yield title(bars.shares), value, *shares, value == bars.own
