"""Bars of how often each value of a decision occurs, in three groups: prior, drafted, fastest."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pruner_engine import units
from pruner_engine.space.distribution import Distribution
from pruner_studio.models.words import location
from pruner_studio.theme import theme
from pruner_studio.translation import tr

# attribute of a distribution, its name, its colour
GROUPS = (("prior", tr("prior"), "faint"), ("drafted", tr("drafted"), "series1"), ("elite", tr("elite"), "series2"))
_MOST_LABELS = 14
_HEIGHT, _FOOT = 66, 20  # pixels of the bars, and of the values below them


class ShareBars(QWidget):
    """One decision; the value that the shown candidate took is marked below."""

    def __init__(self, shares: Distribution, own: Any) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_shares(shares, own)
        theme.changed.connect(self.update)

    def show_shares(self, shares: Distribution, own: Any) -> None:
        """The same decision of another candidate, or of more of them."""
        self.shares, self.own = shares, own
        told = "; ".join(
            f"{value}: " + ", ".join(f"{name} {units.percent(getattr(shares, key)[at])}" for key, name, _ in GROUPS)
            for at, value in enumerate(shares.values)
        )
        self.setAccessibleName(tr("{decision}, distribution").format(decision=title(shares)))
        self.setAccessibleDescription(told)
        self.setToolTip(told.replace("; ", "\n"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT + theme.pixels(_FOOT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        values = self.shares.values
        room, foot = self.width() / len(values), theme.pixels(_FOOT)
        height = self.height() - foot
        most = max(max(getattr(self.shares, key)) for key, _, _ in GROUPS) or 1.0
        width = min(14.0, room / 4)
        font = painter.font()
        font.setPixelSize(theme.pixels(10))
        painter.setFont(font)
        painter.setPen(theme.color("border"))
        painter.drawLine(0, height, self.width(), height)
        every = -(-len(values) // _MOST_LABELS)
        for at, value in enumerate(values):
            middle = (at + 0.5) * room
            painter.setPen(Qt.PenStyle.NoPen)
            for place, (key, _, token) in enumerate(GROUPS):
                share = getattr(self.shares, key)[at]
                tall = share / most * (height - 4)
                painter.setBrush(theme.color(token))
                painter.drawRect(QRectF(middle + (place - 1.5) * width, height - tall, width - 1, tall))
            own = value == self.own
            if own:
                painter.setBrush(theme.color("accent_soft"))
                mark = QRectF(middle - max(room / 2 - 2, 9), height + 3, max(room - 4, 18), foot - 5)
                painter.drawRoundedRect(mark, 4, 4)
            if own or at % every == 0:
                painter.setPen(theme.color("accent" if own else "muted"))
                box = QRectF(middle - room * every / 2 - 6, height + 3, room * every + 12, foot - 5)
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _short(self.shares, value))


def title(shares: Distribution) -> str:
    """The decision, and which factor of a tiling."""
    if shares.factor is None:
        return shares.name
    told = tr("{name}, factor {number} (outermost)") if shares.factor == 0 else tr("{name}, factor {number}")
    return told.format(name=shares.name, number=shares.factor + 1)


def _short(shares: Distribution, value: int) -> str:
    is_location = shares.factor is None and min(shares.values) < 0
    return location(value) if is_location and value < 0 else str(value)
