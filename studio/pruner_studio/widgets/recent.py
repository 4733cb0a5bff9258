"""The list of projects opened lately, each with what its best run reached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_studio import background, clipboard
from pruner_studio.literal import plain_tip
from pruner_studio.models.recent import forget, names, recent, summaries, there
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, label, paint_icon
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.elided import ElidedButton
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.tab_order import lead_to

_SHOWN = 6


class RecentCard(Card):
    """Rows to click; the files are read in a thread, so that names are there at once and figures follow.

    Args:
        on_open: takes the path of a project.
        on_demo: opens the demonstration.
        on_problem: takes what could not be read.
    """

    def __init__(
        self,
        on_open: Callable[[str], object],
        on_demo: Callable[[], object],
        on_problem: Callable[[Problem], object],
    ) -> None:
        super().__init__(tr("Recent projects"))
        self._on_open, self._on_problem = on_open, on_problem
        self._rows = QVBoxLayout()
        self._rows.setSpacing(2)
        self.body.addLayout(self._rows)
        self.demo = button(tr("Open the demonstration"), on_demo, "link", tip=tr("A tuned sample, ready to look at"))
        self.body.addWidget(self.demo, 0, Qt.AlignmentFlag.AlignLeft)
        self.summaries: list[dict[str, Any]] = []
        self._buttons: dict[str, ElidedButton] = {}  # by the paths of their projects
        self._gone: set[str] = set()  # that were not there when they were last read
        self._asked = 0

    def stops(self) -> list[QWidget]:
        """Where the Tab key comes to in it."""
        return [*self._buttons.values(), self.demo]

    def refresh(self) -> None:
        """Show the names now, and the figures of those that are there when they are read."""
        paths = recent()
        known = {row["path"]: row for row in self.summaries}
        here = [path for path in paths if path not in self._gone]
        self._show([known.get(path) or {"path": path, "problem": ""} for path in here][:_SHOWN])
        self._asked += 1
        turn = self._asked

        def look() -> tuple[list[str], list[dict[str, Any]]]:
            found = there(paths)
            return found, summaries(found[:_SHOWN])

        def looked(answer: tuple[list[str], list[dict[str, Any]]]) -> None:
            if turn == self._asked:
                found, self.summaries = answer
                self._gone = set(paths) - set(found)
                self._show(self.summaries)

        background.run(self, look, looked, self._on_problem)

    def _show(self, rows: list[dict[str, Any]]) -> None:
        focused = next((path for path, made in self._buttons.items() if made is self.window().focusWidget()), None)
        at = list(self._buttons).index(focused) if focused is not None else 0
        clear(self._rows)
        self._buttons = {}
        if not rows:
            self._rows.addWidget(label(tr("Projects that you tune or open are listed here."), "faint", wrap=True))
        called = names([row["path"] for row in rows])
        for row in rows:
            self._rows.addWidget(self._row(row, called[row["path"]]))
        lead_to(self.demo, self._buttons.values())
        if focused is not None:  # the keyboard stays at its project, else at the one in its place
            (self._buttons.get(focused) or [*self._buttons.values(), self.demo][min(at, len(rows))]).setFocus()

    def _forget(self, path: str) -> None:
        forget(path)
        self.refresh()

    def _row(self, row: dict[str, Any], name: str) -> QWidget:
        whole = QWidget()
        line = QHBoxLayout(whole)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        self._buttons[row["path"]] = made = ElidedButton(name)
        made.clicked.connect(lambda _=False: self._on_open(row["path"]))
        made.setProperty("role", "row")
        made.setToolTip(plain_tip(row["path"]))
        paint_icon(made, "file")
        made.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for text, do in (
            (tr("&Open"), made.click),
            (tr("&Copy the path"), partial(clipboard.copy, row["path"])),
            (tr("&Remove from this list"), partial(self._forget, row["path"])),
        ):
            action = QAction(text, made)
            action.triggered.connect(lambda _=False, do=do: do())
            made.addAction(action)
        made.setAccessibleName(tr("Open recent project {name}").format(name=name + Path(row["path"]).suffix))
        line.addWidget(made, 1)
        if row["problem"]:
            line.addWidget(Pill(tr("unreadable"), "bad"))
            made.setToolTip(plain_tip(row["problem"]))
        elif row.get("paused"):
            line.addWidget(Pill(tr("paused"), "warn"))
        elif row.get("alive"):
            line.addWidget(Pill(tr("tuning"), "info"))
        elif row.get("interrupted"):
            line.addWidget(Pill(tr("interrupted"), "warn"))
        if row.get("latency_s") is not None:
            gain = f"  {units.ratio(row['gain'])}" if row["gain"] else ""
            best = label(f"{units.latency(row['latency_s'])}{gain}", "muted")
            best.setToolTip(tr("Best latency of all runs, and the gain over untuned"))
            line.addWidget(best)
        if row.get("at"):
            line.addWidget(label(units.moment(row["at"]), "faint"))
        return whole
