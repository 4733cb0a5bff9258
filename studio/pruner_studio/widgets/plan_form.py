"""Where and how to tune: target, strategy, budget, seed, project file, settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_studio.models import settings
from pruner_studio.models.paths import is_folder
from pruner_studio.models.projects import SUFFIX, project_path
from pruner_studio.problem import Problem
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label, number, restyle
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.file_dialog import Take, ask_where_to_write
from pruner_studio.widgets.named_box import Named, NamedBox
from pruner_studio.widgets.path_field import PathField
from pruner_studio.widgets.plugin_files import PluginFiles
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.setting_fields import SettingFields
from pruner_studio.widgets.sight import show_below
from pruner_studio.widgets.tab_order import follow, stops_in
from pruner_studio.widgets.target_box import TargetBox

STRATEGIES = (
    Named("pruner", tr("Pruner: draft, then verify")),
    Named("moa-pruner", tr("MoA-Pruner: with a pre-trained model that adapts")),
    Named("metaschedule", tr("MetaSchedule: TVM's evolutionary search")),
    Named("ansor", tr("Ansor-like: learned model on every candidate")),
    Named("tenset-mlp", tr("TenSet MLP: offline model")),
    Named("tlp", tr("TLP: offline model on primitives")),
    Named("random", tr("Random search")),
)


class PlanForm(Card):
    """Fields of a new run.

    Signals:
        changed: any field has another value.

    Args:
        on_problem: takes what could not be read.
    """

    changed = Signal()

    def __init__(self, on_problem: Callable[[Problem], object]) -> None:
        super().__init__(tr("Plan"))
        self.target = TargetBox(on_problem)
        self.strategy = NamedBox(tr("Strategy"), STRATEGIES, tr("not built in: of a plugin"))
        self.seed = number(tr("Seed"), 0, 2**31 - 1, 0)
        self.seed.setMinimumWidth(110)
        self.seed.valueChanged.connect(self._tell)
        seed = QHBoxLayout()
        seed.addWidget(self.seed)
        seed.addStretch(1)
        project = PathField(tr("Project file"), _ask_for_project)
        self.project = project.line
        self.project.setPlaceholderText(tr("named after the model"))
        self.project.textChanged.connect(self._tell)
        self.plugins = PluginFiles()
        self.plugins.changed.connect(self._tell)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(18)
        self._form.setVerticalSpacing(10)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)  # of large letters, in a narrow window
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, part in (
            (tr("Target"), self._explained(self.target)), (tr("Strategy"), self._explained(self.strategy)),
            (tr("Budget"), self._budget()), (tr("Seed"), seed), (tr("Project file"), project),
            (tr("Plugins"), self.plugins), (tr("Settings"), self._settings()),
        ):  # fmt: skip
            self._form.addRow(label(name, "muted"), part)
        self.body.addLayout(self._form)

    def _explained(self, box: NamedBox) -> QVBoxLayout:
        """A choice, and below it what was chosen, or why it cannot be."""
        about = label("", "faint", wrap=True)

        def tell() -> None:
            hindrance = box.hindrance
            about.setText(hindrance or box.about)
            about.setVisible(bool(about.text()))
            restyle(about, role="warn" if hindrance else "faint")
            self.changed.emit()

        box.offered.connect(tell)
        box.currentTextChanged.connect(tell)
        tell()
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(box)
        column.addWidget(about)
        return column

    def _settings(self) -> QHBoxLayout:
        """What differs from the defaults, and what unfolds the fields below."""
        self.settings: dict[str, Any] = {}  # that differ from the defaults
        self.fields: SettingFields | None = None  # made when they are first asked for: there are many
        self.settings_note = label("", "faint", wrap=True, name=tr("Settings"))
        self.settings_button = button(tr("Change settings"), self._fold, "link")
        self.settings_button.setCheckable(True)
        self.defaults_button = button(tr("As by default"), lambda: self.take_settings({}), "link")
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.settings_note, 1)
        for part in (self.defaults_button, self.settings_button):
            row.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        self._tell_settings()
        return row

    def _fold(self) -> None:
        shown = self.settings_button.isChecked()
        if self.fields is None:
            self.fields = SettingFields()
            self.fields.show_settings(settings.whole(self.settings))
            self.fields.changed.connect(self._settings_changed)
            self.body.addWidget(self.fields)
            follow(self.settings_button, stops_in(self.fields))
        self.fields.setVisible(shown)
        if shown:  # once there is room made for them
            QTimer.singleShot(0, self.fields, partial(show_below, self.settings_button, self.fields))
        told = tr("Hide settings") if shown else tr("Change settings")
        self.settings_button.setText(told)
        self.settings_button.setAccessibleName(told)

    def _settings_changed(self) -> None:
        assert self.fields is not None
        self.settings = settings.changes(self.fields.given())
        self._tell_settings()

    def take_settings(self, taken: dict[str, Any]) -> None:
        """Those of a run, as by default where it has none.

        Raises:
            UserError: a setting is unknown or out of range; all stay as they were.
        """
        given = settings.whole(taken)
        self.settings = settings.changes(given)
        if self.fields is not None:
            self.fields.show_settings(given)
        self._tell_settings()

    def _tell_settings(self) -> None:
        told = ", ".join(f"{name} = {_shown(value)}" for name, value in self.settings.items())
        self.settings_note.setText(told or tr("as by default"))
        self.defaults_button.setVisible(bool(told))
        self.target.measure_on_boards("rpc" in self.settings)
        self.changed.emit()

    def _budget(self) -> Columns:
        self.budget_kind = Segments(
            tr("Budget"), (("trials", tr("Trials")), ("minutes", tr("Minutes")), ("gain", tr("Until no more gain")))
        )
        self.budget_kind.chosen.connect(self._budget_kind_chosen)
        self._amounts = {"trials": 200, "minutes": 10}  # of each kind, as it was left
        self._kind = "trials"
        self._taken: tuple[int | None, float | None] | None = None  # budgets of the run that is duplicated
        self.budget_note = label("", "faint")
        self.budget = number(tr("Budget amount"), 1, 1_000_000, 200)
        self.budget.setMinimumWidth(110)
        self.budget.valueChanged.connect(self._budget_changed)
        parts, amount = Columns(0), QHBoxLayout()
        for row in (parts.row, amount):
            row.setSpacing(10)
        amount.addWidget(self.budget)
        amount.addWidget(self.budget_note)
        amount.addStretch(1)
        parts.row.addWidget(self.budget_kind)
        parts.row.addLayout(amount, 1)
        return parts

    def budgets(self) -> tuple[int | None, float | None]:
        """Trials and minutes; those of a run that is duplicated as they were, until something else is chosen."""
        if self._taken is not None:
            return self._taken
        kind, amount = self.budget_kind.current, self.budget.value()
        return amount if kind == "trials" else None, float(amount) if kind == "minutes" else None

    def _budget_changed(self, *_: object) -> None:
        self._taken = None
        self.budget_note.setText("")
        self.changed.emit()

    def _tell(self, *_: object) -> None:
        self.changed.emit()

    def _budget_kind_chosen(self, kind: str) -> None:
        if kind == self._kind:
            return
        self._amounts[self._kind] = self.budget.value()
        self._kind = kind
        self.budget.setVisible(kind != "gain")
        self.budget.setValue(self._amounts.get(kind, self.budget.value()))
        self._budget_changed()

    def choose_budget(self, trials: int | None, seconds: float | None) -> None:
        """The budgets of a run, in full: where the fields cannot say them, a note does."""
        kind = "trials" if trials else "minutes" if seconds else "gain"
        self.budget_kind.choose(kind)
        self._budget_kind_chosen(kind)
        if trials or seconds:
            self.budget.setValue(trials or max(1, round((seconds or 0) / 60)))
        self._budget_changed()
        if seconds and (trials or seconds % 60):
            self._taken = trials, seconds / 60
            told = tr("and no more than {time}") if trials else tr("exactly {time}")
            self.budget_note.setText(told.format(time=units.duration(seconds)))
            self.changed.emit()

    def hindrance(self) -> str:
        """Why no run can be made of what the fields say; empty where one can."""
        path = project_path(self.project.text())
        named = Path(path).suffix == SUFFIX and not is_folder(path)
        unnamed = "" if named else tr("Name a project file.")
        return self.target.hindrance or settings.hindrance(self.settings) or self.plugins.hindrance() or unnamed


def _ask_for_project(parent: QWidget, title: str, place: str, take: Take) -> None:
    """A project takes further runs."""
    ask_where_to_write(parent, title, place, take, tr("Projects (*.pruner)"), suffix=SUFFIX[1:], goes_on=True)


def _shown(value: Any) -> str:
    """As a terminal takes it."""
    return ", ".join(value) if isinstance(value, list) else str(value)
