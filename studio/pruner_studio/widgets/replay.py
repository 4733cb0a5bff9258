"""A trace replayed instruction by instruction on its loop nest."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout, QWidget

from pruner_engine.store.reader import Row
from pruner_studio.models.links import Links
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import icon_button, label
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.nest import NestTree
from pruner_studio.widgets.table import Table

COLUMNS = (
    Column("", lambda row: row["number"], str, right=True, tone=lambda row: "faint", name=tr("Number")),
    Column(tr("Instruction"), lambda row: row["text"], tone=lambda row: "" if row["decision"] else "muted"),
    Column(tr("Decision"), lambda row: row["decision"] or "", tone=lambda row: "accent"),
)

_NO_TRACE = tr("The untuned kernel has no trace; candidates have one.")


class ReplayView(QWidget):
    """Instructions beside the loop nest; the slider, the list and the nest move together.

    Attributes:
        bottom: the row of the slider.

    Signals:
        nodes_chosen: ids, in the finished nest, of what the chosen loop, block or instruction is; the code is marked.
        nodes_pointed: ids of those loops and blocks of the finished nest that belong to what the pointer is on.
    """

    nodes_chosen = Signal(list)
    nodes_pointed = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        self.replay: dict[str, Any] | None = None
        self._links: Links | None = None
        self._steps_of: dict[int, list[int]] = {}  # of the nest that is shown
        self._nodes_of: dict[int, list[int]] = {}
        self.model = RowTable(COLUMNS, self)
        self.table = Table(tr("Instructions of the trace"), self.model, self._row_chosen, stretch=1, hint=_NO_TRACE)
        self.table.setSortingEnabled(False)
        self.table.verticalHeader().setDefaultSectionSize(theme.pixels(27))
        self.nest = NestTree()
        self.nest.node_chosen.connect(self._node_chosen)
        self.nest.node_pointed.connect(self.point_at_node)
        self.table.pointed.connect(self._point_at_row)
        # The row of a chosen loop is current while another step is shown: a click on it changes no current row
        self.table.clicked.connect(lambda index: self._row_chosen(self.model.rows[index.row()]))
        split = Divided(Qt.Orientation.Horizontal, tr("Divider of instructions and loops"), 10)
        split.addWidget(self.table)
        split.addWidget(self.nest)
        split.setSizes([400, 290])
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Step of the trace"))
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._moved)
        self.told = label("", "faint", cut=True)
        self.bottom = bottom = QHBoxLayout()
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
        self.replay = self._links = None
        self._steps_of, self._nodes_of = {}, {}
        self.model.show_rows(rows)
        self.nest.show_nest([])
        self.slider.setEnabled(False)
        self.told.setText(tr("Replaying the trace…") if rows else "")

    def fail(self, text: str) -> None:
        self.told.setText(text)

    def show_replay(self, replay: dict[str, Any]) -> None:
        self.replay, self._links = replay, Links(replay)
        self.slider.setEnabled(True)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(replay["steps"]) - 1)
        self._go(self.slider.maximum())

    def choose_node(self, number: int) -> None:
        """A node of the finished nest, chosen elsewhere: go to the last step, mark it and its instruction."""
        if self.replay is not None:
            self._go(self.slider.maximum())
            self.nest.choose(number)
            self._mark_instruction(number)

    def choose_instruction(self, row: Row) -> None:
        """As a click on it."""
        self.table.choose(row["id"])
        self._row_chosen(row)

    def inside(self, numbers: list[int]) -> set[int]:
        """Nodes of the finished nest with all that lies in them."""
        return set() if self._links is None else self._links.inside(numbers)

    # ------------------------------------------------------------ pointing

    def point_at_node(self, number: int | None) -> None:
        """The pointer is on a loop or block: mark it and the instructions that worked on it."""
        steps = self._steps_of.get(-1 if number is None else number, [])
        self._point([] if number is None else [number], steps)

    def _point_at_row(self, row_id: int | None) -> None:
        """The pointer is on an instruction: mark it and what it worked on, as far as that is there at this step."""
        step = -1 if row_id is None else row_id + 1
        self._point(self._nodes_of.get(step, []), [] if row_id is None else [step])

    def _point(self, nodes: list[int], steps: Collection[int]) -> None:
        self.nest.point_at(nodes)
        self.table.point_at([step - 1 for step in steps])
        self.nodes_pointed.emit(nodes if self.finished else [])

    @property
    def finished(self) -> bool:
        """The nest shown is the one whose code is shown."""
        if self.replay is None:
            return False
        steps = self.replay["steps"]
        return bool(steps[self.slider.value()]["tree"] == steps[-1]["tree"])

    # ------------------------------------------------------------ moving

    def _moved(self, at: int) -> None:
        """The user went to a step: choose what its instruction worked on."""
        if self._links is not None:
            self._show_step(at)
            self.nodes_chosen.emit(self._links.became(at))

    def _go(self, at: int) -> None:
        """Show a step, but leave the choice to the caller."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(at)
        self._show_step(at)

    def _show_step(self, at: int) -> None:
        if self.replay is None or self._links is None:
            return
        self._steps_of, self._nodes_of = self._links.at(at)
        step = self.replay["steps"][at]
        self.nest.show_nest(self.replay["trees"][step["tree"]], step["touched"])
        self.nest.choose(None)
        self.table.choose(step["index"])
        what = step["text"].strip() or tr("The kernel as it is without a schedule")
        self.told.setText(tr("{at} of {all}").format(at=at, all=len(self.replay["steps"]) - 1) + f"   {what}")

    def _row_chosen(self, row: Row) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(row["id"] + 1)
        self._moved(row["id"] + 1)

    def _node_chosen(self, node: dict[str, Any]) -> None:
        """Mark the node's instruction, and the code of what it is in the end."""
        self._mark_instruction(node["id"])
        if self._links is not None:
            self.nodes_chosen.emit(self._links.remains(self.slider.value(), node["id"]))

    def _mark_instruction(self, number: int) -> None:
        """Mark the one that made or last worked on a node of the nest shown; without one, that of the step shown."""
        steps = self._steps_of.get(number) or [self.slider.value()]
        self.table.choose(steps[-1] - 1)
