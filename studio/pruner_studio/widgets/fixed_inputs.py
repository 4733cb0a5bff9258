"""Fields for inputs by whose value a model chooses, which tuning takes as constants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from pruner_engine.protocol import ModelChecked, ModelInput
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import clear, label

_WIDEST = 160  # pixels of a field


class FixedInputs(QWidget):
    """One row per input that is a single number, of a model that has others."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._fields: dict[str, QLineEdit] = {}
        self._others: list[str] = []  # of the setting, of inputs that are several numbers or are constants already
        self.show_model(None)

    def show_model(self, model: ModelChecked | None) -> None:
        """Ask for the inputs of a model, of none where there is none."""
        clear(self._column)
        self._fields, self._others = {}, []
        inputs = model.inputs if model is not None and model.kind == "onnx" else []
        single = [spec for spec in inputs if _is_single(spec)]
        if 0 < len(single) < len(inputs):
            self._add(single)
        self.setVisible(bool(self._fields))

    def _add(self, inputs: Sequence[ModelInput]) -> None:
        text = tr("Does the model choose by one of these? Give the value that you run: it becomes a constant.")
        self._column.addWidget(label(text, "muted", wrap=True))
        for spec in inputs:
            field = self._fields[spec.name] = QLineEdit()
            field.setPlaceholderText(tr("any value"))
            field.setAccessibleName(tr("Value of input {name}").format(name=spec.name))
            field.setMaximumWidth(theme.pixels(_WIDEST))
            field.textChanged.connect(lambda _: self.changed.emit())
            row = QHBoxLayout()
            for part in (label(spec.name, cut=True), field, label(spec.dtype, "faint")):
                row.addWidget(part)
            row.addStretch(1)
            self._column.addLayout(row)

    def fill(self, fixed: Sequence[str]) -> None:
        """Show the values of a run's setting."""
        for text in fixed:
            name, _, value = text.partition("=")
            if name in self._fields:
                self._fields[name].setText(value)
            else:
                self._others.append(text)

    def values(self) -> list[str]:
        """The setting: "name=value" of each input that is given one; what was filled in and has no field stays."""
        given = {name: field.text().strip() for name, field in self._fields.items()}
        return [*(f"{name}={value}" for name, value in given.items() if value), *self._others]


def _is_single(spec: ModelInput) -> bool:
    return all(isinstance(dim, int) for dim in spec.shape) and math.prod(map(int, spec.shape)) == 1
