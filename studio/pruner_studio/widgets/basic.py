"""The small parts that every page is made of. Looks live in the style sheet: here only roles are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from pruner_studio.theme import theme
from pruner_studio.widgets.elided import Elided, Paragraph
from pruner_studio.widgets.wheel import leave_wheel


def label(
    text: str = "",
    role: str = "",
    *,
    wrap: bool = False,
    cut: bool = False,
    name: str = "",
    selectable: bool = False,
) -> QLabel:
    """A text; `role` chooses its look, `name` what a screen reader calls it. In short room it may wrap or be cut.

    What is `selectable` can be marked with the mouse and copied, as a message that somebody looks for elsewhere.
    """
    made = Paragraph(text) if wrap else Elided(text) if cut else QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if selectable:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        made.setProperty("role", role)
    if name:
        made.setAccessibleName(name)
    return made


def folded_text(name: str, height: int) -> QPlainTextEdit:
    """A text to read and to copy, of so many pixels, hidden until it is unfolded; the Tab key goes on from it."""
    made = QPlainTextEdit()
    made.setAccessibleName(name)
    made.setReadOnly(True)
    made.setTabChangesFocus(True)
    made.setFixedHeight(height)
    made.hide()
    return made


def button(text: str, on_click: Callable[[], object], role: str = "", icon: str = "", tip: str = "") -> QPushButton:
    made = QPushButton(text)
    made.setAccessibleName(text)
    made.clicked.connect(lambda _=False: on_click())
    if role:
        made.setProperty("role", role)
    if icon:
        paint_icon(made, icon, "accent_text" if role == "primary" else "muted")
    if tip:
        made.setToolTip(tip)
    return made


def icon_button(icon: str, name: str, on_click: Callable[[], object] | None = None) -> QToolButton:
    """A button that is only an icon: its name is tool tip and accessible name."""
    made = QToolButton()
    made.setToolTip(name)
    made.setAccessibleName(name)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    if on_click is not None:
        made.clicked.connect(lambda _=False: on_click())
    paint_icon(made, icon)
    return made


def menu_button(icon: str, name: str, choices: Iterable[tuple[str, Callable[[], object]]]) -> QToolButton:
    """A button that is only an icon, and opens a menu of choices."""
    made = icon_button(icon, name)
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    made.setStyleSheet("QToolButton::menu-indicator { image: none; }")
    menu = QMenu(made)
    for text, choose in choices:
        menu.addAction(text, choose)
    made.setMenu(menu)
    return made


def paint_icon(target: QAbstractButton, icon: str, token: str = "muted", size: int = 18) -> None:
    """Give a button an icon; `repaint_icons` draws it anew in another theme."""
    target.setProperty("drawn_icon", (icon, token, size))
    target.setIconSize(QSize(size, size))
    target.setIcon(theme.icon(icon, token, size))


def repaint_icons(root: QWidget) -> None:
    """Draw the icons of all buttons below a widget in the theme in use."""
    for target in root.findChildren(QAbstractButton):
        if drawn := target.property("drawn_icon"):
            target.setIcon(theme.icon(*drawn))


def restyle(widget: QWidget, **properties: object) -> None:
    """Set style-sheet properties and let Qt look at them again; nothing happens when they are as they were."""
    if all(widget.property(key) == value for key, value in properties.items()):
        return
    for key, value in properties.items():
        widget.setProperty(key, value)
    if widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):  # else Qt is yet to look
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def number(name: str, low: int, high: int, value: int) -> QSpinBox:
    """A field for a whole number."""
    made = QSpinBox(minimum=low, maximum=high, value=value)
    made.setAccessibleName(name)
    fit_spin_box(made)
    return made


def fit_spin_box(made: QAbstractSpinBox) -> None:
    """What is alike for all fields of numbers."""
    leave_wheel(made)
    made.lineEdit().setTextMargins(7, 0, 0, 0)  # Qt ignores the padding of the style sheet here


class Card(QFrame):
    """A framed group with an optional heading; `body` takes the content, `head` what stands right of the heading.

    Its note stands beside the heading, or below it where there is no room for all of it.
    """

    _note_stays = True

    def __init__(self, heading: str = "", note: str = "") -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(16, 14, 16, 14)
        self._outer.setSpacing(10)
        self.head = QHBoxLayout()
        self.head.setSpacing(8)
        self.note = label(note, "faint", cut=True)
        if heading:
            self.heading = Elided(heading)
            self.heading.setProperty("role", "heading")
            self.heading.least = 220
            self.head.addWidget(self.heading)
            self.head.addWidget(self.note)
            self.head.addStretch(1)
            self._outer.addLayout(self.head)
            self._note_stays = False
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        self._outer.addLayout(self.body, 1)

    def keep_note_below(self) -> None:
        """Below the heading in any room: what changes all the time would jump up and down."""
        self._put_note(below=True)
        self._note_stays = True

    def event(self, event: QEvent) -> bool:
        if not self._note_stays and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            items = (self.head.itemAt(at) for at in range(self.head.count()))
            parts = [part for item in items if item and (part := item.widget()) and not part.isHidden()]
            wanted = {*parts, self.note}
            needed = sum(part.sizeHint().width() + self.head.spacing() for part in wanted)
            self._put_note(below=bool(self.note.text()) and needed > self.head.geometry().width())
        return super().event(event)

    def _put_note(self, *, below: bool) -> None:
        if below != (self.head.indexOf(self.note) < 0):
            (self.head if below else self._outer).removeWidget(self.note)
            (self._outer if below else self.head).insertWidget(1, self.note)


class StatTile(Card):
    """One number with its name above and a remark below."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.layout().setContentsMargins(12, 12, 12, 12)  # type: ignore[union-attr]
        self.body.setSpacing(2)
        self._name, self._value, self._remark = (
            label(name, "label"),
            label("–", "value"),
            label("", "faint", wrap=True),
        )
        for part in (self._name, self._value, self._remark):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self.setMinimumWidth(124)

    def show_value(self, value: str, remark: str = "", good: bool = False) -> None:
        self._value.setText(value)
        self._remark.setText(remark)
        restyle(self._value, role="value-good" if good else "value")
        self.setAccessibleDescription(f"{value} {remark}".strip())

    @property
    def value(self) -> str:
        return self._value.text()


class Pill(QLabel):
    """A short state in a coloured capsule; tone of neutral, info, good, warn, bad."""

    def __init__(self, text: str = "", tone: str = "neutral") -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.show_state(text, tone)

    def show_state(self, text: str, tone: str) -> None:
        self.setText(text)
        self.setVisible(bool(text))
        restyle(self, tone=tone)


class Segments(QWidget):
    """A few exclusive choices side by side; `chosen` tells the key of the new one."""

    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QPushButton] = {}
        for index, (key, text) in enumerate(choices):
            made = button(text, partial(self.chosen.emit, key), "segment")
            made.setAccessibleName(f"{name}: {text}")
            made.setCheckable(True)
            made.setChecked(index == 0)
            edge = "first" if index == 0 else "last" if index == len(choices) - 1 else ""
            made.setProperty("edge", edge)
            self._group.addButton(made)
            made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # its text is never cut
            self._buttons[key] = made
            row.addWidget(made)
        row.addStretch(1)

    @property
    def current(self) -> str:
        return next(key for key, made in self._buttons.items() if made.isChecked())

    def choose(self, key: str) -> None:
        self._buttons[key].setChecked(True)

    def part(self, key: str) -> QPushButton:
        return self._buttons[key]


class EmptyState(QWidget):
    """What stands where nothing is yet: why, and what to do."""

    def __init__(self, icon: str, title: str, text: str, action: QPushButton | None = None) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        self._picture = QLabel()
        self._icon = icon
        self._title, self._text = label(title, "empty-title"), label(text, "subtitle", wrap=True)
        self._fit()
        for part in (self._picture, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        if action is not None:
            column.addSpacing(6)
            column.addWidget(action, 0, Qt.AlignmentFlag.AlignHCenter)
        self._action = action
        column.addStretch(3)
        theme.changed.connect(self._paint)
        self._paint()

    def tell(self, title: str, text: str, *, act: bool = True) -> None:
        """Say something else; `act` tells whether there is anything to do but to wait."""
        if self._action is not None:
            self._action.setVisible(act)
        self._title.setText(title)
        self._text.setText(text)
        self._fit()

    def _fit(self) -> None:
        """Of a fixed width and as high as its lines: a centred label gets no height for its width from the layout."""
        self._text.ensurePolished()
        width = min(460, self._text.fontMetrics().horizontalAdvance(self._text.text()) + 24)
        self._text.setFixedSize(width, self._text.heightForWidth(width) + 4)

    def _paint(self) -> None:
        self._picture.setPixmap(theme.pixmap(self._icon, "faint", 40))


def clear(layout: QLayout) -> None:
    """Remove and delete everything in a layout."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear(inner)
