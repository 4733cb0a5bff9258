"""Widgets of the task filter: the field in which it is typed, and the button that takes it away."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from pruner_studio.keyboard import ENTER
from pruner_studio.literal import plain_tip
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import paint_icon
from pruner_studio.widgets.elided import ElidedButton
from pruner_studio.workspace import Workspace

_AROUND = 56  # pixels beside what is typed


class TaskFilter(QLineEdit):
    """Narrows the tasks of all pages by what is typed; Escape takes it away."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.setPlaceholderText(tr("Filter by name, operator or shape   (Ctrl+F)"))
        self.setAccessibleName(tr("Filter tasks"))
        self.setClearButtonEnabled(True)
        self.textChanged.connect(workspace.narrow)
        for signal in (workspace.selected, workspace.opened):
            signal.connect(self._show)
        self._show()

    def sizeHint(self) -> QSize:
        """What can be typed is told in full."""
        whole = self.fontMetrics().horizontalAdvance(self.placeholderText()) + theme.pixels(_AROUND)
        return QSize(whole, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def begin(self) -> None:
        """Let the user type other words."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)
            if event.key() in ENTER:
                event.accept()  # it has ended the typing, and is not to press the button that the keyboard is at now

    def _show(self) -> None:
        if self.text() != self._workspace.filter:
            self.setText(self._workspace.filter)


class NarrowedBy(QWidget):
    """Names the words while there are some, a press takes them away; they are typed here too, once `begin` was called.

    Attributes:
        chip: the button with the words.
        field: where they are typed, shown for that time.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._typing = workspace, False
        self.chip = ElidedButton()
        self.chip.setProperty("role", "chip")
        paint_icon(self.chip, "cross", "accent", 13)
        self.chip.clicked.connect(lambda _=False: workspace.narrow(""))
        self.field = TaskFilter(workspace)
        self.field.setMinimumWidth(240)
        self.field.editingFinished.connect(self._end)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.field)
        row.addWidget(self.chip)
        for signal in (workspace.selected, workspace.opened):
            signal.connect(self._show)
        self._show()

    def begin(self) -> None:
        """Show the field, and let the user type."""
        self._typing = True
        self._show()
        self.field.begin()

    def _end(self) -> None:
        """Enter was pressed, or the keyboard is elsewhere."""
        if self._typing:
            self._typing = False
            self.chip.setVisible(bool(self._workspace.filter))
            if self.field.hasFocus():
                self.chip.setFocus()  # before the field goes, which had the keyboard
            self._show()

    def _show(self) -> None:
        words = self._workspace.filter
        self.field.setVisible(self._typing)
        self.chip.setVisible(bool(words) and not self._typing)
        self.setVisible(bool(words) or self._typing)
        self.chip.setText(tr("Only tasks with “{words}”").format(words=words))
        again = tr("Show all tasks again")  # a line of its own: lupdate looks into no f-string
        self.chip.setToolTip(plain_tip(f"{self.chip.text()}\n{again}"))
        self.chip.setAccessibleName(tr("Show all tasks, not only those with {words}").format(words=words))
