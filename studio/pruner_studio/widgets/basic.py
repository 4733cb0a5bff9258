"""Labels, buttons and fields that every page is made of. Looks live in the style sheet: here only roles are named."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QLabel,
    QLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
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
        made.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # else Ctrl+C copies from where the keyboard was before
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
    """A button with a text, and perhaps an icon before it."""
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
    _show_as_icon(made, icon, name, name)
    if on_click is not None:
        made.clicked.connect(lambda _=False: on_click())
    return made


class MenuButton(QToolButton):
    """A button that is only an icon, and opens the menu of its `choices`."""

    def __init__(self, icon: str, name: str, tip: str = "", token: str = "muted", size: int = 18) -> None:
        super().__init__()
        _show_as_icon(self, icon, name, tip or name, token, size)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        self.choices = QMenu(self)
        self.setMenu(self.choices)


def _show_as_icon(made: QToolButton, icon: str, name: str, tip: str, token: str = "muted", size: int = 18) -> None:
    made.setToolTip(tip)
    made.setAccessibleName(name)
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    paint_icon(made, icon, token, size)


def paint_icon(target: QAbstractButton, icon: str, token: str = "muted", size: int = 18) -> None:
    """Give a button an icon; `repaint_icons` draws it anew in another theme."""
    size = theme.pixels(size)
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
    """Apply what all fields of numbers share: the wheel scrolls the page, texts have a margin."""
    leave_wheel(made)
    made.lineEdit().setTextMargins(7, 0, 0, 0)  # Qt ignores the padding of the style sheet here


def clear(layout: QLayout) -> None:
    """Remove and delete everything in a layout."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear(inner)
