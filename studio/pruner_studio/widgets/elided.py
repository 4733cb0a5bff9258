"""Widgets whose texts are elided or wrapped where room is short: names of files and kernels may be of any length."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionComboBox,
)

from pruner_studio.literal import legible, literal, one_line, plain_tip
from pruner_studio.widgets.wheel import leave_wheel

_LEAST_BUTTON, _WIDEST_BUTTON = 120, 320  # pixels
_FEWEST = 14  # letters that a cut choice keeps
_WIDEST = 420  # pixels that a choice asks for at most
_WIDEST_LIST = 640
_LISTED = 20  # names of a choice in sight at once; more are scrolled to
_WORD = re.compile(r"\S{31,}")  # longer than a line of a narrow card
_PART = re.compile(r"\S{10}(?=\S)")
_RATE = re.compile(r"/(?=s\b)")
_UNIT = re.compile(r"(?<=\d) (?=%|(?:[kMGT]?(?:B|FLOP|Hz)|[mµn]?s|min|h)\b)")
BREAK, JOIN = "\u200b", "\u2060"  # of no width: a line may end here, or not
BLANK = f"{JOIN}\u00a0"  # at which no line ends


def elided(text: str, metrics: QFontMetrics, room: int, *, name: bool = False) -> str:
    """A text cut to its room: names in the middle, since many of them begin alike, sentences at the end.

    What has no blanks is a name, and what its owner calls one.
    """
    if name:
        return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room)
    mode = Qt.TextElideMode.ElideRight if " " in text else Qt.TextElideMode.ElideMiddle
    return metrics.elidedText(text, mode, room)


class Elided(QLabel):
    """One line; where it is cut, the tool tip tells the whole, above what else there is to say.

    Its owner may let it wrap instead.

    Attributes:
        least: pixels that it keeps where others beside it are cut too.
        most: pixels that it asks for, so that others beside it have theirs; None: as many as its text.
        is_name: it is cut in the middle, also where it has several words.
    """

    least = 60
    most: int | None = None
    is_name = False

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(one_line(text))
        self._tell_whole()

    def setToolTip(self, tip: str) -> None:
        self._tip = tip
        self._tell_whole()

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return whole if self.wordWrap() else QSize(min(self.least, whole.width()), whole.height())

    def sizeHint(self) -> QSize:
        whole = super().sizeHint()
        return whole if self.most is None or self.wordWrap() else whole.boundedTo(QSize(self.most, whole.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_whole()

    def _tell_whole(self) -> None:
        cut = not self.wordWrap() and self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()
        super().setToolTip(plain_tip("\n\n".join(filter(None, (self.text() if cut else "", self._tip)))))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.wordWrap():
            super().paintEvent(event)
            return
        box = self.contentsRect()
        QPainter(self).drawText(
            box, self.alignment(), elided(self.text(), self.fontMetrics(), box.width(), name=self.is_name)
        )


class ElidedButton(QPushButton):
    """A name, cut in the middle where room is short: many begin alike. The tool tip is up to its owner."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setText(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        self._whole = one_line(text)
        super().setText(literal(text))

    def text(self) -> str:
        """As it was given, in one line."""
        return self._whole

    def sizeHint(self) -> QSize:
        whole = super().sizeHint()
        return QSize(min(_WIDEST_BUTTON, whole.width()), whole.height())

    def minimumSizeHint(self) -> QSize:
        whole = super().minimumSizeHint()
        return QSize(min(_LEAST_BUTTON, whole.width()), whole.height())

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        super().initStyleOption(option)
        room = self.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, self).width()
        if not self.icon().isNull():
            room -= self.iconSize().width() + 4
        option.text = literal(self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room))


def make_room(names: QAbstractItemView, cut: Qt.TextElideMode) -> None:
    """Let the list of a choice show its names whole where it can, and cut them where it cannot."""
    names.setTextElideMode(cut)
    bar = names.verticalScrollBar().sizeHint().width()
    names.setMinimumWidth(min(names.sizeHintForColumn(0) + bar + 24, _WIDEST_LIST))


class Choice(QComboBox):
    """A choice among names: it asks for the room of the current one within bounds, and cuts it where there is less."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_FEWEST)
        self.setMaxVisibleItems(_LISTED)
        self.currentTextChanged.connect(self._changed)
        leave_wheel(self)

    def offer(self, entries: Sequence[tuple[str, object]], current: object) -> None:
        """Offer texts, each with what it stands for, and choose one: that of `current`, else the first.

        What is offered already stays, so that a list that is open stays too.
        """
        entries = [(one_line(text), meant) for text, meant in entries]
        if [(self.itemText(at), self.itemData(at)) for at in range(self.count())] != entries:
            self.clear()
            for text, meant in entries:
                self.addItem(text, meant)
        self.setCurrentIndex(max(0, self.findData(current)))

    def _changed(self, text: str) -> None:
        self.setToolTip(plain_tip(text))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        least, letters = super().sizeHint(), self.fontMetrics()
        held = letters.horizontalAdvance("X") * self.minimumContentsLength()
        more = max(0, letters.horizontalAdvance(self.currentText()) - held)
        return QSize(min(least.width() + more, max(least.width(), _WIDEST)), least.height())

    def showPopup(self) -> None:
        make_room(self.view(), Qt.TextElideMode.ElideMiddle)
        self.view().setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)  # Qt has arrows to wait at
        super().showPopup()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        option.currentText = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, room - 2)


class Paragraph(QLabel):
    """Lines of text; a word longer than a line, such as a path or a symbol of C++, is broken."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        broken = _WORD.sub(lambda word: _PART.sub(rf"\g<0>{BREAK}", word.group()), legible(text))
        super().setText(_UNIT.sub(BLANK, _RATE.sub(f"/{JOIN}", broken)))  # 25.3 GFLOP/s

    def text(self) -> str:
        """As it was given."""
        return self._whole
