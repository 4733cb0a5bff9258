"""Fields for the dimensions that a model leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from pruner_engine import units
from pruner_engine.protocol import ModelInput
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import clear, label, number

_GUESSES = {
    "batch": 1,
    "batch_size": 1,
    "n": 1,
    "b": 1,
    "height": 224,
    "width": 224,
    "h": 224,
    "w": 224,
    "sequence": 128,
    "sequence_length": 128,
    "seq": 128,
    "seq_len": 128,
}
_LARGEST = 1_000_000


class ShapeFields(QWidget):
    """One row per input with open dimensions; all fields of one dimension hold the same number."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._inputs: Sequence[ModelInput] = ()
        self._fields: dict[str, list[QSpinBox]] = {}  # by dimension
        self.hide()

    def show_inputs(self, inputs: Sequence[ModelInput]) -> None:
        clear(self._column)
        self._inputs = [spec for spec in inputs if any(isinstance(dim, str) for dim in spec.shape)]
        self._fields = {}
        if self._inputs:
            self._column.addWidget(
                label(
                    tr("This model leaves dimensions open. Kernels are tuned for fixed shapes: give the ones you run."),
                    "muted",
                    wrap=True,
                )
            )
        for spec in self._inputs:
            self._add_row(spec)
        self.setVisible(bool(self._inputs))

    def _add_row(self, spec: ModelInput) -> None:
        row = QHBoxLayout()
        row.addWidget(label(spec.name, cut=True))
        for dim in spec.shape:
            if isinstance(dim, int):
                row.addWidget(label(str(dim), "muted"))
                continue
            least, largest = spec.bounds.get(dim, (1, None))
            field = number(f"{spec.name}: {dim}", least, largest or _LARGEST, _GUESSES.get(dim.lower(), least))
            tip = tr("Dimension {dimension} of input {name}").format(dimension=dim, name=spec.name)
            field.setToolTip(f"{tip}: {units.count(least)} – {units.count(largest)}" if largest else tip)
            field.setPrefix(f"{dim} ")
            field.valueChanged.connect(partial(self._set, dim))
            self._fields.setdefault(dim, []).append(field)
            row.addWidget(field)
        row.addWidget(label(spec.dtype, "faint"))
        row.addStretch(1)
        self._column.addLayout(row)

    def _set(self, dim: str, value: int) -> None:
        """One field of a dimension was changed: the others follow, and one change is told."""
        for field in self._fields[dim]:
            with QSignalBlocker(field):
                field.setValue(value)
        self.changed.emit()

    def fill(self, shapes: dict[str, list[int]]) -> None:
        """Give the open dimensions the values that they have in known shapes."""
        for spec in self._inputs:
            for dim, value in zip(spec.shape, shapes.get(spec.name, ()), strict=False):
                if isinstance(dim, str):
                    self._fields[dim][0].setValue(value)

    def complete(self) -> bool:
        return all(field.value() > 0 for fields in self._fields.values() for field in fields)

    def values(self) -> dict[str, list[int]]:
        """Concrete shapes of the inputs that had open dimensions."""
        return {
            spec.name: [dim if isinstance(dim, int) else self._fields[dim][0].value() for dim in spec.shape]
            for spec in self._inputs
        }
