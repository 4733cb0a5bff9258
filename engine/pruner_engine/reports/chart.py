"""Line and scatter charts as SVG text whose colours are the page's style variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 720, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 12, 12, 44
_SERIES_COLOURS = 6  # --series1 … of the style sheet

Pair = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """How values lie along an edge.

    Attributes:
        label: what they are.
        told: a value as text.
        log: logarithmic, where all values are above zero.
        whole: counts, which have no fractions.
    """

    label: str
    told: Callable[[float], str] = lambda value: f"{value:g}"
    log: bool = False
    whole: bool = False

    def ticks(self, low: float, high: float) -> list[float]:
        """Round values between the bounds, five or so."""
        if self.log:
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
            steps = (1, 2, 5) if last - first <= 2 else (1,)
            ticks = [step * 10.0**power for power in range(first, last + 1) for step in steps]
            ticks = [tick for tick in ticks if low <= tick <= high]
            if len(ticks) > 1:
                return ticks
        step = 10.0 ** math.floor(math.log10((high - low) / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 5)
        if self.whole:
            step = max(1.0, step)
        ticks = [step * n for n in range(math.ceil(low / step), math.floor(high / step) + 1)]
        return [tick for tick in ticks if low <= tick <= high]

    def place(self, value: float, low: float, high: float) -> float:
        """From 0 at the lower bound to 1 at the upper."""
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return (value - low) / (high - low)


@dataclass
class _Series:
    name: str
    points: list[Pair]
    drawn: str  # line | steps | dots | level
    colour: int
    hints: Sequence[str] = ()


@dataclass
class Chart:
    """Add series, then take the SVG; values that are not finite, or not above zero on a log axis, are left out."""

    title: str
    x: Axis
    y: Axis
    _series: list[_Series] = field(default_factory=list)

    def steps(self, name: str, points: Iterable[Pair], colour: int) -> None:
        """A value that holds until the next point."""
        self._add(name, points, "steps", colour)

    def dots(self, name: str, points: Iterable[Pair], colour: int, hints: Sequence[str]) -> None:
        """Single points; `hints` are shown where the pointer rests."""
        self._add(name, points, "dots", colour, hints)

    def level(self, name: str, value: float | None, colour: int) -> None:
        """A horizontal line; none for None, or for what the axis cannot show."""
        if value is not None and math.isfinite(value) and (value > 0 or not self.y.log):
            self._add(name, [(math.nan, value)], "level", colour)

    def _add(self, name: str, points: Iterable[Pair], drawn: str, colour: int, hints: Sequence[str] = ()) -> None:
        self._series.append(_Series(name, list(points), drawn, colour % _SERIES_COLOURS + 1, hints))

    def svg(self) -> Markup:
        """The chart; a sentence where there is nothing to draw."""
        xs = self._values(0, self.x)
        ys = self._values(1, self.y)
        if not xs or not ys:
            return Markup('<p class="muted">{}: nothing to show.</p>').format(self.title)
        x_bounds, y_bounds = _bounds(xs, self.x.log), _bounds(ys, self.y.log)
        place = _Placement(self.x, self.y, x_bounds, y_bounds)
        parts = [
            Markup('<figure><figcaption>{}</figcaption><svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
                self.title, _WIDTH, _HEIGHT, self.title
            ),
            *self._frame(place),
            *(_drawn(series, place) for series in self._series),
            Markup("</svg>"),
            self._legend(),
            Markup("</figure>"),
        ]
        return Markup("").join(parts)

    def _values(self, index: int, axis: Axis) -> list[float]:
        values = [point[index] for series in self._series for point in series.points]
        return [value for value in values if math.isfinite(value) and (value > 0 or not axis.log)]

    def _frame(self, place: _Placement) -> Iterable[Markup]:
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        for tick in self.x.ticks(*place.x_bounds):
            yield Markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/>').format(
                place.left(tick), _TOP, bottom
            )
            yield Markup('<text class="tick" text-anchor="middle" x="{:.1f}" y="{}">{}</text>').format(
                place.left(tick), bottom + 16, self.x.told(tick)
            )
        for tick in self.y.ticks(*place.y_bounds):
            yield Markup('<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>').format(
                _LEFT, right, place.top(tick)
            )
            yield Markup('<text class="tick" text-anchor="end" x="{}" y="{:.1f}">{}</text>').format(
                _LEFT - 6, place.top(tick) + 4, self.y.told(tick)
            )
        middle = (_TOP + bottom) / 2
        yield Markup('<text class="axis" text-anchor="middle" x="{}" y="{}">{}</text>').format(
            (_LEFT + right) / 2, _HEIGHT - 6, self.x.label
        )
        yield Markup('<text class="axis side" transform="translate(12 {}) rotate(-90)">{}</text>').format(
            middle, self.y.label
        )

    def _legend(self) -> Markup:
        seen = {series.name: series.colour for series in self._series}
        items = (Markup('<li style="--c: var(--series{})">{}</li>').format(c, name) for name, c in seen.items())
        return Markup('<ul class="legend">{}</ul>').format(Markup("").join(items))


@dataclass(frozen=True)
class _Placement:
    """From values to places in the drawing."""

    x: Axis
    y: Axis
    x_bounds: Pair
    y_bounds: Pair

    def left(self, value: float) -> float:
        return _LEFT + self.x.place(value, *self.x_bounds) * (_WIDTH - _LEFT - _RIGHT)

    def top(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - self.y.place(value, *self.y_bounds) * (_HEIGHT - _TOP - _BOTTOM)

    def shows(self, point: Pair) -> bool:
        pairs = zip(point, (self.x, self.y), strict=True)
        return all(math.isfinite(value) and (value > 0 or not axis.log) for value, axis in pairs)


def _bounds(values: Sequence[float], log: bool) -> Pair:
    """A little wider than the values."""
    low, high = min(values), max(values)
    if log:
        return low / 1.1, high * 1.1
    margin = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return (0.0 if 0 <= low <= (high - low) * 0.2 else low - margin), high + margin


def _drawn(series: _Series, place: _Placement) -> Markup:
    style = Markup('style="--c: var(--series{})"').format(series.colour)
    if series.drawn == "level":
        top = place.top(series.points[0][1])
        return Markup('<line class="level" {0} x1="{1}" x2="{2}" y1="{3:.1f}" y2="{3:.1f}"/>').format(
            style, _LEFT, _WIDTH - _RIGHT, top
        )
    shown = [(i, place.left(p[0]), place.top(p[1])) for i, p in enumerate(series.points) if place.shows(p)]
    if series.drawn == "dots":
        dots = Markup("").join(
            Markup('<circle cx="{:.1f}" cy="{:.1f}" r="3">{}</circle>').format(left, top, _hint(series.hints, i))
            for i, left, top in shown
        )
        return Markup('<g class="dots" {}>{}</g>').format(style, dots)
    if not shown:
        return Markup("")
    path = f"M{shown[0][1]:.1f} {shown[0][2]:.1f}"
    path += "".join(f"H{left:.1f}V{top:.1f}" for _, left, top in shown[1:])
    return Markup('<path class="line" {} d="{}"/>').format(style, path)


def _hint(hints: Sequence[str], index: int) -> Markup:
    return Markup("<title>{}</title>").format(escape(hints[index])) if index < len(hints) else Markup("")
