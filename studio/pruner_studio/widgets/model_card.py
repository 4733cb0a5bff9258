"""The model to tune: a file, a built-in workload or a sample; the engine looks at it as soon as it is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QPushButton

from pruner_engine import protocol as msg
from pruner_engine import units
from pruner_engine.model_names import KINDS as KINDS_OF_FILES
from pruner_engine.model_names import kind_of_file
from pruner_engine.resources import resource_dir
from pruner_studio.dropping import one_of
from pruner_studio.models.paths import is_file, is_folder, is_hidden
from pruner_studio.models.projects import SUFFIX, is_project
from pruner_studio.problem import Problem
from pruner_studio.said import said
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, label
from pruner_studio.widgets.cards import Card
from pruner_studio.widgets.completion import complete_in_a_list
from pruner_studio.widgets.drop_area import KINDS, DropArea
from pruner_studio.widgets.file_dialog import ask_for_file
from pruner_studio.widgets.fixed_inputs import FixedInputs
from pruner_studio.widgets.shapes import ShapeFields
from pruner_studio.widgets.wheel import leave_wheel
from pruner_studio.workspace import Workspace

WORKLOADS = (  # that are offered; the engine knows more, of any size
    "matmul:512,512,512", "dense:128,3072,768", "bmm:12,128,128,64", "conv2d:1,64,56,56,64,3",
    "conv2d:1,256,14,14,256,3,layout=NHWC", "depthwise:1,144,56,56,3", "softmax:256,1024", "layernorm:128,768",
)  # fmt: skip

_FOLDER = "models"  # setting that keeps where the last file was chosen
_FEWEST = 18  # letters of a workload that are always in sight


class ModelCard(Card):
    """The model of a plan: its file or workload, and the sizes that it leaves open.

    Signals:
        chosen: another model, or none.
        changed: its open dimensions have other values, or the engine is asked or has told about it.

    Attributes:
        known: the engine takes the model as it is chosen here, so that its open dimensions are all asked for.
    """

    chosen = Signal()
    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(tr("Model"))
        self.workspace = workspace
        self.model = ""
        self.known = False
        self._asked = 0
        self._refusal: Problem | None = None  # of the model that is chosen now
        self._known_shapes: dict[str, list[int]] = {}  # of the run that is duplicated
        self._known_values: Sequence[str] = ()  # of its inputs
        self.drop = DropArea(lambda files: self.take_file(one_of(files, workspace.problem.emit)), self.ask_for_model)
        self.body.addWidget(self.drop)
        row = QHBoxLayout()
        row.addWidget(label(tr("or a built-in workload"), "muted"))
        self.workload = QComboBox()
        self.workload.setEditable(True)
        self.workload.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.workload.setMinimumContentsLength(_FEWEST)
        leave_wheel(self.workload)
        self.workload.setAccessibleName(tr("Built-in workload"))
        self.workload.addItems(["", *WORKLOADS])
        field = QLineEdit()
        field.setPlaceholderText(tr("matmul:512,512,512"))
        field.editingFinished.connect(self._take_workload)
        self.workload.setLineEdit(field)
        complete_in_a_list(self.workload)
        self.workload.activated.connect(lambda _: self._take_workload())
        row.addWidget(self.workload, 1)
        self.body.addLayout(row)
        self._samples: dict[str, QPushButton] = {}
        self.body.addLayout(self._sample_row())
        self.shapes = ShapeFields()
        self.shapes.changed.connect(self.changed)
        self.body.addWidget(self.shapes)
        self.fixed = FixedInputs()
        self.fixed.changed.connect(self.changed)
        self.body.addWidget(self.fixed)
        self.consent = QCheckBox(tr("Run this file"))
        self.consent.setAccessibleName(tr("Consent to run the code of a TVMScript model"))
        self.consent.toggled.connect(lambda _: self._check())
        self.body.addWidget(self.consent)
        self.risk = label(tr("A TVMScript model is Python code: open only what you trust."), "muted", wrap=True)
        self.body.addWidget(self.risk)
        workspace.asked_again.connect(self._ask_again)

    def _sample_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        found = sorted(p for p in (resource_dir() / "models").glob("*") if p.suffix in (".onnx", ".pt2"))
        if found:
            row.addWidget(label(tr("or a sample"), "muted"))
        for path in found:
            made = button(path.stem, partial(self.set_model, str(path)), "segment")
            made.setCheckable(True)
            made.setStyleSheet("border-radius: 6px; margin-left: 0;")
            made.setAccessibleName(tr("Sample model {name}").format(name=path.stem))
            self._samples[str(path)] = made
            row.addWidget(made)
        row.addStretch(1)
        return row

    @property
    def _is_file(self) -> bool:
        return kind_of_file(self.model) is not None or is_file(self.model)

    @property
    def _is_script(self) -> bool:
        """Reading it runs the code in it."""
        return kind_of_file(self.model) == "tvmscript"

    # ------------------------------------------------------------ choosing

    def ask_for_model(self) -> None:
        """Ask for a file, in the folder where one was chosen last."""
        patterns = " ".join(f"*{suffix}" for suffix in (*KINDS_OF_FILES, SUFFIX))
        kinds = tr("Models and projects ({patterns});;All files (*)").format(patterns=patterns)
        kept = str(QSettings().value(_FOLDER, ""))
        place = kept if is_folder(kept) else ""
        ask_for_file(self, tr("Choose a model or a project"), place, self._take_chosen, kinds)

    def _take_chosen(self, path: str) -> None:
        QSettings().setValue(_FOLDER, str(Path(path).parent))
        self.take_file(path)

    def take_file(self, path: str) -> None:
        """What was chosen or dropped: a project is opened, a model is looked at."""
        if is_project(path):
            self.workspace.open(path)
        elif is_folder(path):
            message = tr("{path} is a folder.").format(path=path)
            hint = tr("Choose the model or the project in it.")
            self.workspace.problem.emit(Problem(message, hint, level="warning"))
        elif not is_file(path) and ":" not in path:
            hidden = tr("{path} lies in a folder that you may not look into.")
            message = hidden if is_hidden(path) else tr("There is no file {path}.")
            self.workspace.problem.emit(Problem(message.format(path=path), tr("Choose another one on the Start page.")))
        else:
            self.set_model(path)

    def _take_workload(self) -> None:
        text = self.workload.currentText().strip()
        if text and text != self.model:
            self.set_model(text)

    def set_model(self, model: str, shapes: dict[str, list[int]] | None = None, fixed: Sequence[str] = ()) -> None:
        """Choose a model by its path or a workload by its text.

        Args:
            shapes: for its open dimensions, where known.
            fixed: "name=value" of inputs.
        """
        self.consent.setChecked(False)  # of the model before, whichever is chosen now
        self.model, self._known_shapes, self._known_values = model, shapes or {}, fixed
        if self._is_file or not model:
            self.workload.setEditText("")
        elif self.workload.currentText() != model:
            self.workload.setEditText(model)
        self.drop.name.setText((Path(model).name if self._is_file else model) or tr("Drop a model here"))
        for part in (self.consent, self.risk):
            part.setVisible(self._is_script)
        self.shapes.show_inputs([])
        self.fixed.show_model(None)
        for path, made in self._samples.items():
            made.setChecked(path == model)
        self._check()
        self.chosen.emit()

    # ------------------------------------------------------------ what the engine says

    def _check(self) -> None:
        """Ask the engine about the model; an answer about an earlier one, or from before the consent, is dropped."""
        self.known = False
        if self._refusal is not None:
            self.workspace.solved.emit(self._refusal)
            self._refusal = None
        self._asked += 1
        asks = bool(self.model) and (self.consent.isChecked() or not self._is_script)
        waits = tr("Tick below to look at it.") if self.model else KINDS
        self.drop.about.setText(tr("Looking at the model…") if asks else waits)
        if asks:
            turn = self._asked
            self.workspace.helpers.ask(
                msg.CheckModel(model=self.model, allow_code=self.consent.isChecked()),
                lambda reply: self._checked(reply) if turn == self._asked else None,
                lambda failure: self._refused(failure) if turn == self._asked else None,
            )
        self.changed.emit()

    def _ask_again(self) -> None:
        """The engine may have ended before it answered."""
        if self.model and not self.known:
            self._check()

    def _checked(self, reply: msg.ModelChecked) -> None:
        self.known = True
        inputs = ", ".join(f"{spec.name} {units.shape(spec.shape)} {spec.dtype}" for spec in reply.inputs)
        parts = (reply.kind, units.size(reply.bytes) if reply.kind != "workload" else "", inputs)
        self.drop.about.setText(" · ".join(part for part in parts if part))
        self.shapes.show_inputs(reply.inputs)
        self.shapes.fill(self._known_shapes)
        self.fixed.show_model(reply)
        self.fixed.fill(self._known_values)
        self.changed.emit()

    def _refused(self, failure: msg.Failed) -> None:
        self.drop.about.setText(said(failure.message))
        self._refusal = Problem(failure.message, failure.hint, failure.report)
        self.workspace.problem.emit(self._refusal)
        self.changed.emit()
