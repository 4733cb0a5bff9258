"""Two schedules side by side, both named, with what differs marked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from PySide6.QtCore import QSize
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollBar, QVBoxLayout, QWidget

from pruner_engine.inspect.diff import DiffRow, changed_parts
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import icon_button, label
from pruner_studio.widgets.code import CodeView
from pruner_studio.widgets.rooms import Columns
from pruner_studio.widgets.search import Found, Place, SearchField, next_place, places

_LEAST_CODE = 132  # pixels: some eight lines
_SIDE_BY_SIDE = 620  # pixels from which on the verdict stands beside what leads through the texts


class DiffView(QWidget):
    """The reference at the left, the shown candidate at the right; both scroll together.

    Lines in a row that differ are one difference; buttons and keys go from one to the next, and round the ends. In a
    line that is much like the other side's, the letters that differ are marked.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[DiffRow] = ()
        self._differences: list[list[int]] = []
        self._at: int | None = None  # difference that was gone to
        self._found: Place | None = None  # where what is sought was found last
        self._following = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(8)
        self.verdict = label("", "heading", wrap=True)
        self.told = label("", "muted", wrap=True)
        top = Columns(_SIDE_BY_SIDE)
        top.row.setSpacing(8)
        top.row.addWidget(self.verdict, 1)
        top.row.addLayout(self._ways())
        column.addWidget(top)
        column.addWidget(self.told)
        row = QHBoxLayout()
        row.setSpacing(12)
        self.sides: list[tuple[QLabel, CodeView]] = []
        for name in (tr("Reference"), tr("Shown candidate")):
            side = QVBoxLayout()
            head, view = label(name, "heading", wrap=True), CodeView(name)
            view.setMinimumHeight(theme.pixels(_LEAST_CODE))
            side.addWidget(head)
            side.addWidget(view, 1)
            row.addLayout(side, 1)
            self.sides.append((head, view))
        column.addLayout(row, 1)
        (_, left), (_, right) = self.sides
        for source, target in ((left, right), (right, left)):
            source.verticalScrollBar().valueChanged.connect(partial(self._follow, target.verticalScrollBar()))
            source.horizontalScrollBar().valueChanged.connect(partial(self._follow, target.horizontalScrollBar()))
        self._show_differences([])

    def _ways(self) -> QHBoxLayout:
        """What leads through the texts: words to find, and the differences."""
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.search = SearchField(tr("both schedules"), self._find, self._marked)
        row.addWidget(self.search)
        self.place = label("", "faint")
        row.addWidget(self.place)
        self.previous = icon_button("arrow-up", tr("Previous difference (Shift+F8)"), partial(self._go, -1))
        self.next = icon_button("arrow-down", tr("Next difference (F8)"), partial(self._go, 1))
        for step, keys in ((self.previous, "Shift+F8"), (self.next, "F8")):
            row.addWidget(step)
            QShortcut(QKeySequence(keys), self, step.click)
        return row

    def minimumSizeHint(self) -> QSize:
        """As high as its words need in this width: a page that has less room is scrolled."""
        least, layout = super().minimumSizeHint(), self.layout()
        return least if layout is None else QSize(least.width(), layout.totalMinimumHeightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def tell(self, text: str) -> None:
        self._judge("")
        self.told.setText(text)
        for _, view in self.sides:
            view.show_text("", "")
        self._show_differences([])

    def show_diff(
        self, form: str, names: tuple[str, str], rows: list[DiffRow], decisions: list[str] | None, verdict: str = ""
    ) -> None:
        """Show two texts that are lined up.

        Args:
            form: of both, for the highlighting.
            decisions: sentences about decisions that differ; None where the two are not of one sketch.
            verdict: which of the two is faster.
        """
        changed = [at for at, row in enumerate(rows) if row.kind != "equal"]
        shown = [(row.left, row.left_line) for row in rows], [(row.right, row.right_line) for row in rows]
        for (head, view), name, lines in zip(self.sides, names, shown, strict=True):
            head.setText(name[:1].upper() + name[1:])
            view.show_text(form, "\n".join(text for text, _ in lines), [number for _, number in lines] or None)
        found = {at: changed_parts(rows[at].left, rows[at].right) for at in changed if rows[at].kind == "changed"}
        for side, (_, view) in enumerate(self.sides):
            parts = {at: both[side] for at, both in found.items() if both is not None}
            view.link(changed, parts=parts, scroll=False)
        self._show_differences(rows)
        several = tr("{changed} of {all} lines differ.")
        differ = tr("One of {all} lines differs.") if len(changed) == 1 else several
        differ = differ.format(changed=len(changed), all=len(rows))
        sketches = tr("They are not of one sketch, so that their decisions do not compare.")
        changes = tr("Decisions that differ: {changes}.").format(changes="; ".join(decisions or ()) or "–")
        self._judge(verdict)
        self.told.setText(f"{differ} {sketches if decisions is None else changes}")

    def _judge(self, verdict: str) -> None:
        self.verdict.setText(verdict)
        self.verdict.setVisible(bool(verdict))

    def _show_differences(self, rows: Sequence[DiffRow]) -> None:
        """Take the rows that are gone through, from the top again."""
        runs = groupby(range(len(rows)), key=lambda at: rows[at].kind == "equal")
        self._rows, self._at, self._found = rows, None, None
        self._differences = [list(lines) for equal, lines in runs if not equal]
        for part in (self.previous, self.next):
            part.setVisible(bool(self._differences))
        for _, view in self.sides:
            view.point_at([])
        self._tell_place()

    def _go(self, by: int) -> None:
        if not self._differences:
            return
        first = 0 if by > 0 else -1
        self._at = (first if self._at is None else self._at + by) % len(self._differences)
        lines = self._differences[self._at]
        for _, view in self.sides:
            view.point_at(lines)
        (_, left), (_, right) = self.sides
        (right if self._rows[lines[0]].kind == "added" else left).go_to(lines[0])
        self._tell_place()

    def _find(self, text: str, back: bool) -> Found:
        """Go row by row, from the left to the right; a line that both sides have is found once."""
        found = places(((row.left, "" if row.kind == "equal" else row.right) for row in self._rows), text)
        reached = next_place(found, self._found, back=back)
        self._found = reached.place
        if self._found is not None:
            line, side, letter = self._found
            self.sides[1 - side][1].unmark()
            self.sides[side][1].select(line, range(letter, letter + len(text)))
        return reached

    def _marked(self) -> str:
        return next((text for _, view in self.sides if (text := view.marked())), "")

    def _tell_place(self) -> None:
        count = len(self._differences)
        told = tr("difference {at} of {count}") if self._at is not None else tr("differences: {count}")
        self.place.setText(told.format(at=(self._at or 0) + 1, count=count) if count else "")

    def _follow(self, bar: QScrollBar, value: int) -> None:
        """Scroll one side along with the other; one that ends sooner does not hold the other back."""
        if not self._following:
            self._following = True
            bar.setValue(value)
            self._following = False
