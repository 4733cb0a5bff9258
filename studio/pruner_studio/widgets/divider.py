"""A splitter whose dividers can be moved without a mouse, and stay where the user has moved them."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from pruner_studio import kept_sizes
from pruner_studio.theme import theme
from pruner_studio.translation import tr

_STEP = 24  # pixels of an arrow key


class _Handle(QSplitterHandle):
    """A handle that takes the focus by Tab; the arrow keys move it, Home and End as far as it goes."""

    def __init__(self, orientation: Qt.Orientation, parent: Divided) -> None:
        super().__init__(orientation, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(parent.accessibleName())
        self.setAccessibleDescription(tr("The arrow keys move it."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        back, on = (
            (Qt.Key.Key_Left, Qt.Key.Key_Right)
            if self.orientation() == Qt.Orientation.Horizontal
            else (Qt.Key.Key_Up, Qt.Key.Key_Down)
        )
        place = self.x() if self.orientation() == Qt.Orientation.Horizontal else self.y()
        steps = {back: place - _STEP, on: place + _STEP, Qt.Key.Key_Home: 0, Qt.Key.Key_End: 1 << 20}
        if (to := steps.get(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
        else:
            self.moveSplitter(self.closestLegalPosition(to))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            across = self.orientation() == Qt.Orientation.Vertical
            bar = QRect(0, 0, self.width() if across else 3, 3 if across else self.height())
            bar.moveCenter(self.rect().center())
            QPainter(self).fillRect(bar, theme.color("accent"))


class Divided(QSplitter):
    """A splitter whose divider can be moved by keys, and stays where it was put.

    Args:
        name: what a screen reader calls its divider, and the settings keep where it is under.
        handle: pixels between the parts.
    """

    def __init__(self, orientation: Qt.Orientation, name: str, handle: int) -> None:
        super().__init__(orientation)
        self.setAccessibleName(name)
        self.setHandleWidth(handle)
        self.setChildrenCollapsible(False)
        self._restored = False
        self.splitterMoved.connect(lambda *_: kept_sizes.keep(self._kept_as, self.sizes()))

    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)

    def parts(self) -> list[QWidget]:
        return [part for at in range(self.count()) if (part := self.widget(at)) is not None]

    @property
    def _kept_as(self) -> str:
        across = self.orientation() == Qt.Orientation.Horizontal
        return f"{self.accessibleName()} {'across' if across else 'down'}"

    def restore(self) -> None:
        """Divide as the user has, in proportion; as it is where he has not."""
        sizes = kept_sizes.kept(self._kept_as)
        if len(sizes) == self.count():
            self.setSizes(sizes)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._restored:
            self._restored = True
            self.restore()
