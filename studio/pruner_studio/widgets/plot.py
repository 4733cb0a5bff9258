"""Plots in the product's looks: few colours, no frame, axes in human units, savable as PNG, SVG and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QFont, QResizeEvent
from PySide6.QtWidgets import QGraphicsScene, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from pruner_studio.literal import one_line
from pruner_studio.plotting import pg
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.axis import HumanAxis, letters
from pruner_studio.widgets.basic import label
from pruner_studio.widgets.curve import Curve, Path
from pruner_studio.widgets.figure import Figure, SaveButton
from pruner_studio.widgets.legend import Legend
from pruner_studio.widgets.names import Line, Names
from pruner_studio.widgets.pointing import Placed, Pointing, Spot
from pruner_studio.widgets.scale import Scale
from pruner_studio.widgets.series import Level, Series
from pruner_studio.widgets.thinning import density

_LEAST_HEIGHT = 150  # pixels: less holds no axis
_MANY_POINTS = 4_000
_POINT = 6  # pixels


class _View(pg.PlotWidget):  # type: ignore[misc]
    """Asks for the least that it can be drawn in, not for what it has: others need their room on a small screen."""

    def sizeHint(self) -> QSize:
        return QSize(420, theme.pixels(_LEAST_HEIGHT))


class Plot(QWidget):
    """One plot with its own legend; a click near a point, or Enter or Space where the keys have gone, picks it.

    Args:
        name: accessible name and file name of exports.
        across, up: what its axes tell.
        nothing: what stands in its place until there is something to draw.

    Signals:
        picked: id of the point.
        opened: the same after a double click, or Enter.
        hovered: id of the point under the pointer, or None.
    """

    picked = Signal(int)
    opened = Signal(int)
    hovered = Signal(object)

    def __init__(self, name: str, across: Scale, up: Scale, *, nothing: str = tr("Nothing here yet")) -> None:
        super().__init__()
        self.name = name
        self._across, self._up = across, up
        self.series: list[Series] = []
        self.levels: list[Level] = []
        self._reach: float | None = None
        self._chosen: int | None = None
        self._pointed: int | None = None
        self._ring: pg.ScatterPlotItem | None = None
        self._styled: tuple[Any, ...] = ()
        self.thinned = ""  # says so where not every point is drawn
        self.setAccessibleName(name)
        self._view = self._make_view()
        self.legend = Legend()
        self.figure = Figure(name, lambda: (self.legend, self._view), self._table)
        self._more = SaveButton(self.figure)
        self._more.choices.addSeparator()
        self._more.choices.addAction(tr("Show all"), lambda: self._view.getPlotItem().enableAutoRange())
        self._hovered = label("", "hovered", cut=True)
        self._hovered.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._nothing = label(nothing, "faint")
        self._lay_out()
        self._pointing = Pointing(self._view, self._placed)
        self._pointing.moved.connect(self._moved)
        self._pointing.chosen.connect(partial(self._tell, self.picked))
        self._pointing.opened.connect(partial(self._tell, self.opened))
        self._pointing.menu_asked.connect(self._more.choices.popup)
        theme.changed.connect(self._draw)
        self._draw()

    def _make_view(self) -> _View:
        axes = {"bottom": HumanAxis("bottom", self._across), "left": HumanAxis("left", self._up)}
        view = _View(axisItems=axes, enableMenu=False)  # its menu takes a third of the making
        view.setAccessibleName(self.name)
        view.hideButtons()
        # Items here are few and replaced all the time; an index of places may hold one that is gone, where it had moved
        view.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        view.setProperty("role", "plot")
        view.setMinimumHeight(theme.pixels(_LEAST_HEIGHT))
        return view

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        top = QHBoxLayout()
        top.addWidget(self.legend, 1)
        top.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(top)
        grid = QGridLayout()
        grid.addWidget(self._view, 0, 0)
        # Beside the name of the axis, where nothing else is: room of its own would move the plot under the pointer
        grid.addWidget(self._hovered, 0, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)
        grid.addWidget(self._nothing, 0, 0, Qt.AlignmentFlag.AlignCenter)
        column.addLayout(grid, 1)

    def sizeHint(self) -> QSize:
        return QSize(420, 280)

    def minimumSizeHint(self) -> QSize:
        """Room for all lines of the legend: splitters ask no other way what a part needs at its width."""
        least, layout = super().minimumSizeHint(), self.layout()
        needed = 0 if layout is None else layout.totalMinimumHeightForWidth(self.width())
        return QSize(least.width(), max(least.height(), needed))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def copied(self) -> str:
        return self.figure.text()

    def set_axes(self, across: Scale, up: Scale) -> None:
        """What the axes tell of the data that is shown next."""
        self._across, self._up = across, up
        self._view.getAxis("bottom").shown, self._view.getAxis("left").shown = across, up

    def show_data(
        self,
        series: Sequence[Series],
        levels: Sequence[Level] = (),
        chosen: int | None = None,
        reach: float | None = None,
    ) -> None:
        """Replace what is shown.

        What only has more points than before stays at the range that the reader zoomed to.

        Args:
            chosen: id of a point to mark.
            reach: how far the horizontal axis goes at least.
        """
        if not _continues(self.series, series):
            self._pointing.forget()
        self.series, self.levels, self._chosen, self._reach = list(series), list(levels), chosen, reach
        self._draw()

    def tell_nothing(self, why: str) -> None:
        """Say something else where there is nothing to draw."""
        self._nothing.setText(why)

    # ------------------------------------------------------------ drawing

    def _draw(self) -> None:
        item = self._view.getPlotItem()
        item.clear()
        font = QFont(self.font())
        font.setPixelSize(letters())
        there = self._placed()
        self._style_axes(item, font, there=bool(there))
        self.thinned = ""
        self._nothing.setVisible(not there)
        self._dense = sum(len(entry.x) for entry, _, _ in there if entry.points) > _MANY_POINTS
        for placed in sorted(there, key=lambda placed: not placed[0].strong):
            self._draw_series(item, placed)
        self._draw_levels(item)
        self._spread(item, there)
        self._name(item, there, font)
        item.getViewBox().setDefaultPadding(0.04)
        self._mark(item)
        item.getViewBox().prepareForPaint()  # ranges that are found while painting make a second painting due
        self.legend.tell(self.series)

    def _style_axes(self, item: pg.PlotItem, font: QFont, *, there: bool) -> None:
        """Colours and names, of a plot with data; they cost more than it, and stay until theme or names change."""
        names = self._across.name, self._up.name
        if self._styled == (theme.name, *names, there):
            return
        self._styled = (theme.name, *names, there)
        self._view.setBackground(theme.color("surface"))
        item.layout.setContentsMargins(1, letters() // 2 + 2, 1, 1)  # half of what stands at the top tick is above it
        for side, text in zip(("bottom", "left"), names, strict=True):
            item.showAxis(side, there)
            axis = item.getAxis(side)
            axis.setPen(pg.mkPen(theme.color("border_strong")))
            axis.setTextPen(pg.mkPen(theme.color("muted")))
            axis.setTickFont(font)
            axis.setLabel(text, **{"font-size": f"{letters()}px", "color": theme.color("muted").name()})

    def _draw_series(self, item: pg.PlotItem, placed: Placed) -> None:
        entry, x, y = placed
        color = theme.color(entry.color)
        if entry.points and self._dense:
            item.addItem(density(x, y, color))
            self._tell_thinned(tr("density of points"))
        elif entry.points:
            size = _POINT if entry.sizes is None else entry.sizes
            item.addItem(pg.ScatterPlotItem(x, y, size=size, pen=None, brush=_with_alpha(color, 150), pxMode=True))
        elif np.isfinite(x + y).sum() == 1:  # no line goes through it: what a run has of the first round
            item.addItem(pg.ScatterPlotItem(x, y, size=_POINT, pen=None, brush=color, pxMode=True))
        else:
            path = Path.through(x, y, steps=entry.steps)
            if path.drawn < len(entry.x):
                self._tell_thinned(tr("{drawn} of {all} points drawn").format(drawn=path.drawn, all=len(entry.x)))
            item.addItem(Curve(path, color, 1 if entry.faint else 4 if entry.strong else 2))

    def _draw_levels(self, item: pg.PlotItem) -> None:
        for level, y in zip(self.levels, self._up.coordinates([level.y for level in self.levels]), strict=True):
            pen = pg.mkPen(theme.color(level.color), width=1, style=Qt.PenStyle.DashLine)
            item.addItem(pg.InfiniteLine(y, angle=0, pen=pen), ignoreBounds=False)
        if self._reach is not None and self.series:
            place = self._across.coordinates([self._reach])[0]
            item.addItem(pg.InfiniteLine(place, angle=90, pen=pg.mkPen(None)), ignoreBounds=False)

    def _spread(self, item: pg.PlotItem, there: Sequence[Placed]) -> None:
        """Room around data that are all at one place of an axis: it would be as wide as for what was shown before."""
        reach = self._across.coordinates([] if self._reach is None else [self._reach])
        levels = self._up.coordinates([level.y for level in self.levels])
        across, up = [reach, *(x for _, x, _ in there)], [levels, *(y for _, _, y in there)]
        for scale, places, angle in ((self._across, across, 90), (self._up, up, 0)):
            for place in scale.around(np.concatenate(places)):
                item.addItem(pg.InfiniteLine(place, angle=angle, pen=pg.mkPen(None)), ignoreBounds=False)

    def _name(self, item: pg.PlotItem, there: Sequence[Placed], font: QFont) -> None:
        """Names of levels, and of curves where they end; a single curve needs none."""
        several = sum(entry.told_at_end for entry, _, _ in there) > 1
        lines = []
        for entry, x, y in there:
            if not entry.points:
                path = Path.through(x, y, steps=entry.steps)
                known = np.isfinite(path.x + path.y)
                if known.any():
                    name = one_line(entry.name) if entry.told_at_end and several else ""
                    lines.append(Line(name, path.x[known], path.y[known], entry.color, entry.strong))
        nowhere = np.array([])
        for level in self.levels:
            name = f"{level.name}  {self._up.text(level.y)}"
            lines.append(Line(name, nowhere, self._up.coordinates([level.y]), level.color))
        if any(line.name for line in lines):
            item.addItem(Names(item.getViewBox(), lines, font))

    def _tell_thinned(self, how: str) -> None:
        self.thinned = f"{self.name}: {how}"

    def _mark(self, item: pg.PlotItem) -> None:
        """A ring around the chosen point, and a lighter one for what the pointer is on elsewhere."""
        if place := self._place_of(self._chosen):
            pen = pg.mkPen(theme.color("text"), width=2)
            item.addItem(pg.ScatterPlotItem([place[0]], [place[1]], size=13, brush=None, pen=pen), ignoreBounds=True)
        self._ring = pg.ScatterPlotItem(size=17, brush=None, pen=pg.mkPen(theme.color("accent"), width=2))
        item.addItem(self._ring, ignoreBounds=True)
        spot = self._pointing.spot
        self._ring_around(self._place_of(self._pointed) if spot is None else (spot.x, spot.y))

    def _ring_around(self, place: tuple[float, float] | None) -> None:
        if self._ring is not None:
            self._ring.setData(*([], []) if place is None else ([place[0]], [place[1]]))

    def point_at(self, point_id: int | None) -> None:
        """Ring the point with that id lightly, as while the pointer is on its row of a table; None takes it away."""
        self._pointed = point_id
        self._ring_around(self._place_of(point_id))

    def _place_of(self, point_id: int | None) -> tuple[float, float] | None:
        for entry in self.series:
            if entry.ids is not None and point_id is not None and point_id in entry.ids:
                x, y = self._coordinates(entry)
                at = list(entry.ids).index(point_id)
                return float(x[at]), float(y[at])
        return None

    def _coordinates(self, entry: Series) -> tuple[np.ndarray, np.ndarray]:
        return self._across.coordinates(entry.x), self._up.coordinates(entry.y)

    # ------------------------------------------------------------ pointing

    def _placed(self) -> list[Placed]:
        return [(entry, *self._coordinates(entry)) for entry in self.series if len(entry.x)]

    def _moved(self, spot: Spot | None) -> None:
        self.hovered.emit(None if spot is None else spot.id)
        self._ring_around(None if spot is None else (spot.x, spot.y))
        text = "" if spot is None else self._told(spot)
        self._hovered.setText(text)
        self._view.setAccessibleDescription(text)

    def _told(self, spot: Spot) -> str:
        entry, at = spot.entry, spot.at
        name = entry.names[at] if entry.names is not None else entry.name
        return f"{name}  {self._across.text(float(entry.x[at]))} · {self._up.text(float(entry.y[at]))}"

    def _tell(self, signal: SignalInstance, spot: Spot) -> None:
        if spot.id is not None:
            signal.emit(spot.id)

    def _table(self) -> Iterable[Sequence[Any]]:
        """Every point, also where fewer are drawn, with name and id where it has them, and the levels."""
        more = [part for part in ("names", "ids") if any(getattr(entry, part) is not None for entry in self.series)]
        yield "series", self._across.heading, self._up.heading, *(part.removesuffix("s") for part in more)
        for entry in self.series:
            told = [repeat("") if (own := getattr(entry, part)) is None else own for part in more]
            yield from zip(repeat(entry.name), entry.x.tolist(), entry.y.tolist(), *told, strict=False)
        for level in self.levels:
            yield level.name, "", level.y, *("" for _ in more)


def _continues(before: Sequence[Series], after: Sequence[Series]) -> bool:
    """Whether the same series are shown, with nothing but further points; where a curve of steps ends may move on."""
    return [entry.name for entry in before] == [entry.name for entry in after] and all(
        np.array_equal(getattr(new, axis)[:kept], getattr(old, axis)[:kept], equal_nan=True)
        for old, new in zip(before, after, strict=True)
        for kept in [max(0, len(old.x) - old.steps)]
        for axis in ("x", "y")
    )


def _with_alpha(color: QColor, alpha: int) -> QColor:
    made = QColor(color)
    made.setAlpha(alpha)
    return made
