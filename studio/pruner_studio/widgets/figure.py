"""Saving and copying what is drawn: as PNG, as SVG (vector), or its figures as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF, QSize
from PySide6.QtGui import QPaintDevice, QPainter, QPixmap
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView, QWidget

from pruner_engine.errors import UserError
from pruner_engine.replacing import write_whole
from pruner_studio import clipboard
from pruner_studio.announcing import remarks
from pruner_studio.reasons import reason_of
from pruner_studio.theme import theme
from pruner_studio.translation import tr
from pruner_studio.widgets.basic import MenuButton
from pruner_studio.widgets.file_dialog import ask_where_to_write

_MARGIN = 8  # pixels around a picture


@dataclass(frozen=True)
class Figure:
    """Something drawn that can be saved.

    Attributes:
        name: for the reader; files are named after it.
        parts: the widgets that make the picture, which keep the places that they have on the screen.
        rows: the table behind it: headings first, then values in plain units (seconds, bytes, FLOP/s).
    """

    name: str
    parts: Callable[[], Sequence[QWidget]]
    rows: Callable[[], Iterable[Sequence[Any]]]

    @property
    def file_stem(self) -> str:
        return re.sub(r"\W+", "-", self.name.lower()).strip("-")

    def save(self, path: str) -> None:
        """Write a file; its suffix chooses PNG, SVG or CSV.

        Raises:
            UserError: the file cannot be written.
        """
        try:
            # from memory: Qt's writers fail without a word
            write_whole(Path(path), self._content(Path(path).suffix[1:].lower()))
        except OSError as error:
            raise UserError(
                tr("{path} could not be written: {why}.").format(path=path, why=reason_of(error)),
                tr("Choose another folder, or make room there."),
            ) from error

    def _content(self, kind: str) -> bytes:
        """A whole file in memory."""
        if kind == "csv":
            return _csv(self.rows(), "\r\n").encode()
        held = QBuffer()
        held.open(QIODevice.OpenModeFlag.WriteOnly)
        if kind == "svg":
            generator = QSvgGenerator()
            generator.setOutputDevice(held)
            generator.setTitle(self.name)
            generator.setSize(self._size())
            self._paint(generator)
        elif not self.picture().save(held, kind):
            raise OSError(0, tr("pictures are not written in this format"))
        return bytes(held.data().data())

    def text(self) -> str:
        """The table as CSV, to be pasted; empty where it has headings only."""
        rows = list(self.rows())
        return _csv(rows, "\n") if len(rows) > 1 else ""

    def picture(self) -> QPixmap:
        """As it is on the screen."""
        ratio = self.parts()[0].devicePixelRatioF()
        made = QPixmap(self._size() * ratio)
        made.setDevicePixelRatio(ratio)
        self._paint(made)
        return made

    def _box(self) -> QRect:
        """What the parts cover together, in pixels of their window."""
        box = QRect()
        for part in self.parts():
            box |= QRect(part.mapTo(part.window(), QPoint(0, 0)), part.size())
        return box.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)

    def _size(self) -> QSize:
        return self._box().size()

    def _paint(self, device: QPaintDevice) -> None:
        """The parts on the theme's ground: their own may be see-through."""
        box = self._box()
        painter = QPainter(device)
        painter.fillRect(QRect(QPoint(0, 0), box.size()), theme.color("surface"))
        for part in self.parts():
            place = part.mapTo(part.window(), QPoint(0, 0)) - box.topLeft()
            if isinstance(part, QGraphicsView):  # its render() takes a rectangle
                part.render(painter, QRectF(place, part.size()))
            else:
                part.render(painter, place)
        painter.end()


def _csv(rows: Iterable[Sequence[Any]], ending: str) -> str:
    held = io.StringIO()
    csv.writer(held, lineterminator=ending).writerows(rows)
    return held.getvalue()


class _Place:
    """Where figures are saved."""

    folder = Path()  # the last one that any was saved in


def ask_where_to_save(parent: QWidget, figure: Figure, kind: str) -> None:
    """Ask for a file and write the figure into it; what cannot be written is raised as a UserError."""

    def save(path: str) -> None:
        figure.save(path)
        _Place.folder = Path(path).parent
        remarks.made.emit(tr("Saved: {path}").format(path=path))

    title, place = tr("Save {figure}").format(figure=figure.name), f"{figure.file_stem}.{kind}"
    ask_where_to_write(parent, title, str(_Place.folder / place), save, f"{kind.upper()} (*.{kind})", suffix=kind)


class SaveButton(MenuButton):
    """The menu that saves a figure."""

    def __init__(self, figure: Figure) -> None:
        name, tip = tr("{figure}: save").format(figure=figure.name), tr("Save or copy the picture or its values")
        super().__init__("export", name, tip, "faint", 15)
        self.figure = figure
        for kind in ("png", "svg", "csv"):
            self.choices.addAction(
                tr("Save as {kind}…").format(kind=kind.upper()), partial(ask_where_to_save, self, figure, kind)
            )
        self.choices.addSeparator()
        self.choices.addAction(tr("Copy the &values"), lambda: clipboard.copy(figure.text()))
        self.choices.addAction(tr("Copy the &picture"), lambda: clipboard.copy_picture(figure.picture(), figure.name))
