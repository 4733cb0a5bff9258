"""Start: choose a model, where and how to tune it, and go."""

from __future__ import annotations

import json
import math
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from pruner_engine import units
from pruner_engine.jobs import messages as msg
from pruner_engine.resources import resource_dir
from pruner_engine.search.settings import SearchSettings
from pruner_studio import commands
from pruner_studio.pages.page import Page
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import Card, Pill, button, label
from pruner_studio.widgets.checks import CheckList
from pruner_studio.widgets.drop_area import DropArea
from pruner_studio.widgets.plan_form import PlanForm
from pruner_studio.widgets.recent import RecentCard
from pruner_studio.widgets.shapes import ShapeFields
from pruner_studio.workspace import Problem

MODEL_SUFFIXES = (".onnx", ".pt2", ".py")
DEMO = "samples/small-cnn.pruner"
_WORKLOADS = ("matmul:512,512,512", "conv2d:1,56,56,64,64,3,1,1", "depthwise:1,56,56,64,3,1,1", "softmax:64,1024")


class StartPage(Page):
    title = tr("Start")
    subtitle = tr("Choose a model, say where it shall run, and tune its kernels on this machine.")

    def build(self) -> None:
        self.model = ""
        self._asked = ""
        self._shapes: dict[str, list[int]] = {}  # of the run that is duplicated
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        inside = QWidget()
        inside.setObjectName("pageBody")
        scroll.setWidget(inside)
        columns = QHBoxLayout(inside)
        columns.setContentsMargins(0, 0, 4, 0)
        columns.setSpacing(16)
        left, right = QVBoxLayout(), QVBoxLayout()
        for side, stretch in ((left, 5), (right, 3)):
            side.setSpacing(14)
            columns.addLayout(side, stretch)
        left.addWidget(self._model_card())
        self.form = PlanForm()
        self.form.changed.connect(self._show_command)
        self.project, self.budget, self.budget_kind = self.form.project, self.form.budget, self.form.budget_kind
        left.addWidget(self.form)
        left.addStretch(1)
        self.recent = RecentCard(self.workspace.open, self.open_demo, self.workspace.problem.emit)
        right.addWidget(self.recent)
        right.addWidget(self._checks_card())
        right.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.column.addLayout(self._footer())
        self.set_model("")

    # ------------------------------------------------------------ parts

    def _model_card(self) -> Card:
        card = Card(tr("Model"))
        self.drop = DropArea(self.take_file, self.ask_for_model)
        card.body.addWidget(self.drop)
        row = QHBoxLayout()
        row.addWidget(label(tr("or a built-in workload"), "muted"))
        self.workload = QComboBox()
        self.workload.setEditable(True)
        self.workload.setAccessibleName(tr("Built-in workload"))
        self.workload.addItems(["", *_WORKLOADS])
        field = QLineEdit()
        field.setPlaceholderText(tr("matmul:512,512,512"))
        field.editingFinished.connect(self._take_workload)
        self.workload.setLineEdit(field)
        self.workload.activated.connect(lambda _: self._take_workload())
        row.addWidget(self.workload, 1)
        card.body.addLayout(row)
        self.samples = QHBoxLayout()
        self.samples.setSpacing(6)
        card.body.addLayout(self.samples)
        self._fill_samples()
        self.shapes = ShapeFields()
        self.shapes.changed.connect(self._show_command)
        card.body.addWidget(self.shapes)
        self.consent = QCheckBox(tr("Run this file: a TVMScript model is Python code, open only what you trust"))
        self.consent.setAccessibleName(tr("Consent to run the code of a TVMScript model"))
        self.consent.toggled.connect(lambda _: self._check_model())
        card.body.addWidget(self.consent)
        return card

    def _checks_card(self) -> Card:
        card = Card(tr("Pre-flight"))
        self.checks_state = Pill(tr("checking"), "info")
        card.head.addWidget(self.checks_state)
        self.checks = CheckList()
        card.body.addWidget(self.checks)
        row = QHBoxLayout()
        row.addWidget(button(tr("Check again"), self.check_machine, "link"))
        row.addStretch(1)
        card.body.addLayout(row)
        return card

    def _footer(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        self.command = label("", "mono")
        self.command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.command.setMinimumWidth(60)
        row.addWidget(self.command, 1)
        row.addWidget(button(tr("Copy as command"), lambda: commands.copy(self.command_line()), icon="copy"))
        self.tune = button(tr("Tune"), self.start, "primary", "play")
        self.tune.setMinimumWidth(120)
        row.addWidget(self.tune)
        return row

    # ------------------------------------------------------------ model

    def ask_for_model(self) -> None:
        patterns = " ".join(f"*{suffix}" for suffix in (*MODEL_SUFFIXES, ".pruner"))
        dialog = QFileDialog(
            self,
            tr("Choose a model or a project"),
            "",
            tr("Models and projects ({patterns});;All files (*)").format(patterns=patterns),
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take_file)
        dialog.open()

    def take_file(self, path: str) -> None:
        """A chosen or dropped file: a project is opened, a model is looked at."""
        if path.endswith(".pruner"):
            self.workspace.open(path)
        else:
            self.set_model(path)

    def _take_workload(self) -> None:
        text = self.workload.currentText().strip()
        if text and text != self.model:
            self.set_model(text)

    def set_model(self, model: str) -> None:
        """Choose a model by its path or a workload by its text."""
        self.model = model
        is_file = "." in Path(model).name and ":" not in Path(model).name
        if is_file or not model:
            self.workload.setEditText("")
        elif self.workload.currentText() != model:
            self.workload.setEditText(model)
        self.drop.name.setText((Path(model).name if is_file else model) or tr("Drop a model here"))
        if model:
            stem = Path(model).stem if is_file else model.replace(":", "-").replace(",", "x")
            self.project.setText(str(_project_folder() / f"{stem}.pruner"))
        self.consent.setVisible(model.endswith(".py"))
        self.consent.setChecked(False)
        self.shapes.show_inputs([])
        self._shapes = {}
        self.form.take_settings({})
        self._mark_sample()
        self._show_command()
        if model and not model.endswith(".py"):
            self._check_model()

    def _check_model(self) -> None:
        if not self.model or (self.model.endswith(".py") and not self.consent.isChecked()):
            return
        self._asked = self.model
        self.drop.about.setText(tr("Looking at the model…"))
        command = msg.CheckModel(model=self.model, allow_code=self.consent.isChecked())
        self.workspace.helper.ask(command, self._model_checked, self._model_refused)

    def _model_checked(self, reply: msg.ModelChecked) -> None:
        if reply.model != self.model:
            return
        names = ", ".join(f"{spec.name} {units.shape(spec.shape)} {spec.dtype}" for spec in reply.inputs)  # type: ignore[arg-type]
        self.drop.about.setText(
            f"{reply.kind} · {units.size(reply.bytes)} · {names}" if reply.bytes else f"{reply.kind} · {names}"
        )
        self.shapes.show_inputs(reply.inputs)
        self.shapes.fill(self._shapes)
        self._show_command()

    def _model_refused(self, failure: msg.Failed) -> None:
        self.drop.about.setText(failure.message)
        self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))

    def _fill_samples(self) -> None:
        self._sample_buttons: dict[str, QPushButton] = {}
        found = sorted(p for p in (resource_dir() / "models").glob("*") if p.suffix in (".onnx", ".pt2"))
        if found:
            self.samples.addWidget(label(tr("or a sample"), "muted"))
        for path in found:
            made = button(path.stem, partial(self.set_model, str(path)), "segment")
            made.setCheckable(True)
            self._sample_buttons[str(path)] = made
            made.setStyleSheet("border-radius: 6px; margin-left: 0;")
            made.setAccessibleName(tr("Sample model {name}").format(name=path.stem))
            self.samples.addWidget(made)
        self.samples.addStretch(1)

    def _mark_sample(self) -> None:
        for path, made in self._sample_buttons.items():
            made.setChecked(path == self.model)

    # ------------------------------------------------------------ plan

    def plan(self) -> msg.Tune:
        """The job as the page says it."""
        kind = self.budget_kind.current
        return msg.Tune(
            project=self.project.text().strip(),
            model=self.model,
            inputs=self.shapes.values(),
            target=self.form.target.currentText().strip() or "auto",
            strategy=self.form.strategy.currentData(),
            trials=self.budget.value() if kind == "trials" else None,
            minutes=float(self.budget.value()) if kind == "minutes" else None,
            seed=self.form.seed.value(),
            settings=self.form.settings,
            allow_code=self.consent.isChecked(),
        )

    def command_line(self) -> str:
        """The same job for a terminal."""
        return commands.tune_line(self.plan())

    def _show_command(self) -> None:
        ready = bool(self.model and self.project.text().strip() and self.shapes.complete())
        self.tune.setEnabled(ready and not self.workspace.job.running)
        self.command.setText(self.command_line() if self.model else tr("Choose a model to begin."))

    def start(self) -> None:
        plan = self.plan()
        Path(plan.project).expanduser().parent.mkdir(parents=True, exist_ok=True)
        self.workspace.start(plan)

    # ------------------------------------------------------------ machine

    def check_machine(self) -> None:
        """Run the pre-flight checks in the helper engine."""
        self.checks_state.show_state(tr("checking"), "info")
        self.workspace.helper.ask(msg.Doctor(), self._checked, self._check_failed)

    def _checked(self, report: msg.DoctorReport) -> None:
        self.checks.show_checks(report.checks)
        self.checks_state.show_state(tr("ready") if report.ok else tr("not ready"), "good" if report.ok else "bad")
        cpu = next((check.value for check in report.checks if check.name.lower().startswith("cpu")), "")
        self.form.tell_target(tr("auto is this machine: {cpu}").format(cpu=cpu) if cpu else "")

    def _check_failed(self, failure: msg.Failed) -> None:
        self.checks_state.show_state(tr("failed"), "bad")
        self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))

    def refresh(self) -> None:
        self._show_command()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self.recent, self.recent.refresh)  # the page is painted first

    # ------------------------------------------------------------ projects

    def open_demo(self) -> None:
        """Open a copy of the tuned sample: what ships stays as it is."""
        source = resource_dir() / DEMO
        copy = _project_folder() / f"demo-{source.name}"
        try:
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                shutil.copyfile(source, copy)
        except OSError as error:
            message = tr("The demonstration could not be copied to {place}: {why}.")
            told = message.format(place=copy, why=error.strerror)
            self.workspace.problem.emit(Problem(told, tr("Make room there, or set another project folder.")))
            return
        if self.workspace.open(copy) and self.workspace.reader is not None:
            best = min(self.workspace.reader.runs(), key=lambda run: run["latency_s"] or math.inf)
            self.workspace.choose_run(best["id"])

    def duplicate(self, run: dict[str, Any]) -> None:
        """Fill the page with the plan of a run, to change it and tune again into the same project."""
        defaults = json.loads(SearchSettings().as_json())
        changed = {name: value for name, value in run["settings"].items() if value != defaults.get(name)}
        self.set_model(run["source"])
        self._shapes = {spec["name"]: spec["shape"] for spec in run["inputs"]}
        self.form.target.setEditText(run["target"] or "auto")
        self.form.choose_strategy(run["strategy"])
        self.form.choose_budget(run["budget_trials"], run["budget_s"])
        self.form.seed.setValue(run["seed"])
        self.form.take_settings(changed)
        self.project.setText(self.workspace.path)


def _project_folder() -> Path:
    return Path(str(QSettings().value("projects", Path.home() / "pruner-projects")))
