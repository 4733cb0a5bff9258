"""A trace replayed instruction by instruction on its loop nest."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QSplitter, QVBoxLayout, QWidget

from pruner_studio.models.rows import Column, Row, RowTable
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import icon_button, label
from pruner_studio.widgets.nest import NestTree, title, walk
from pruner_studio.widgets.table import Table

COLUMNS = (
    Column("", lambda row: row["id"], str, right=True, tone=lambda row: "faint"),
    Column(tr("Instruction"), lambda row: row["text"], tone=lambda row: "" if row["decision"] else "muted"),
    Column(tr("Decision"), lambda row: row["decision"] or "", tone=lambda row: "accent"),
)


class ReplayView(QWidget):
    """Instructions beside the loop nest; the slider, the list and the nest move together.

    Signals:
        node_chosen: a loop or block of the finished nest, by its id; the code view marks its lines.
    """

    node_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.replay: dict[str, Any] | None = None
        self.model = RowTable(COLUMNS, self)
        self.table = Table(tr("Instructions of the trace"), self.model, self._row_chosen, stretch=1)
        self.table.setSortingEnabled(False)
        self.table.verticalHeader().setDefaultSectionSize(27)
        self.nest = NestTree()
        self.nest.node_chosen.connect(self._node_chosen)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(10)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(self.nest)
        split.setSizes([400, 290])
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Step of the trace"))
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._step)
        self.told = label("", "faint")
        self.told.setMinimumWidth(60)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addWidget(icon_button("back", tr("Step back"), lambda: self.slider.setValue(self.slider.value() - 1)))
        bottom.addWidget(self.slider, 1)
        bottom.addWidget(icon_button("forward", tr("Step on"), lambda: self.slider.setValue(self.slider.value() + 1)))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(6)
        column.addWidget(split, 1)
        column.addWidget(self.told)
        column.addLayout(bottom)

    def show_trace(self, rows: list[Row]) -> None:
        """The instructions, as the project file has them; the nest follows by `show_replay`."""
        self.replay = None
        self.model.show_rows(rows)
        self.nest.show_nest([])
        self.slider.setEnabled(False)
        self.told.setText(tr("Replaying the trace…") if rows else "")

    def fail(self, text: str) -> None:
        self.told.setText(text)

    def show_replay(self, replay: dict[str, Any]) -> None:
        self.replay = replay
        self.slider.setEnabled(True)
        self.slider.setRange(0, len(replay["steps"]) - 1)
        self.slider.setValue(len(replay["steps"]) - 1)
        self._step(self.slider.value())

    def choose_node(self, number: int) -> None:
        """A node of the finished nest, chosen elsewhere: go to the last step and mark it."""
        if self.replay is not None:
            self.slider.setValue(self.slider.maximum())
            self.nest.choose(number)

    # ------------------------------------------------------------ moving

    def _step(self, at: int) -> None:
        if self.replay is None:
            return
        step = self.replay["steps"][at]
        self.nest.show_nest(self.replay["trees"][step["tree"]], step["touched"])
        self.table.choose(step["index"])
        what = step["text"].strip() or tr("The kernel as it is without a schedule")
        self.told.setText(tr("{at} of {all}").format(at=at, all=len(self.replay["steps"]) - 1) + f"   {what}")
        self.told.setToolTip(what)

    def _row_chosen(self, row: Row) -> None:
        self.slider.setValue(row["id"] + 1)

    def _node_chosen(self, node: dict[str, Any]) -> None:
        """Mark the instruction that made or last worked on the node, and its code when the nest is finished."""
        if self.replay is None:
            return
        at, last = self.slider.value(), self.slider.maximum()
        step = self._last_touch(title(node), at)
        if step is not None:
            self.table.choose(self.replay["steps"][step]["index"])
        if self.replay["steps"][at]["tree"] == self.replay["steps"][last]["tree"]:
            self.node_chosen.emit(node["id"])

    def _last_touch(self, name: str, before: int) -> int | None:
        assert self.replay is not None
        for at in range(before, 0, -1):
            step = self.replay["steps"][at]
            touched = set(step["touched"])
            if any(node["id"] in touched and title(node) == name for node in walk(self.replay["trees"][step["tree"]])):
                return at
        return None
