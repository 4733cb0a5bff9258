"""Painted figures: bars with names and the funnel of a round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from pruner_engine import units
from pruner_studio.announcing import announce
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.figure import Figure
from pruner_studio.widgets.sight import show_place

_LEAST_TRACK = 10  # pixels of a bar that is drawn at all
_FUNNEL = 212  # pixels of its least height


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        value: the figure, in plain units.
        fill: between 0 and 1.
        text: what stands at its end.
        before: the figure that it is held against; None without one.
        mark: where that one's bar would end, between 0 and 1.
    """

    name: str
    value: float
    fill: float
    text: str
    tone: str = "accent"
    tip: str = ""
    before: float | None = None
    mark: float | None = None


class Bars(QWidget):
    """Horizontal bars, one a row. Where they are explained, the arrow keys go from one to the next.

    Args:
        name: accessible name, and that of saved files.
        unit: heading of the values where they are saved.

    Attributes:
        row: pixels of each.
    """

    def __init__(self, name: str, unit: str) -> None:
        super().__init__()
        self._unit = unit
        self.row = theme.pixels(26)
        self.figure = Figure(name, lambda: (self,), self.rows)
        self.setAccessibleName(name)
        self._bars: Sequence[Bar] = ()
        self._grey = False
        self._current = 0  # the bar that the keyboard is at
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        self._bars = bars
        self._current = min(self._current, max(0, len(bars) - 1))
        explained = any(bar.tip for bar in bars)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if explained else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription("; ".join(f"{bar.name}: {bar.text}" for bar in bars))
        self.updateGeometry()
        self.update()

    @property
    def bars(self) -> Sequence[Bar]:
        return self._bars

    def copied(self) -> str:
        return self.figure.text()

    def grey(self, grey: bool) -> None:
        """Whether they are of something that is not shown any more."""
        self._grey = grey
        self.update()

    def rows(self) -> list[tuple[Any, ...]]:
        """The table behind the bars, headings first."""
        return [("name", self._unit), *((bar.name, bar.value) for bar in self._bars)]

    def event(self, event: QEvent) -> bool:
        """Each row has its own tool tip."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(event.pos().y() // self.row), self)
            return True
        return super().event(event)

    def _tip(self, row: int) -> str:
        bar = self._bars[row] if row < len(self._bars) else None
        return f"{bar.name}: {bar.tip}" if bar and bar.tip else ""

    def tips(self) -> list[str]:
        return [bar.tip for bar in self._bars]

    def tips_in_focus(self) -> list[str]:
        return [bar.tip for bar in self._bars[self._current : self._current + 1]]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrow keys tell each bar's explanation, as the pointer does."""
        last = len(self._bars) - 1
        places = {
            Qt.Key.Key_Up: max(0, self._current - 1),
            Qt.Key.Key_Down: min(last, self._current + 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if (to := places.get(Qt.Key(event.key()))) is None or last < 0:
            super().keyPressEvent(event)
            return
        self._current = to
        self.update()
        show_place(self, QPoint(0, to * self.row + self.row // 2), self.row)
        place = self.mapToGlobal(QPoint(0, (to + 1) * self.row))
        QToolTip.showText(place, self._tip(to), self)
        told = f"{self._bars[to].name}: {self._bars[to].text}. {self._bars[to].tip}"
        announce(self, told)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._current = min(max(0, len(self._bars) - 1), int(event.position().y()) // self.row)
        super().mousePressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(280, max(1, len(self._bars)) * self.row)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        values = max((metrics.horizontalAdvance(bar.text) for bar in self._bars), default=0) + 12
        wanted = max((metrics.horizontalAdvance(bar.name) for bar in self._bars), default=0) + 12
        names = max(0, min(self.width() // 2, wanted, self.width() - values))
        room = self.width() - names - values
        for row, bar in enumerate(self._bars):
            box = QRectF(0, row * self.row, self.width(), self.row)
            if row == self._current and self.hasFocus():
                painter.setPen(theme.color("accent"))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box.adjusted(0.5, 1.5, -0.5, -1.5), 4, 4)
            painter.setPen(theme.color("muted"))
            middle = Qt.AlignmentFlag.AlignVCenter
            name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideRight, names - 8)
            painter.drawText(box, middle | Qt.AlignmentFlag.AlignLeft, name)
            painter.setPen(theme.color("faint" if self._grey else "text"))
            painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, bar.text)
            if room < _LEAST_TRACK:  # it would lie on the figures
                continue
            track = QRectF(names, box.top() + self.row / 2 - 4, room, 8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("hover"))
            painter.drawRoundedRect(track, 4, 4)
            whole = track.width()
            if bar.fill > 0:
                track.setWidth(max(3.0, whole * min(1.0, bar.fill)))
                painter.setBrush(theme.color("faint" if self._grey else bar.tone))
                painter.drawRoundedRect(track, 4, 4)
            if bar.mark is not None:
                place = track.left() + whole * min(1.0, max(0.0, bar.mark))
                painter.setBrush(theme.color("text"))
                painter.drawRect(QRectF(min(place, track.left() + whole - 2), track.top() - 3, 2, track.height() + 6))


class Funnel(QWidget):
    """How many candidates reach each step; widths follow the logarithm, the figures stand beside."""

    def __init__(self) -> None:
        super().__init__()
        name = tr("Funnel from explored to valid")
        self.setAccessibleName(name)
        self.figure = Figure(name, lambda: (self,), lambda: [("step", "candidates"), *self._steps])
        self._steps: Sequence[tuple[str, int]] = ()
        self.setMinimumHeight(theme.pixels(_FUNNEL))
        theme.changed.connect(self.update)

    def show_steps(self, steps: Sequence[tuple[str, int]]) -> None:
        self._steps = steps
        self.setAccessibleDescription(", ".join(f"{name} {number}" for name, number in steps))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(340, theme.pixels(_FUNNEL))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._steps:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = math.log10(max(number for _, number in self._steps) + 1) or 1.0
        left, right = float(theme.pixels(84)), float(theme.pixels(96))
        room = self.width() - left - right
        height = self.height() / len(self._steps)
        widths = [max(0.03, math.log10(number + 1) / most) * room for _, number in self._steps]
        strong = QFont(self.font())
        strong.setBold(True)
        before = None
        for row, ((name, number), width) in enumerate(zip(self._steps, widths, strict=True)):
            top = row * height
            following = widths[row + 1] if row + 1 < len(widths) else width
            middle = left + room / 2
            shape = QPolygonF(
                [
                    QPointF(middle - width / 2, top + 2),
                    QPointF(middle + width / 2, top + 2),
                    QPointF(middle + following / 2, top + height - 1),
                    QPointF(middle - following / 2, top + height - 1),
                ]
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent", 235 - row * 38))
            painter.drawPolygon(shape)
            painter.setPen(theme.color("muted"))
            align = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, top, left - 8, height), align | Qt.AlignmentFlag.AlignLeft, name)
            painter.setPen(theme.color("text"))
            painter.setFont(strong)
            box = QRectF(self.width() - right + 8, top, right - 8, height)
            share = f"  {units.percent(number / before)}" if before and number <= before else ""
            painter.drawText(
                box.adjusted(0, 0, 0, -height / 2.6), align | Qt.AlignmentFlag.AlignRight, units.count(number)
            )
            painter.setFont(self.font())
            painter.setPen(theme.color("faint"))
            painter.drawText(box.adjusted(0, height / 2.6, 0, 0), align | Qt.AlignmentFlag.AlignRight, share)
            before = number
