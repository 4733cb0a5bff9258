"""Tasks: the model's distinct kernels, what they cost and what tuning gained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.jobs import lines
from pruner_engine.store.figures.roofline import above_the_peak
from pruner_studio import clipboard
from pruner_studio.help import tip_of
from pruner_studio.models.narrowing import arguments, narrowed
from pruner_studio.models.rows import Column, RowTable
from pruner_studio.models.words import STEERS, gain_tone
from pruner_studio.pages.finder import Finder
from pruner_studio.pages.page import Page
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import MenuButton, button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.divider import Divided
from pruner_studio.widgets.narrowing import TaskFilter
from pruner_studio.widgets.roofline import Kernels, Roofline
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.table import Table

_HALF = 1000  # any two equal sizes
_LIMITS = tr("the best schedule of each task under the measured limits of the device")
_DOUBT = tr("some are faster than the profile of the device allows: measure it anew on Devices, for later runs")


def _curve(row: dict[str, Any]) -> list[tuple[float, float]]:
    """Best latency over the task's trials, up to the newest trial."""
    gains: list[tuple[float, float]] = row["gains"]
    return [*gains, (row["trials"], gains[-1][1])] if gains and gains[-1][0] < row["trials"] else gains


def _state(row: dict[str, Any]) -> str:
    if row["quarantined"]:
        return tr("given up")
    steer: str = row["steer"]
    return STEERS.get(steer, steer)


COLUMNS = (
    Column(tr("Task"), lambda row: row["name"], help=tr("Same name at every run")),
    Column(tr("Shapes"), arguments),
    Column(
        tr("Share"),
        lambda row: row["share"],
        units.percent,
        tip_of("figure.share"),
        right=True,
        share=lambda row: row["share"],
    ),
    Column(tr("Best"), lambda row: row["best_s"], units.latency, tip_of("figure.best"), right=True),
    Column(
        tr("Gain"),
        lambda row: row["gain"],
        units.ratio,
        tip_of("figure.gain"),
        right=True,
        tone=lambda row: gain_tone(row["gain"], "bad"),
    ),
    Column(
        "",
        _state,
        tone=lambda row: "bad" if row["quarantined"] else "accent",
        name=tr("State"),
        tip=lambda row: said(row["quarantined"]),
    ),
    Column(tr("Over trials"), lambda row: row["best_s"], units.latency, tip_of("figure.best"), curve=_curve, spare=1),
    Column(
        tr("Of roof"),
        lambda row: row["roof_share"],
        units.percent,
        tip_of("figure.roof_share"),
        right=True,
        share=lambda row: row["roof_share"],
        spare=1,
    ),
    Column(tr("Trials"), lambda row: row["trials"], units.count, tip_of("figure.trials"), right=True, spare=1),
    Column(
        tr("Failed"),
        lambda row: row["failed"],
        units.count,
        tip_of("figure.failed"),
        right=True,
        tone=lambda row: "bad" if row["failed"] else "",
        spare=1,
    ),
    Column(tr("Calls"), lambda row: row["weight"], units.count, tip_of("figure.weight"), right=True, spare=1),
    Column(tr("Operator"), lambda row: row["op"], spare=1),
    Column(
        tr("Untuned"),
        lambda row: row["untuned_s"],
        units.latency,
        tip_of("figure.untuned_kernel"),
        right=True,
        spare=1,
    ),
    Column("GFLOP/s", lambda row: row["gflops"], units.significant, tip_of("figure.gflops"), right=True, spare=1),
    Column(
        "MFLOP",
        lambda row: row["flops"] / 1e6,
        units.significant,
        tip_of("figure.flop"),
        right=True,
        spare=1,
    ),
)


class TasksPage(Page):
    """The tasks of the shown run, under the roofline and in a table, and how each is steered."""

    title = tr("Tasks")
    subtitle = tr("Each row is one distinct kernel of the model. Press Enter on a row to look at its schedules.")

    def build(self) -> Iterator[None]:
        self._asked: dict[int, str] = {}  # how tasks are steered, until the engine has taken that up
        self.filter = TaskFilter(self.workspace)
        self.header.addWidget(self.filter)
        split = Divided(Qt.Orientation.Vertical, tr("Divider of tasks and roofline"), 14)
        self.pages = self.add_stack(
            self.nothing(
                "tasks", tr("No tasks yet"), tr("The kernels of a model are listed here as soon as a run has read it.")
            ),
            split,
        )
        card = Card()
        card.outer.setContentsMargins(4, 4, 4, 4)
        split.addWidget(card)
        self.model = RowTable(COLUMNS, self)
        self.table = Table(
            tr("Tasks"),
            self.model,
            lambda row: self.workspace.select(row["id"]),
            self._open,
            sort_by=(2, Qt.SortOrder.DescendingOrder),
            stretch=1,
            hint=tr("No task has all these words in its name, operator or shapes: change the filter (Ctrl+F)."),
        )
        card.body.addWidget(self.table)
        yield
        roofline = Card(tr("Roofline"), _LIMITS)
        split.addWidget(roofline)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([_HALF, _HALF])  # Qt would give the table no more than its least height
        self._fill_roofline(roofline)
        yield
        self.given_up = label("", "muted", wrap=True, name=tr("Why the task was given up"), selectable=True)
        self.given_up.hide()
        self.column.addWidget(self.given_up)
        self.steering = self._steering()
        self.column.addWidget(self.steering)

    def _fill_roofline(self, card: Card) -> None:
        self.limits = card.note
        self.roofline = Roofline(tr("Roofline of the tasks"))
        self.roofline.picked.connect(self._task_picked)
        self.roofline.hovered.connect(lambda task: self.table.point_at(() if task is None else (task,)))
        self.table.pointed.connect(self.roofline.point_at)
        card.body.addWidget(self.roofline, 1)

    def _steering(self) -> Columns:
        parts, steering = Columns(0), Columns(0)
        for columns in (parts, steering):
            columns.row.setSpacing(8)
        first, second, way_on = rows = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        for row in rows:
            row.setSpacing(8)
        second.addStretch(1)
        self.count = label("", "faint")
        first.addWidget(self.count, 1)
        self.steer_buttons: list[QPushButton] = []
        self._steer_tips: list[str] = []
        self.copy_button = MenuButton("copy", tr("Copy as command"))
        self.table.row_actions = lambda: (
            (made.text(), partial(made.click), made.isEnabled()) for made in self.steer_buttons
        )
        for action, text, tip in (
            ("pin", tr("Pin"), tr("Tune the selected tasks before all others")),
            ("boost", tr("Boost"), tr("Give the selected tasks more rounds")),
            ("freeze", tr("Freeze"), tr("Tune the selected tasks no more")),
            ("normal", tr("Back to normal"), tr("Undo pin, boost or freeze")),
        ):
            made = button(text, partial(self._steer, action), icon=action if action != "normal" else "", tip=tip)
            self.steer_buttons.append(made)
            self._steer_tips.append(tip)
            (first if action in ("pin", "boost") else second).addWidget(made)
            self.copy_button.choices.addAction(text, partial(self._copy, action))
        second.addWidget(self.copy_button)
        self.open_button = button(tr("Open schedules"), lambda: self.go_to.emit("schedule"), "primary")
        way_on.addStretch(1)
        way_on.addWidget(self.open_button)
        steering.row.addLayout(first, 1)
        steering.row.addLayout(second)
        parts.row.addWidget(steering, 1)
        parts.row.addLayout(way_on)
        return parts

    def steps(self) -> Iterator[None]:
        reader, run_id = self.workspace.reader, self.workspace.run_id
        tasks = reader.tasks(run_id) if reader and run_id is not None else []
        rows = narrowed(tasks, self.workspace.filter)
        self.pages.setCurrentIndex(1 if tasks else 0)
        self.tell_nothing()
        for part in (self.filter, self.steering):
            part.setVisible(bool(tasks))
        if reader is not None and run_id is not None:
            yield
            gains = reader.gains(run_id)
            for row in rows:
                row["gains"] = gains.get(row["id"], [])
            self._show_roofline(reader.profile(run_id), rows)
            yield
        self.model.show_rows(rows)
        self.table.choose(self.workspace.task_id)
        told = tr("Tasks: {shown} of {all}") if len(rows) != len(tasks) else tr("Tasks: {all}")
        awaited = tr("Taken up when this round has ended.") if self._awaits(tasks) else ""
        self.count.setText(" · ".join(filter(None, (told.format(shown=len(rows), all=len(tasks)), awaited))))
        self._show_given_up()
        hindrance = "" if self._steers else tr("Only a task of the run that is at work can be steered.")
        copying = self.copy_button, self.copy_button.accessibleName()
        for made, tip in (*zip(self.steer_buttons, self._steer_tips, strict=True), copying):
            made.setEnabled(not hindrance)
            made.setToolTip(hindrance or tip)

    def _show_given_up(self) -> None:
        """Why the chosen task is tuned no more, where it is not."""
        at = self.model.row_of(self.workspace.task_id)
        row = self.model.rows[at] if at >= 0 else {"quarantined": ""}
        self.given_up.setVisible(bool(row["quarantined"]))
        if row["quarantined"]:
            text = tr("{task} was given up: {reason}")
            self.given_up.setText(text.format(task=row["name"], reason=said(row["quarantined"])))

    def command_line(self) -> str:
        if self.workspace.run_id is None:
            return super().command_line()
        return lines.tasks_line(self.workspace.path, self.workspace.run_id)

    def left_out(self) -> Iterable[str]:
        return (self.roofline.thinned,)

    def finder(self) -> Finder | None:
        return self.filter if self.filter.isVisible() else None

    def _show_roofline(self, profile: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        self.limits.setText(_DOUBT if above_the_peak(rows) else _LIMITS)
        placed = [row for row in rows if row["intensity"] is not None and row["best_s"]]
        kernels = Kernels(
            tr("best schedules (larger: more of the time)"),
            [row["intensity"] for row in placed],
            [row["flops"] / row["best_s"] for row in placed],
            [row["id"] for row in placed],
            [row["name"] for row in placed],
            shares=[row["share"] or 0.0 for row in placed],
        )
        self.roofline.show_kernels(profile, [kernels], self.workspace.task_id)

    def _task_picked(self, task_id: int) -> None:
        self.workspace.select(task_id)

    def _open(self, row: dict[str, Any]) -> None:
        self.workspace.select(row["id"])
        self.go_to.emit("schedule")

    @property
    def _steers(self) -> bool:
        """The buttons act on the selected tasks: they are of the run at work, and in sight of who presses them."""
        return self.workspace.steers_shown and self.model.row_of(self.workspace.task_id) >= 0

    def _steering_commands(self, action: str) -> list[msg.Steer]:
        """Those of the selected tasks; none where none can be steered."""
        rows = self.table.selected_rows() if self._steers else ()
        return [msg.Steer(task_id=row["id"], action=action) for row in rows]  # type: ignore[arg-type]

    def _steer(self, action: str) -> None:
        for command in self._steering_commands(action):
            self.workspace.control(command)
            self._asked[command.task_id] = action
        self.refresh()

    def _copy(self, action: str) -> None:
        if commands := self._steering_commands(action):
            clipboard.copy("\n".join(lines.steer_line(self.workspace.path, command) for command in commands))

    def _awaits(self, tasks: list[dict[str, Any]]) -> bool:
        """The engine has not taken up yet how a task is to be steered."""
        steered = {row["id"]: row["steer"] for row in tasks} if self.workspace.steers_shown else {}
        waits = {task: action for task, action in self._asked.items() if steered.get(task, action) != action}
        self._asked = waits
        return bool(waits)
