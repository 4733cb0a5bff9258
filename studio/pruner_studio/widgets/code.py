"""Read-only code with line numbers, highlighting, and lines that are linked with what is shown elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QRect, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from pruner_studio.theme import theme
from pruner_studio.widgets.highlighter import Highlighter
from pruner_studio.widgets.search import Found, next_place, places

_TAB = 4  # characters
_PART_ALPHA = 70
_LONGEST = 1_500_000  # characters that are highlighted; more is shown plain


class _Numbers(QWidget):
    def __init__(self, code: CodeView) -> None:
        super().__init__(code)
        self._code = code

    def sizeHint(self) -> QSize:
        return QSize(self._code.numbers_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._code.paint_numbers(event)


class CodeView(QPlainTextEdit):
    """One text in one of the forms trace, tvmscript, llvm, asm, cuda, ptx.

    Signals:
        line_chosen: the line that was clicked or gone to by keys, from 0.
        line_pointed: the line under the pointer, or None.
    """

    line_chosen = Signal(int)
    line_pointed = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._form = ""  # of what is shown; empty where that is a sentence in its place
        self._line_numbers: Sequence[int | None] | None = None
        self._numbers = _Numbers(self)
        self._highlighter = Highlighter(self)
        self.linked: list[int] = []
        self.pointed: list[int] = []
        self.parts: dict[int, range] = {}  # letters of lines that are marked in them
        self._marks: Sequence[tuple[frozenset[int], str]] = ()  # lines, and the colour that is painted under them
        self._under: int | None = None  # line under the pointer
        self.viewport().setMouseTracking(True)
        self.blockCountChanged.connect(lambda _: self.setViewportMargins(self.numbers_width(), 0, 0, 0))
        self.updateRequest.connect(self._scrolled)
        theme.changed.connect(self._repaint)

    def show_text(self, form: str, text: str, numbers: Sequence[int | None] | None = None) -> None:
        """Show another text.

        Args:
            numbers: of its lines, from 0, where they are not numbered one after another; None beside one without.
        """
        if (form, text, numbers) == (self._form, self.toPlainText(), self._line_numbers):
            return
        self._form, self._line_numbers = form, numbers
        self.linked, self.pointed, self.parts = [], [], {}
        self._highlighter.set_form(form if len(text) <= _LONGEST else "plain")
        self.setTabStopDistance(_TAB * self.fontMetrics().horizontalAdvance(" "))  # the font is the style's by now
        with QSignalBlocker(self):
            self.setPlainText(text)
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)
        self._color()
        self._mark()

    def link(self, lines: list[int], *, parts: dict[int, range] | None = None, scroll: bool = True) -> None:
        """Mark lines (from 0) that belong to what is chosen elsewhere, letters of some more, and bring one into sight.

        The cursor stays: it would be taken from under a user who goes through the code by keys or selects a part.
        """
        self.linked, self.parts = lines, parts or {}
        self._mark()
        first, fit = self.firstVisibleBlock().blockNumber(), self.viewport().height() // self.fontMetrics().height()
        if lines and scroll and not (self.isVisible() and any(first <= line < first + fit for line in lines)):
            self.verticalScrollBar().setValue(max(0, lines[0] - fit // 2))
        if lines and scroll:
            self._show_from(lines[0])

    def _show_from(self, line: int) -> None:
        """Scroll sideways as far as it takes to read a line from its marked part on, else from where it starts.

        The code of deep nests lies far right.
        """
        text = self.document().findBlockByNumber(line).text()
        begin = self.parts[line].start if line in self.parts else len(text) - len(text.lstrip())
        start = self.fontMetrics().horizontalAdvance(text[:begin].expandtabs(_TAB))
        bar, width = self.horizontalScrollBar(), self.viewport().width()
        before = 2 * width // 3 if line in self.parts else width // 4  # of the line, so that a reader knows where he is
        if not bar.value() <= start < bar.value() + max(before, width // 2):
            bar.setValue(max(0, start - before))

    def go_to(self, line: int) -> None:
        """Put the cursor on a line (from 0), and the line into the middle of what is in sight."""
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line)))
        self.centerCursor()
        self._show_from(line)

    def select(self, line: int, part: range) -> None:
        """Select letters of a line (from 0), and bring them into sight."""
        self.setTextCursor(self._letters(line, part))
        self.centerCursor()

    def unmark(self) -> None:
        """Select nothing."""
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)

    def marked(self) -> str:
        """What is selected; empty where that is more than a line."""
        text = self.textCursor().selectedText()
        return "" if "\u2029" in text else text

    def _letters(self, line: int, part: range) -> QTextCursor:
        start, made = self.document().findBlockByNumber(line).position(), QTextCursor(self.document())
        made.setPosition(start + part.start)
        made.setPosition(start + part.stop, QTextCursor.MoveMode.KeepAnchor)
        return made

    def point_at(self, lines: list[int]) -> None:
        """Mark lines (from 0) lightly, as while the pointer is on what belongs to them elsewhere."""
        if lines != self.pointed:
            self.pointed = lines
            self._mark()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(self.cursorForPosition(event.position().toPoint()).blockNumber())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.textCursor().blockNumber()
        super().keyPressEvent(event)
        if self.textCursor().blockNumber() != before:
            self._choose()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._point(None)

    def _point(self, line: int | None) -> None:
        if line != self._under:
            self._under = line
            self.line_pointed.emit(line)

    def find_next(self, text: str, *, back: bool = False) -> Found:
        """Go to the next place of a text, or the one before, around the ends."""
        cursor = self.textCursor()
        start, found = cursor.selectionStart(), places(((line,) for line in self.toPlainText().split("\n")), text)
        block = self.document().findBlock(start)
        # what begins at the cursor is the next place, unless it is selected
        at = start - block.position() - (not cursor.hasSelection() and not back)
        reached = next_place(found, (block.blockNumber(), 0, at), back=back)
        if reached.place is not None:
            line, _, letter = reached.place
            self.setTextCursor(self._letters(line, range(letter, letter + len(text))))
            self.ensureCursorVisible()
        return reached

    def numbers_width(self) -> int:
        if not self._form:  # a sentence about what is to come
            return 0
        return 18 + self.fontMetrics().horizontalAdvance("9") * max(3, len(str(self.blockCount())))

    def number_of(self, line: int) -> str:
        """What stands beside a line (from 0)."""
        number = line if self._line_numbers is None else self._line_numbers[line]
        return "" if number is None else str(number + 1)

    def paint_numbers(self, event: QPaintEvent) -> None:
        painter = QPainter(self._numbers)
        painter.setPen(theme.color("faint"))
        painter.setFont(self.font())
        height = self.fontMetrics().height()
        for block, top in self._blocks_to(event.rect().bottom()):
            if block.isVisible():
                box = QRect(0, round(top), self._numbers.width() - 10, height)
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, self.number_of(block.blockNumber()))

    def _blocks_to(self, bottom: int) -> Iterator[tuple[QTextBlock, float]]:
        """The blocks in sight down to a height, each with where it begins."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            yield block, top
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def _color(self) -> None:
        self._highlighter.show([block for block, _ in self._blocks_to(self.viewport().height())])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._color()
        box = self.contentsRect()
        self._numbers.setGeometry(QRect(box.left(), box.top(), self.numbers_width(), self.viewport().height()))

    def _scrolled(self, rect: QRect, dy: int) -> None:
        self._color()
        if dy:
            self._numbers.scroll(0, dy)
        else:
            self._numbers.update(0, rect.y(), self._numbers.width(), rect.height())

    def _choose(self) -> None:
        """The user went to a line; one who selects a part to copy it chooses nothing."""
        if not self.textCursor().hasSelection():
            self.line_chosen.emit(self.textCursor().blockNumber())

    def _mark(self) -> None:
        self._marks = (frozenset(self.linked), "code_line"), (frozenset(self.pointed), "hover")
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Marks under the text, of the lines in sight only: a root loop has all lines of a long assembly, and Qt goes
        through all of its own marks whenever it paints, and moves each at every line that comes or goes.
        """
        painter = QPainter(self.viewport())
        for block, top in self._blocks_to(event.rect().bottom()):
            line, height = block.blockNumber(), self.blockBoundingRect(block).height()
            for lines, token in self._marks:
                if line in lines:
                    painter.fillRect(QRectF(0, top, self.viewport().width(), height), theme.color(token))
            if line in self.parts and block.layout().lineCount():
                begin, end = (self._across(block, letter) for letter in (self.parts[line].start, self.parts[line].stop))
                painter.fillRect(QRectF(begin, top, end - begin, height), theme.color("accent", _PART_ALPHA))
        painter.end()
        super().paintEvent(event)

    def _across(self, block: QTextBlock, letter: int) -> float:
        """Where a letter of a line begins, in pixels of the viewport."""
        across: Any = block.layout().lineAt(0).cursorToX(letter)  # a pair, which the types of PySide do not tell
        return self.contentOffset().x() + across[0]

    def _repaint(self) -> None:
        self._highlighter.forget()
        self._color()
        self._mark()
        self._numbers.update()
