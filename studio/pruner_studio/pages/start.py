"""Start: choose a model, where and how to tune it, and go."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSpacerItem, QVBoxLayout

from pruner_engine import protocol as msg
from pruner_engine.errors import UserError
from pruner_engine.jobs import lines
from pruner_engine.model_names import stem_of
from pruner_studio import background, clipboard
from pruner_studio.help import Term, terms
from pruner_studio.models.projects import SUFFIX, copy_of_demo, project_folder, project_path
from pruner_studio.models.stored import model_of
from pruner_studio.pages.page import Page
from pruner_studio.problem import Problem
from pruner_studio.reasons import reason_of
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label, restyle
from pruner_studio.widgets.model_card import ModelCard
from pruner_studio.widgets.plan_form import PlanForm
from pruner_studio.widgets.preflight import Preflight
from pruner_studio.widgets.recent import RecentCard
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.tab_order import lead_to

_SIDE_BY_SIDE = 760  # pixels from which on the last projects stand beside the plan


class StartPage(Page):
    """The plan of a new run, recent projects, and the checks of this machine."""

    title = tr("Start")
    subtitle = tr("Choose a model, say where it shall run, and tune its kernels on this machine.")

    def build(self) -> Iterable[None]:
        self._duplicated: msg.Tune | None = None  # the plan whose model is being taken from its project
        inside = Columns(_SIDE_BY_SIDE)
        self.add_scrolled(inside)
        inside.row.setContentsMargins(0, 0, 0, 0)
        inside.turned.connect(self._place_recent)
        left, right = self._sides = QVBoxLayout(), QVBoxLayout()
        for side, stretch in ((left, 5), (right, 3)):
            side.setSpacing(14)
            inside.row.addLayout(side, stretch)
        self.model_card = ModelCard(self.workspace)
        self.drop, self.shapes, self.consent = self.model_card.drop, self.model_card.shapes, self.model_card.consent
        self.set_model = self.model_card.set_model
        left.addWidget(self.model_card)
        self.form = PlanForm(self.workspace.problem.emit)
        self.form.changed.connect(self._show_command)
        self.form.plugins.changed.connect(self._plugins_changed)
        self.project = self.form.project
        left.addWidget(self.form)
        left.addStretch(1)
        self.recent = RecentCard(self.workspace.open, self.open_demo, self.workspace.problem.emit)
        right.addWidget(self.recent)
        self.preflight = Preflight(self.workspace)
        right.addWidget(self.preflight)
        right.addStretch(1)
        # As wide as the last projects, while they stand in the other column: else both would stand side by side again
        self._room_of_recent = QSpacerItem(0, 0)
        right.addItem(self._room_of_recent)
        self.hindrance = label("", "faint", cut=True)
        self.hindrance.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.column.addWidget(self.hindrance)
        self.column.addLayout(self._footer())
        self.workspace.helpers.busy_changed.connect(self._show_command)
        self.model_card.chosen.connect(self._model_chosen)
        self.model_card.changed.connect(self._show_command)
        self.set_model("")
        return ()

    # ------------------------------------------------------------ parts

    def _place_recent(self, narrow: bool) -> None:
        """On a small screen the last projects stand above the plan, which takes more than a screen by itself."""
        left, right = self._sides
        (right if narrow else left).removeWidget(self.recent)
        (left if narrow else right).insertWidget(1 if narrow else 0, self.recent)
        self._room_of_recent.changeSize(self.recent.minimumSizeHint().width() if narrow else 0, 0)
        right.invalidate()
        lead_to(self.form.target if narrow else self.preflight.again, self.recent.stops())

    def _footer(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        self.command = label("", "mono", cut=True)
        row.addWidget(self.command, 1)
        self.copy = button(tr("Copy as command"), lambda: clipboard.copy(self.command_line()), icon="copy")
        row.addWidget(self.copy)
        self.tune = button(tr("Tune"), self.start, "primary", "play")
        self.tune.setMinimumWidth(120)
        row.addWidget(self.tune)
        return row

    # ------------------------------------------------------------ model

    def ask_for_model(self) -> None:
        self.model_card.ask_for_model()

    def take_file(self, path: str) -> None:
        """A project is opened, a model is looked at."""
        self.model_card.take_file(path)

    def _model_chosen(self) -> None:
        self._duplicated = None
        if self.model_card.model:
            self.project.setText(str(project_folder() / f"{stem_of(self.model_card.model)}{SUFFIX}"))
        self._show_command()

    # ------------------------------------------------------------ plan

    def plan(self) -> msg.Tune:
        """The job as the page says it."""
        trials, minutes = self.form.budgets()
        fixed = self.model_card.fixed.values()
        return msg.Tune(
            project=project_path(self.project.text()),
            model=self.model_card.model,
            inputs=self.shapes.values(),
            target=self.form.target.chosen or "auto",
            strategy=self.form.strategy.chosen or "pruner",
            trials=trials,
            minutes=minutes,
            seed=self.form.seed.value(),
            settings=self.form.settings | ({"fixed": fixed} if fixed else {}),
            plugins=self.form.plugins.agreed(),
            allow_code=self.consent.isChecked(),
        )

    def _plugins_changed(self) -> None:
        """A run that is gone on with, and questions about its schedules, may need them as well."""
        self.workspace.plugins = self.form.plugins.agreed()

    def terms(self) -> list[Term]:
        """The settings, folded or not."""
        return [term for name, term in terms().items() if name.startswith("setting.")]

    def command_line(self) -> str:
        """The same job for a terminal; empty before a model is chosen."""
        return lines.tune_line(self.plan()) if self.model_card.model else ""

    def _show_command(self) -> None:
        hindrance = self._hindrance()
        self.copy.setEnabled(bool(self.model_card.model))
        self.tune.setEnabled(bool(self.model_card.model) and not hindrance)
        self.tune.setToolTip(hindrance)
        self.hindrance.setText(hindrance)
        self.hindrance.setVisible(bool(hindrance))
        self.command.setText(self.command_line() or tr("Choose a model to begin."))
        restyle(self.command, role="mono" if self.model_card.model else "faint")
        self.line_changed.emit()

    def _hindrance(self) -> str:
        """Why the model that is chosen cannot be tuned now; empty where it can."""
        if self._duplicated is not None:
            return tr("The model is being taken from the project.")
        if not self.model_card.model:
            return ""
        if self.workspace.job.running:
            return tr("A job is running: tune when it has ended.")
        return self.workspace.helpers.hindrance() or self._lack()

    def _lack(self) -> str:
        """What the plan lacks; empty where it is complete."""
        if not self.model_card.known:
            return self.drop.about.text()  # it is looked at, waits for consent, or was refused
        if not self.shapes.complete():
            return tr("Give every open dimension a size.")
        return self.form.hindrance()

    def start(self) -> None:
        plan = self.plan()
        folder = Path(plan.project).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            told = tr("The folder {folder} cannot be made: {reason}.").format(folder=folder, reason=reason_of(error))
            self.workspace.problem.emit(Problem(told, tr("Choose another place for the project file.")))
            return
        self.workspace.start(plan)

    def steps(self) -> Iterable[None]:
        self._show_command()
        return ()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._look_around)  # the page is painted first

    def _look_around(self) -> None:
        self.recent.refresh()
        self.form.target.refresh()

    # ------------------------------------------------------------ projects

    def open_demo(self) -> None:
        """Open a copy of the tuned sample: what ships stays as it is."""
        try:
            copy = copy_of_demo()
        except UserError as error:
            self.workspace.problem.emit(Problem(error.message, error.hint))
            return
        if self.workspace.open(copy) and self.workspace.reader is not None:
            best = min(self.workspace.reader.runs(), key=lambda run: run["latency_s"] or math.inf)
            self.workspace.choose_run(best["id"])

    def duplicate(self, run: dict[str, Any]) -> None:
        """Fill the page with the plan of a run, to change it and tune again into the same project."""
        self._duplicated = plan = lines.plan_of(run, self.workspace.path)
        self._show_command()

        def found(model: str) -> None:
            if self._duplicated is plan:  # nobody has chosen another model meanwhile
                try:
                    self._fill(run, plan, model)
                except UserError as error:
                    failed(Problem(error.message, error.hint))

        def failed(problem: Problem) -> None:
            if self._duplicated is plan:
                self._duplicated = None
                self._show_command()
            self.workspace.problem.emit(problem)

        background.run(self, lambda: model_of(run, plan.project), found, failed)

    def _fill(self, run: dict[str, Any], plan: msg.Tune, model: str) -> None:
        """Show the plan of a run, with the model that is there for it.

        Raises:
            UserError: its settings are none of this version.
        """
        fixed = plan.settings.pop("fixed", ())
        self.form.take_settings(plan.settings)
        self.set_model(model, plan.inputs, fixed)
        self.form.target.choose(plan.target)
        self.form.strategy.choose(plan.strategy)
        self.form.choose_budget(run["budget_trials"], run["budget_s"])
        self.form.seed.setValue(plan.seed)
        self.project.setText(plan.project)
