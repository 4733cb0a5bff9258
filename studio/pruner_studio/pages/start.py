"""Start: choose a model, where and how to tune it, and go."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
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
from pruner_studio.pages.page import Page
from pruner_studio.widgets.basic import Card, Pill, Segments, button, clear, label, number, restyle
from pruner_studio.widgets.checks import CheckList
from pruner_studio.widgets.shapes import ShapeFields
from pruner_studio.workspace import Problem, recent

MODEL_SUFFIXES = (".onnx", ".pt2", ".py")
_STRATEGIES = (
    ("pruner", "Pruner: draft, then verify"),
    ("moa-pruner", "MoA-Pruner: with a pre-trained model that adapts"),
    ("metaschedule", "MetaSchedule: TVM's evolutionary search"),
    ("ansor", "Ansor-like: learned model on every candidate"),
    ("tenset-mlp", "TenSet MLP: offline model"),
    ("tlp", "TLP: offline model on primitives"),
    ("random", "Random search"),
)
_WORKLOADS = ("matmul:512,512,512", "conv2d:1,56,56,64,64,3,1,1", "depthwise:1,56,56,64,3,1,1", "softmax:64,1024")


class _DropArea(QFrame):
    """Takes a dropped model or project file."""

    def __init__(self, page: StartPage) -> None:
        super().__init__()
        self._page = page
        self.setProperty("role", "drop")
        self.setAcceptDrops(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 18, 16, 18)
        column.setSpacing(6)
        self.name = label("Drop a model here", "heading")
        self.about = label(
            "ONNX (.onnx), torch.export (.pt2), TVMScript (.py), or a project (.pruner)", "faint", wrap=True
        )
        row = QHBoxLayout()
        self.choose = button("Choose a file…", page.ask_for_model, icon="folder")
        row.addStretch(1)
        row.addWidget(self.choose)
        row.addStretch(1)
        for part in (self.name, self.about):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part)
        column.addLayout(row)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            restyle(self, over=True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        restyle(self, over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        restyle(self, over=False)
        self._page.take_file(event.mimeData().urls()[0].toLocalFile())


class StartPage(Page):
    title = "Start"
    subtitle = "Choose a model, say where it shall run, and tune its kernels on this machine."

    def build(self) -> None:
        self.model = ""
        self._asked = ""
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
        left.addWidget(self._plan_card())
        left.addStretch(1)
        right.addWidget(self._recent_card())
        right.addWidget(self._checks_card())
        right.addStretch(1)
        self.column.addWidget(scroll, 1)
        self.column.addLayout(self._footer())
        self.set_model("")

    # ------------------------------------------------------------ parts

    def _model_card(self) -> Card:
        card = Card("Model")
        self.drop = _DropArea(self)
        card.body.addWidget(self.drop)
        row = QHBoxLayout()
        row.addWidget(label("or a built-in workload", "muted"))
        self.workload = QComboBox()
        self.workload.setEditable(True)
        self.workload.setAccessibleName("Built-in workload")
        self.workload.addItems(["", *_WORKLOADS])
        field = QLineEdit()
        field.setPlaceholderText("matmul:512,512,512")
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
        self.consent = QCheckBox("Run this file: a TVMScript model is Python code, open only what you trust")
        self.consent.setAccessibleName("Consent to run the code of a TVMScript model")
        self.consent.toggled.connect(lambda _: self._check_model())
        card.body.addWidget(self.consent)
        return card

    def _plan_card(self) -> Card:
        card = Card("Plan")
        form = QFormLayout()
        form.setHorizontalSpacing(18)
        form.setVerticalSpacing(10)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.target = QComboBox()
        self.target.setAccessibleName("Target")
        self.target.setEditable(True)
        self.target.addItem("auto")
        self.target.currentTextChanged.connect(lambda _: self._show_command())
        self.target_note = label("", "faint")
        self.strategy = QComboBox()
        self.strategy.setAccessibleName("Strategy")
        for key, text in _STRATEGIES:
            self.strategy.addItem(text, key)
        self.strategy.currentIndexChanged.connect(lambda _: self._show_command())
        self.budget_kind = Segments(
            "Budget", (("trials", "Trials"), ("minutes", "Minutes"), ("gain", "Until no more gain"))
        )
        self.budget_kind.chosen.connect(self._budget_kind_chosen)
        self.budget = number("Budget amount", 1, 1_000_000, 200)
        self.budget.setMinimumWidth(110)
        self.budget.valueChanged.connect(lambda _: self._show_command())
        budget = QHBoxLayout()
        budget.setSpacing(10)
        budget.addWidget(self.budget_kind)
        budget.addWidget(self.budget)
        budget.addStretch(1)
        self.seed = number("Seed", 0, 2**31 - 1, 0)
        self.seed.setMinimumWidth(110)
        self.seed.valueChanged.connect(lambda _: self._show_command())
        seed = QHBoxLayout()
        seed.addWidget(self.seed)
        seed.addStretch(1)
        self.project = QLineEdit()
        self.project.setAccessibleName("Project file")
        self.project.textChanged.connect(lambda _: self._show_command())
        project = QHBoxLayout()
        project.setSpacing(8)
        project.addWidget(self.project, 1)
        project.addWidget(button("Change…", self._ask_for_project))
        for name, part in (
            ("Target", self.target), ("", self.target_note), ("Strategy", self.strategy), ("Budget", budget),
            ("Seed", seed), ("Project file", project),
        ):  # fmt: skip
            form.addRow(label(name, "muted"), part)
        form.setRowVisible(1, False)
        self._form = form
        card.body.addLayout(form)
        return card

    def _recent_card(self) -> Card:
        card = Card("Recent projects")
        self.recent = QVBoxLayout()
        self.recent.setSpacing(2)
        card.body.addLayout(self.recent)
        return card

    def _checks_card(self) -> Card:
        card = Card("Pre-flight")
        self.checks_state = Pill("checking", "info")
        card.head.addWidget(self.checks_state)
        self.checks = CheckList()
        card.body.addWidget(self.checks)
        row = QHBoxLayout()
        row.addWidget(button("Check again", self.check_machine, "link"))
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
        row.addWidget(
            button("Copy as command", lambda: QGuiApplication.clipboard().setText(self.command_line()), icon="copy")
        )
        self.tune = button("Tune", self.start, "primary", "play")
        self.tune.setMinimumWidth(120)
        row.addWidget(self.tune)
        return row

    # ------------------------------------------------------------ model

    def ask_for_model(self) -> None:
        patterns = " ".join(f"*{suffix}" for suffix in (*MODEL_SUFFIXES, ".pruner"))
        dialog = QFileDialog(
            self, "Choose a model or a project", "", f"Models and projects ({patterns});;All files (*)"
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
        self.drop.name.setText((Path(model).name if is_file else model) or "Drop a model here")
        if model:
            stem = Path(model).stem if is_file else model.replace(":", "-").replace(",", "x")
            self.project.setText(str(_project_folder() / f"{stem}.pruner"))
        self.consent.setVisible(model.endswith(".py"))
        self.consent.setChecked(False)
        self.shapes.show_inputs([])
        self._mark_sample()
        self._show_command()
        if model and not model.endswith(".py"):
            self._check_model()

    def _check_model(self) -> None:
        if not self.model or (self.model.endswith(".py") and not self.consent.isChecked()):
            return
        self._asked = self.model
        self.drop.about.setText("Looking at the model…")
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
        self._show_command()

    def _model_refused(self, failure: msg.Failed) -> None:
        self.drop.about.setText(failure.message)
        self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))

    def _fill_samples(self) -> None:
        self._sample_buttons: dict[str, QPushButton] = {}
        found = sorted(p for p in (resource_dir() / "models").glob("*") if p.suffix in (".onnx", ".pt2"))
        if found:
            self.samples.addWidget(label("or a sample", "muted"))
        for path in found:
            made = button(path.stem, partial(self.set_model, str(path)), "segment")
            made.setCheckable(True)
            self._sample_buttons[str(path)] = made
            made.setStyleSheet("border-radius: 6px; margin-left: 0;")
            made.setAccessibleName(f"Sample model {path.stem}")
            self.samples.addWidget(made)
        self.samples.addStretch(1)

    def _mark_sample(self) -> None:
        for path, made in self._sample_buttons.items():
            made.setChecked(path == self.model)

    # ------------------------------------------------------------ plan

    def _budget_kind_chosen(self, kind: str) -> None:
        self.budget.setVisible(kind != "gain")
        self.budget.setValue({"trials": 200, "minutes": 10}.get(kind, self.budget.value()))
        self._show_command()

    def _ask_for_project(self) -> None:
        dialog = QFileDialog(self, "Project file", self.project.text(), "Projects (*.pruner)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # a project takes further runs
        dialog.setDefaultSuffix("pruner")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.project.setText)
        dialog.open()

    def plan(self) -> msg.Tune:
        """The job as the page says it."""
        kind = self.budget_kind.current
        return msg.Tune(
            project=self.project.text().strip(),
            model=self.model,
            inputs=self.shapes.values(),
            target=self.target.currentText().strip() or "auto",
            strategy=self.strategy.currentData(),
            trials=self.budget.value() if kind == "trials" else None,
            minutes=float(self.budget.value()) if kind == "minutes" else None,
            seed=self.seed.value(),
            allow_code=self.consent.isChecked(),
        )

    def command_line(self) -> str:
        """The same job for a terminal."""
        return tune_command(self.plan())

    def _show_command(self) -> None:
        ready = bool(self.model and self.project.text().strip() and self.shapes.complete())
        self.tune.setEnabled(ready and not self.workspace.job.running)
        self.command.setText(self.command_line() if self.model else "Choose a model to begin.")

    def start(self) -> None:
        plan = self.plan()
        Path(plan.project).expanduser().parent.mkdir(parents=True, exist_ok=True)
        self.workspace.start(plan)

    # ------------------------------------------------------------ machine

    def check_machine(self) -> None:
        """Run the pre-flight checks in the helper engine."""
        self.checks_state.show_state("checking", "info")
        self.workspace.helper.ask(msg.Doctor(), self._checked, self._check_failed)

    def _checked(self, report: msg.DoctorReport) -> None:
        self.checks.show_checks(report.checks)
        self.checks_state.show_state("ready" if report.ok else "not ready", "good" if report.ok else "bad")
        cpu = next((check.value for check in report.checks if check.name.lower().startswith("cpu")), "")
        self.target_note.setText(f"auto is this machine: {cpu}")
        self._form.setRowVisible(1, bool(cpu))

    def _check_failed(self, failure: msg.Failed) -> None:
        self.checks_state.show_state("failed", "bad")
        self.workspace.problem.emit(Problem(failure.message, failure.hint, failure.report))

    def refresh(self) -> None:
        self._show_command()
        clear(self.recent)
        paths = recent()
        if not paths:
            self.recent.addWidget(label("Projects that you tune or open are listed here.", "faint", wrap=True))
        for path in paths[:6]:
            made = button(Path(path).stem, partial(self.workspace.open, path), "row", "file", path)
            made.setAccessibleName(f"Open recent project {Path(path).name}")
            made.setText(f"{Path(path).stem}    {units.moment(Path(path).stat().st_mtime)}")
            self.recent.addWidget(made)


def tune_command(plan: msg.Tune) -> str:
    """The `pruner` line of a job."""
    words: list[Any] = ["pruner", "tune", plan.model]
    for name, shape in plan.inputs.items():
        words += ["--input", f"{name}={','.join(map(str, shape))}"]
    for flag, value, default in (
        ("--target", plan.target, "auto"), ("--strategy", plan.strategy, "pruner"), ("--trials", plan.trials, None),
        ("--minutes", plan.minutes, None), ("--seed", plan.seed, 0), ("--project", plan.project, ""),
    ):  # fmt: skip
        if value != default:
            words += [flag, f"{value:g}" if isinstance(value, float) else value]
    if plan.allow_code:
        words.append("--allow-code")
    return shlex.join(str(word) for word in words)


def _project_folder() -> Path:
    return Path(str(QSettings().value("projects", Path.home() / "pruner-projects")))
