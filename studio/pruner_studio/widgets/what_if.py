"""Edit the decisions of a candidate and see at once what the draft model predicts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QUndoCommand, QUndoGroup, QUndoStack, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from pruner_engine.jobs.lines import decision_names
from pruner_studio.models.words import location
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import button, clear, label
from pruner_studio.widgets.cards import HEAD
from pruner_studio.widgets.quiet import Quiet
from pruner_studio.widgets.wheel import leave_wheel

_WIDEST = 420  # pixels that it keeps where what stands beside it wants room
_ALONE = -1  # an edit that is never merged, for Qt


def divisors(number: int) -> list[int]:
    """All divisors of a number, ascending."""
    smaller = [factor for factor in range(1, math.isqrt(number) + 1) if number % factor == 0]
    return [*smaller, *(number // factor for factor in reversed(smaller) if factor * factor != number)]


class _Edit(QUndoCommand):
    """One decision took another value; edits of the same gesture merge."""

    def __init__(self, editor: WhatIfEditor, at: int, value: Any, gesture: int) -> None:
        super().__init__(tr("edit of decision {number}").format(number=at + 1))
        self._editor, self._at, self._gesture = editor, at, gesture
        self._old, self._new = editor.decisions[at], value

    def id(self) -> int:
        """What Qt merges by."""
        return self._gesture

    def mergeWith(self, other: QUndoCommand) -> bool:
        assert isinstance(other, _Edit)
        self._new = other._new
        self.setObsolete(self._new == self._old)  # dragged there and back: nothing to undo
        return True

    def redo(self) -> None:
        self._editor.take(self._at, self._new)

    def undo(self) -> None:
        self._editor.take(self._at, self._old)


class _FactorSlider(QSlider):
    """A slider that numbers what the user does with it: a drag or a held key is one gesture, as long as it takes."""

    _numbers = count()  # of all sliders: two of them never share a gesture

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        leave_wheel(self)
        self.gesture = next(self._numbers)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.gesture = next(self._numbers)
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.gesture = next(self._numbers)
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self.gesture = next(self._numbers)
        super().keyPressEvent(event)


def _number(digits: int) -> QLabel:
    """A label for a factor, as wide as so many digits."""
    made = label("0" * digits, "mono")
    made.setMinimumWidth(made.sizeHint().width())
    made.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return made


class TileRow(QWidget):
    """Factors of one tiling; a moved factor takes from or gives to the outermost one, so that the product stays.

    Args:
        digits: of the largest factor in this row and in those it stands above, whose sliders begin where its own do.
    """

    def __init__(
        self, domain: dict[str, Any], on_edit: Callable[[list[int], int], None], name: str, digits: int
    ) -> None:
        super().__init__()
        self._on_edit, self._quiet = on_edit, Quiet()
        self._cap = domain["max_innermost"]
        self._partition = domain["partition"]
        self._value: list[int] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        self._outer = _number(digits)
        row.addWidget(self._outer)
        self._parts: list[tuple[_FactorSlider, Any, list[int]]] = []
        for at in range(1, domain["n"]):
            slider, told = _FactorSlider(), _number(digits)
            slider.setAccessibleName(tr("{name}, factor {number}").format(name=name, number=at + 1))
            slider.setPageStep(1)
            slider.setMinimumWidth(46)
            slider.valueChanged.connect(lambda step, at=at: self._moved(at, step))
            row.addWidget(label("×", "faint"))
            row.addWidget(told)
            row.addWidget(slider, 1)
            self._parts.append((slider, told, []))

    def show_value(self, value: list[int]) -> None:
        self._value = list(value)
        self._outer.setText(str(value[0]))
        with self._quiet:
            for at, (slider, told, choices) in enumerate(self._parts, start=1):
                choices[:] = [f for f in divisors(value[0] * value[at]) if self._allowed(at, f)]
                slider.setRange(0, len(choices) - 1)
                slider.setValue(choices.index(value[at]) if value[at] in choices else 0)
                told.setText(str(value[at]))

    def _with(self, at: int, factor: int) -> list[int]:
        value = list(self._value)
        value[0], value[at] = value[0] * value[at] // factor, factor
        return value

    def _allowed(self, at: int, factor: int) -> bool:
        """The sketch's limits: a cap on the innermost factor, and a multiple that the inner ones must form."""
        value = self._with(at, factor)
        position, multiple = self._partition
        return bool(self._cap < 0 or value[-1] <= self._cap) and math.prod(value[position:]) % multiple == 0

    def _moved(self, at: int, step: int) -> None:
        if not self._quiet:
            slider, _, choices = self._parts[at - 1]
            self._on_edit(self._with(at, choices[step]), slider.gesture)


@dataclass(frozen=True)
class _Draft:
    """What became of a candidate's decisions, and the way back."""

    decisions: list[Any]
    stack: QUndoStack


class WhatIfEditor(QScrollArea):
    """Editors for all decisions of a sketch; `edited` tells that `decisions` changed.

    Edits stay with their candidate while others are looked at, until `forget`.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.start: list[Any] = []
        self._stacks = QUndoGroup(self)
        self._drafts: dict[int, _Draft] = {}  # by candidate
        self._draft = _Draft([], QUndoStack())
        inside = QWidget()
        inside.setObjectName("cardBody")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 12, 10, 8)
        column.setSpacing(8)
        head = label(tr("What if"), "heading")
        head.setMinimumHeight(HEAD)  # beside one that has a button
        column.addWidget(head)
        column.addWidget(
            label(
                tr("Move a factor: the prediction follows. Factors of a loop always multiply to its extent."),
                "faint",
                wrap=True,
            )
        )
        self._grid_holder = QVBoxLayout()
        column.addLayout(self._grid_holder)
        row = QHBoxLayout()
        undo = button(tr("Undo"), self._stacks.undo, tip=tr("Take the last edit back (Ctrl+Z)"))
        redo = button(tr("Redo"), self._stacks.redo, tip=tr("Do it again (Ctrl+Shift+Z)"))
        reset = button(tr("Reset"), self.reset, tip=tr("Back to the candidate's own decisions"))
        self._stacks.canUndoChanged.connect(undo.setEnabled)
        self._stacks.canUndoChanged.connect(reset.setEnabled)
        self._stacks.canRedoChanged.connect(redo.setEnabled)
        for made in (undo, redo, reset):
            made.setEnabled(False)
            row.addWidget(made)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        self.setWidget(inside)
        self._inside = inside
        self._shows: list[Callable[[Any], None]] = []

    def minimumSizeHint(self) -> QSize:
        """Wide enough for what is in it, within reason: who reads a sentence scrolls down, not sideways."""
        bar = self.verticalScrollBar().sizeHint().width()
        wanted = self._inside.minimumSizeHint().width() + bar + 2 * self.frameWidth()
        return QSize(min(theme.pixels(_WIDEST), wanted), super().minimumSizeHint().height())

    @property
    def decisions(self) -> list[Any]:
        """As the editors of the shown candidate say."""
        return self._draft.decisions

    @property
    def stack(self) -> QUndoStack:
        """Edits of the shown candidate."""
        return self._draft.stack

    def forget(self) -> None:
        """Candidates of another project have the same numbers."""
        self._drafts = {}

    def show_candidate(self, candidate_id: int, spec: list[dict[str, Any]], decisions: list[Any]) -> None:
        """Editors for `spec`, the sketch's decisions as the project file tells them, set to a candidate's values.

        Those of a candidate that was edited before are set as they were left.
        """
        self._draft = self._drafts.setdefault(candidate_id, _Draft(list(decisions), QUndoStack()))
        self.start = list(decisions)
        self._stacks.addStack(self.stack)
        self._stacks.setActiveStack(self.stack)
        clear(self._grid_holder)
        holder = QFrame()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self._shows = []
        digits = max((len(str(entry["domain"].get("extent", ""))) for entry in spec), default=1)
        for at, (name, entry) in enumerate(zip(decision_names(spec), spec, strict=True)):
            grid.addWidget(label(name, "muted"), at, 0)
            editor, show = self._editor(at, name, entry["domain"], digits)
            grid.addWidget(editor, at, 1)
            self._shows.append(show)
            show(self.decisions[at])
        self._grid_holder.addWidget(holder)
        self.updateGeometry()

    def _editor(self, at: int, name: str, domain: dict[str, Any], digits: int) -> tuple[QWidget, Callable[[Any], None]]:
        if "extent" in domain:
            row = TileRow(domain, lambda value, gesture: self._edit(at, value, gesture), name, digits)
            return row, row.show_value
        choices = domain.get("candidates") or [location(value) for value in domain["indices"]]
        values = list(range(len(choices))) if "candidates" in domain else domain["indices"]
        box = QComboBox()
        box.setAccessibleName(name)
        leave_wheel(box)
        for choice, value in zip(choices, values, strict=True):
            box.addItem(str(choice), value)
        box.activated.connect(lambda index: self._edit(at, box.itemData(index)))
        return box, lambda value: box.setCurrentIndex(box.findData(value))

    def _edit(self, at: int, value: Any, gesture: int = _ALONE) -> None:
        if value != self.decisions[at]:
            self.stack.push(_Edit(self, at, value, gesture))

    def take(self, at: int, value: Any) -> None:
        """Set one decision; called by edits as they are done and undone."""
        self.decisions[at] = value
        self._shows[at](value)
        self.edited.emit()

    def reset(self) -> None:
        while self.stack.canUndo():
            self.stack.undo()
