"""Fields for the settings of a run: which there are, their limits and their defaults are the engine's own."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec import inspect
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.search.settings import SearchSettings
from pruner_studio.help import help_of
from pruner_studio.models.projects import expanded
from pruner_studio.models.settings import DEFAULTS
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.editors import Editor, editor
from pruner_studio.widgets.file_dialog import ask_for_file
from pruner_studio.widgets.path_field import PathField
from pruner_studio.widgets.rule_boxes import RuleBoxes

# what is changed most; the rest follows
_FIRST = ("dtype", "start_from", "model", "checkpoint", "rpc", "rpc_key", "without_rules")
_ELSEWHERE = ("fixed",)  # beside the model
_EXAMPLES = {"rpc": "127.0.0.1:9190"}
_SECONDS = " s"


class SettingFields(QWidget):
    """A row for each setting: what it is called, its field, its default.

    Signals:
        changed: a field has another value.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.editors: dict[str, Editor] = {}
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setHorizontalSpacing(18)
        self._form.setVerticalSpacing(8)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        kinds = {field.name: field.type for field in inspect.type_info(SearchSettings).fields}  # type: ignore[attr-defined]
        for name in dict.fromkeys((*_FIRST, *kinds)):
            if name not in _ELSEWHERE:
                self._add(name, kinds[name])

    def _add(self, name: str, kind: inspect.Type) -> None:
        term, default = help_of(f"setting.{name}"), DEFAULTS[name]
        title, tip = (term.title, f"{name}: {term.tip}") if term else (name, name)
        made = self.editors[name] = self._editor(name, title, kind)
        made.changed.connect(lambda *_: self.changed.emit())
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(made.widget)
        if isinstance(kind, inspect.IntType | inspect.FloatType):
            value = units.general(default) + (_SECONDS if _in_seconds(name) else "")
            row.addWidget(label(tr("default {value}").format(value=value), "faint"))
        if isinstance(kind, inspect.IntType | inspect.FloatType | inspect.UnionType):
            made.widget.setMinimumWidth(110)
            row.addStretch(1)
        heading = label(title, "muted")
        for part in (heading, made.widget):
            part.setToolTip(tip)
        self._form.addRow(heading, row)

    def _editor(self, name: str, title: str, kind: inspect.Type) -> Editor:
        if name == "without_rules":
            boxes = RuleBoxes()
            return Editor(boxes, boxes.chosen, boxes.choose, boxes.changed)
        if name in _FILES:
            path = PathField(title, _FILES[name])
            return Editor(path, lambda: expanded(path.line.text()), path.line.setText, path.line.textChanged)
        suffix = _SECONDS if _in_seconds(name) else ""
        return editor(title, kind, DEFAULTS[name], example=_EXAMPLES.get(name, ""), suffix=suffix)

    def given(self) -> dict[str, Any]:
        """Every setting, as its field has it."""
        return {name: made.read() for name, made in self.editors.items()}

    def show_settings(self, given: dict[str, Any]) -> None:
        """Show other values of all of them."""
        with QSignalBlocker(self):
            for name, made in self.editors.items():
                made.write(given[name])


def _in_seconds(name: str) -> bool:
    return name.endswith("_s")


_FILES = {
    "checkpoint": partial(ask_for_file, kinds=tr("Pre-trained models (*.safetensors);;All files (*)")),
    "start_from": partial(ask_for_file, kinds=tr("Projects (*.pruner)")),
}
