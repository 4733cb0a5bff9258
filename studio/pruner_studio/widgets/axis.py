"""Axes of a plot with ticks in human units."""

from __future__ import annotations

import html
import math
import re
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QPainter

from pruner_engine import units
from pruner_studio.plotting import pg
from pruner_studio.theme import theme
from pruner_studio.widgets.scale import Scale

_LETTERS = 11  # pixels, of an axis
_TICK_PIXELS = {"left": 16, "bottom": 60}  # that one takes
_DECIMALS = re.compile(r"(?<=\d)[.,](\d+)")
_WHOLE = re.compile(r" 00 (?:s|min)$")  # of a time
_BEYOND = 40  # pixels that the name of a tick may reach beyond the ends of the axis
_TIMES = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)  # seconds
_FURTHEST = 300  # powers of ten that a plot can be zoomed out to and still be written


def letters() -> int:
    """Pixels of the letters in a plot."""
    return theme.pixels(_LETTERS)


class HumanAxis(pg.AxisItem):  # type: ignore[misc]
    """Ticks in human units; `shown` is what they tell."""

    _length = 0.0  # pixels
    _named = ""

    def __init__(self, side: str, shown: Scale) -> None:
        super().__init__(side)
        self.shown = shown
        self.enableAutoSIPrefix(False)
        self.setStyle(tickLength=-4, tickTextOffset=6, autoExpandTextSpace=True)
        if side == "bottom":  # pyqtgraph leaves out names that do not fit between the ends
            self.setStyle(hideOverlappingLabels=_BEYOND)

    def labelString(self) -> str:
        """The name of the axis, in two lines where it is longer than the axis, and cut where these are, too."""
        font = QFont(QGuiApplication.font())
        font.setPixelSize(letters())
        metrics = QFontMetrics(font)
        fits = not self._length or metrics.horizontalAdvance(self.labelText) <= self._length
        lines = [self.labelText] if fits else _halves(self.labelText)
        shown = [metrics.elidedText(line, Qt.TextElideMode.ElideRight, int(self._length)) for line in lines]
        style = ";".join(f"{name}: {value}" for name, value in self.labelStyle.items())
        return f"<div align='center' style='{style}'>{'<br>'.join(map(html.escape, shown))}</div>"

    def resizeEvent(self, event: object = None) -> None:
        length = self.size().height() if self.orientation == "left" else self.size().width()
        if length != self._length and self.label is not None:
            self._length, lines = length, self._named.count("<br>")
            self._name()
            if self._named.count("<br>") != lines:
                self._adjustSize()
        super().resizeEvent(event)

    def _updateLabel(self) -> None:
        """As pyqtgraph does at every change of a font or a pen, whether or not the name is another one."""
        self._name()
        self._adjustSize()
        self.picture = None
        self.update()

    def _name(self) -> None:
        """Lay out the name, which takes longer than all else about an axis, where it is another one."""
        if (named := self.labelString()) != self._named:
            self._named = named
            self.label.setHtml(named)
            self.label.setTextWidth(-1)
            self.label.setTextWidth(self.label.document().idealWidth() + 1)  # lines have a middle only of a width

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        if not self.shown.log:
            levels = list(super().tickValues(low, high, size)[:1])
            if self.shown.text is units.duration and levels and levels[0][0] > 1:
                wanted = levels[0][0]
                step = min(_TIMES, key=lambda one: abs(math.log(one / wanted))) if wanted < _TIMES[-1] else wanted
                levels = [(step, [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)])]
            if self.shown.text is units.count:  # there is nothing between two whole numbers
                levels = [
                    (max(1.0, step), [at for at in ticks if abs(at - round(at)) < 1e-9]) for step, ticks in levels
                ]
            return levels
        low, high = max(low, -_FURTHEST), min(high, _FURTHEST)
        if low >= high:
            return []
        first, last = 10.0**low, 10.0**high
        if last / max(first, 1e-30) < 5:
            step = 10 ** math.floor(math.log10((last - first) or 1e-12))
            step *= next(factor for factor in (0.2, 0.5, 1, 2, 5) if (last - first) / (step * factor) <= 6)
            values = np.arange(math.ceil(first / step), math.floor(last / step) + 1) * step
        else:
            fit = size / theme.pixels(_TICK_PIXELS[self.orientation]) / (high - low)  # ticks a decade
            decades = range(math.floor(low), math.ceil(high) + 1, max(1, math.ceil(1 / fit)))
            factors = (1, 2, 5) if high - low < 3 and fit * math.log10(2) >= 1 else (1,)
            values = np.array([factor * 10.0**decade for decade in decades for factor in factors])
        return [(1.0, [math.log10(value) for value in values if first <= value <= last])]

    def generateDrawSpecs(self, painter: QPainter) -> tuple[Any, list[Any], list[tuple[QRectF, Any, str]]] | None:
        """What is painted: the name of a tick at the right end stands inside, where nothing cuts it.

        At the left it may stand below the other axis.
        """
        if (specs := super().generateDrawSpecs(painter)) is None or self.orientation != "bottom":
            return specs
        axis, ticks, texts = specs
        told: list[tuple[QRectF, Any, str]] = []
        for box, flags, text in sorted(texts, key=lambda spec: spec[0].left()):
            box.moveRight(min(box.right(), self.size().width()))
            if not told or box.left() > told[-1][0].right():
                told.append((box, flags, text))
        return axis, ticks, told

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        texts = [self.shown.text(10.0**value if self.shown.log else value) for value in values]
        return _short(texts, alike=not self.shown.log)


def _short(texts: list[str], *, alike: bool) -> list[str]:
    """Texts of ticks, which are exact: 5 ms and 1 h, where 5.00 ms and 1 h 00 min are of what was measured.

    Args:
        alike: those of an axis have equally many decimals.
    """
    texts = [_WHOLE.sub("", text) for text in texts]
    decimals = [found[1].rstrip("0") if (found := _DECIMALS.search(text)) else "" for text in texts]
    most = max(map(len, decimals), default=0)
    return [_cut(text, most if alike else len(own)) for text, own in zip(texts, decimals, strict=True)]


def _cut(text: str, decimals: int) -> str:
    """A text with no more decimals than so many."""
    return _DECIMALS.sub(lambda found: found[0][: decimals + 1] if decimals else "", text)


def _halves(text: str) -> list[str]:
    """Two lines of about one length; a single word stays one."""
    words = text.split()
    ways = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
    return min(ways, key=lambda lines: max(map(len, lines)), default=[text])
