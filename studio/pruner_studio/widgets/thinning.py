"""More points than a screen can show, drawn so that the eye misses nothing."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor

from pruner_studio.plotting import pg

_CELLS = 220  # of a density in each direction


def extremes(x: np.ndarray, y: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """A curve with its first, lowest, highest and last point in each of some columns; `x` ascends."""
    span = float(x[-1] - x[0]) or 1.0
    column = np.minimum(((x - x[0]) / span * columns).astype(int), columns - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(starts[1:], len(x)) - 1
    order = np.lexsort((y, column))  # within a column from lowest to highest; columns lie as before
    kept = np.unique(np.concatenate([starts, ends, order[starts], order[ends]]))
    return x[kept], y[kept]


def density(x: np.ndarray, y: np.ndarray, color: QColor) -> pg.ImageItem:
    """Many points as one picture: the more points in a cell, the stronger the colour."""
    kept = np.isfinite(x) & np.isfinite(y)
    x, y = x[kept], y[kept]
    spans = [(float(v.min()), max(float(np.ptp(v)), 1e-12)) for v in (x, y)]
    at = [
        np.minimum(((v - low) / span * _CELLS).astype(int), _CELLS - 1)
        for v, (low, span) in zip((x, y), spans, strict=True)
    ]
    amount = np.log1p(np.bincount(at[0] * _CELLS + at[1], minlength=_CELLS * _CELLS).reshape(_CELLS, _CELLS))
    picture = np.zeros((_CELLS, _CELLS, 4), np.uint8)
    picture[..., :3] = color.red(), color.green(), color.blue()
    picture[..., 3] = np.where(amount > 0, 70 + 185 * amount / amount.max(), 0)
    item = pg.ImageItem(picture, axisOrder="col-major")
    item.setRect(spans[0][0], spans[1][0], spans[0][1], spans[1][1])
    return item
