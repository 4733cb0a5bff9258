"""Boards of a tracker that measure instead of this machine: which are there, and when each last answered."""

from __future__ import annotations

import time
from typing import Any

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_studio import clipboard
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.said import all_said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.pill import Pill
from pruner_studio.widgets.table import Table
from pruner_studio.workspace import Workspace

_BEAT_MS = 5000


def _sign(row: dict[str, Any]) -> str:
    if row["sign"] == "answers":
        return tr("answers after {time}").format(time=units.latency(row["answer_s"]))
    if row["sign"] == "silent":
        return tr("accepts, but is at work or hangs")
    if row["silent_s"] is None:
        return tr("does not answer")
    return tr("silent for {time}").format(time=units.duration(row["silent_s"]))


_TONES = {"answers": "good", "silent": "warn", "gone": "bad"}
COLUMNS = (
    Column(tr("Key"), lambda row: row["key"], help=tr("What `pruner tune --key` asks for")),
    Column(tr("Address"), lambda row: row["address"]),
    Column(tr("Sign of life"), _sign, tone=lambda row: _TONES[row["sign"]]),
)


class BoardsCard(Card):
    """Asks a tracker of TVM's RPC every few seconds, as long as it is shown and an address is given."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(tr("Boards"), tr("registered at a tracker of TVM's RPC"))
        self.workspace = workspace
        self.state = Pill()
        self.head.addWidget(self.state)
        self.tracker = QLineEdit(str(QSettings().value("tracker", "")))
        self.tracker.setPlaceholderText("127.0.0.1:9190")
        self.tracker.setAccessibleName(tr("Address of the tracker"))
        self.tracker.returnPressed.connect(self.ask)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(tr("Tracker"), "muted"))
        row.addWidget(self.tracker, 1)
        row.addWidget(button(tr("Look"), self.ask))
        row.addWidget(button(tr("Copy as command"), self._copy, icon="copy"))
        self.body.addLayout(row)
        self.told = label("", "faint", wrap=True, selectable=True)
        self.body.addWidget(self.told)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(
            tr("Boards"), self.model, stretch=2, hint=tr("Give the address of a tracker to see its boards.")
        )
        self.table.setMinimumHeight(140)
        self.body.addWidget(self.table)
        self._seen: dict[str, float] = {}
        self._tracker = ""  # that is asked: the field may hold half of another address
        self._waiting = False
        self._beat = QTimer(self, interval=_BEAT_MS)
        self._beat.timeout.connect(self._look_again)
        self._show([])

    def command(self) -> msg.ListBoards:
        return msg.ListBoards(tracker=self.tracker.text().strip())

    def _copy(self) -> None:
        clipboard.copy(lines.line_of(self.command()))

    def ask(self) -> None:
        """Ask now, and go on asking while the card is shown."""
        self._tracker = self.tracker.text().strip()
        QSettings().setValue("tracker", self._tracker)
        if not self._tracker:
            self._beat.stop()
            self.state.show_state("", "neutral")
            self.told.setText("")
            self._show([])
            return
        self._beat.start()
        self._look_again()

    def _look_again(self) -> None:
        if not self._waiting:
            self._waiting = True
            asked = self._tracker
            self.workspace.helpers.ask(
                msg.ListBoards(tracker=asked), self._answered, lambda failure: self._failed(asked, failure)
            )

    def _answered(self, reply: msg.Boards) -> None:
        self._waiting = False
        if reply.tracker != self._tracker:
            return
        rows, now = [], time.monotonic()
        for index, board in enumerate(reply.boards):
            if board.sign == "answers":
                self._seen[board.address] = now
            seen = self._seen.get(board.address)
            rows.append(
                {
                    "id": index,
                    "key": board.key,
                    "address": board.address,
                    "sign": board.sign,
                    "answer_s": board.answer_s,
                    "silent_s": None if seen is None else now - seen,
                }
            )
        well = sum(board.sign == "answers" for board in reply.boards)
        self.state.show_state(
            tr("{well} of {all} answer").format(well=well, all=len(rows)), "good" if well == len(rows) > 0 else "warn"
        )
        self.told.setText("" if rows else tr("The tracker has no board yet. Start a server on one with --tracker."))
        self._show(rows)

    def _failed(self, asked: str, failure: msg.Failed) -> None:
        """Told in the card, not as a new problem every few seconds."""
        self._waiting = False
        if asked != self._tracker:
            return
        self.state.show_state(tr("no answer"), "bad")
        self.told.setText(all_said(failure.message, failure.hint))
        self._show([])

    def _show(self, rows: list[dict[str, Any]]) -> None:
        self.model.show_rows(rows)
        self.table.setVisible(bool(rows))
        if not rows and not self.told.text():
            self.told.setText(tr("Kernels can be measured on other machines: `pruner tune --rpc HOST:PORT --key KEY`."))
        self.told.setVisible(bool(self.told.text()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.tracker.text().strip():
            self.ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._beat.stop()
