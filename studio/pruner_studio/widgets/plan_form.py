"""Where and how to tune: target, strategy, budget, seed, project file, settings that were taken over."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QFormLayout, QHBoxLayout, QLineEdit

from pruner_engine import units
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Card, Segments, button, label, number
from pruner_studio.widgets.wheel import leave_wheel

STRATEGIES = (
    ("pruner", tr("Pruner: draft, then verify")),
    ("moa-pruner", tr("MoA-Pruner: with a pre-trained model that adapts")),
    ("metaschedule", tr("MetaSchedule: TVM's evolutionary search")),
    ("ansor", tr("Ansor-like: learned model on every candidate")),
    ("tenset-mlp", tr("TenSet MLP: offline model")),
    ("tlp", tr("TLP: offline model on primitives")),
    ("random", tr("Random search")),
)


class PlanForm(Card):
    """Fields of a new run.

    Signals:
        changed: any field has another value.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Plan"))
        self.settings: dict[str, Any] = {}  # of the run that is duplicated
        self.target = QComboBox()
        self.target.setAccessibleName(tr("Target"))
        self.target.setEditable(True)
        leave_wheel(self.target)
        self.target.addItem("auto")
        self.target.currentTextChanged.connect(self._tell)
        self.target_note = label("", "faint")
        self.strategy = QComboBox()
        self.strategy.setAccessibleName(tr("Strategy"))
        leave_wheel(self.strategy)
        for key, text in STRATEGIES:
            self.strategy.addItem(text, key)
        self.strategy.currentIndexChanged.connect(self._tell)
        self.seed = number(tr("Seed"), 0, 2**31 - 1, 0)
        self.seed.setMinimumWidth(110)
        self.seed.valueChanged.connect(self._tell)
        seed = QHBoxLayout()
        seed.addWidget(self.seed)
        seed.addStretch(1)
        self.project = QLineEdit()
        self.project.setAccessibleName(tr("Project file"))
        self.project.setPlaceholderText(tr("named after the model"))
        self.project.textChanged.connect(self._tell)
        project = QHBoxLayout()
        project.setSpacing(8)
        project.addWidget(self.project, 1)
        project.addWidget(button(tr("Change…"), self._ask_for_project))
        self.settings_note = label("", "faint", wrap=True)
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(18)
        self._form.setVerticalSpacing(10)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, part in (
            (tr("Target"), self.target), ("", self.target_note), (tr("Strategy"), self.strategy),
            (tr("Budget"), self._budget()), (tr("Seed"), seed), (tr("Project file"), project),
            (tr("Settings"), self.settings_note),
        ):  # fmt: skip
            self._form.addRow(label(name, "muted"), part)
        self._form.setRowVisible(1, False)
        self._form.setRowVisible(6, False)
        self.body.addLayout(self._form)

    def _budget(self) -> QHBoxLayout:
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
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.budget_kind)
        row.addWidget(self.budget)
        row.addWidget(self.budget_note)
        row.addStretch(1)
        return row

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

    def _ask_for_project(self) -> None:
        dialog = QFileDialog(self, tr("Project file"), self.project.text(), tr("Projects (*.pruner)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # a project takes further runs
        dialog.setDefaultSuffix("pruner")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.project.setText)
        dialog.open()

    def tell_target(self, note: str) -> None:
        """What `auto` is here."""
        self.target_note.setText(note)
        self._form.setRowVisible(1, bool(note))

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

    def choose_strategy(self, key: str) -> None:
        """One of a plugin is added to the list."""
        if self.strategy.findData(key) < 0:
            self.strategy.addItem(key, key)
        self.strategy.setCurrentIndex(self.strategy.findData(key))

    def take_settings(self, settings: dict[str, Any]) -> None:
        """Settings that differ from the defaults, shown as they are."""
        self.settings = settings
        self.settings_note.setText(", ".join(f"{name} = {value}" for name, value in settings.items()))
        self._form.setRowVisible(6, bool(settings))
        self.changed.emit()
