"""Fields for the dimensions that a model leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

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
    """One row per input with open dimensions; the same name is asked for once an input."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 0)
        self._inputs: Sequence[ModelInput] = ()
        self._fields: dict[tuple[str, int], QSpinBox] = {}
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
        row.addWidget(label(spec.name))
        for axis, dim in enumerate(spec.shape):
            if isinstance(dim, int):
                row.addWidget(label(str(dim), "muted"))
                continue
            least, largest = spec.bounds.get(dim, (1, None))
            field = number(f"{spec.name}: {dim}", least, largest or _LARGEST, _GUESSES.get(dim.lower(), least))
            tip = tr("Dimension {dimension} of input {name}").format(dimension=dim, name=spec.name)
            field.setToolTip(f"{tip}: {least:,} – {largest:,}" if largest else tip)
            field.setPrefix(f"{dim} ")
            field.valueChanged.connect(lambda _: self.changed.emit())
            self._fields[spec.name, axis] = field
            row.addWidget(field)
        row.addWidget(label(spec.dtype, "faint"))
        row.addStretch(1)
        self._column.addLayout(row)

    def fill(self, shapes: dict[str, list[int]]) -> None:
        """Give the open dimensions the values that they have in known shapes."""
        for (name, axis), field in self._fields.items():
            if axis < len(shapes.get(name, ())):
                field.setValue(shapes[name][axis])

    def complete(self) -> bool:
        return all(field.value() > 0 for field in self._fields.values())

    def values(self) -> dict[str, list[int]]:
        """Concrete shapes of the inputs that had open dimensions."""
        return {
            spec.name: [
                dim if isinstance(dim, int) else self._fields[spec.name, axis].value()
                for axis, dim in enumerate(spec.shape)
            ]
            for spec in self._inputs
        }
