"""Input fields for settings, chosen by the type that the engine checks a setting against."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from msgspec import inspect
from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QWidget

from pruner_studio.translation import tr
from pruner_studio.widgets.basic import fit_spin_box, number
from pruner_studio.widgets.segments import Segments
from pruner_studio.widgets.wheel import leave_wheel

_MOST, _MOST_SECONDS = 2**31 - 1, 1e5  # that a field without a limit takes
_DECIMALS = 4
_SIDE_BY_SIDE = 3  # words to choose from
_WORDS = {
    "best": tr("each new best"),
    "all": tr("all"),
    "none": tr("none"),
    "auto": tr("automatic"),
    "measured": tr("measured"),
    "own": tr("the model's"),
    "channels-last": tr("channels last"),
    "network": tr("as in the network"),
    "warm": tr("warm"),
    "cold": tr("cold"),
}


@dataclass(frozen=True)
class Editor:
    """A widget, and how its value is read, written and known to have changed."""

    widget: QWidget
    read: Callable[[], Any]
    write: Callable[[Any], object]
    changed: SignalInstance


def editor(name: str, kind: inspect.Type, default: Any, *, example: str = "", suffix: str = "") -> Editor:
    """The field for a setting.

    Args:
        name: what a screen reader calls it.
        kind: its type with its limits.
        default: its value to begin with.
        example: shown in an empty line that has no default.
        suffix: the unit of a number that is no whole one.
    """
    match kind:
        case inspect.UnionType(types=(inspect.IntType() as whole, *_)):
            made = _whole(name, whole, optional=True)
        case inspect.IntType():
            made = _whole(name, kind, optional=False)
        case inspect.FloatType():
            made = _decimal(name, kind, suffix)
        case inspect.BoolType():
            made = _flag(name)
        case inspect.LiteralType(values=values):
            made = _choice(name, values, default)
        case inspect.UnionType(types=types) if choices := [
            one for one in types if isinstance(one, inspect.LiteralType)
        ]:
            made = _choice(name, [value for one in choices for value in one.values], default)
        case _:
            made = _text(name, default, example)
    made.write(default)
    return made


def _whole(name: str, kind: inspect.IntType, *, optional: bool) -> Editor:
    """Where it is optional, one below the least stands for none."""
    least = (kind.ge or 0) - optional
    field = number(name, least, _MOST, least)
    if optional:
        field.setSpecialValueText(tr("the strategy's own"))
    return Editor(
        field,
        lambda: None if optional and field.value() == least else field.value(),
        lambda value: field.setValue(least if value is None else min(value, _MOST)),
        field.valueChanged,
    )


class _Decimal(QDoubleSpinBox):
    def textFromValue(self, value: float) -> str:
        """No more digits than it has."""
        return f"{value:.10g}".replace(".", self.locale().decimalPoint())


def _decimal(name: str, kind: inspect.FloatType, suffix: str) -> Editor:
    field = _Decimal(suffix=suffix)
    field.setAccessibleName(name)
    fit_spin_box(field)
    field.setDecimals(_DECIMALS)
    field.setRange(
        10**-_DECIMALS if kind.gt is not None else kind.ge or 0.0, _MOST_SECONDS if kind.le is None else kind.le
    )
    field.setSingleStep(1.0 if kind.le is None else 0.05)
    return Editor(field, field.value, field.setValue, field.valueChanged)


def _flag(name: str) -> Editor:
    field = QCheckBox()
    field.setAccessibleName(name)
    return Editor(field, field.isChecked, field.setChecked, field.toggled)


def _choice(name: str, values: Iterable[object], default: str) -> Editor:
    """The default comes first; what does not fit side by side on a small screen is listed."""
    ordered = sorted(map(str, values), key=lambda value: value != default)
    told = [(value, _WORDS.get(value, value)) for value in ordered]
    if len(told) <= _SIDE_BY_SIDE:
        field = Segments(name, told)
        return Editor(field, lambda: field.current, field.choose, field.chosen)
    box = QComboBox()
    box.setAccessibleName(name)
    leave_wheel(box)
    for value, text in told:
        box.addItem(text, value)
    return Editor(box, box.currentData, lambda value: box.setCurrentIndex(box.findData(value)), box.currentIndexChanged)


def _text(name: str, default: str, example: str) -> Editor:
    """A line; left empty, it is the default."""
    field = QLineEdit()
    field.setAcceptDrops(False)  # as all fields of a page
    field.setAccessibleName(name)
    field.setPlaceholderText(default or example)
    return Editor(
        field,
        lambda: field.text().strip() or default,
        lambda value: field.setText("" if value == default else value),
        field.textChanged,
    )
